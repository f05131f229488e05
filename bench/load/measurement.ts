import { type TreesUse, watchTrees } from "./process-trees.ts";
import { Samples } from "./samples.ts";
import { LIFE_STEPS, type LoadResult, type LoadTask, type SlowPush } from "./task.ts";
import { type ThreadLoad, watchThreads } from "./thread-load.ts";

/** When a request begins, for its latencies. */
export interface Start {
  /** When it was written or, where it had to wait for a free connection, when it began to. */
  fromMs: number;
  /** When it should have left: what the generator itself is late is between the two. */
  dueMs: number;
}

/** Slow pushes that one measurement tells of; in one that has more, all of them are of one kind. */
const SLOW_PUSHES_MAX = 100_000;

/** What happens to the requests of one task. Only what is answered (or pushed) within the measured time counts. */
export class Measurement {
  readonly #expectedStatus: number;
  readonly #slowMs: number;
  readonly #answers = new Samples();
  readonly #pushes = new Samples();
  readonly #pushesFromDue = new Samples();
  readonly #lateness = new Samples();
  readonly #unexpected = new Map<number, number>();
  /** Payments to connected terminals whose frames have not come, by their counters. */
  readonly #awaited = new Map<number, Start>();
  #running = false;
  #requests = 0;
  #startedMs = 0;
  #elapsedMs = 0;
  #cpuBefore = process.cpuUsage();
  #generatorShare = 0;
  #threads: (() => ThreadLoad | null) | null = null;
  #server: ThreadLoad | null = null;
  #slowPushes: SlowPush[] = [];
  readonly #steps: readonly { step: string; samples: Samples }[];
  #trees: (() => TreesUse | null) | null = null;
  #use: TreesUse | null = null;

  constructor({ kind, slowMs, channel }: LoadTask) {
    this.#expectedStatus = kind === "get" ? 204 : 200;
    this.#steps = channel === undefined ? [] : LIFE_STEPS[channel].map((step) => ({ step, samples: new Samples() }));
    this.#slowMs = slowMs ?? Number.POSITIVE_INFINITY;
  }

  start({ serverPid, servingThread, trees }: LoadTask): void {
    this.#answers.clear();
    this.#pushes.clear();
    this.#pushesFromDue.clear();
    this.#lateness.clear();
    this.#slowPushes = [];
    for (const { samples } of this.#steps) samples.clear();
    this.#requests = 0;
    this.#trees = trees === undefined ? null : watchTrees(trees);
    this.#threads = watchThreads(serverPid, servingThread);
    this.#cpuBefore = process.cpuUsage();
    this.#startedMs = performance.now();
    this.#running = true;
  }

  stop(): void {
    this.#running = false;
    this.#elapsedMs = performance.now() - this.#startedMs;
    const { user, system } = process.cpuUsage(this.#cpuBefore);
    this.#generatorShare = (user + system) / 1_000 / this.#elapsedMs;
    this.#server = this.#threads?.() ?? null;
    this.#use = this.#trees?.() ?? null;
  }

  answered(status: number, ms: number): void {
    if (status !== this.#expectedStatus) this.#unexpected.set(status, (this.#unexpected.get(status) ?? 0) + 1);
    if (!this.#running) return;
    this.#requests += 1;
    this.#answers.add(ms);
  }

  /** Of a life. */
  stepped(step: number, ms: number): void {
    if (this.#running) this.#steps[step]?.samples.add(ms);
  }

  late(ms: number): void {
    if (this.#running) this.#lateness.add(ms);
  }

  /** A payment to a connected terminal leaves. */
  awaitPush(counter: number, start: Start): void {
    this.#awaited.set(counter, start);
  }

  pushed(counter: number): void {
    const start = this.#awaited.get(counter);
    if (start === undefined) return;
    this.#awaited.delete(counter);
    if (!this.#running) return;
    const nowMs = performance.now();
    const ms = nowMs - start.fromMs;
    this.#pushes.add(ms);
    if (ms > this.#slowMs && this.#slowPushes.length < SLOW_PUSHES_MAX) {
      this.#slowPushes.push({ atMs: performance.timeOrigin + start.fromMs, ms });
    }
    this.#pushesFromDue.add(nowMs - start.dueMs);
  }

  get startedAtMs(): number {
    return performance.timeOrigin + this.#startedMs;
  }

  get slowPushes(): SlowPush[] {
    return this.#slowPushes;
  }

  get awaitedPushes(): number {
    return this.#awaited.size;
  }

  result(options: { withPushes: boolean; scheduled: boolean }): LoadResult {
    return {
      seconds: this.#elapsedMs / 1_000,
      requests: this.#requests,
      perSecond: (this.#requests / this.#elapsedMs) * 1_000,
      answer: this.#answers.summary(),
      push: options.withPushes ? this.#pushes.summary() : null,
      pushFromDue: options.withPushes && options.scheduled ? this.#pushesFromDue.summary() : null,
      missingPushes: this.#awaited.size,
      lateness: options.scheduled ? this.#lateness.summary() : null,
      unexpected: Object.fromEntries(this.#unexpected),
      generatorShare: this.#generatorShare,
      server: this.#server,
      ...(this.#steps.length === 0 ? {} : { steps: Object.fromEntries(this.#steps.map(({ step, samples }) => [step, samples.summary()])) }),
      ...(this.#trees === null ? {} : { use: this.#use }),
    };
  }
}
