import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ObjectRow } from "../../../engine/payments/object-row.ts";
import { monthlyMinor } from "../../../engine/subscriptions/object-rows.ts";
import { fedFaults, fedOf } from "../payments/fed-objects.ts";
import { DAY_MS, HOUR_MS, OWNER, SubscriptionWorld } from "./world.ts";

type Said = Omit<ObjectRow, "version" | "storeVersion">;

async function fed(world: SubscriptionWorld, name: string): Promise<Said[]> {
  assert.deepEqual(await fedFaults(world.kv), []);
  return fedOf(world.kv, name);
}

async function charges(world: SubscriptionWorld, id: string, cycle: number, attempt: number): Promise<string[]> {
  const rows = await fed(world, `charge ${id}-${cycle}-${attempt}`);
  return rows.map(({ state, reason }) => `${state} ${reason}`.trim());
}

describe("the report rows of a subscription", () => {
  it("contains the monthly amount, the activation time, and the attempts at each cycle", async () => {
    const world = new SubscriptionWorld();
    const { id, createdAtMs, planId } = await world.create({ interval: "WEEK", amountMinor: 1_000 });
    const first = {
      ...{ type: "object", merchantId: "M1", livemode: false, object: "subscription", id, createdAtMs, state: "INCOMPLETE" },
      ...{ category: "", reason: "", amountMinor: 1_000, currency: "EUR", uuid: "", parent: planId, attempt: 0, dueAtMs: null },
      ...{ activeAtMs: null, endedAtMs: null, monthlyMinor: 4_333 },
    };
    const active = { ...first, state: "ACTIVE", activeAtMs: createdAtMs };
    assert.deepEqual(await fed(world, `subscription ${id}`), [first, active]);
    const { charge } = await world.of(id);
    const asked = {
      ...{ type: "object", merchantId: "M1", livemode: false, object: "charge", id: `${id}-1-1`, createdAtMs, state: "asked" },
      ...{ category: "", reason: "", amountMinor: 1_000, currency: "EUR", uuid: "", parent: id, attempt: 1, dueAtMs: charge?.dueAtMs },
      ...{ activeAtMs: null, endedAtMs: null, monthlyMinor: 0 },
    };
    assert.deepEqual(await fed(world, `charge ${id}-1-1`), [asked, { ...asked, state: "paid", endedAtMs: charge?.attempts[0]?.endedAtMs }]);
    await world.until((await world.of(id)).period.untilMs);
    assert.deepEqual(await charges(world, id, 2, 1), ["asked", "paid"]);
    assert.equal((await fed(world, `subscription ${id}`)).length, 2, "another cycle changes nothing of it");
  });

  it("shows a declined card, the kind of the decline, and a paid retry", async () => {
    const world = new SubscriptionWorld();
    const { id, period } = await world.create();
    world.charges.card = "soft";
    await world.until(period.untilMs);
    assert.deepEqual(await charges(world, id, 2, 1), ["asked", "failed soft"]);
    world.charges.card = "good";
    await world.until(((await world.of(id)).dunning?.failedAtMs ?? 0) + DAY_MS);
    assert.deepEqual(await charges(world, id, 2, 2), ["asked", "paid"]);
    const states = (await fed(world, `subscription ${id}`)).map(({ state }) => state);
    assert.deepEqual(states, ["INCOMPLETE", "ACTIVE", "PAST_DUE", "ACTIVE"]);
  });

  it("shows an unknown outcome and a lost request", async () => {
    const world = new SubscriptionWorld();
    const { id, period } = await world.create();
    world.charges.line = "lost";
    world.charges.isMute = true;
    await world.until(period.untilMs);
    assert.deepEqual(await charges(world, id, 2, 1), ["asked", "unknown"]);
    world.charges.isMute = false;
    world.charges.line = "well";
    await world.pass(3 * HOUR_MS, 60_000);
    assert.deepEqual(await charges(world, id, 2, 1), ["asked", "unknown", "paid"]);
    world.charges.line = "undelivered";
    await world.until((await world.of(id)).period.untilMs);
    world.charges.line = "well";
    await world.pass(8 * HOUR_MS, 60_000);
    assert.deepEqual(await charges(world, id, 3, 1), ["asked", "unknown", "failed lost"]);
    const last = (await world.of(id)).charge?.attempts.at(-1)?.n ?? 0;
    assert.deepEqual((await charges(world, id, 3, last)).at(-1), "paid");
  });

  it("shows that a link was unpaid when its cycle failed, whatever followed, and which payment paid it", async () => {
    const world = new SubscriptionWorld();
    const { id } = await world.create({ trialDays: 7 }, { collection: "LINK" });
    const [trial] = await fed(world, `subscription ${id}`);
    assert.deepEqual([trial?.state, trial?.activeAtMs], ["TRIALING", trial?.createdAtMs]);
    await world.until((await world.of(id)).period.untilMs);
    assert.deepEqual(await charges(world, id, 1, 1), ["asked"]);
    await world.until(((await world.of(id)).charge?.attempts[0]?.askedAtMs ?? 0) + 3 * DAY_MS);
    assert.deepEqual(await charges(world, id, 1, 1), ["asked", "asked overdue"]);
    world.links.pay(`sub-${id}-1-1`, world.clock.nowMs());
    await world.subscriptions.told(`sub-${id}-1-1`);
    assert.deepEqual(await charges(world, id, 1, 1), ["asked", "asked overdue", "paid overdue"]);
    assert.equal((await fed(world, `charge ${id}-1-1`)).at(-1)?.uuid, `sub-${id}-1-1.1`);
  });

  it("shows who ended it, once it has ended", async () => {
    const world = new SubscriptionWorld();
    const last = async (id: string) => {
      const row = (await fed(world, `subscription ${id}`)).at(-1);
      return [row?.state, row?.reason, row?.endedAtMs !== null, row?.activeAtMs !== null];
    };
    const [one, other, unpaid] = [await world.create(), await world.create(), await world.create({}, { collection: "LINK" })];
    await world.subscriptions.cancel(OWNER, one.id, { atPeriodEnd: true }, world.next());
    assert.deepEqual(await last(one.id), ["ACTIVE", "", false, true]);
    await world.subscriptions.cancelByToken(other.token, { atPeriodEnd: false }, world.next());
    assert.deepEqual(await last(other.id), ["CANCELLED", "customer", true, true]);
    await world.pass(73 * HOUR_MS, HOUR_MS);
    assert.deepEqual(await last(unpaid.id), ["CANCELLED", "unpaid", true, false]);
    await world.until(one.period.untilMs);
    assert.deepEqual(await last(one.id), ["CANCELLED", "merchant", true, true]);
  });
});

describe("the monthly amount", () => {
  it("converts the interval and its count, rounded half up", () => {
    assert.equal(monthlyMinor(2_900, { interval: "MONTH", count: 1 }), 2_900);
    assert.equal(monthlyMinor(2_901, { interval: "MONTH", count: 2 }), 1_451);
    assert.equal(monthlyMinor(12_000, { interval: "YEAR", count: 1 }), 1_000);
    assert.equal(monthlyMinor(18, { interval: "YEAR", count: 3 }), 1);
    assert.equal(monthlyMinor(1_000, { interval: "WEEK", count: 2 }), 2_167);
    assert.equal(monthlyMinor(999_999_999_999, { interval: "WEEK", count: 1 }), 4_333_333_333_329);
  });
});
