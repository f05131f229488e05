import assert from "node:assert/strict";
import { test } from "node:test";
import { MERCHANT_BASE } from "../../../../http/surfaces/merchant/surface.ts";
import { en } from "../../../../http/web/portal/i18n/en.ts";
import { it } from "../../../../http/web/portal/i18n/it.ts";
import { readConfig } from "../../../../infra/node/boot/config.ts";
import { surfacesOf } from "../../../../infra/node/wiring/shared/endpoints.ts";

test("every change that the portal logs has words on the page of the log", () => {
  const actions = Object.values(surfacesOf(readConfig({})))
    .flat()
    .flatMap(({ path, audit }) => (path.startsWith(MERCHANT_BASE) && typeof audit === "object" ? [audit.action] : []));
  assert.ok(actions.includes("user.invite"));
  for (const { audit } of [en, it]) {
    const known: Readonly<Record<string, string>> = audit.actions;
    assert.deepEqual(
      [...new Set(actions)].filter((action) => known[action] === undefined),
      [],
    );
  }
});
