import assert from "node:assert/strict";
import test from "node:test";
import { createDeadlineRunner, type DeadlineBounds } from "../../../engine/kernel/deadline-runner.ts";
import { createDueIndex, DUE_PARTITIONS, dueOperations, duePartitionOf } from "../../../engine/kernel/due-index-store.ts";
import { createPacer } from "../../../engine/kernel/pacer.ts";
import { createRendezvousHomes, type RendezvousHomes } from "../../../engine/routing/rendezvous.ts";
import { ManualClock, settle } from "../world.ts";
import { MemoryKv } from "./memory-kv.ts";

const BOUNDS: Omit<DeadlineBounds, "pacer"> = { heldMax: 10_000, atOnceMax: 64, catchUpMs: 30_000, slackMs: 0 };

interface Fired {
  id: string;
  by: string;
  atMs: number;
}

/** One kind of records with a deadline each, on a store that several kinds share: what they do is to lose it, by the version. */
class Kind {
  readonly fired: Fired[] = [];
  readonly failures: string[] = [];
  /** Awaited by each before it is done. */
  hold: Promise<void> | null = null;
  /** Whether it can be done. */
  works: (id: string) => boolean = () => true;
  readonly name: string;
  readonly kv: MemoryKv;
  readonly clock: ManualClock;
  readonly prefix: string;

  constructor(name: string, kv: MemoryKv, clock: ManualClock) {
    this.name = name;
    this.kv = kv;
    this.clock = clock;
    this.prefix = `due/${name}/`;
  }

  async put(entries: readonly { id: string; atMs: number }[]): Promise<void> {
    const operations = entries.flatMap(({ id, atMs }) => [
      { type: "put" as const, key: `${this.name}/${id}`, value: String(atMs) },
      ...dueOperations(this.prefix, id, null, atMs),
    ]);
    await this.kv.commit({ checks: [], operations });
  }

  runner(self: string, homes: RendezvousHomes, bounds: Partial<DeadlineBounds> = {}) {
    return createDeadlineRunner({
      ...{ name: this.name, index: createDueIndex(this.kv, this.prefix), homes, self, clock: this.clock },
      placeOf: (partition) => `due/${partition}`,
      bounds: { ...BOUNDS, pacer: createPacer(20), ...bounds },
      fire: (id) => this.#fire(id, self),
      failed: (what) => this.failures.push(what),
    });
  }

  async #fire(id: string, by: string): Promise<void> {
    if (!this.works(id)) throw new Error(`${id} cannot be done`);
    const entry = await this.kv.get(`${this.name}/${id}`);
    await this.hold;
    if (entry === null || Number(entry.value) > this.clock.nowMs()) return;
    const result = await this.kv.commit({
      checks: [{ key: entry.key, version: entry.version }],
      operations: [{ type: "delete", key: entry.key }, ...dueOperations(this.prefix, id, Number(entry.value), null)],
    });
    if (result.type === "committed") this.fired.push({ id, by, atMs: this.clock.nowMs() });
  }
}

async function pass(clock: ManualClock, ms: number, runners: readonly { tick(): void }[], stepMs = 1_000): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    clock.advance(Math.min(left, stepMs));
    for (const { tick } of runners) tick();
    await settle();
  }
}

function world(): { kv: MemoryKv; clock: ManualClock; kind: Kind; alone: RendezvousHomes } {
  const [kv, clock] = [new MemoryKv(), new ManualClock()];
  return { kv, clock, kind: new Kind("dispute", kv, clock), alone: createRendezvousHomes(["one"]) };
}

/** As many at one moment. */
function many(count: number, atMs: number): { id: string; atMs: number }[] {
  return Array.from({ length: count }, (_, index) => ({ id: `x${index}`, atMs }));
}

test("fires when it is due, not before, and once", async () => {
  const { clock, kind, alone } = world();
  const startMs = clock.nowMs();
  await kind.put([
    { id: "soon", atMs: startMs + 5_000 },
    { id: "later", atMs: startMs + 60_000 },
    { id: "now", atMs: startMs },
  ]);
  const runner = kind.runner("one", alone);
  await pass(clock, 120_000, [runner]);
  assert.deepEqual(
    kind.fired.map(({ id, atMs }) => [id, Math.round((atMs - startMs) / 1_000)]),
    [
      ["now", 2],
      ["soon", 5],
      ["later", 60],
    ],
  );
  assert.deepEqual(runner.counts(), { held: 0, underWay: 0 });
});

test("each partition is its home's, and what was another's is taken over when homes change", async () => {
  const { clock, kind } = world();
  const homes = { one: createRendezvousHomes(["one", "two"]), two: createRendezvousHomes(["one", "two"]) };
  const [one, two] = [kind.runner("one", homes.one), kind.runner("two", homes.two)];
  await kind.put(many(300, clock.nowMs() + 1_000));
  await pass(clock, 5_000, [one, two]);
  assert.equal(kind.fired.length, 300);
  for (const { id, by } of kind.fired) assert.equal(homes.one.homeOf(`due/${duePartitionOf(id)}`), by);

  // The second dies with work that lies ahead.
  kind.fired.length = 0;
  await kind.put(many(300, clock.nowMs() + 20_000));
  await pass(clock, 5_000, [one, two]);
  homes.one.update(["one"]);
  await pass(clock, 40_000, [one]);
  assert.deepEqual(
    [kind.fired.length, new Set(kind.fired.map(({ id }) => id)).size, new Set(kind.fired.map(({ by }) => by)).size],
    [300, 300, 1],
  );
});

test("two that both believe to be home do nothing twice", async () => {
  const { clock, kind, alone } = world();
  const runners = [kind.runner("one", alone), kind.runner("two", createRendezvousHomes(["two"]))];
  await kind.put(many(500, clock.nowMs() + 3_000));
  await pass(clock, 20_000, runners);
  assert.equal(kind.fired.length, 500);
  assert.equal(new Set(kind.fired.map(({ id }) => id)).size, 500);
});

test("a kind that is stuck, with all its places taken and more in the index, does not delay another", async () => {
  const { kv, clock, alone } = world();
  const [stuck, other] = [new Kind("alert", kv, clock), new Kind("dispute", kv, clock)];
  let release: () => void = () => undefined;
  stuck.hold = new Promise((resolve) => {
    release = resolve;
  });
  await stuck.put(many(5_000, clock.nowMs()));
  const runners = [stuck.runner("one", alone, { heldMax: 1_000, atOnceMax: 10 }), other.runner("one", alone)];
  await pass(clock, 40_000, runners);
  assert.deepEqual([stuck.fired.length, runners[0]?.counts().underWay], [0, 10]);
  assert.ok((runners[0]?.counts().held ?? 0) <= 2_000, "no more than its bound and a page");
  const dueMs = clock.nowMs() + 3_000;
  await other.put(many(200, dueMs));
  await pass(clock, 6_000, runners);
  assert.equal(other.fired.length, 200);
  assert.ok(Math.max(...other.fired.map(({ atMs }) => atMs)) <= dueMs + 1_000);

  stuck.hold = null;
  release();
  await pass(clock, 200_000, runners);
  assert.equal(new Set(stuck.fired.map(({ id }) => id)).size, 5_000, "what waited in the index comes after");
  assert.equal(stuck.fired.length, 5_000);
});

test("what fails is tried again every five seconds, and given up only where it has another home", async () => {
  const { clock, kind } = world();
  const homes = createRendezvousHomes(["one"]);
  const runner = kind.runner("one", homes);
  kind.works = () => false;
  await kind.put([{ id: "x", atMs: clock.nowMs() }]);
  await pass(clock, 12_000, [runner]);
  assert.ok(kind.failures.length >= 2 && kind.failures.length <= 3, `${kind.failures.length} attempts`);
  assert.deepEqual([...new Set(kind.failures)], ["dispute.deadline"]);
  homes.update(["two"]);
  await pass(clock, 12_000, [runner]);
  assert.deepEqual(runner.counts(), { held: 0, underWay: 0 });
  kind.works = () => true;
  homes.update(["one"]);
  await pass(clock, 5_000, [runner]);
  assert.equal(kind.fired.length, 1);
});

test("a store that is away is asked again", async () => {
  const { kv, clock, kind, alone } = world();
  const runner = kind.runner("one", alone);
  await kind.put([{ id: "x", atMs: clock.nowMs() + 1_000 }]);
  kv.unreadable = true;
  await pass(clock, 5_000, [runner]);
  assert.ok(kind.failures.includes("dispute.scan"));
  kv.unreadable = false;
  await pass(clock, 40_000, [runner]);
  assert.equal(kind.fired.length, 1);
});

test("a deadline that another node has moved to the front is found by looking again", async () => {
  const { kv, clock, kind, alone } = world();
  const runner = kind.runner("one", alone);
  await kind.put([
    { id: "keeps the index read", atMs: clock.nowMs() + 2_000 },
    { id: "x", atMs: clock.nowMs() + 3_600_000 },
  ]);
  await pass(clock, 10_000, [runner]);
  const before = Number((await kv.get("dispute/x"))?.value);
  // Before what the cursor of its partition has passed.
  const operations = [
    { type: "put" as const, key: "dispute/x", value: "1" },
    ...dueOperations(kind.prefix, "x", before, clock.nowMs() - 60_000),
  ];
  await kv.commit({ checks: [], operations });
  await pass(clock, 50_000, [runner]);
  assert.deepEqual(
    kind.fired.map(({ id }) => id),
    ["keeps the index read", "x"],
  );
});

test("twenty thousand that are due at one moment are spread over half an hour, none twice, over a restart too", async () => {
  const { clock, kind, alone } = world();
  const dueMs = clock.nowMs() + 5_000;
  await kind.put(many(20_000, dueMs));
  const bounds = () => ({ heldMax: 25_000, atOnceMax: 256, catchUpMs: 1_800_000, slackMs: 1_800_000, pacer: createPacer(12) });
  const first = kind.runner("one", alone, bounds());
  await pass(clock, 600_000, [first], 5_000);
  const before = kind.fired.length;
  assert.ok(before > 6_000 && before < 9_000, `${before} within ten minutes`);
  await first.stop();
  const second = kind.runner("one", alone, bounds());
  await pass(clock, 1_300_000, [second], 5_000);
  assert.equal(kind.fired.length, 20_000);
  assert.equal(new Set(kind.fired.map(({ id }) => id)).size, 20_000);
  const byTick = new Map<number, number>();
  for (const { atMs } of kind.fired) byTick.set(atMs, (byTick.get(atMs) ?? 0) + 1);
  assert.ok(Math.max(...byTick.values()) <= 5 * 12 * 2, `${Math.max(...byTick.values())} within five seconds`);
});

test("nothing is begun after it was stopped, and stopping waits for what is under way", async () => {
  const { clock, kind, alone } = world();
  let release: () => void = () => undefined;
  kind.hold = new Promise((resolve) => {
    release = resolve;
  });
  const runner = kind.runner("one", alone, { atOnceMax: 1 });
  await kind.put(many(2, clock.nowMs()));
  await pass(clock, 4_000, [runner]);
  let stopped = false;
  const stopping = runner.stop().then(() => {
    stopped = true;
  });
  await settle();
  assert.equal(stopped, false);
  release();
  await stopping;
  await pass(clock, 10_000, [runner]);
  assert.equal(kind.fired.length, 1);
});

test("what happens to a seeded set of deadlines over homes that change: each is done once, none before its time", async () => {
  const seed = (Date.now() % 1_000_000) + 1;
  let state = seed;
  const random = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const { kv, clock, kind } = world();
  const names = ["one", "two", "three"];
  const nodes = names.map((self) => ({ self, homes: createRendezvousHomes(names) }));
  const runners = nodes.map(({ self, homes }) => kind.runner(self, homes, { heldMax: 40, atOnceMax: 1 + random(8) }));
  const entries = Array.from({ length: 400 }, (_, index) => ({ id: `x${index}`, atMs: clock.nowMs() - 10_000 + random(120_000) }));
  await kind.put(entries);
  for (let round = 0; round < 40; round += 1) {
    // Nodes learn of the others at their own times, and a commit may fail without having happened.
    for (const { self, homes } of nodes)
      if (random(4) === 0) homes.update([self, ...names.filter((name) => name !== self && random(2) === 0)]);
    kv.fate = () => (random(20) === 0 ? "refused" : "done");
    await pass(clock, 3_000, runners);
  }
  kv.fate = () => "done";
  for (const { homes } of nodes) homes.update(names);
  await pass(clock, 120_000, runners);
  assert.equal(kind.fired.length, 400, `seed ${seed}`);
  const dueOf = new Map(entries.map(({ id, atMs }) => [id, atMs]));
  assert.equal(new Set(kind.fired.map(({ id }) => id)).size, 400, `seed ${seed}`);
  for (const { id, atMs } of kind.fired) assert.ok(atMs >= (dueOf.get(id) ?? 0), `seed ${seed}: ${id} was early`);
  console.log(`seed ${seed}, ${DUE_PARTITIONS} partitions`);
});
