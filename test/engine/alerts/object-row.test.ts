import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fedFaults, fedOf } from "../payments/fed-objects.ts";
import { AlertWorld } from "./world.ts";

const DAY_MS = 86_400_000;

async function ends(world: AlertWorld, id: string): Promise<unknown[]> {
  assert.deepEqual(await fedFaults(world.kv), []);
  return (await fedOf(world.kv, `alert ${id}`)).map(({ state, reason, endedAtMs }) => [state, reason, endedAtMs !== null]);
}

describe("the report row of an alert", () => {
  it("contains the payment, the deadline, and whether the merchant refunds or declines", async () => {
    const world = new AlertWorld();
    const { id, createdAtMs, respondByMs } = await world.receive();
    const received = {
      ...{ type: "object", merchantId: "M1", livemode: false, object: "alert", id, createdAtMs, state: "PENDING", category: "ETHOCA" },
      ...{ reason: "", amountMinor: 1_234, currency: "EUR", uuid: "pl_1.1", parent: "", attempt: 0, dueAtMs: respondByMs },
      ...{ activeAtMs: null, endedAtMs: null, monthlyMinor: 0 },
    };
    assert.deepEqual(await fedOf(world.kv, `alert ${id}`), [received]);
    await world.refund(id);
    assert.deepEqual(await ends(world, id), [
      ["PENDING", "", false],
      ["REFUNDED", "merchant", true],
    ]);
    const other = await world.receive({ networkRef: "R-2", uuid: "pl_2.1" });
    await world.alerts.decline({ merchantId: "M1", livemode: false }, other.id, "no", { type: "key" }, world.next());
    assert.deepEqual((await ends(world, other.id)).at(-1), ["DECLINED", "merchant", true]);
  });

  it("contains an end by a rule, the deadline or the network", async () => {
    const world = new AlertWorld();
    const late = await world.receive({ networkRef: "R-1", uuid: null });
    const invalid = await world.receive({ networkRef: "R-2", uuid: null });
    await world.feed.invalid("ETHOCA", "R-2", world.next());
    const prevented = await world.receive({ networkRef: "R-3", source: "RDR" });
    await world.feed.resolved("RDR", "R-3", world.next());
    await world.pass(2 * DAY_MS, 3_600_000);
    await world.ruled();
    const ruled = await world.receive({ networkRef: "R-4", uuid: "pl_4.1" });
    const last = async (id: string) => (await ends(world, id)).at(-1);
    assert.deepEqual(
      [await last(late.id), await last(invalid.id), await last(prevented.id), await last(ruled.id)],
      [
        ["DECLINED", "deadline", true],
        ["DECLINED", "invalid", true],
        ["PREVENTED", "network", true],
        ["REFUNDED", "rule", true],
      ],
    );
  });
});
