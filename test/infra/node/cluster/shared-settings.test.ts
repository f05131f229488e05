import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../../../../infra/node/boot/config.ts";
import { differingSettings, sharedSettings } from "../../../../infra/node/cluster/shared-settings.ts";

const of = (environment: { [name: string]: string }) => sharedSettings(readConfig(environment));
const OTHER_KEY = "q2r9C2Xq0o6Qb0V3J8cVbFh3b0k4m1Zl7pXn5sYtT2E=";

test("names what two nodes have otherwise, and tells nothing of the values", () => {
  const one = of({});
  const other = of({ RELAY_TERMINAL_SECRET: "a-secret-of-its-own", RELAY_UUID_RETENTION_DAYS: "7", RELAY_SHARDS: "3", RELAY_NODE_ID: "b" });
  assert.deepEqual(differingSettings(one, other), ["RELAY_TERMINAL_SECRET", "RELAY_UUID_RETENTION_DAYS"]);
  assert.deepEqual(differingSettings(one, of({ RELAY_NODE_ID: "c" })), []);
  for (const digest of [other.key, ...Object.values(other.digests)]) assert.match(digest, /^[0-9a-f]{16}$/);
});

test("says nothing while the secret key is rotated, nor of what only one version knows", () => {
  const one = of({});
  assert.deepEqual(differingSettings(one, of({ RELAY_SECRET_KEY: OTHER_KEY, RELAY_TIME_ZONE: "Europe/Lisbon" })), []);
  const { RELAY_TIME_ZONE: _, ...fewer } = one.digests;
  assert.deepEqual(differingSettings(one, { key: one.key, digests: fewer }), []);
  assert.deepEqual(differingSettings({ key: one.key, digests: fewer }, one), []);
});
