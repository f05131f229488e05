import assert from "node:assert/strict";
import { test } from "node:test";
import { type Commit, type CommitResult, type Entry, type Kv, type ScanRange, StorageUnavailable } from "../../../engine/kernel/kv.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { fedFaults } from "../payments/fed-objects.ts";
import { ManualClock, settle } from "../world.ts";
import { DAY_MS, FakeCharges, FakeLinks, HOUR_MS, MINUTE_MS, OWNER, openShard, operation, SubscriptionWorld } from "./world.ts";

const STEP_MS = 30 * MINUTE_MS;

/**
 * A store whose process dies at one of its commits: before it, or after it and before its response.
 */
class DyingKv implements Kv {
  readonly #kv: MemoryKv;
  readonly #diesAt: number;
  readonly #happens: boolean;
  commits = 0;
  isDead = false;

  constructor(kv: MemoryKv, diesAt: number, happens: boolean) {
    this.#kv = kv;
    this.#diesAt = diesAt;
    this.#happens = happens;
  }

  get(key: string): Promise<Entry | null> {
    return this.#alive(() => this.#kv.get(key));
  }

  getMany(keys: readonly string[]): Promise<(Entry | null)[]> {
    return this.#alive(() => this.#kv.getMany(keys));
  }

  scan(range: ScanRange): Promise<Entry[]> {
    return this.#alive(() => this.#kv.scan(range));
  }

  count(range: ScanRange): Promise<number> {
    return this.#alive(() => this.#kv.count(range));
  }

  commit(commit: Commit): Promise<CommitResult> {
    return this.#alive(async () => {
      this.commits += 1;
      if (this.commits !== this.#diesAt) return this.#kv.commit(commit);
      if (this.#happens) await this.#kv.commit(commit);
      this.isDead = true;
      throw new StorageUnavailable("killed");
    });
  }

  async close(): Promise<void> {}

  async #alive<T>(work: () => Promise<T>): Promise<T> {
    if (this.isDead) throw new StorageUnavailable("killed");
    return work();
  }
}

/**
 * Plays a subscription whose first cycle is declined, retried, and paid by card, or by link after a
 * hard decline. Its process dies at one commit, and another process continues an hour later.
 * Returns the number of commits of the process.
 */
async function play(card: "soft" | "hard", diesAt: number, happens: boolean): Promise<number> {
  const memory = new MemoryKv();
  const clock = new ManualClock();
  const charges = new FakeCharges(clock.nowMs);
  const links = new FakeLinks();
  const before = new SubscriptionWorld(1, { kv: memory, clock, charges, links });
  const { id } = await before.create({ trialDays: 2, interval: "WEEK" });
  const kv = new DyingKv(memory, diesAt, happens);
  const process = openShard({
    kv,
    clock,
    charges,
    links,
    circumstances: before.circumstances,
    heard: before.heard,
    failed: () => undefined,
  });
  let deadlines = process.deadlines;
  let isReplaced = false;

  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      clock.advance(STEP_MS);
      if (kv.isDead && !isReplaced) {
        isReplaced = true;
        void deadlines.stop();
        clock.advance(HOUR_MS);
        deadlines = before.shard(0).deadlines;
      }
      deadlines.tick();
      await settle();
    }
  }

  charges.card = card;
  await pass(3 * DAY_MS);
  charges.card = "good";
  await pass(DAY_MS);
  for (const linkId of links.links.keys()) {
    links.pay(linkId, clock.nowMs());
    await process.subscriptions.told(linkId).catch(() => undefined);
  }
  await pass(2 * DAY_MS);

  const record = await before.of(id);
  const told = await before.events(id);
  const what = `killed ${happens ? "after" : "before"} commit ${diesAt}`;
  const paid = [...charges.done(), ...[...links.links].flatMap(([linkId, { state }]) => (state.type === "paid" ? [linkId] : []))];
  assert.deepEqual([record.state, record.cycle, record.charge?.state, paid.length], ["ACTIVE", 1, "PAID", 1], what);
  assert.equal(record.charge?.attempts.find(({ state }) => state === "done")?.id, paid[0], what);
  assert.deepEqual(
    told.map(({ sequence }) => sequence),
    told.map((_, index) => index + 1),
    what,
  );
  for (const [type, count] of [
    ["past_due", 1],
    ["renewed", 1],
    ["recovered", 1],
  ] as const) {
    assert.equal(told.filter((event) => event.type === `subscription.${type}`).length, count, `${what}: ${type}`);
  }
  const mails = await before.mails();
  for (const mail of ["failed 1", "recovered 1"]) assert.equal(mails.filter((one) => one === mail).length, 1, `${what}: ${mail}`);
  assert.deepEqual(before.attention(), [], what);
  const outcome = await before.subscriptions.cancel(OWNER, id, { atPeriodEnd: false }, operation("c"));
  assert.equal(outcome?.type, "cancelled");
  assert.deepEqual(await fedFaults(memory), [], what);
  return kv.commits;
}

for (const card of ["soft", "hard"] as const) {
  test(`pays the cycle once with another process after a ${card} decline, killed at each commit`, async () => {
    const commits = await play(card, Number.POSITIVE_INFINITY, true);
    assert.ok(commits >= 4, `only ${commits} commits`);
    for (let diesAt = 1; diesAt <= commits; diesAt += 1) for (const happens of [true, false]) await play(card, diesAt, happens);
  });
}
