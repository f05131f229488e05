import assert from "node:assert/strict";
import { test } from "node:test";
import { namesToRestartFor } from "../../../../infra/node/boot/reload.ts";

const CASES: [title: string, before: { [name: string]: string }, now: { [name: string]: string }, names: string[]][] = [
  ["nothing", { RELAY_PORT: "1", PATH: "/bin" }, { RELAY_PORT: "1", PATH: "/usr/bin" }, []],
  ["what is taken over", { RELAY_LOG_LEVEL: "info" }, { RELAY_LOG_LEVEL: "debug", RELAY_WAITING_LOOKUPS_PER_CALLER_MAX: "1" }, []],
  ["another certificate", { RELAY_TLS_CERT: "a", RELAY_TLS_KEY: "a" }, { RELAY_TLS_CERT: "b", RELAY_TLS_KEY: "b" }, []],
  ["TLS where there was none", {}, { RELAY_TLS_CERT: "b", RELAY_TLS_KEY: "b" }, ["RELAY_TLS_CERT", "RELAY_TLS_KEY"]],
  ["no TLS where there was", { RELAY_TLS_CERT: "a", RELAY_TLS_KEY: "a" }, { RELAY_TLS_CERT: " " }, ["RELAY_TLS_CERT", "RELAY_TLS_KEY"]],
  ["clients that need certificates from now on", {}, { RELAY_TLS_CLIENT_CA: "a" }, ["RELAY_TLS_CLIENT_CA"]],
  ["clients that need no certificates any more", { RELAY_TLS_CLIENT_CA: "a" }, {}, ["RELAY_TLS_CLIENT_CA"]],
  ["other authorities of clients", { RELAY_TLS_CLIENT_CA: "a" }, { RELAY_TLS_CLIENT_CA: "b" }, []],
  ["a port, and a zone that is gone", { RELAY_PORT: "1", RELAY_TIME_ZONE: "UTC" }, { RELAY_PORT: "2" }, ["RELAY_PORT", "RELAY_TIME_ZONE"]],
];

for (const [title, before, now, names] of CASES) {
  test(`a restart is needed for: ${title}`, () => assert.deepEqual(namesToRestartFor(before, now), names));
}
