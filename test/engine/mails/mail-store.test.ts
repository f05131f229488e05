import assert from "node:assert/strict";
import { test } from "node:test";
import { isMailAddress } from "../../../engine/mails/mail-address.ts";
import { createMailStore, mailOperations, QUEUED_MAX } from "../../../engine/mails/mail-store.ts";
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

test("beyond ten thousand that wait there is no room for anybody", async () => {
  const kv = new MemoryKv();
  const store = createMailStore(kv);
  const operations = Array.from({ length: QUEUED_MAX }, (_, index) =>
    mailOperations(mail(`m${index}`, { merchantId: null }), TERMS),
  ).flat();
  await kv.commit({ checks: [], operations: operations.slice(0, -4) });
  assert.equal(await store.hasRoom("SHOP-001", 1_000), true);
  await kv.commit({ checks: [], operations });
  assert.equal(await store.hasRoom("SHOP-001", 1_000), false);
  assert.equal(await store.hasRoom(null, 1_000), false);
});
