import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FollowUp, LinkRecord } from "../../../engine/links/link.ts";
import { createRefundRows, refundRows } from "../../../engine/links/refund-rows.ts";
import type { ObjectRow } from "../../../engine/payments/object-row.ts";
import { followUp, link, NOW_MS, unanswered } from "./machine-world.ts";

const SHOP = { order: { shop: "SHOP-001" } };
const success = link("success", SHOP);

/** The rows that a step of a link feeds, and how often it was looked up whether the merchant's money is real. */
async function fedBy(before: LinkRecord | null, record: LinkRecord): Promise<{ rows: ObjectRow[]; reads: number }> {
  let reads = 0;
  const companion = createRefundRows({
    isLive: async (id) => {
      reads += 1;
      return id === "SHOP-001" ? true : null;
    },
  });
  const beside = await companion({ record, before, version: 1, rows: [], attention: [], settled: [], atMs: NOW_MS }, null);
  assert.ok(beside !== "refused");
  assert.deepEqual(beside.checks, []);
  const rows = beside.operations.map((operation): ObjectRow => {
    assert.ok(operation.type === "put" && operation.key.startsWith("o/"));
    return JSON.parse(operation.value);
  });
  return { rows, reads };
}

const states = async (before: FollowUp[], after: FollowUp[]) =>
  (await fedBy({ ...success, followUps: before }, { ...success, followUps: after })).rows.map(({ id, state }) => `${id} ${state}`);

describe("what is fed of a refund", () => {
  it("is its beginning and its end, once each; nothing of a capture, nor of what is only looked at", async () => {
    const asked = unanswered({ type: "refund" });
    assert.deepEqual(await states([], [asked]), ["f1 unknown"]);
    assert.deepEqual(await states([asked], [{ ...asked, repeated: true, description: "not told" }]), []);
    assert.deepEqual(await states([asked], [followUp({ type: "refund" })]), ["f1 done"]);
    assert.deepEqual(await states([asked], [{ ...asked, state: "refused", finishedAtMs: NOW_MS }]), ["f1 refused"]);
    assert.deepEqual(await states([followUp()], [followUp(), followUp({ id: "f2" })]), ["f2 done"]);
    assert.deepEqual(await states([], [followUp({ type: "capture" })]), []);
  });

  it("is what was paid back of which payment, when it was first asked for, and by whom", async () => {
    const before = { ...success, followUps: [] };
    const entry = followUp({ type: "refund", by: "alert", amountMinor: 1_000, begun: { times: 2, firstAtMs: NOW_MS - 90_000 } });
    const { rows } = await fedBy(before, { ...success, followUps: [entry] });
    assert.deepEqual(
      rows.map(({ version: _, ...row }) => row),
      [
        {
          ...{ type: "object", merchantId: "SHOP-001", livemode: true, object: "refund", id: "f1", createdAtMs: NOW_MS - 90_000 },
          ...{ state: "done", category: "alert", reason: "", amountMinor: 1_000, currency: "EUR", uuid: "x1", parent: "", attempt: 0 },
          ...{ dueAtMs: null, activeAtMs: null, endedAtMs: NOW_MS - 500, monthlyMinor: 0 },
        },
      ],
    );
  });

  it("grows in its version however often it is begun, and is above all else once it was done", () => {
    const asked = unanswered();
    const refused = followUp({ state: "refused" });
    const again = { times: 2, firstAtMs: 5 };
    const versions = [asked, refused, { ...asked, begun: again }, { ...refused, begun: again }, followUp()].map(
      (entry) => refundRows({ ...success, followUps: [entry] }, true)[0]?.version ?? 0,
    );
    for (const [index, version] of versions.slice(1).entries()) assert.ok(version > (versions[index] ?? 0), `${versions}`);
  });

  it("is nothing where a payment is no merchant's, or the merchant is not there, and costs other steps nothing", async () => {
    const refunded = (changes: object) => fedBy(link("success", changes), { ...link("success", changes), followUps: [followUp()] });
    assert.deepEqual(await refunded({}), { rows: [], reads: 0 });
    assert.deepEqual(await refunded({ order: { shop: "SHOP-GONE" } }), { rows: [], reads: 1 });
    assert.deepEqual(await fedBy(null, link("created", SHOP)), { rows: [], reads: 0 });
    const waiting = link("waiting", SHOP);
    assert.deepEqual(await fedBy(waiting, { ...success, followUps: waiting.followUps }), { rows: [], reads: 0 });
    const { followUps } = success;
    assert.deepEqual(await fedBy({ ...success, verifiedAtMs: 1, followUps }, success), { rows: [], reads: 0 });
  });
});
