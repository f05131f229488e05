import assert from "node:assert/strict";
import { test } from "node:test";
import { createPortalLinkTasks, taskKindsOf } from "../../../engine/portal-links/link-tasks.ts";
import type { PortalLinkAttempt } from "../../../engine/portal-links/portal-link.ts";
import { ManualClock } from "../world.ts";
import { portalLink } from "./machine-world.ts";

const attempt = (changes: Partial<PortalLinkAttempt>): PortalLinkAttempt => ({
  ...{ txId: "pl_1.1", state: "paid", createdAtMs: 1, url: null, expiresAtMs: 2, endedAtMs: 2, resultCode: null, resultDescription: null },
  ...{ paid: { atMs: 2, amountMinor: 100, currency: "EUR", cardLast4: null }, refund: "none" },
  ...changes,
});
const [paid, unknown, done] = [attempt({}), attempt({ refund: "unknown" }), attempt({ refund: "done" })];
const failed = attempt({ state: "failed", paid: null });

for (const [what, late, attempts, kinds] of [
  ["paid in time", false, [failed, paid], []],
  ["paid late", true, [failed, paid], ["link_late"]],
  ["paid late and given back", true, [done], []],
  ["paid late, its refund not confirmed", true, [unknown], ["link_refund_unknown"]],
  ["paid twice", false, [paid, paid], ["link_paid_twice"]],
  ["paid twice and late", true, [paid, paid], ["link_paid_twice"]],
  ["paid twice, one refund not confirmed", false, [paid, unknown], ["link_paid_twice", "link_refund_unknown"]],
  ["paid twice, one given back", false, [done, paid], []],
  ["not paid", true, [failed], []],
] as const) {
  test(`returns ${kinds.length === 0 ? "no task" : kinds.join(" and ")} for a link that was ${what}`, () => {
    assert.deepEqual(taskKindsOf({ late, attempts }), kinds);
  });
}

test("returns tasks newest first, from one read for parallel calls", async () => {
  const clock = new ManualClock();
  let looks = 0;
  const older = portalLink([attempt({ paid: { atMs: 50, amountMinor: 1, currency: "EUR", cardLast4: null } })], { id: "pl_a", late: true });
  const newer = portalLink([paid, attempt({ paid: { atMs: 90, amountMinor: 1, currency: "EUR", cardLast4: null } })], { id: "pl_b" });
  const tasks = createPortalLinkTasks({
    clock,
    store: {
      withTasks: async ({ merchantId }) => {
        looks += 1;
        return merchantId === "A" ? [older, newer].map((link) => ({ ...link, createdAtMs: 1 })) : [];
      },
    },
  });
  const list = { merchantId: "A", livemode: false };
  const [one] = await Promise.all([tasks(list), tasks(list)]);
  assert.deepEqual(
    one?.map(({ kind, id }) => `${kind} ${id}`),
    ["link_paid_twice pl_b", "link_late pl_a"],
  );
  assert.equal(looks, 1);
  assert.deepEqual(await tasks({ merchantId: "B", livemode: false }), []);
  clock.advance(4_000);
  await tasks(list);
  assert.equal(looks, 3);
});
