import { arrivalsAt, sendOnSchedule } from "./arrivals.ts";
import { type Allowed, askDeployment, checkAllowed } from "./deployment.ts";
import { eachOf } from "./each-of.ts";
import { Fleet, terminalIdsOf } from "./fleet.ts";
import { HttpCaller } from "./http-caller.ts";
import { type Fate, Ledger } from "./ledger.ts";
import type { TerminalReports } from "./load-terminal.ts";
import { type Interval, Measurements } from "./measurements.ts";
import type { LoadOptions } from "./options.ts";
import { Partner } from "./partner.ts";
import { pause } from "./pauses.ts";
import { askedOf } from "./payment-of.ts";
import { Refusals } from "./refusals.ts";
import type { LoadResult } from "./result.ts";
import { Rollout } from "./rollout.ts";
import { askRollout, checkRollout, type RolloutLimits, rolloutAfterMs } from "./rollout-limits.ts";
import { createRunUuids, type RunUuids } from "./run-uuids.ts";
import { startStorms } from "./storms.ts";

/** Payments under way at once: a relay that is so far behind will not catch up, and this process would hold ever more. */
const UNDER_WAY_MAX = 20_000;

/** What is under way at the end of the schedule has this long beyond the time that terminals take: as long as a command may wait. */
const SETTLE_MS = 85_000;
const SETTLE_LOOK_MS = 50;

/** Payments that are asked for at the end: those that nobody saw end, and some of the others. */
const OPEN_ASKED_MAX = 20_000;
const SAMPLE_MAX = 2_000;
const ASKED_AT_ONCE = 32;

/** A relay that has gone for good is not asked for hours what became of each payment. */
const ASKED_WITHIN_MS = 180_000;

/** More than this is asked for in the scenario that is about being refused. */
const BEYOND_ALLOWED = 3;

export interface LoadEvents {
  note(text: string): void;
  /** An interval has ended; so many payments are under way. */
  interval(interval: Interval, underWay: number): void;
}

/**
 * A whole run: asks what is allowed, starts terminals, pays on schedule, waits for what is under way, and checks the invariants. `stopping` ends the schedule early.
 * Rejects with `LoadRefused` or `NotOnline`, before the first payment.
 */
export async function runLoad(given: LoadOptions, stopping: AbortSignal, events: LoadEvents): Promise<LoadResult> {
  const startedAt = new Date();
  const uuids = createRunUuids(startedAt);
  const caller = new HttpCaller(given.url);
  try {
    events.note(`uuids of this run begin with ${uuids.prefix}`);
    const allowed = await askDeployment(given, caller, terminalIdsOf(given), uuids.prefix);
    events.note(`allowed: ${allowed.paysPerSecond} payments a second, ${allowed.pollsPerSecond} polls`);
    const options = given.ratePerSecond === 0 ? { ...given, ratePerSecond: BEYOND_ALLOWED * allowed.paysPerSecond } : given;
    checkAllowed(options, allowed);
    const rolloutLimits = options.scenario === "roll-out" ? await askRollout(options, caller) : null;
    if (rolloutLimits !== null) checkRollout(options, rolloutLimits);
    return await new Run(options, { allowed, rolloutLimits, uuids, caller, stopping, events }).whole(startedAt);
  } finally {
    await caller.close();
  }
}

interface RunParts {
  allowed: Allowed;
  /** Null where no package is rolled out. */
  rolloutLimits: RolloutLimits | null;
  uuids: RunUuids;
  caller: HttpCaller;
  stopping: AbortSignal;
  events: LoadEvents;
}

class Run {
  readonly #options: LoadOptions;
  readonly #parts: RunParts;
  readonly #arrivals: ReturnType<typeof arrivalsAt>;
  readonly #terminalIds: readonly string[];
  readonly #measurements: Measurements;
  readonly #ledger: Ledger;
  /** When each payment's terminal began to post its result; 0 before. */
  readonly #postedAtMs: Float64Array;
  readonly #refusals: Refusals | null;
  readonly #partner: Partner;
  /** Aborted when what is under way is not waited for any longer. */
  readonly #settled = new AbortController();
  /** By `performance.now`; null before the first payment is due. */
  #startedMs: number | null = null;
  #underWay = 0;
  #foreign = 0;
  #fleet: Fleet | null = null;
  #rollout: Rollout | null = null;

  constructor(options: LoadOptions, parts: RunParts) {
    this.#options = options;
    this.#parts = parts;
    this.#arrivals = arrivalsAt(options);
    this.#terminalIds = terminalIdsOf(options);
    this.#measurements = new Measurements(options.forMs);
    this.#ledger = new Ledger(this.#arrivals.count);
    this.#postedAtMs = new Float64Array(this.#arrivals.count);
    this.#refusals = options.scenario === "rate-limited" ? new Refusals() : null;
    this.#partner = new Partner({
      caller: parts.caller,
      key: options.key,
      ledger: this.#ledger,
      measurements: this.#measurements,
      uuidOf: parts.uuids.uuidOf,
      askedOf: (index) => askedOf(index, { terminalIds: this.#terminalIds, scanShare: options.scanShare }),
      executionOf: (index) => ({ postedAtMs: this.#postedAtMs[index] || null, isSlow: this.#isSlow(index) }),
      answerMs: this.#longestAnswerMs,
      refusals: this.#refusals,
      signal: this.#settled.signal,
    });
  }

  async whole(startedAt: Date): Promise<LoadResult> {
    const { stopping, events, allowed, uuids } = this.#parts;
    const { forMs, scenario, stormEveryMs } = this.#options;
    const fleet = await Fleet.start(this.#options, this.#reports(), {
      stopping,
      progress: (online) => events.note(`${online} of ${this.#terminalIds.length} terminals are online`),
    });
    this.#fleet = fleet;
    let rollout: Rollout | null = null;
    try {
      rollout = await this.#prepareRollout(fleet);
      this.#rollout = rollout;
      events.note("paying");
      const startedMs = performance.now();
      this.#startedMs = startedMs;
      const ticking = setInterval(() => this.#tick(), this.#measurements.intervalMs);
      const storms = scenario === "reconnect-storm" ? startStorms(fleet, stormEveryMs, this.#measurements) : null;
      rollout?.begin(rolloutAfterMs(this.#options));
      const busy = performance.eventLoopUtilization();
      await sendOnSchedule(this.#arrivals, { startedMs, signal: stopping, send: (index, dueAtMs) => this.#send(index, dueAtMs) });
      const { utilization } = performance.eventLoopUtilization(busy);
      const seconds = (performance.now() - startedMs) / 1_000;
      const stormsInAll = storms?.stop() ?? 0;
      await Promise.all([this.#settle(), rollout?.settle()]);
      clearInterval(ticking);
      this.#tick();
      this.#startedMs = null;
      events.note("checking what was stored");
      const rolledOut = (await rollout?.end()) ?? { result: null, invariants: [] };
      const invariants = [...(await this.#invariants(allowed)), ...rolledOut.invariants];
      return {
        prefix: uuids.prefix,
        startedAt: startedAt.toISOString(),
        seconds,
        stopped: stopping.aborted && seconds * 1_000 < forMs,
        options: withoutSecrets(this.#options),
        allowed,
        payments: {
          ...this.#ledger.counts(),
          due: this.#measurements.dueInAll,
          refused: this.#refusals?.count ?? 0,
          foreign: this.#foreign,
        },
        storms: stormsInAll,
        rollout: rolledOut.result,
        latencies: this.#measurements.whole(),
        errors: this.#measurements.errors,
        retried: this.#measurements.retries,
        invariants,
        generator: { node: process.version, busyShare: Math.round(utilization * 1_000) / 1_000 },
        intervalSeconds: this.#measurements.intervalMs / 1_000,
        intervals: this.#measurements.intervals,
      };
    } finally {
      await rollout?.takeBack();
      await fleet.stop();
    }
  }

  async #prepareRollout({ terminals }: Fleet): Promise<Rollout | null> {
    const { rolloutLimits: limits, caller, stopping, events, uuids } = this.#parts;
    if (limits === null) return null;
    return Rollout.prepare({
      options: this.#options,
      terminals,
      limits,
      caller,
      measurements: this.#measurements,
      prefix: uuids.prefix,
      stopping,
      note: events.note,
    });
  }

  get #longestAnswerMs(): number {
    const { answerMs, slowShare, slowAnswerMs } = this.#options;
    return slowShare > 0 ? Math.max(answerMs, slowAnswerMs) : answerMs;
  }

  #isSlow(index: number): boolean {
    const terminal = this.#fleet?.terminals[index % this.#terminalIds.length];
    return this.#options.slowShare > 0 && terminal?.answerMs === this.#options.slowAnswerMs;
  }

  #send(index: number, dueAtMs: number): void {
    this.#measurements.due();
    if (this.#underWay >= UNDER_WAY_MAX) {
      this.#measurements.failed("not sent: too many under way");
      return;
    }
    this.#underWay += 1;
    this.#partner.pay(index, dueAtMs).finally(() => {
      this.#underWay -= 1;
    });
  }

  #tick(): void {
    const interval = this.#measurements.tick(Math.round((performance.now() - (this.#startedMs ?? 0)) / 10) / 100);
    this.#parts.events.interval(interval, this.#underWay);
  }

  async #settle(): Promise<void> {
    const giveUpAtMs = performance.now() + this.#longestAnswerMs + SETTLE_MS;
    while (this.#underWay > 0 && performance.now() < giveUpAtMs) await pause(SETTLE_LOOK_MS);
    this.#settled.abort();
    // They end with the answers that they wait for.
    while (this.#underWay > 0) await pause(SETTLE_LOOK_MS);
  }

  async #invariants(allowed: Allowed): Promise<LoadResult["invariants"]> {
    const until = AbortSignal.timeout(ASKED_WITHIN_MS);
    const fates = new Map<number, Fate>();
    const open = [...this.#ledger.open()];
    for (const index of open.slice(OPEN_ASKED_MAX)) fates.set(index, "unasked");
    await eachOf(open.slice(0, OPEN_ASKED_MAX), { atOnce: ASKED_AT_ONCE }, async (index) => {
      fates.set(index, await this.#partner.fateOf(index, until));
    });
    const gone: number[] = [];
    await eachOf([...this.#ledger.sample(SAMPLE_MAX)], { atOnce: ASKED_AT_ONCE }, async (index) => {
      if ((await this.#partner.isStillThere(index, until)) !== true) gone.push(index);
    });
    const invariants = this.#ledger.invariants(fates, gone, this.#parts.uuids.uuidOf);
    if (this.#refusals === null) return invariants;
    return [...invariants, await this.#refusals.invariant(allowed, (index) => this.#partner.isKnown(index, until))];
  }

  /** What terminals tell; nothing is timed before the first payment is due. */
  #reports(): TerminalReports {
    const ledger = this.#ledger;
    return {
      indexOf: (uuid) => {
        const index = this.#parts.uuids.indexOf(uuid);
        return index !== null && index < this.#arrivals.count ? index : null;
      },
      handedOut: (index, again) => {
        const { first, stored } = ledger.handedOut(index, again);
        const isConnected = this.#fleet?.terminals[index % this.#terminalIds.length]?.link === "websocket";
        if (first && isConnected && this.#startedMs !== null) {
          this.#measurements.took("push", performance.now() - this.#startedMs - this.#arrivals.dueMs(index));
        }
        return { first, stored };
      },
      posting: (index) => {
        this.#postedAtMs[index] = performance.now();
      },
      stored: (index) => {
        const isNew = ledger.stored(index);
        const postedAtMs = this.#postedAtMs[index] ?? 0;
        if (isNew && postedAtMs > 0 && this.#startedMs !== null) this.#measurements.took("post", performance.now() - postedAtMs);
      },
      refused: (_, status) => this.#measurements.failed(`result ${status}`),
      polled: (ms) => {
        if (this.#startedMs !== null) this.#measurements.took("poll", ms);
      },
      retried: (kind) => {
        if (this.#startedMs !== null) this.#measurements.retried(kind);
      },
      foreign: () => {
        this.#foreign += 1;
      },
      offline: (terminalId) => this.#rollout?.offline(terminalId),
      noticed: (terminalId, notice) => this.#rollout?.noticed(terminalId, notice),
    };
  }
}

function withoutSecrets({
  key: _key,
  terminalSecret: _secret,
  administrator: _administrator,
  outDirectory: _out,
  ...options
}: LoadOptions): LoadResult["options"] {
  return options;
}
