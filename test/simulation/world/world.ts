import { RelayError } from "../../../engine/kernel/errors.ts";
import { hashOf } from "../../../engine/kernel/hash.ts";
import { StorageUnavailable } from "../../../engine/kernel/kv.ts";
import { takeBack } from "../../../engine/terminals/taking-back.ts";
import { createTerminalStore } from "../../../engine/terminals/terminal-store.ts";
import { createFeed } from "../../../storage/feed/feed.ts";
import type { FaultSpec, Plan } from "../plan.ts";
import type { Plant } from "../plant.ts";
import { Random } from "../random.ts";
import { Trace } from "../trace.ts";
import { Witness } from "../witness.ts";
import { AtOnceKv } from "./at-once-kv.ts";
import { Scheduler } from "./scheduler.ts";
import { SimFeed } from "./sim-feed.ts";
import { type Fate, SimKv } from "./sim-kv.ts";
import { SimMembers } from "./sim-members.ts";
import { SimNode } from "./sim-node.ts";
import { SimProcess } from "./sim-process.ts";
import { RETENTION_MS } from "./sim-shard.ts";
import { SimStore, type StoreCopy } from "./sim-store.ts";
import { SimStreams } from "./sim-streams.ts";

const START_MS = Date.UTC(2026, 0, 5, 10, 0, 0);

/** What a Redis takes at most until its caller is told that nothing is known (storage/kv/redis.ts). */
const REDIS_DEADLINE_MS = 3_000;

/** What may become of calls of the store, as long as it is in force: probabilities. */
export interface StoreFaults {
  /** The answer comes seconds late, or the request does. */
  late: number;
  /** Milliseconds. */
  lateMsMax: number;
  /** It happens, and the answer is lost. */
  answerLost: number;
}

export const NO_STORE_FAULTS: StoreFaults = { late: 0, lateMsMax: 0, answerLost: 0 };

/** Everything outside of the actors: machines with nodes, the store, the network between nodes, and time. */
export class World {
  readonly #seed: number;
  readonly #randoms = new Map<string, Random>();
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  readonly witness: Witness;
  readonly store: SimStore;
  readonly members: SimMembers;
  readonly streams: SimStreams;
  readonly feed: SimFeed;
  readonly nodes: SimNode[];
  readonly isCluster: boolean;
  readonly plant: Plant;
  /** How often each kind of thing happened, for the statistics. */
  readonly counts = new Map<string, number>();
  storeFaults = NO_STORE_FAULTS;
  readonly #terminalOf: ReadonlyMap<string, string>;
  /** Copies of the store that faults take it back to. */
  readonly copies = new Map<FaultSpec, StoreCopy>();
  #pausedUntilMs = 0;
  #feeder: SimKv | null = null;
  readonly #onDeath: ((process: SimProcess) => void)[] = [];

  constructor(plan: Plan, plant: Plant) {
    const { seed, salt, nodes, shards, skewsMs } = plan.shape;
    this.#seed = seed ^ Math.imul(salt + 1, 0x9e3779b1);
    this.plant = plant;
    this.#terminalOf = new Map(plan.commands.map(({ uuid, terminalId }) => [uuid, terminalId]));
    this.isCluster = plan.shape.isCluster;
    this.scheduler = new Scheduler(START_MS, this.randomOf("ties"));
    const nowMs = () => this.scheduler.nowMs;
    this.trace = new Trace(nowMs);
    this.witness = new Witness(nowMs);
    this.store = new SimStore(nowMs);
    this.members = new SimMembers(nowMs);
    this.streams = new SimStreams(
      this.scheduler,
      (name) => this.randomOf(name),
      (what, kind) => {
        this.count(`message ${what}`);
        this.trace.note("bus", `${kind} ${what}`);
      },
    );
    this.feed = new SimFeed(this.scheduler, this.randomOf("feed"));
    this.nodes = Array.from({ length: nodes }, (_, index) => new SimNode(this, `node-${index + 1}`, shards, skewsMs[index] ?? 0));
    if (this.isCluster) this.#startFeed();
  }

  /**
   * Numbers for one thing: a connection, a client of the store, a command. Each has its own, so that what is left out of a history moves as little as
   * may be of the rest.
   */
  randomOf(name: string): Random {
    const known = this.#randoms.get(name);
    if (known !== undefined) return known;
    const random = new Random(this.#seed ^ hashOf(name));
    this.#randoms.set(name, random);
    return random;
  }

  /** Whether something that is told of a uuid is of another terminal than its command. */
  isStrange(uuid: string, terminalId: string | null): boolean {
    const sentTo = this.#terminalOf.get(uuid);
    return sentTo !== undefined && terminalId !== null && terminalId !== sentTo;
  }

  count(what: string, by = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + by);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.scheduler.after(ms, null, resolve);
    });
  }

  /** A client of the store, in a process. */
  openKv(owner: SimProcess, writer: string, historyLost: () => void): SimKv {
    return new SimKv({
      store: this.store,
      scheduler: this.scheduler,
      owner,
      writer,
      deadlineMs: this.isCluster ? REDIS_DEADLINE_MS : null,
      fate: (what) => this.#fateOf(this.randomOf(writer), what),
      pausedUntilMs: this.storePausedUntilMs,
      historyLost,
      note: (what) => this.trace.note(owner.name.replace(/#.*/, ""), what),
    });
  }

  readonly storePausedUntilMs = (): number => this.#pausedUntilMs;

  pauseStore(ms: number): void {
    this.#pausedUntilMs = this.scheduler.nowMs + ms;
  }

  /** Takes the store back to an earlier copy; live clients find another one when they have connected again. */
  replaceStore(copy: StoreCopy): void {
    this.store.restore(copy);
    this.members.clear();
    for (const node of this.nodes) node.storeReplaced();
    this.#feeder?.replaced(50);
  }

  /** What the start of a node does with a store that was taken back (infra/node/process/restored.ts), in no time. */
  async takeBack(): Promise<void> {
    const { store, feed, scheduler } = this;
    const lost = store.markLost();
    const terminals = createTerminalStore({
      kv: new AtOnceKv(store),
      nowMs: () => scheduler.nowMs,
      retentionMs: RETENTION_MS,
      lostVersion: () => lost,
      writer: "restored",
    });
    for (const [terminalId, fed] of feed.since(lost)) await takeBack(terminals, terminalId, fed, scheduler.nowMs);
  }

  /** Calls back when a process dies: its sockets break, and requests to it end. */
  onDeath(listener: (process: SimProcess) => void): void {
    this.#onDeath.push(listener);
  }

  died(process: SimProcess): void {
    for (const listener of this.#onDeath) listener(process);
  }

  /** Something failed inside a node that no caller waits for; what is not one of the failures that are expected is a defect. */
  failed(who: string, what: string, error: unknown): void {
    if (isExpected(error)) return;
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    this.trace.note(who, `failed: ${what}: ${text}`);
    this.witness.unexpected(`${what}: ${text}`);
  }

  #fateOf(random: Random, what: "read" | "commit"): Fate {
    const { storeFaults, isCluster } = this;
    const usual = { requestMs: random.between(0, 2), answerMs: random.between(isCluster ? 0 : 1, 3) };
    const { late, lateMsMax, answerLost } = storeFaults;
    if (late + answerLost === 0) return usual;
    if (random.chance(late)) {
      this.count(`${what} late`);
      const ms = random.between(200, lateMsMax);
      return random.chance(0.5) ? { ...usual, answerMs: ms } : { ...usual, requestMs: ms };
    }
    if (what === "commit" && random.chance(answerLost)) {
      this.count("answer of a commit lost");
      return { ...usual, answerMs: null };
    }
    return usual;
  }

  /** Stands in for Kafka and its consumers: takes the outbox to the feed, apart from the nodes. */
  #startFeed(): void {
    const process = new SimProcess("feed");
    this.#feeder = new SimKv({
      store: this.store,
      scheduler: this.scheduler,
      owner: process,
      writer: "feed",
      deadlineMs: REDIS_DEADLINE_MS,
      fate: () => ({ requestMs: 1, answerMs: 1 }),
      pausedUntilMs: this.storePausedUntilMs,
      historyLost: () => {},
      note: () => {},
    });
    createFeed({
      kv: this.#feeder,
      sink: this.feed.sink(process),
      clock: { nowMs: () => this.scheduler.nowMs, monotonicMs: () => this.scheduler.nowMs },
      timers: this.scheduler.timersOf(process, 1_000),
    });
  }
}

/** The store or a home that is away is told to whoever waits, and seen to again. */
function isExpected(error: unknown): boolean {
  if (error instanceof StorageUnavailable) return true;
  if (error instanceof RelayError) return error.code !== "internal";
  return error instanceof Error && error.message === "Redis did not take it";
}
