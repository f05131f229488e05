import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DELETED_PARTNER_KEPT_MS } from "../../../../engine/partners/partner.ts";
import { createSecretBox } from "../../../../infra/node/boot/secret-box.ts";
import { renewSealedRecords } from "../../../../infra/node/process/sealed-records.ts";
import { prepareStoredSecrets } from "../../../../infra/node/process/stored-secrets.ts";
import { MemoryKv } from "../../../engine/kernel/memory-kv.ts";

const [FIRST, SECOND, THIRD] = [
  "11223344556677889900aabbccddeeff".repeat(2),
  "0f1e2d3c4b5a69788796a5b4c3d2e1f0".repeat(2),
  "9b".repeat(32),
];
const PLACE = "partner/7/gwSecretKey";
const refused = { name: "RelayError", code: "internal", message: "A stored secret cannot be decrypted" };

describe("the secret box", () => {
  const box = createSecretBox({ current: FIRST, old: null });

  it("opens what it sealed, and only in its place", () => {
    for (const secret of ["", "s3cret", "ключ 🔑", "x".repeat(10_000)]) {
      const sealed = box.seal(secret, PLACE);
      assert.equal(box.open(sealed, PLACE), secret);
      assert.throws(() => box.open(sealed, "partner/8/gwSecretKey"), refused);
      if (secret !== "") assert.ok(!sealed.includes(secret));
    }
  });

  it("seals the same secret differently each time", () => {
    assert.notEqual(box.seal("s3cret", PLACE), box.seal("s3cret", PLACE));
  });

  it("refuses what was changed, cut, or sealed with another key", () => {
    const sealed = box.seal("s3cret", PLACE);
    const [head, id, , payload = ""] = sealed.split(".");
    const context = Buffer.from("partner/8/gwSecretKey").toString("base64url");
    const bytes = Buffer.from(payload, "base64url");
    for (let index = 0; index < bytes.length; index++) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      const text = [head, id, Buffer.from(PLACE).toString("base64url"), changed.toString("base64url")].join(".");
      assert.throws(() => box.open(text, PLACE), refused, `byte ${index}`);
    }
    assert.throws(() => box.open(sealed.slice(0, -30), PLACE), refused);
    assert.throws(() => box.open("", PLACE), refused);
    assert.throws(() => box.open("s3cret", PLACE), refused);
    assert.throws(() => box.open([head, id, context, payload].join("."), "partner/8/gwSecretKey"), refused, "its place is authenticated");
    assert.throws(() => createSecretBox({ current: SECOND, old: null }).open(sealed, PLACE), refused);
  });

  it("opens with the old key what was sealed before a rotation, and renews it", () => {
    const sealed = box.seal("s3cret", PLACE);
    const rotating = createSecretBox({ current: SECOND, old: FIRST });
    assert.equal(rotating.open(sealed, PLACE), "s3cret");
    assert.equal(rotating.renewed({ a: "text", n: 1 }), null);
    assert.equal(rotating.renewed({ a: rotating.seal("x", PLACE) }), null);
    const renewed = rotating.renewed({ id: 7, gateway: { sealed, list: [sealed, null] } });
    const after = createSecretBox({ current: SECOND, old: null });
    assert.deepEqual(
      JSON.parse(JSON.stringify(renewed), (_, value) =>
        typeof value === "string" && value.startsWith("box1.") ? after.open(value, PLACE) : value,
      ),
      { id: 7, gateway: { sealed: "s3cret", list: ["s3cret", null] } },
    );
  });
});

describe("stored secrets at a node's start", () => {
  const put = async (kv: MemoryKv, key: string, value: unknown) =>
    kv.commit({ checks: [], operations: [{ type: "put", key, value: JSON.stringify(value) }] });

  it("are readable with the key that sealed them, and with it as the old one", async () => {
    const kv = new MemoryKv();
    const start = (current: string, old: string | null) => prepareStoredSecrets(kv, createSecretBox({ current, old }));
    assert.deepEqual(await start(FIRST, null), { type: "readable", renewed: 0 });
    assert.deepEqual(await start(FIRST, null), { type: "readable", renewed: 0 });
    assert.deepEqual(await start(SECOND, null), { type: "unreadable" });
    assert.deepEqual(await start(SECOND, FIRST), { type: "readable", renewed: 1 });
    assert.deepEqual(await start(FIRST, null), { type: "unreadable" });
    assert.deepEqual(await start(SECOND, THIRD), { type: "readable", renewed: 0 });
  });

  it("are sealed again, a merchant's too; what is to be forgotten in time (a deleted partner, an answer kept for its key) still is", async () => {
    const kv = new MemoryKv();
    const [before, after] = [createSecretBox({ current: FIRST, old: null }), createSecretBox({ current: SECOND, old: null })];
    await prepareStoredSecrets(kv, before);
    await put(kv, "merchant-secret/m/PAYPAL", { schema: 1, sealed: before.seal("s3cret", "merchant/m/PAYPAL") });
    const state = { type: "answered", sealed: true, text: before.seal("an answer", "idempotency/s1") };
    await put(kv, "i/s1", { schema: 1, fingerprint: "f", operationId: "o", createdAtMs: 1_700_000_000_000, state });
    const gateway = { terminalId: "T", merchantId: "M", sealedSecret: before.seal("s3cret", "partner/7/gwSecretKey") };
    await put(kv, "nr/0/0000000000000007", { schema: 1, id: 7, deletedAtMs: 1_700_000_000_000, gateway });
    await put(kv, "nr/0/0000000000000008", { schema: 1, id: 8, deletedAtMs: null, gateway });
    const written: { key: string; expiresAtMs?: number }[] = [];
    kv.fate = ({ operations }) => {
      for (const operation of operations) if (operation.type === "put") written.push(operation);
      return "done";
    };
    assert.deepEqual(await prepareStoredSecrets(kv, createSecretBox({ current: SECOND, old: FIRST })), { type: "readable", renewed: 5 });
    assert.equal(after.open(JSON.parse((await kv.get("merchant-secret/m/PAYPAL"))?.value ?? "").sealed, "merchant/m/PAYPAL"), "s3cret");
    assert.equal(after.open(JSON.parse((await kv.get("i/s1"))?.value ?? "").state.text, "idempotency/s1"), "an answer");
    const until = new Map(written.map(({ key, expiresAtMs }) => [key, expiresAtMs]));
    assert.equal(until.get("i/s1"), 1_700_000_000_000 + 30 * 86_400_000);
    assert.equal(until.get("nr/0/0000000000000007"), 1_700_000_000_000 + DELETED_PARTNER_KEPT_MS);
    for (const key of ["nr/0/0000000000000008", "merchant-secret/m/PAYPAL"])
      assert.deepEqual([until.has(key), until.get(key)], [true, undefined]);
  });

  it("are sealed again, page after page, also one that changes meanwhile", async () => {
    const kv = new MemoryKv();
    const [before, after] = [createSecretBox({ current: FIRST, old: null }), createSecretBox({ current: SECOND, old: FIRST })];
    const key = (index: number) => `x/${String(index).padStart(4, "0")}`;
    const sealedAt = (index: number) => ({ name: `n${index}`, sealed: before.seal(`secret ${index}`, key(index)) });
    for (let index = 0; index < 1_100; index++) await put(kv, key(index), sealedAt(index));
    await put(kv, "y/1", sealedAt(1));
    let meddled = false;
    const renewed = await renewSealedRecords(kv, [{ prefix: "x/" }], (value) => {
      if (!meddled) void put(kv, key(0), { ...sealedAt(0), name: "changed" });
      meddled = true;
      return after.renewed(value);
    });
    assert.equal(renewed, 1_100);
    const alone = createSecretBox({ current: SECOND, old: null });
    for (let index = 0; index < 1_100; index++) {
      const { name, sealed } = JSON.parse((await kv.get(key(index)))?.value ?? "");
      assert.deepEqual([name, alone.open(sealed, key(index))], [index === 0 ? "changed" : `n${index}`, `secret ${index}`]);
    }
    assert.throws(() => alone.open(JSON.parse("{}").sealed ?? "", "y/1"), refused);
  });
});
