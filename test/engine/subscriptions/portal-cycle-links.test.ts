import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { CycleLinkOrder } from "../../../engine/subscriptions/cycle-links.ts";
import { createPortalCycleLinks } from "../../../engine/subscriptions/portal-cycle-links.ts";
import { HOUR_MS, PortalLinkWorld } from "../portal-links/world.ts";

const ID = "sub-sub_000000000000000000000001-2-1";

function open(changes: Partial<CycleLinkOrder> = {}) {
  const world = new PortalLinkWorld();
  const links = createPortalCycleLinks(world.portalLinks);
  const order: CycleLinkOrder = {
    ...{ id: ID, merchantId: "M1", partnerId: 1, livemode: false, amountMinor: 2_900, currency: "EUR", description: "Gym" },
    ...{ customerEmail: "ada@example.org", createdBy: { type: "key" }, expiresAtMs: world.clock.nowMs() + 48 * HOUR_MS },
    ...changes,
  };
  return { world, links, order };
}

async function created({ links, order }: ReturnType<typeof open>) {
  const answer = await links.create(order);
  if (answer.type !== "created") throw new Error(answer.code);
  return answer.link;
}

describe("a cycle with a payment link of the portal", () => {
  it("has one link however often it is requested, which names the attempt", async () => {
    const opened = open();
    const link = await created(opened);
    assert.deepEqual(await created(opened), link);
    const record = await opened.world.link(link.id);
    assert.deepEqual([record.order.reference, record.order.amountMinor, record.token], [ID, 2_900, link.token]);
    assert.deepEqual(await opened.links.look(opened.order, link), { type: "open" });
  });

  it("is paid once the gateway reports it, even without a notification", async () => {
    const opened = open();
    const { world, links, order } = opened;
    const link = await created(opened);
    await world.portalLinks.pay(link.token);
    world.gateway.pay(`${link.id}.1`);
    world.clock.advance(10_000);
    const state = await links.look(order, link);
    assert.equal(state.type, "paid");
  });

  it("has ended after it is closed, or stays open until the gateway reports if somebody was paying", async () => {
    const idle = open();
    const link = await created(idle);
    for (let times = 0; times < 2; times += 1) {
      assert.deepEqual(await idle.links.close(idle.order, link), { type: "ended", code: "link_cancelled" });
    }
    const busy = open();
    const other = await created(busy);
    await busy.world.portalLinks.pay(other.token);
    assert.deepEqual(await busy.links.close(busy.order, other), { type: "open" });
    busy.world.gateway.pay(`${other.id}.1`);
    busy.world.clock.advance(10_000);
    assert.equal((await busy.links.look(busy.order, other)).type, "paid");
  });

  it("has ended after its time", async () => {
    const { world, links, order } = open();
    const link = await created({ world, links, order });
    world.clock.advance(49 * HOUR_MS);
    await world.pass(20_000);
    assert.deepEqual(await links.look(order, link), { type: "ended", code: "link_expired" });
    assert.equal((await links.look({ ...order, merchantId: "M2" }, link)).type, "ended");
  });

  it("is refused if no link is possible, and unknown if the store does not respond", async () => {
    const wrong = open({ description: " " });
    assert.deepEqual(await wrong.links.create(wrong.order), { type: "refused", code: "invalid_order" });
    wrong.world.circumstances.hasAccount = false;
    assert.deepEqual(await wrong.links.create({ ...wrong.order, description: "Gym" }), { type: "refused", code: "no_account" });
    const away = open();
    away.world.kv.unreadable = true;
    await assert.rejects(away.links.create(away.order), (error: unknown) => error instanceof RelayError && error.code === "unavailable");
  });
});
