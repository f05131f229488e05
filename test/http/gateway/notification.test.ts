import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { isNotificationSigned, signNotification } from "../../../http/gateway/notification.ts";

const NOTIFICATION = { merId: "M1", txId: "tx 1", paymentId: "pay-1" };

test("a notification is signed over its three members", () => {
  const expected = createHmac("sha256", "key").update("merId=M1&txId=tx 1&paymentId=pay-1").digest("hex");
  assert.equal(signNotification(NOTIFICATION, "key"), expected);
  assert.ok(isNotificationSigned(NOTIFICATION, expected.toUpperCase(), "key"), "in either case");
});

for (const changed of [{ merId: "M2" }, { txId: "tx 2" }, { paymentId: "pay-2" }]) {
  test(`a signature does not hold for another ${Object.keys(changed)}`, () => {
    const signature = signNotification(NOTIFICATION, "key");
    assert.equal(isNotificationSigned({ ...NOTIFICATION, ...changed }, signature, "key"), false);
  });
}

test("another secret, or a part of a signature, does not hold", () => {
  const signature = signNotification(NOTIFICATION, "key");
  assert.equal(isNotificationSigned(NOTIFICATION, signature, "other"), false);
  assert.equal(isNotificationSigned(NOTIFICATION, signature.slice(0, 20), "key"), false);
  assert.equal(isNotificationSigned(NOTIFICATION, "", "key"), false);
});
