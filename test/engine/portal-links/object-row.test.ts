import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ObjectRow } from "../../../engine/payments/object-row.ts";
import { portalLinkRow } from "../../../engine/portal-links/object-row.ts";
import { createPortalCycleLinks } from "../../../engine/subscriptions/portal-cycle-links.ts";
import { digest } from "../intents/world.ts";
import { fedFaults, fedOf } from "../payments/fed-objects.ts";
import { HOUR_MS, OWNER, PortalLinkWorld } from "./world.ts";

const CYCLE = "sub-sub_000000000000000000000001-2-1";

async function fed(world: PortalLinkWorld, id: string): Promise<Omit<ObjectRow, "version" | "storeVersion">[]> {
  assert.deepEqual(await fedFaults(world.kv), []);
  return fedOf(world.kv, `link ${id}`);
}

describe("the report row of a portal link", () => {
  it("contains its creation and its payment, without its customer and the steps in between", async () => {
    const world = new PortalLinkWorld();
    const { id, txId } = await world.open();
    const { createdAtMs } = await world.link(id);
    await world.portalLinks.send(OWNER, id, null, "en", world.next());
    const created = {
      ...{ type: "object", merchantId: "M1", livemode: false, object: "link", id, createdAtMs, state: "PENDING" },
      ...{ category: "key", reason: "", amountMinor: 1_234, currency: "EUR", uuid: "", parent: "", attempt: 0 },
      ...{ dueAtMs: null, activeAtMs: null, endedAtMs: null, monthlyMinor: 0 },
    };
    assert.deepEqual(await fed(world, id), [created]);
    world.clock.advance(5_000);
    world.gateway.pay(txId);
    await world.verified(txId);
    const paid = { ...created, state: "PAID", uuid: txId, endedAtMs: createdAtMs + 5_000 };
    assert.deepEqual(await fed(world, id), [created, paid]);
  });

  it("contains its other ends, and a late payment", async () => {
    const world = new PortalLinkWorld();
    const cancelled = await world.open();
    await world.portalLinks.cancel(OWNER, cancelled.id, world.next());
    const expired = await world.create({ expiresAtMs: world.clock.nowMs() + HOUR_MS });
    await world.pass(HOUR_MS + 10_000, 10_000);
    const of = async (id: string) =>
      (await fed(world, id)).map(({ state, reason, uuid, endedAtMs }) => ({ state, reason, uuid, endedAtMs }));
    const open = { state: "PENDING", reason: "", uuid: "", endedAtMs: null };
    assert.deepEqual(await of(expired.id), [open, { ...open, state: "EXPIRED", endedAtMs: expired.order.expiresAtMs }]);
    world.gateway.pay(cancelled.txId);
    await world.verified(cancelled.txId);
    const after = await of(cancelled.id);
    assert.deepEqual(
      after.map(({ state, reason, uuid }) => [state, reason, uuid]),
      [
        ["PENDING", "", ""],
        ["CANCELLED", "", ""],
        ["PAID", "late", cancelled.txId],
      ],
    );
  });

  it("names the person, agent or subscription that made it, and rejects a forged reference of a subscription", async () => {
    const world = new PortalLinkWorld();
    const by = async (id: string) => (await fed(world, id)).map(({ category, parent }) => [category, parent]);
    const [ofUser, ofAgent] = [
      await world.create({}, { type: "user", userId: "usr_1" }),
      await world.create({}, { type: "agent", agentId: "ac_1" }),
    ];
    assert.deepEqual(await by(ofUser.id), [["user", ""]]);
    assert.deepEqual(await by(ofAgent.id), [["agent", "ac_1"]]);
    const forged = await world.create({ reference: CYCLE });
    assert.deepEqual(await by(forged.id), [["key", ""]]);
    const made = await createPortalCycleLinks(world.portalLinks).create({
      ...{ id: CYCLE, merchantId: "M1", partnerId: 1, livemode: false, amountMinor: 2_900, currency: "EUR", description: "Gym" },
      ...{ customerEmail: "ada@example.org", createdBy: { type: "key" }, expiresAtMs: world.clock.nowMs() + 48 * HOUR_MS },
    });
    assert.ok(made.type === "created");
    assert.deepEqual(await by(made.link.id), [["subscription", "sub_000000000000000000000001"]]);
  });

  it("contains each refund and its actor, from the moment of the request", async () => {
    const world = new PortalLinkWorld();
    const { txId } = await world.paid();
    const { links } = world.shard(0);
    world.gateway.mode = "away";
    const askedAtMs = world.clock.nowMs();
    const refund = { txId, operationId: "r1", type: "refund", amountMinor: null } as const;
    assert.equal((await links.followUp(refund, { surface: "test", askedBy: "user" }))?.type, "unavailable");
    const unknown = {
      ...{ type: "object", merchantId: "M1", livemode: false, object: "refund", id: "r1", createdAtMs: askedAtMs, state: "unknown" },
      ...{ category: "user", reason: "", amountMinor: 1_234, currency: "EUR", uuid: txId, parent: "", attempt: 0 },
      ...{ dueAtMs: null, activeAtMs: null, endedAtMs: null, monthlyMinor: 0 },
    };
    assert.deepEqual(await fedOf(world.kv, "refund r1"), [unknown]);
    world.gateway.mode = "there";
    world.clock.advance(40_000);
    assert.equal((await links.followUp(refund, { surface: "test", askedBy: "key" }))?.type, "done");
    assert.deepEqual(await fedOf(world.kv, "refund r1"), [unknown, { ...unknown, state: "done", endedAtMs: askedAtMs + 40_000 }]);
    assert.deepEqual(await fedFaults(world.kv), []);
  });

  it("outranks rows of a store that was restored from a backup", async () => {
    const world = new PortalLinkWorld();
    const { id } = await world.paid();
    const paid = await world.link(id);
    const before = { ...paid, state: "PENDING", attempts: [], paidAtMs: null } as const;
    const later = { ...before, state: "EXPIRED", updatedAtMs: paid.updatedAtMs + 90 * 24 * HOUR_MS } as const;
    assert.ok(portalLinkRow(paid, digest).version > portalLinkRow(later, digest).version);
    assert.ok(portalLinkRow(later, digest).version > portalLinkRow(before, digest).version);
  });
});
