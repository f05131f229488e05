import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createPartnerStore, FORMER_VERSIONS_FENCE } from "../../../engine/partners/partner-store.ts";
import { createHistoryStore } from "../../../storage/kv/history-store.ts";
import type { SchemaNumbers } from "../../../storage/schemas/agreement.ts";
import { checkSchemaMark, raiseSchemaMark } from "../../../storage/schemas/schema-mark.ts";
import { MemoryKv } from "../../engine/kernel/memory-kv.ts";

const OLDER: SchemaNumbers = { command: [2, 1, 2] };
/** The release between: it reads what the next one writes. */
const READING: SchemaNumbers = { command: [2, 1, 3], intent: [0, 1, 1] };
const NEWER: SchemaNumbers = { command: [3, 2, 3], intent: [1, 1, 1] };
const NEWEST: SchemaNumbers = { command: [3, 3, 3], intent: [1, 1, 1] };

describe("a store's mark of schemas", () => {
  it("lets each version open a store that none has written to", async () => {
    for (const numbers of [OLDER, READING, NEWER, NEWEST]) await checkSchemaMark(new MemoryKv(), numbers);
  });

  it("lets a version go on to one that reads what it wrote, and back to one that reads what that has written", async () => {
    const kv = new MemoryKv();
    await raiseSchemaMark(kv, "0.2.0", OLDER);
    await checkSchemaMark(kv, READING);
    await raiseSchemaMark(kv, "0.3.0", READING);
    await checkSchemaMark(kv, OLDER);
    await checkSchemaMark(kv, NEWER);
    await raiseSchemaMark(kv, "0.4.0", NEWER);
    await checkSchemaMark(kv, READING);
    await raiseSchemaMark(kv, "0.3.0", READING);
    await assert.rejects(checkSchemaMark(kv, OLDER), {
      name: "VersionRefused",
      message:
        "the store contains command in schema 3, which Terminal Relay 0.4.0 wrote, and this version reads 1 to 2: " +
        "start 0.4.0 or a newer one, or restore a backup from before that version (infra/docs/upgrading.md)",
    });
  });

  it("keeps off a version that does not know a kind that the store holds", async () => {
    const kv = new MemoryKv();
    await raiseSchemaMark(kv, "0.4.0", { ...OLDER, intent: [1, 1, 1] });
    await assert.rejects(
      checkSchemaMark(kv, OLDER),
      /the store contains intent in schema 1, which Terminal Relay 0\.4\.0 wrote, and this version does not know it/,
    );
  });

  it("keeps off a version that no longer reads what may stand there still", async () => {
    const kv = new MemoryKv();
    await raiseSchemaMark(kv, "0.2.0", OLDER);
    await raiseSchemaMark(kv, "0.4.0", NEWER);
    await assert.rejects(checkSchemaMark(kv, NEWEST), /the store may still contain command in schema 2, and this version reads 3/);
    // One that the newer version began has nothing older.
    const begun = new MemoryKv();
    await raiseSchemaMark(begun, "0.4.0", NEWER);
    await checkSchemaMark(begun, NEWEST);
    // One without a mark is of 0.1.0, or older; but for what a start looks for before it raises the mark.
    const former = new MemoryKv();
    await former.commit({ checks: [], operations: [{ type: "put", key: "c/u-1", value: "{}" }] });
    await raiseSchemaMark(former, "0.4.0", NEWER);
    await assert.rejects(checkSchemaMark(former, NEWEST), /may still contain command in schema 1/);
    const started = new MemoryKv();
    await started.commit({ checks: [], operations: [{ type: "put", key: "g/secret-key", value: "{}" }] });
    await createHistoryStore(started).identify(null);
    await raiseSchemaMark(started, "0.4.0", NEWER);
    await checkSchemaMark(started, NEWEST);
  });

  it("keeps off a version that cannot read the mark itself", async () => {
    const kv = new MemoryKv();
    await kv.commit({ checks: [], operations: [{ type: "put", key: "g/schemas", value: '{"schema":99}' }] });
    await assert.rejects(checkSchemaMark(kv), {
      name: "VersionRefused",
      message: /schema 99, which this version cannot read: start the version that wrote it/,
    });
  });

  it("is written once, and by many at once", async () => {
    const kv = new MemoryKv();
    await Promise.all(Array.from({ length: 8 }, () => raiseSchemaMark(kv, "0.2.0", OLDER)));
    const { version } = (await kv.get("g/schemas")) ?? {};
    await raiseSchemaMark(kv, "0.2.1", OLDER);
    assert.equal((await kv.get("g/schemas"))?.version, version);
  });

  it("is beside a record that 0.1.0 meets among the partners, and that is none", async () => {
    const kv = new MemoryKv();
    await raiseSchemaMark(kv, "0.2.0");
    const fence: { schema: unknown } = JSON.parse((await kv.get(FORMER_VERSIONS_FENCE))?.value ?? "{}");
    assert.match(String(fence.schema), /^2 \(Terminal Relay 0\.2\.0 has written to this store: start that version or a newer one/);
    const parts = await Promise.all(Array.from({ length: 64 }, (_, part) => createPartnerStore(kv).load(part)));
    assert.deepEqual(
      parts.map(({ size }) => size).filter((size) => size > 0),
      [],
    );
  });
});
