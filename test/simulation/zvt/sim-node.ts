import { createHash } from "node:crypto";
import type { Caller } from "../../../engine/access/caller.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { type Commit, type CommitResult, type Entry, type Kv, type ScanRange, StorageUnavailable } from "../../../engine/kernel/kv.ts";
import type { Timer, Timers } from "../../../engine/kernel/timers.ts";
import { createClaimCancelled } from "../../../engine/terminals/claim-cancelled.ts";
import { createSendPayment } from "../../../engine/terminals/send-payment.ts";
import { createTerminalStore } from "../../../engine/terminals/terminal-store.ts";
import type { RelayForZvt } from "../../../engine/zvt/payment-run.ts";
import { createZvtPayments, type RunningZvtPayments } from "../../../engine/zvt/payments.ts";
import { createZvtRouteStore } from "../../../engine/zvt/route-store.ts";
import { ZVT_DEFAULT, type ZvtRouteConfig } from "../../../engine/zvt/zvt-config.ts";
import type { ZvtBegun, ZvtPayments } from "../../../engine/zvt/zvt-payments.ts";
import { RegisterConnection, type RegisterSocket } from "../../../http/zvt/connection.ts";
import { createStallGuard, type StallGuard } from "../../../http/zvt/stall-guard.ts";
import type { MemoryKv } from "../../engine/kernel/memory-kv.ts";
import type { World } from "../../engine/world.ts";
import { turns } from "../intents/sim-gateway.ts";
import type { Random } from "../random.ts";

const TEND_MS = 10_000;

/** What all nodes of a history share, and whom they tell. */
export interface Surroundings {
  memory: MemoryKv;
  clock: Clock;
  /** The shard of the terminal, in its present life; null while it is down. */
  home(): { world: World; died: Promise<never> } | null;
  isLive(shard: string): boolean;
  committed(commit: Commit): void;
  begun(begun: ZvtBegun): void;
  ended(outcome: string): void;
  broken(what: string): void;
}

/** A process that is killed or put to sleep: its calls take turns, and in the end do not come back. */
class Process {
  readonly #random: Random;
  isDead = false;
  #sleep: { promise: Promise<void>; wake(): void } | null = null;

  constructor(random: Random) {
    this.#random = random;
  }

  get isAsleep(): boolean {
    return this.#sleep !== null;
  }

  sleep(): void {
    let wake = (): void => {};
    const promise = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#sleep ??= { promise, wake };
  }

  wake(): void {
    this.#sleep?.wake();
    this.#sleep = null;
  }

  async turn(): Promise<void> {
    await turns(this.#random.between(0, 12));
    while (this.#sleep !== null) await this.#sleep.promise;
    if (this.isDead) await new Promise(() => {});
  }
}

/** The store as one process sees it. */
class ProcessKv implements Kv {
  readonly #process: Process;
  readonly #random: Random;
  readonly #on: Surroundings;
  /** How likely a commit is not done, or done and not answered. */
  trouble = 0;
  /** Kills with the so-many-th commit from now on, before it or after it. */
  dies: { commits: number; stored: boolean; kill(): void } | null = null;

  constructor(process: Process, random: Random, on: Surroundings) {
    this.#process = process;
    this.#random = random;
    this.#on = on;
  }

  async get(key: string): Promise<Entry | null> {
    await this.#process.turn();
    return this.#on.memory.get(key);
  }

  async getMany(keys: readonly string[]): Promise<(Entry | null)[]> {
    await this.#process.turn();
    return this.#on.memory.getMany(keys);
  }

  async scan(range: ScanRange): Promise<Entry[]> {
    await this.#process.turn();
    return this.#on.memory.scan(range);
  }

  async count(range: ScanRange): Promise<number> {
    await this.#process.turn();
    return this.#on.memory.count(range);
  }

  async commit(commit: Commit): Promise<CommitResult> {
    await this.#process.turn();
    const { dies } = this;
    if (dies !== null) {
      dies.commits -= 1;
      if (dies.commits <= 0) {
        if (dies.stored) await this.#apply(commit);
        dies.kill();
        await this.#process.turn();
      }
    }
    if (this.#random.chance(this.trouble)) {
      if (this.#random.chance(0.5)) await this.#apply(commit);
      await this.#process.turn();
      throw new StorageUnavailable("away");
    }
    const result = await this.#apply(commit);
    await this.#process.turn();
    return result;
  }

  async close(): Promise<void> {}

  async #apply(commit: Commit): Promise<CommitResult> {
    const result = await this.#on.memory.commit(commit);
    if (result.type === "committed") this.#on.committed(commit);
    return result;
  }
}

class ProcessTimers implements Timers {
  readonly #clock: Clock;
  readonly #set = new Set<{ atMs: number; work: () => void }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  set(ms: number, work: () => void): Timer {
    const timer = { atMs: this.#clock.monotonicMs() + ms, work };
    this.#set.add(timer);
    return { clear: () => void this.#set.delete(timer) };
  }

  every(): Timer {
    throw new Error("nothing here is repeated");
  }

  soon(work: () => void): void {
    this.set(0, work);
  }

  fire(): void {
    for (const timer of [...this.#set]) {
      if (timer.atMs > this.#clock.monotonicMs() || !this.#set.delete(timer)) continue;
      timer.work();
    }
  }
}

const PARTNER: Caller = { type: "partner", partnerId: 1, username: "shop", terminals: { names: true, matches: (id) => id === "T1" } };

const ROUTE: ZvtRouteConfig = {
  ...{ id: "till-1", terminalId: "T1", partnerUsername: "shop", port: null, clients: [], sealedPassword: null },
  service: "PAYCC",
  tid: "12345678",
};

/** One life of a node, with the listener's connections and without sockets. */
export class SimNode {
  readonly name: string;
  readonly connections = new Map<string, RegisterConnection>();
  /** Of its wall clock, beside the others. */
  skewMs = 0;
  readonly #process: Process;
  readonly #kv: ProcessKv;
  readonly #timers: ProcessTimers;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #on: Surroundings;
  readonly #running: RunningZvtPayments;
  readonly #payments: ZvtPayments;
  readonly #stall: StallGuard;
  #tendAtMs = 0;

  constructor(name: string, writer: string, random: Random, on: Surroundings) {
    this.name = name;
    this.#random = random;
    this.#on = on;
    this.#clock = { nowMs: () => on.clock.nowMs() + this.skewMs, monotonicMs: () => on.clock.monotonicMs() };
    this.#stall = createStallGuard(this.#clock.monotonicMs);
    this.#process = new Process(random.fork());
    this.#kv = new ProcessKv(this.#process, random.fork(), on);
    this.#timers = new ProcessTimers(this.#clock);
    const store = createTerminalStore({ kv: this.#kv, nowMs: this.#clock.nowMs, retentionMs: 400 * 86_400_000, writer });
    const ids = { uuid: () => random.uuid() };
    this.#running = createZvtPayments({
      config: { ...ZVT_DEFAULT, routes: [ROUTE] },
      selectors: [],
      store: createZvtRouteStore({ kv: this.#kv }),
      relay: this.#relay(ids, createClaimCancelled({ store, clock: this.#clock, shopOf: () => null })),
      ...{ clock: this.#clock, timers: this.#timers, ids },
      partnerCaller: () => PARTNER,
      self: { shard: name, writer },
      isLive: async ({ shard }) => shard !== name && on.isLive(shard),
      sha1: (bytes) => createHash("sha1").update(bytes).digest(),
      observe: {
        paymentEnded: (outcome) => on.ended(outcome),
        reattached: () => {},
        failed: (what, error) => {
          if (!(error instanceof RelayError)) on.broken(`${what} failed with ${error instanceof Error ? error.stack : error}`);
        },
      },
    });
    this.#payments = {
      ...this.#running,
      route: () => ({ type: "route", route: { routeId: ROUTE.id, tid: "12345678", needsPassword: false } }),
      begin: async (request) => {
        const begun = await this.#running.begin(request);
        on.begun(begun);
        return begun;
      },
    };
  }

  get isUp(): boolean {
    return !this.#process.isDead;
  }

  get isAwake(): boolean {
    return this.isUp && !this.#process.isAsleep;
  }

  set trouble(probability: number) {
    this.#kv.trouble = probability;
  }

  kill(): void {
    this.#process.isDead = true;
    this.#process.wake();
  }

  /** Dies with one of its next commits. */
  killAtCommit(commits: number, stored: boolean): void {
    this.#kv.dies = { commits, stored, kill: () => this.kill() };
  }

  sleep(): void {
    this.#process.sleep();
  }

  wake(): void {
    this.#process.wake();
  }

  step(): void {
    if (!this.isAwake) return;
    this.#stall.tick();
    this.#timers.fire();
    if (this.#clock.monotonicMs() < this.#tendAtMs) return;
    this.#tendAtMs = this.#clock.monotonicMs() + TEND_MS;
    void this.tend();
  }

  /** The store may not answer; the next time it is looked again. */
  tend(): Promise<void> {
    return this.#running.tend().catch((error: unknown) => {
      if (!(error instanceof RelayError)) this.#on.broken(`tend failed with ${error}`);
    });
  }

  accept(id: string, address: string, socket: RegisterSocket): RegisterConnection {
    const connection = new RegisterConnection({ id, port: 40_007, address }, socket, {
      ...{ payments: this.#payments, clock: this.#clock, timers: this.#timers, version: "relay 1.0", logRawBytes: false },
      hasJustSlept: this.#stall.hasJustSlept,
      reports: { opened: () => {}, closed: () => {}, frame: () => {}, refused: () => {}, raw: () => {} },
      localTimeOf: () => ({ time: "102030", date: "1125" }),
      closeOther: (other) => this.connections.get(other)?.step({ type: "replaced" }),
      forget: ({ of }) => this.connections.delete(of.id),
    });
    this.connections.set(id, connection);
    return connection;
  }

  /** The relay as this process reaches it: each call, and each answer, takes turns; a home that dies answers nothing. */
  #relay(ids: { uuid(): string }, claimCancelled: RelayForZvt["claimCancelled"]): RelayForZvt {
    const call = async <T>(work: (world: World) => Promise<T>): Promise<T> => {
      await this.#process.turn();
      const home = this.#on.home();
      if (home === null) throw new RelayError("unavailable", "the home is down");
      const lost = this.#random.chance(this.#kv.trouble / 2);
      const answer = await Promise.race([work(home.world), home.died]);
      await this.#process.turn();
      if (lost) throw new RelayError("unavailable", "the answer was lost");
      return answer;
    };
    return {
      sendPayment: (...asked) => call(({ shard }) => createSendPayment({ terminals: shard.terminals, clock: this.#clock, ids })(...asked)),
      terminals: {
        command: (...asked) => call(({ shard }) => shard.terminals.command(...asked)),
        cancel: (...asked) => call(({ shard }) => shard.terminals.cancel(...asked)),
        view: (...asked) => call(({ shard }) => shard.terminals.view(...asked)),
      },
      claimCancelled,
    };
  }
}
