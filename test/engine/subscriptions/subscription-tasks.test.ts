import assert from "node:assert/strict";
import { it } from "node:test";
import { createSubscriptionTasks } from "../../../engine/subscriptions/subscription-tasks.ts";
import { DAY_MS, OWNER, SubscriptionWorld, storeOn } from "./world.ts";

const GYM = { amountMinor: 2_900, currency: "EUR", planName: "Gym" };

it("lists past due subscriptions as tasks until they are paid, without a due time if they stay past due", async () => {
  const world = new SubscriptionWorld();
  const tasks = createSubscriptionTasks({ store: storeOn(world.kv).queries, clock: world.clock });
  const { id, period } = await world.create();
  assert.deepEqual(await tasks(OWNER), []);
  world.charges.card = "soft";
  await world.until(period.untilMs);
  const { dunning } = await world.of(id);
  const failedAtMs = dunning?.failedAtMs ?? 0;
  assert.deepEqual(await tasks(OWNER), [
    {
      kind: "subscription_past_due",
      id,
      atMs: failedAtMs,
      dueAtMs: failedAtMs + 8 * DAY_MS,
      ...GYM,
      code: "declined_soft",
      description: "no",
    },
  ]);
  assert.deepEqual(await tasks({ ...OWNER, merchantId: "M2" }), []);
  assert.deepEqual(await tasks({ ...OWNER, livemode: true }), []);
  await world.plans.setDunning(OWNER, { retryDays: [1], finalAction: "STAY", mails: false });
  world.charges.card = "good";
  await world.until(failedAtMs + DAY_MS);
  assert.deepEqual(await tasks(OWNER), []);
  world.charges.card = "soft";
  await world.until((await world.of(id)).period.untilMs);
  assert.equal((await tasks(OWNER))[0]?.dueAtMs, ((await world.of(id)).dunning?.failedAtMs ?? 0) + 2 * DAY_MS);
  await world.until(world.clock.nowMs() + 3 * DAY_MS);
  assert.equal((await tasks(OWNER))[0]?.dueAtMs, null);
});
