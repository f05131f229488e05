import assert from "node:assert/strict";
import { test } from "node:test";
import { roomOf } from "../../../engine/mails/mail.ts";
import { isMailAddress } from "../../../engine/mails/mail-address.ts";
import { createMailStore, mailOperations } from "../../../engine/mails/mail-store.ts";
import { onEachEngine } from "../../contract/engines.ts";
import { testMailStore } from "../../contract/mail-store.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { BOX, HOUR_MS, mail } from "./mail-world.ts";

await onEachEngine(testMailStore, (opened) => ({ store: createMailStore(opened.kv), opened, close: opened.close }));

const TERMS = { box: BOX, atMs: 1_000, expiresAtMs: 1_000 + HOUR_MS };

test("a mail that no mailer could take is refused, without quoting it", () => {
  for (const wrong of [
    mail("a b"),
    mail(""),
    mail("m1", { to: "ada@shop.example\r\nBcc: eve@evil.example" }),
    mail("m1", { to: "ada@shop.example, eve@evil.example" }),
    mail("m1", { subject: "x".repeat(201) }),
    mail("m1", { text: "x".repeat(20_001) }),
  ]) {
    assert.throws(
      () => mailOperations(wrong, TERMS),
      (error) => error instanceof RangeError && !/ada|eve|xxx/.test(error.message),
    );
  }
  for (const expiresAtMs of [TERMS.atMs, TERMS.atMs - 1, TERMS.atMs + 8 * 24 * HOUR_MS, Number.NaN]) {
    assert.throws(() => mailOperations(mail("m1"), { ...TERMS, expiresAtMs }), RangeError);
  }
});

test("addresses", () => {
  for (const good of ["ada@shop.example", "a.b+c@x.co", "o'neil@shop.example", "x@localhost", "A_B-c@sub.shop.example"]) {
    assert.equal(isMailAddress(good), true, good);
  }
  for (const bad of [
    "",
    "ada",
    "@shop.example",
    "ada@",
    "a b@shop.example",
    "ada@shop.example ",
    "ada@shop.example\n",
    "<ada@shop.example>",
    "ada@shop.example,eve@evil.example",
    "ada@[127.0.0.1]",
    "ada@-shop.example",
    '"a b"@shop.example',
    "ad\u0000a@shop.example",
    "àda@shop.example",
    `${"a".repeat(65)}@shop.example`,
    `a@${"x".repeat(250)}.example`,
    "-f@shop.example\r\n.",
  ]) {
    assert.equal(isMailAddress(bad), false, bad);
  }
});

test("where ten thousand of a room wait there is no room for anybody, and there is in the other rooms", async () => {
  const kv = new MemoryKv();
  const store = createMailStore(kv);
  const { queuedMax } = roomOf("invitation");
  const queued = (from: number, until: number) => {
    const operations = Array.from({ length: until - from }, (_, index) =>
      mailOperations(
        mail(`m${from + index}`, { merchantId: `SHOP-${index % 20}`, kind: index % 2 === 0 ? "invitation" : "payment-link" }),
        TERMS,
      ),
    );
    return kv.commit({ checks: [], operations: operations.flat() });
  };
  await queued(0, queuedMax - 1);
  assert.equal(await store.room("payment-link", { merchantId: "SHOP-001" }, 1_000), 1_000);
  await queued(queuedMax - 1, queuedMax);
  assert.equal(await store.room("payment-link", { merchantId: "SHOP-001" }, 1_000), null);
  assert.equal(await store.room("security-notice", { merchantId: "SHOP-001" }, 1_000), 1_000);
});
