import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fedFaults, fedOf } from "../payments/fed-objects.ts";
import { DisputeWorld, OWNER } from "./world.ts";

const DAY_MS = 86_400_000;
const ALERT = `al_${"0".repeat(23)}1`;

async function ways(world: DisputeWorld, id: string): Promise<unknown[]> {
  assert.deepEqual(await fedFaults(world.kv), []);
  return (await fedOf(world.kv, `dispute ${id}`)).map(({ state, reason, endedAtMs }) => [state, reason, endedAtMs !== null]);
}

describe("the report row of a dispute", () => {
  it("contains the case and each state, but no draft or file", async () => {
    const world = new DisputeWorld();
    const { id, createdAtMs, respondByMs } = await world.receive({ alertId: ALERT });
    const received = {
      ...{ type: "object", merchantId: "M1", livemode: false, object: "dispute", id, createdAtMs, state: "OPEN", category: "FRAUD" },
      ...{ reason: "", amountMinor: 1_234, currency: "EUR", uuid: "pl_1.1", parent: ALERT, attempt: 0, dueAtMs: respondByMs },
      ...{ activeAtMs: null, endedAtMs: null, monthlyMinor: 0 },
    };
    await world.disputes.saveDraft(OWNER, id, { statement: "It was delivered", fields: {} }, world.next());
    await world.add(id);
    assert.deepEqual(await fedOf(world.kv, `dispute ${id}`), [received]);
    await world.challenge(id);
    await world.pass(60_000, 5_000);
    await world.feed.verdict("VISA", "C-1", "WON", world.next());
    assert.deepEqual(await ways(world, id), [
      ["OPEN", "", false],
      ["UNDER_REVIEW", "", false],
      ["WON", "won", true],
    ]);
    // The network asks again, which opens the dispute with another deadline.
    const againByMs = world.clock.nowMs() + 5 * DAY_MS;
    await world.feed.evidenceRequested("VISA", "C-1", { respondByMs: againByMs, stage: "PRE_ARBITRATION" }, world.next());
    await world.disputes.accept(OWNER, id, { type: "key" }, world.next());
    const rows = (await fedOf(world.kv, `dispute ${id}`)).slice(3);
    assert.deepEqual(
      rows.map(({ state, reason, dueAtMs }) => [state, reason, dueAtMs]),
      [
        ["EVIDENCE_REQUIRED", "", againByMs],
        ["LOST", "accepted", againByMs],
      ],
    );
    assert.deepEqual(await fedFaults(world.kv), []);
  });

  it("contains an expiry at its deadline, even if no node ran then", async () => {
    const world = new DisputeWorld();
    const { id, respondByMs } = await world.receive();
    const again = await world.down(20 * DAY_MS);
    assert.deepEqual(await ways(again, id), [
      ["OPEN", "", false],
      ["EXPIRED", "", true],
    ]);
    assert.equal((await fedOf(again.kv, `dispute ${id}`)).at(-1)?.endedAtMs, respondByMs);
    await again.feed.verdict("VISA", "C-1", "LOST", again.next());
    assert.deepEqual((await ways(again, id)).at(-1), ["LOST", "lost", true]);
  });
});
