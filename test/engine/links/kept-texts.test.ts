import assert from "node:assert/strict";
import { test } from "node:test";
import { newLink } from "../../../engine/links/rules.ts";
import { stepLink } from "../../../engine/links/step-link.ts";
import { NOW_MS, order } from "./machine-world.ts";

const TEXTS = { description: "for 4111.1111.1111.1111", merchantReference: "R7-4111111111111111" };

test("a link's texts are kept as they came until the gateway has them, and then without card numbers", () => {
  const begun = stepLink(newLink(order(TEXTS)), { type: "init.begun", atMs: NOW_MS }).record;
  assert.deepEqual([begun.order.description, begun.order.merchantReference], [TEXTS.description, TEXTS.merchantReference]);
  const answered = stepLink(begun, { type: "init.answered", atMs: NOW_MS, paymentId: "P1", redirectUrl: "https://gateway.example/P1" });
  assert.equal(answered.changed, true);
  assert.notEqual(answered.record.state, "created");
  assert.deepEqual(
    [answered.record.order.description, answered.record.order.merchantReference],
    ["for 411111******1111", "R7-411111******1111"],
  );
});

test("they are kept without card numbers, too, where the gateway refuses them", () => {
  const begun = stepLink(newLink(order(TEXTS)), { type: "init.begun", atMs: NOW_MS }).record;
  const refused = { type: "init.refused", atMs: NOW_MS, resultCode: "GW_1", description: "no", absent: true } as const;
  const { record } = stepLink(begun, refused);
  assert.deepEqual([record.state, record.order.description], ["failed", "for 411111******1111"]);
});
