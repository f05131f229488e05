import assert from "node:assert/strict";
import { test } from "node:test";
import type { PartnerRecord } from "../../../engine/partners/partner.ts";
import { createPartnerStore, PARTNER_PARTITIONS, PARTNER_TABLE } from "../../../engine/partners/partner-store.ts";
import { createTableVersions, partitionName, partitionOf } from "../../../engine/tables/table-versions.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";

function partner(id: number): PartnerRecord {
  return {
    schema: 1,
    id,
    username: `partner-${id}`,
    passwordHash: "",
    keySha256: `key-${id}`,
    previousKey: null,
    enabled: true,
    gateway: { terminalId: "T", merchantId: "M", sealedSecret: "" },
    allowedOrigins: {},
    terminals: { ruleType: "ANY" },
    adapter: null,
    partnerApi: null,
    sandbox: false,
    createdAtMs: 1,
    updatedAtMs: 1,
    deletedAtMs: null,
  };
}

test("a new partner and a changed one raise the version of their partition, so that a shard which nobody told finds them", async () => {
  const kv = new MemoryKv();
  const [store, tableVersions] = [createPartnerStore(kv), createTableVersions(kv)];
  const created = await store.create(partner);
  assert.equal(created.type, "created");
  const partition = partitionName(PARTNER_TABLE, partitionOf("1", PARTNER_PARTITIONS));
  const [first = 0] = await tableVersions.load([partition]);
  assert.notEqual(first, 0);
  const stored = await store.find(1);
  assert.ok(stored);
  await store.replace(stored, { ...stored.record, enabled: false });
  const [second = 0] = await tableVersions.load([partition]);
  assert.equal(second > first, true);
});
