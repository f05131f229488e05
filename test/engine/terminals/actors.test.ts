import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MAILBOX_MAX } from "../../../engine/kernel/limits.ts";
import { type Actors, createActors } from "../../../engine/terminals/actors.ts";
import { stepTerminal } from "../../../engine/terminals/step-terminal.ts";
import { claimOf, createSteps, EMPTY_CHANGE, entryOf, type Steps } from "../../../engine/terminals/steps.ts";
import { createTerminalStore } from "../../../engine/terminals/terminal-store.ts";
import { createWaiters } from "../../../engine/terminals/waiters.ts";
import { createWaitingCounters, waitingCountersBuffer } from "../../../engine/terminals/waiting-counters.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { command, ManualClock, settle } from "../world.ts";

interface ActorsWorld {
  kv: MemoryKv;
  clock: ManualClock;
  actors: Actors;
  steps: Steps;
  loads: string[];
  doubts: string[];
}

function open(options: { kv?: MemoryKv; actorsMax?: number } = {}): ActorsWorld {
  const { kv = new MemoryKv() } = options;
  const clock = new ManualClock();
  const loads: string[] = [];
  const doubts: string[] = [];
  const store = createTerminalStore({ kv, nowMs: clock.nowMs, retentionMs: 86_400_000, writer: "w" });
  const actors = createActors({
    store,
    waiting: createWaitingCounters(waitingCountersBuffer()),
    clock,
    loaded: ({ terminalId }) => loads.push(terminalId),
    inDoubt: (terminalId) => doubts.push(terminalId),
    ...(options.actorsMax === undefined ? {} : { actorsMax: options.actorsMax }),
  });
  const steps = createSteps({
    actors,
    store,
    waiters: createWaiters(clock),
    clock,
    retry: () => {},
    failed: (what, error) => assert.fail(`${what}: ${String(error)}`),
    finished: () => {},
  });
  return { kv, clock, actors, steps, loads, doubts };
}

/** Accepts a command without a home. */
async function accept(world: ActorsWorld, uuid: string, terminalId = "T1"): Promise<string> {
  const accepted = command(world, uuid, { terminalId });
  return world.actors.enqueue(terminalId, async (actor) => {
    const stepped = await world.steps.run(actor, async () => {
      const atMs = world.clock.nowMs();
      const step = stepTerminal(actor.context, { type: "command.accepted", atMs, entry: entryOf(accepted) });
      return { step, change: { ...EMPTY_CHANGE, claims: [claimOf(accepted)], atMs }, outcome: null };
    });
    return stepped.type;
  });
}

const queueOf = ({ actors }: ActorsWorld, terminalId = "T1") =>
  actors.enqueue(terminalId, ({ context }) => context.queue.map(({ uuid }) => uuid));

describe("a terminal's mailbox", () => {
  it("carries out one thing at a time, in order, and goes on after one that failed", async () => {
    const { actors } = open();
    const done: string[] = [];
    const work = (name: string) => async () => {
      done.push(`${name} begins`);
      await settle();
      done.push(`${name} ends`);
      if (name === "b") throw new Error("b failed");
      return name;
    };
    const results = await Promise.allSettled(["a", "b", "c"].map((name) => actors.enqueue("T1", work(name))));
    assert.deepEqual(done, ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
  });

  it("does not hold up other terminals", async () => {
    const { actors } = open();
    const never = actors.enqueue("T1", () => new Promise<string>(() => {}));
    assert.equal(await Promise.race([never, actors.enqueue("T2", () => "T2 is done")]), "T2 is done");
  });

  it("is bounded for callers, and keeps room for internal work", async () => {
    const { actors } = open();
    let release = () => {};
    const first = actors.enqueue("T1", () => new Promise<void>((resolve) => (release = resolve)));
    await settle();
    const waiting = Array.from({ length: MAILBOX_MAX }, () => actors.enqueue("T1", () => {}));
    await assert.rejects(
      actors.enqueue("T1", () => {}),
      { code: "too_busy" },
    );
    const internal = Array.from({ length: 256 }, () => actors.enqueueInternal("T1", () => {}));
    await assert.rejects(
      actors.enqueueInternal("T1", () => {}),
      { code: "too_busy" },
    );
    release();
    await Promise.all([first, ...waiting, ...internal]);
  });
});

describe("a step", () => {
  it("that lost to another writer is stepped again from what is stored", async () => {
    const kv = new MemoryKv();
    const one = open({ kv });
    const other = open({ kv });
    assert.deepEqual(await queueOf(one), []);
    assert.equal(await accept(other, "a"), "applied");
    assert.equal(await accept(one, "b"), "applied");
    assert.deepEqual(await queueOf(one), ["a", "b"]);
    assert.deepEqual(one.loads, ["T1", "T1"]);
  });

  it("that always loses is given up, and the caller told to try again", async () => {
    const kv = new MemoryKv();
    const one = open({ kv });
    const other = open({ kv });
    await queueOf(one);
    let rival = 0;
    const contended = one.actors.enqueue("T1", (actor) =>
      one.steps.run(actor, async () => {
        rival += 1;
        await accept(other, `rival-${rival}`);
        const mine = command(one, "mine");
        return {
          step: stepTerminal(actor.context, { type: "command.accepted", atMs: one.clock.nowMs(), entry: entryOf(mine) }),
          change: { ...EMPTY_CHANGE, claims: [claimOf(mine)], atMs: 0 },
          outcome: null,
        };
      }),
    );
    await assert.rejects(contended, { code: "unavailable" });
    assert.equal(rival, 8);
  });

  it("whose uuid is taken stores nothing", async () => {
    const world = open();
    await accept(world, "a", "T2");
    assert.equal(await accept(world, "a"), "claimed");
    assert.deepEqual(await queueOf(world), []);
    assert.deepEqual(world.kv.keys("t/"), ["t/T2"]);
  });

  it("that failed leaves the truth to be read before the next one", async () => {
    const world = open();
    world.kv.fate = () => "answer lost";
    await assert.rejects(accept(world, "a"), { code: "unavailable" });
    assert.deepEqual(world.doubts, ["T1"]);
    assert.equal(world.actors.peek("T1"), null);
    world.kv.fate = () => "done";
    assert.deepEqual(await queueOf(world), ["a"]);
    assert.equal(world.actors.peek("T1")?.queue.length, 1);
  });
});

describe("the memory of a home", () => {
  it("is bounded: idle actors that were not used lately go first, and are read again", async () => {
    const world = open({ actorsMax: 4 });
    for (const id of ["T1", "T2", "T3", "T4"]) await queueOf(world, id);
    await queueOf(world, "T5");
    await queueOf(world, "T6");
    assert.equal(world.actors.count(), 4);
    assert.notEqual(world.actors.peek("T5"), null, "the newest are still there");
    const loads = world.loads.length;
    await queueOf(world, "T1");
    assert.equal(world.loads.length, loads + 1);
  });

  it("keeps actors with something outstanding, in doubt or at work, however many others come", async () => {
    const world = open({ actorsMax: 3 });
    await accept(world, "a", "outstanding");
    world.kv.fate = () => "refused";
    await assert.rejects(accept(world, "b", "doubtful"));
    world.kv.fate = () => "done";
    let release = () => {};
    const working = world.actors.enqueue("working", () => new Promise<void>((resolve) => (release = resolve)));
    for (let index = 0; index < 300; index += 1) await queueOf(world, `T${index}`);
    // These three, the last one, and the one before it, which was not yet at rest when the last one came.
    assert.ok(world.actors.count() <= 5, String(world.actors.count()));
    assert.notEqual(world.actors.peek("outstanding"), null);
    release();
    await working;
    const loads = world.loads.filter((id) => id === "working").length;
    assert.equal(loads, 1);
  });
});
