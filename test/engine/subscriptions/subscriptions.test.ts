import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DateTime } from "luxon";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { spreadOf } from "../../../engine/subscriptions/rules.ts";
import { SPREAD_MS, type SubscriptionRecord } from "../../../engine/subscriptions/subscription.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, OWNER, operation, QUERY, SubscriptionWorld } from "./world.ts";

const ZONE = "Europe/Rome";
const local = (atMs: number) => DateTime.fromMillis(atMs, { zone: ZONE }).toFormat("yyyy-MM-dd HH:mm");
const isCode =
  (code: string, member = "") =>
  (error: unknown) =>
    error instanceof RelayError && error.code === code && error.message.startsWith(member);

function worldAt(iso: string, shards = 1): SubscriptionWorld {
  const world = new SubscriptionWorld(shards);
  world.clock.wallMs = DateTime.fromISO(iso, { zone: ZONE }).toMillis();
  return world;
}

const tokensOf = (world: SubscriptionWorld) => [...world.links.links.keys()];
const attempts = ({ charge }: SubscriptionRecord) => charge?.attempts.map(({ means, state }) => `${means} ${state}`);

/** Creates a subscription that is past due because its card was declined. */
async function pastDue(world: SubscriptionWorld, card: "soft" | "hard" = "soft"): Promise<SubscriptionRecord> {
  const { id, period } = await world.create();
  world.charges.card = card;
  await world.until(period.untilMs);
  const record = await world.of(id);
  assert.equal(record.state, "PAST_DUE");
  return record;
}

describe("a subscription with a card", () => {
  it("is paid when it starts, and then on the same day of each month", async () => {
    const world = worldAt("2026-01-31T15:00");
    const created = await world.create();
    assert.deepEqual([created.state, created.cycle, created.charge?.state], ["ACTIVE", 1, "PAID"]);
    assert.match(created.token, /^[A-Za-z0-9]{22}$/);
    const asked: string[] = [];
    for (const day of ["2026-02-28", "2026-03-31", "2026-04-30"]) {
      const { period } = await world.of(created.id);
      assert.equal(local(period.untilMs), `${day} 09:00`);
      await world.until(period.untilMs);
      const { charge } = await world.of(created.id);
      const dueMs = period.untilMs + spreadOf(created.id);
      const askedAtMs = charge?.attempts[0]?.askedAtMs ?? 0;
      assert.ok(askedAtMs >= dueMs && askedAtMs < dueMs + 25_000, `asked ${askedAtMs - dueMs} ms after it was due`);
      asked.push(charge?.attempts[0]?.id ?? "");
    }
    assert.deepEqual(
      asked,
      [2, 3, 4].map((cycle) => `sub-${created.id}-${cycle}-1`),
    );
    assert.equal(world.charges.done().length, 4);
    assert.deepEqual(await world.told(created.id), ["created", "renewed", "renewed", "renewed", "renewed"]);
    assert.deepEqual(world.attention(), []);
    assert.deepEqual(
      (await world.subscriptions.charges(OWNER, created.id, 4, 10))?.map(({ cycle, state }) => [cycle, state]),
      [
        [3, "PAID"],
        [2, "PAID"],
        [1, "PAID"],
      ],
    );
    assert.ok(world.heard.workflow.every(({ objectType, objectId }) => objectType === "subscription" && objectId === created.id));
  });

  it("is created once per operation", async () => {
    const world = new SubscriptionWorld();
    const plan = await world.plan();
    const create = () => world.subscriptions.create(OWNER, world.order(plan.id), { type: "key" }, operation("same"));
    assert.deepEqual(await create(), await create());
    assert.equal(world.charges.charges.size, 1);
    // No key contains the token or the customer.
    const { token } = (await world.subscriptions.list(OWNER, QUERY)).items[0] ?? { token: "" };
    assert.ok(!world.kv.keys("").some((key) => key.includes(token) || /Ada|ada@/.test(key)));
    assert.deepEqual((await world.subscriptions.byToken(token))?.token, token);
    for (const other of [
      { ...OWNER, merchantId: "M2" },
      { ...OWNER, livemode: true },
    ]) {
      assert.deepEqual((await world.subscriptions.list(other, QUERY)).items, []);
      const { id } = (await world.subscriptions.byToken(token)) ?? { id: "" };
      assert.equal(await world.subscriptions.find(other, id), null);
      assert.equal(await world.subscriptions.cancel(other, id, { atPeriodEnd: false }, world.next()), null);
      assert.equal(await world.subscriptions.pause(other, id, world.next()), null);
      assert.equal(await world.subscriptions.charges(other, id, null, 5), null);
    }
  });

  it("is rejected for invalid or impossible members", async () => {
    const world = new SubscriptionWorld();
    const plan = await world.plan();
    const { customer } = world.order(plan.id);
    for (const [member, changes] of [
      ["customer.name", { customer: { ...customer, name: " " } }],
      ["customer.name", { customer: { ...customer, name: "a\u0007" } }],
      ["customer.email", { customer: { ...customer, email: "ada" } }],
      ["methodId", { methodId: null }],
      ["methodId", { methodId: "4111 1111 1111 1111" }],
      ["methodId", { collection: "LINK", methodId: "card_1" }],
    ] as const) {
      const order = world.order(plan.id, changes);
      await assert.rejects(
        world.subscriptions.create(OWNER, order, { type: "key" }, world.next()),
        isCode("invalid_request", `${member}: `),
      );
    }
    const refused = async (order = world.order(plan.id), owner = OWNER) =>
      (await world.subscriptions.create(owner, order, { type: "key" }, world.next())).type;
    assert.equal(await refused(world.order("plan_none")), "no_plan");
    assert.equal(await refused(undefined, { ...OWNER, merchantId: "M2" }), "no_plan");
    await world.plans.setActive(OWNER, plan.id, false);
    assert.equal(await refused(), "plan_inactive");
    world.circumstances.isInactive = true;
    assert.equal(await refused(), "inactive");
    world.charges.offered = false;
    await assert.rejects(refused(), isCode("invalid_request", "collection: "));
    assert.deepEqual(world.kv.keys("subscription"), []);
    assert.equal(world.charges.charges.size, 0);
  });

  it("is first paid at the end of its trial", async () => {
    const world = worldAt("2026-03-20T18:00");
    const { id, state, period } = await world.create({ trialDays: 14 });
    assert.deepEqual([state, local(period.untilMs)], ["TRIALING", "2026-04-03 09:00"]);
    await world.until(period.untilMs - DAY_MS);
    assert.equal(world.charges.charges.size, 0);
    await world.until(period.untilMs);
    const paid = await world.of(id);
    assert.deepEqual([paid.state, paid.cycle, local(paid.period.untilMs)], ["ACTIVE", 1, "2026-05-03 09:00"]);
    assert.deepEqual(await world.told(id), ["created", "renewed"]);
  });

  it("fails twice and is then paid, with retries by the policy, mails, ACTIVE, and unchanged days", async () => {
    const world = worldAt("2026-01-31T15:00");
    const { id, charge, dunning } = await pastDue(world);
    assert.deepEqual([charge?.cycle, dunning?.step], [2, 0]);
    const failedAtMs = dunning?.failedAtMs ?? 0;
    await world.until(failedAtMs + DAY_MS - HOUR_MS);
    assert.equal(world.charges.charges.size, 2);
    await world.until(failedAtMs + DAY_MS);
    assert.equal(world.charges.charges.size, 3);
    await world.until(failedAtMs + 2 * DAY_MS);
    assert.equal(world.charges.charges.size, 3);
    world.charges.card = "good";
    await world.until(failedAtMs + 3 * DAY_MS);
    const recovered = await world.of(id);
    assert.deepEqual([recovered.state, recovered.dunning, local(recovered.period.untilMs)], ["ACTIVE", null, "2026-03-31 09:00"]);
    assert.deepEqual(await world.told(id), [
      ...["created", "renewed", "payment_failed", "past_due", "payment_failed", "renewed", "recovered"],
    ]);
    assert.deepEqual(await world.mails(), ["failed 2", "step 2", "recovered 2"]);
    await world.until(failedAtMs + 20 * DAY_MS);
    assert.equal(world.charges.charges.size, 4);
  });

  for (const [finalAction, state] of [
    ["CANCEL", "CANCELLED"],
    ["PAUSE", "PAUSED"],
    ["STAY", "PAST_DUE"],
  ] as const) {
    it(`is ${state} a day after the last retry if the policy is ${finalAction}`, async () => {
      const world = worldAt("2026-01-31T15:00");
      await world.plans.setDunning(OWNER, { retryDays: [2, 4], finalAction, mails: true });
      const { id, dunning } = await pastDue(world);
      const failedAtMs = dunning?.failedAtMs ?? 0;
      // A later policy applies to later failures.
      await world.plans.setDunning(OWNER, { retryDays: [1], finalAction: "STAY", mails: false });
      for (const days of [2, 4]) await world.until(failedAtMs + days * DAY_MS);
      assert.equal((await world.of(id)).state, "PAST_DUE");
      await world.until(failedAtMs + 5 * DAY_MS);
      const ended = await world.of(id);
      assert.equal(ended.state, state);
      assert.equal(ended.nextAtMs, null);
      assert.equal(world.charges.charges.size, 4);
      await world.until(failedAtMs + 60 * DAY_MS);
      assert.equal(world.charges.charges.size, 4);
    });
  }

  it("sends no mail about failures if the policy disables them", async () => {
    const world = worldAt("2026-01-31T15:00");
    await world.plans.setDunning(OWNER, { retryDays: [1], finalAction: "STAY", mails: false });
    const { dunning } = await pastDue(world);
    world.charges.card = "good";
    await world.until((dunning?.failedAtMs ?? 0) + DAY_MS);
    assert.deepEqual(await world.mails(), []);
  });

  it("requests another payment immediately after a hard decline, and never charges the card again in this cycle", async () => {
    const world = worldAt("2026-01-31T15:00");
    const { id, token, charge } = await pastDue(world, "hard");
    assert.deepEqual(attempts(await world.of(id)), ["CARD failed", "LINK open"]);
    const paying = await world.subscriptions.pay(token);
    assert.deepEqual(paying?.type === "payable" && paying.link.id, `sub-${id}-2-2`);
    await world.until((charge?.failedAtMs ?? 0) + 3 * DAY_MS);
    assert.deepEqual(await world.mails(), ["failed 2", "step 2"], "two steps that were missed are made as one");
    assert.equal(world.charges.charges.size, 2);
    world.links.pay(`sub-${id}-2-2`, world.clock.nowMs());
    await world.subscriptions.told(`sub-${id}-2-2`);
    assert.equal((await world.of(id)).state, "ACTIVE");
    world.charges.card = "good";
    await world.until((await world.of(id)).period.untilMs);
    assert.equal(world.charges.charges.size, 3, "the next cycle tries the card again");
  });

  it("is cancelled without a first payment within 72 hours, and can be paid by link until then", async () => {
    const world = worldAt("2026-01-31T15:00");
    world.charges.card = "soft";
    const [one, other] = [await world.create(), await world.create()];
    assert.equal(one.state, "INCOMPLETE");
    assert.deepEqual(attempts(one), ["CARD failed", "LINK open"]);
    world.links.pay(`sub-${other.id}-1-2`, world.clock.nowMs());
    await world.until(one.createdAtMs + 72 * HOUR_MS);
    const [ended, paid] = [await world.of(one.id), await world.of(other.id)];
    assert.deepEqual([ended.state, ended.cancelledBy], ["CANCELLED", "no_first_payment"]);
    assert.ok(world.links.links.get(`sub-${one.id}-1-2`)?.isClosed);
    assert.equal(paid.state, "ACTIVE", "its link was looked at before its time ended");
    assert.equal(ended.nextAtMs, null);
    assert.deepEqual(await world.told(one.id), ["created", "payment_failed", "cancelled"]);
    assert.deepEqual(await world.mails(), ["payment 1", "payment 1", "cancelled 1"]);
  });
});

describe("an unknown outcome", () => {
  it("is verified, and blocks other requests until it is known", async () => {
    const world = worldAt("2026-01-31T15:00");
    const { id, period } = await world.create();
    world.charges.line = "lost";
    world.charges.isMute = true;
    await world.until(period.untilMs);
    const unknown = await world.of(id);
    assert.deepEqual([unknown.state, attempts(unknown)], ["ACTIVE", ["CARD unknown"]]);
    world.charges.line = "well";
    for (let days = 1; days <= 3; days += 1) await world.until(period.untilMs + days * DAY_MS);
    assert.equal(world.charges.charges.size, 2);
    assert.deepEqual(world.attention(), [`subscription_unknown sub-${id}-2-1`]);
    assert.equal((await world.subscriptions.pay(unknown.token))?.type, "outcome_unknown");
    world.charges.isMute = false;
    await world.until(period.untilMs + 5 * DAY_MS);
    assert.equal((await world.of(id)).charge?.state, "PAID");
    assert.deepEqual(world.attention(), []);
    assert.equal(world.charges.done().length, 2);
  });

  it("is reported to operators after a day without a link, until the link exists", async () => {
    const world = worldAt("2026-01-31T15:00");
    world.links.isAway = true;
    const { id, period } = await world.create({ trialDays: 1 }, { collection: "LINK" });
    for (let days = 0; days <= 2; days += 1) await world.until(period.untilMs + days * DAY_MS);
    assert.deepEqual(world.attention(), [`subscription_unknown sub-${id}-1-1`]);
    world.links.isAway = false;
    await world.until(period.untilMs + 3 * DAY_MS);
    assert.deepEqual(attempts(await world.of(id)), ["LINK open"]);
    assert.deepEqual(world.attention(), []);
  });

  it("counts as no failure if the request was lost, which is repeated once under another id", async () => {
    const world = worldAt("2026-01-31T15:00");
    const { id, period } = await world.create();
    world.charges.line = "undelivered";
    await world.until(period.untilMs + spreadOf(id) - SPREAD_MS);
    assert.deepEqual(attempts(await world.of(id)), ["CARD unknown"]);
    assert.equal(world.charges.charges.size, 1);
    world.charges.line = "well";
    await world.pass(10 * MINUTE_MS, 5_000);
    const paid = await world.of(id);
    assert.deepEqual([paid.state, attempts(paid)], ["ACTIVE", ["CARD failed", "CARD done"]]);
    assert.deepEqual(world.charges.done(), [`sub-${id}-1-1`, `sub-${id}-2-2`]);
    // The lost request arrives after all.
    const first = [...world.charges.charges.values()][0]?.order;
    assert.ok(first !== undefined);
    assert.equal(world.charges.receive({ ...first, id: `sub-${id}-2-1` }).type, "failed");
    assert.deepEqual(await world.told(id), ["created", "renewed", "renewed"]);
  });

  it("blocks a resume and a retry until it is known", async () => {
    const world = worldAt("2026-01-31T15:00");
    const { id, dunning } = await pastDue(world);
    world.charges.line = "lost";
    world.charges.isMute = true;
    world.charges.card = "good";
    await world.until((dunning?.failedAtMs ?? 0) + DAY_MS);
    assert.equal((await world.subscriptions.retry(OWNER, id, world.next()))?.type, "outcome_unknown");
    assert.equal((await world.subscriptions.pause(OWNER, id, world.next()))?.type, "paused");
    assert.equal((await world.subscriptions.resume(OWNER, id, world.next()))?.type, "outcome_unknown");
    world.charges.isMute = false;
    await world.until((dunning?.failedAtMs ?? 0) + 3 * DAY_MS);
    const late = await world.of(id);
    assert.deepEqual([late.state, late.charge?.state, late.charge?.late], ["PAUSED", "PAID", true]);
    assert.deepEqual(world.attention(), [`subscription_late sub-${id}-2-2`]);
    assert.equal((await world.told(id)).at(-1), "paid_late");
    assert.equal((await world.subscriptions.resume(OWNER, id, world.next()))?.type, "resumed");
  });
});

describe("a subscription with links", () => {
  it("has a link and a mail for each cycle", async () => {
    const world = worldAt("2026-01-31T15:00");
    const created = await world.create({}, { collection: "LINK" });
    assert.deepEqual([created.state, attempts(created)], ["INCOMPLETE", ["LINK open"]]);
    world.links.pay(`sub-${created.id}-1-1`, world.clock.nowMs());
    await world.subscriptions.told(`sub-${created.id}-1-1`);
    await world.until(created.period.untilMs);
    assert.deepEqual(tokensOf(world), [`sub-${created.id}-1-1`, `sub-${created.id}-2-1`]);
    assert.deepEqual(await world.mails(), ["payment 1", "payment 2"]);
    const { order } = world.links.links.get(`sub-${created.id}-2-1`) ?? { order: null };
    assert.deepEqual([order?.amountMinor, order?.description, order?.customerEmail], [2_900, "Gym", "ada@example.org"]);
  });

  it("is past due three days after the due time, gets reminders, and is finally cancelled with its link closed", async () => {
    const world = worldAt("2026-01-31T15:00");
    const { id, period } = await world.create({}, { collection: "LINK" });
    world.links.pay(`sub-${id}-1-1`, world.clock.nowMs());
    await world.subscriptions.told(`sub-${id}-1-1`);
    await world.until(period.untilMs);
    await world.until(period.untilMs + 2 * DAY_MS);
    assert.equal((await world.of(id)).state, "ACTIVE");
    await world.until(period.untilMs + 3 * DAY_MS);
    const { state, dunning } = await world.of(id);
    assert.equal(state, "PAST_DUE");
    for (const days of [1, 3, 5, 7, 8]) await world.until((dunning?.failedAtMs ?? 0) + days * DAY_MS);
    const ended = await world.of(id);
    assert.deepEqual([ended.state, ended.cancelledBy, ended.nextAtMs], ["CANCELLED", "dunning", null]);
    assert.ok(world.links.links.get(`sub-${id}-2-1`)?.isClosed);
    assert.deepEqual(await world.mails(), ["payment 1", "payment 2", "failed 2", "step 2", "step 2", "step 2", "step 2", "cancelled 2"]);
    assert.deepEqual(await world.told(id), ["created", "renewed", "payment_failed", "past_due", "cancelled"]);
  });

  it("is paid late if it is cancelled during a payment, which is stored and reported, and requests nothing more", async () => {
    const world = worldAt("2026-01-31T15:00");
    const { id } = await world.create({}, { collection: "LINK" });
    world.links.isBusy = true;
    assert.equal((await world.subscriptions.cancel(OWNER, id, { atPeriodEnd: false }, world.next()))?.type, "cancelled");
    await world.pass(2 * MINUTE_MS, 5_000);
    assert.ok(world.links.links.get(`sub-${id}-1-1`)?.isClosed);
    world.links.pay(`sub-${id}-1-1`, world.clock.nowMs());
    await world.pass(2 * HOUR_MS, MINUTE_MS);
    const late = await world.of(id);
    assert.deepEqual([late.state, late.charge?.state, late.charge?.late, late.nextAtMs], ["CANCELLED", "PAID", true, null]);
    assert.deepEqual(world.attention(), [`subscription_late sub-${id}-1-1`]);
    assert.deepEqual(await world.told(id), ["created", "cancelled", "paid_late"]);
  });

  it("gets another link from its page after the previous one has ended", async () => {
    const world = worldAt("2026-01-31T15:00");
    const { id, token } = await world.create({}, { collection: "LINK" });
    world.links.expire(`sub-${id}-1-1`);
    await world.subscriptions.told(`sub-${id}-1-1`);
    assert.equal((await world.of(id)).state, "INCOMPLETE");
    const two = await Promise.all([world.subscriptions.pay(token), world.subscriptions.pay(token)]);
    assert.ok(two.some((paying) => paying?.type === "payable" && paying.link.id === `sub-${id}-1-2`));
    assert.equal(world.links.links.size, 2);
    world.links.refuses = true;
    world.links.expire(`sub-${id}-1-2`);
    await world.subscriptions.told(`sub-${id}-1-2`);
    assert.equal((await world.subscriptions.pay(token))?.type, "refused");
    assert.equal(await world.subscriptions.pay("0".repeat(22)), null);
  });

  it("expires nothing while its links cannot be checked", async () => {
    const world = worldAt("2026-01-31T15:00");
    const { id, createdAtMs } = await world.create({}, { collection: "LINK" });
    world.links.isAway = true;
    await world.until(createdAtMs + 73 * HOUR_MS);
    assert.equal((await world.of(id)).state, "INCOMPLETE");
    assert.ok(world.failures.length > 0);
    world.links.isAway = false;
    await world.pass(MINUTE_MS);
    assert.equal((await world.of(id)).state, "CANCELLED");
  });
});

describe("a link that the customer of a card requested", () => {
  it("is closed when the card is due again, unless somebody is paying", async () => {
    const world = worldAt("2026-01-31T15:00");
    const { id, token, dunning } = await pastDue(world);
    assert.equal((await world.subscriptions.pay(token))?.type, "payable");
    world.charges.card = "good";
    world.links.isBusy = true;
    await world.until((dunning?.failedAtMs ?? 0) + DAY_MS);
    assert.ok(world.links.links.get(`sub-${id}-2-2`)?.isClosed);
    assert.equal(world.charges.charges.size, 2, "somebody is paying");
    assert.equal((await world.subscriptions.pay(token))?.type, "outcome_unknown");
    world.links.isBusy = false;
    await world.pass(3 * HOUR_MS, MINUTE_MS);
    assert.deepEqual(attempts(await world.of(id)), ["CARD failed", "LINK failed", "CARD done"]);
    assert.equal((await world.of(id)).state, "ACTIVE");
  });
});

describe("the decisions of a merchant and a customer", () => {
  it("stops retries after a cancellation", async () => {
    const world = worldAt("2026-01-31T15:00");
    const { id, dunning, token } = await pastDue(world);
    assert.equal((await world.subscriptions.cancelByToken(token, { atPeriodEnd: false }, operation("c")))?.type, "cancelled");
    assert.equal((await world.subscriptions.cancelByToken(token, { atPeriodEnd: false }, operation("c")))?.type, "cancelled");
    assert.equal((await world.subscriptions.cancel(OWNER, id, { atPeriodEnd: false }, world.next()))?.type, "not_in_state");
    await world.until((dunning?.failedAtMs ?? 0) + 30 * DAY_MS);
    assert.equal(world.charges.charges.size, 2);
    const { cancelledBy, nextAtMs } = await world.of(id);
    assert.deepEqual([cancelledBy, nextAtMs], ["customer", null]);
    for (const refused of [
      world.subscriptions.pause(OWNER, id, world.next()),
      world.subscriptions.resume(OWNER, id, world.next()),
      world.subscriptions.retry(OWNER, id, world.next()),
    ]) {
      assert.equal((await refused)?.type, "not_in_state");
    }
    assert.equal((await world.subscriptions.pay(token))?.type, "nothing_due");
  });

  it("cancels instead of charging at the period's end, unless the cancellation is revoked", async () => {
    const world = worldAt("2026-01-31T15:00");
    const [one, other] = [await world.create(), await world.create()];
    for (const { id } of [one, other]) {
      const outcome = await world.subscriptions.cancel(OWNER, id, { atPeriodEnd: true }, world.next());
      assert.deepEqual([outcome?.type, outcome?.subscription.state], ["cancelled", "ACTIVE"]);
    }
    assert.equal((await world.subscriptions.resume(OWNER, other.id, world.next()))?.type, "resumed");
    await world.until(one.period.untilMs);
    const [ended, going] = [await world.of(one.id), await world.of(other.id)];
    assert.deepEqual([ended.state, ended.cancelledBy, ended.cycle], ["CANCELLED", "merchant", 1]);
    assert.deepEqual([going.state, going.cycle], ["ACTIVE", 2]);
    assert.equal(world.charges.charges.size, 3);
  });

  it("charges nothing for a pause and moves no day, so the next cycle is the first after it", async () => {
    const world = worldAt("2026-01-31T15:00");
    const { id } = await world.create();
    assert.equal((await world.subscriptions.pause(OWNER, id, operation("p")))?.type, "paused");
    assert.equal((await world.subscriptions.pause(OWNER, id, operation("p")))?.type, "paused");
    assert.equal((await world.subscriptions.pause(OWNER, id, world.next()))?.type, "not_in_state");
    await world.until(DateTime.fromISO("2026-04-10T12:00", { zone: ZONE }).toMillis());
    assert.equal(world.charges.charges.size, 1);
    const resumed = await world.subscriptions.resume(OWNER, id, operation("r"));
    assert.deepEqual(await world.subscriptions.resume(OWNER, id, operation("r")), resumed);
    const record = await world.of(id);
    assert.deepEqual([record.state, record.cycle, local(record.period.untilMs)], ["ACTIVE", 3, "2026-04-30 09:00"]);
    await world.until(record.period.untilMs);
    assert.deepEqual(world.charges.done(), [`sub-${id}-1-1`, `sub-${id}-4-1`]);
  });

  it("permits one retry an hour", async () => {
    const world = worldAt("2026-01-31T15:00");
    const { id } = await pastDue(world);
    assert.equal((await world.subscriptions.retry(OWNER, id, operation("r")))?.type, "retried");
    assert.equal((await world.subscriptions.retry(OWNER, id, operation("r")))?.type, "retried");
    assert.equal(world.charges.charges.size, 3);
    assert.equal((await world.subscriptions.retry(OWNER, id, world.next()))?.type, "too_soon");
    world.clock.advance(HOUR_MS);
    world.charges.card = "good";
    const outcome = await world.subscriptions.retry(OWNER, id, world.next());
    assert.deepEqual([outcome?.type, outcome?.subscription.state], ["retried", "ACTIVE"]);
    assert.equal((await world.subscriptions.retry(OWNER, id, world.next()))?.type, "not_in_state");
  });

  it("deactivates a used plan but never removes it", async () => {
    const world = new SubscriptionWorld();
    const [used, unused] = [await world.plan(), await world.plan({ name: "Pool" })];
    await world.subscriptions.create(OWNER, world.order(used.id), { type: "key" }, world.next());
    assert.equal(await world.plans.remove(OWNER, used.id), "used");
    assert.equal(await world.plans.remove({ ...OWNER, merchantId: "M2" }, unused.id), null);
    assert.equal(await world.plans.remove(OWNER, unused.id), "removed");
    assert.equal((await world.plans.setActive(OWNER, used.id, false))?.active, false);
    assert.deepEqual(
      (await world.plans.list(OWNER)).map(({ id, active }) => [id, active]),
      [[used.id, false]],
    );
  });

  it("does one of both if a plan is removed during its first subscription", async () => {
    for (let round = 0; round < 20; round += 1) {
      const world = new SubscriptionWorld();
      const { id } = await world.plan();
      const [created, removed] = await Promise.all([
        world.subscriptions.create(OWNER, world.order(id), { type: "key" }, world.next()),
        world.plans.remove(OWNER, id),
      ]);
      assert.deepEqual([created.type, removed], created.type === "created" ? ["created", "used"] : ["no_plan", "removed"]);
    }
  });

  it("rejects plans and policies by their member", async () => {
    const world = new SubscriptionWorld();
    for (const [member, changes] of [
      ["name", { name: "" }],
      ["amountMinor", { amountMinor: 0 }],
      ["amountMinor", { amountMinor: 1.5 }],
      ["currency", { currency: "XXY" }],
      ["count", { count: 0 }],
      ["count", { interval: "YEAR", count: 4 }],
      ["trialDays", { trialDays: -1 }],
      ["trialDays", { trialDays: 731 }],
    ] as const) {
      await assert.rejects(world.plan(changes), isCode("invalid_request", `${member}: `));
    }
    for (const retryDays of [[], [0], [1, 1], [3, 2], [1.5], [46], [1, 2, 3, 4, 5, 6, 7, 8, 9], [Number.NaN]]) {
      await assert.rejects(
        world.plans.setDunning(OWNER, { retryDays, finalAction: "STAY", mails: true }),
        isCode("invalid_request", "retryDays: "),
      );
    }
    assert.deepEqual(await world.plans.dunning(OWNER), { retryDays: [1, 3, 5, 7], finalAction: "CANCEL", mails: true });
  });
});

describe("a deactivated merchant", () => {
  it("has its subscriptions paused, and only its own", async () => {
    const world = worldAt("2026-01-31T15:00");
    const { id } = await world.create();
    assert.equal(await world.subscriptions.pauseAll({ ...OWNER, merchantId: "M2" }, world.next()), 0);
    assert.equal(await world.subscriptions.pauseAll(OWNER, operation("d")), 1);
    assert.equal(await world.subscriptions.pauseAll(OWNER, operation("d")), 0);
    assert.deepEqual([(await world.of(id)).state, (await world.of(id)).pausedBy], ["PAUSED", "deactivated"]);
    world.circumstances.isInactive = true;
    assert.equal((await world.subscriptions.resume(OWNER, id, world.next()))?.type, "inactive");
  });

  it("causes no requests, even if the pause was missed", async () => {
    const world = worldAt("2026-01-31T15:00");
    const [active, { id, dunning }] = [await world.create({ trialDays: 5 }), await pastDue(world)];
    const asked = world.charges.charges.size;
    world.circumstances.isInactive = true;
    await world.until((dunning?.failedAtMs ?? 0) + 40 * DAY_MS);
    assert.equal(world.charges.charges.size, asked);
    for (const one of [active.id, id]) assert.equal((await world.of(one)).pausedBy, "deactivated");
  });
});

describe("the time", () => {
  it("is made up for cycle by cycle after an outage of every node", async () => {
    const world = worldAt("2026-01-31T15:00");
    const { id } = await world.create({ interval: "WEEK" });
    world.clock.advance(24 * DAY_MS);
    const after = world.restarted();
    await after.pass(5 * MINUTE_MS, 10_000);
    const caught = await after.of(id);
    assert.deepEqual([caught.state, caught.cycle], ["ACTIVE", 4]);
    assert.ok(caught.period.untilMs > after.clock.nowMs());
    assert.deepEqual(
      after.charges.done(),
      [1, 2, 3, 4].map((cycle) => `sub-${id}-${cycle}-1`),
    );
  });

  it("completes all missed steps as one before the policy ends", async () => {
    const world = worldAt("2026-01-31T15:00");
    const one = await pastDue(world);
    const asked = world.charges.charges.size;
    world.clock.advance(20 * DAY_MS);
    const after = world.restarted();
    await after.pass(5 * MINUTE_MS, 10_000);
    const ended = await after.of(one.id);
    assert.deepEqual([ended.state, ended.cancelledBy], ["CANCELLED", "dunning"]);
    assert.equal(after.charges.charges.size, asked + 1);
  });

  it("spreads simultaneous due times over half an hour by id, equally on every node", () => {
    const spread = Array.from({ length: 100_000 }, (_, n) => spreadOf(`sub_${String(n).padStart(24, "0")}`));
    assert.ok(spread.every((ms) => ms >= 0 && ms < SPREAD_MS));
    const perMinute = new Array<number>(30).fill(0);
    for (const ms of spread) perMinute[Math.floor(ms / MINUTE_MS)] = (perMinute[Math.floor(ms / MINUTE_MS)] ?? 0) + 1;
    const most = Math.max(...perMinute);
    const least = Math.min(...perMinute);
    assert.ok(most < 1.2 * (100_000 / 30) && least > 0.8 * (100_000 / 30), `${least} to ${most} in a minute`);
  });

  it("charges each of many due subscriptions once on two nodes", { timeout: 120_000 }, async () => {
    const world = new SubscriptionWorld(2);
    world.clock.wallMs = DateTime.fromISO("2026-01-31T15:00", { zone: ZONE }).toMillis();
    const plan = await world.plan({ trialDays: 3 });
    const made = 300;
    for (let n = 0; n < made; n += 1) {
      await world.subscriptions.create(OWNER, world.order(plan.id), { type: "key" }, world.next());
    }
    world.clock.advance(4 * DAY_MS);
    await world.pass(MINUTE_MS, 1_000);
    await world.pass(35 * MINUTE_MS, 10_000);
    assert.equal(world.charges.done().length, made);
    assert.deepEqual(world.failures, []);
    assert.equal((await world.subscriptions.list(OWNER, { ...QUERY, state: "ACTIVE", limit: 200 })).items.length, 200);
  });
});

describe("a mail over the limit", () => {
  it("is queued until there is room", async () => {
    const world = worldAt("2026-01-31T15:00");
    world.circumstances.hasRoom = false;
    const { id } = await world.create({}, { collection: "LINK" });
    assert.equal((await world.of(id)).mailOwed?.kind, "payment");
    await world.pass(11 * MINUTE_MS, 10_000);
    assert.ok(world.heard.postponed >= 2);
    world.circumstances.hasRoom = true;
    await world.pass(11 * MINUTE_MS, 10_000);
    assert.deepEqual(await world.mails(), ["payment 1"]);
    assert.equal((await world.of(id)).mailOwed, null);
  });
});
