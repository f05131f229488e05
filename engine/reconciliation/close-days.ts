import type { Address, Homes } from "../kernel/bus.ts";
import type { Clock } from "../kernel/clock.ts";
import { createDeadlineRunner, type DeadlineRunner } from "../kernel/deadline-runner.ts";
import { RelayError } from "../kernel/errors.ts";
import { createPacer } from "../kernel/pacer.ts";
import type { Stored } from "../kernel/stored.ts";
import type { DayCalendar } from "./calendar.ts";
import { corrections, isNothing, NO_FIGURES } from "./figures.ts";
import type { ClosedDay, DayFigures } from "./reconciliation.ts";
import type { DayBounds, ReconciliationRows } from "./reconciliation-rows.ts";
import type { CorrectionsRecord, ReconciliationStore, TurnRecord } from "./reconciliation-store.ts";

/** Only one record has a deadline. */
const BOUNDS = { heldMax: 1, atOnceMax: 1, catchUpMs: 0, slackMs: 0 };

/** Merchants that are processed before the cursor position is stored. */
const MERCHANTS_AT_ONCE = 50;

/**
 * Number of days that are checked again when a day is closed. Earlier days are checked only if a
 * payment of theirs was refunded within these days.
 */
export const LOOKED_AT_DAYS = 35;

/** Pause if rows are missing, or ClickHouse or the store does not answer. */
const AGAIN_MS = 60_000;

/**
 * A refused row waits for an operator, but only for this time. Then the day is closed without it,
 * and the row becomes a correction later.
 */
const REFUSED_WAIT_MS = 7 * 86_400_000;

export interface CloseDaysOptions {
  store: ReconciliationStore;
  rows: ReconciliationRows;
  calendar: DayCalendar;
  /** Resolves with null for a merchant that does not exist. */
  ownerOf(merchantId: string): Promise<{ readonly partnerId: number; readonly livemode: boolean } | null>;
  homes: Homes;
  self: Address;
  clock: Clock;
  /** Counts closed days and corrections. */
  counted(what: "closed" | "corrections", count: number): void;
  failed(what: string, error: unknown): void;
}

export interface ClosingDays extends DeadlineRunner {
  /** Begins with today if no day has begun yet. Called when a node starts. */
  begin(): Promise<void>;
  /**
   * Resolves with the delay of the current day's closing on all nodes, or with 0 before its time.
   */
  overdueMs(): Promise<number>;
}

/**
 * Closes one day after another for all merchants, on the shard that is its home. Two shards may
 * believe this for a moment. Each day of a merchant is still closed once, because its record is
 * only written if there is none.
 */
export function createClosingDays(options: CloseDaysOptions): ClosingDays {
  const { store, homes, self, clock, calendar, failed } = options;
  const stopping = new AbortController();
  const runner = createDeadlineRunner({
    ...{ name: "reconciliation", index: store, homes, self, clock, failed },
    placeOf: (partition) => `reconciliation/${partition}`,
    bounds: { ...BOUNDS, pacer: createPacer(1) },
    fire: () => closeDue(options, stopping.signal),
  });
  return {
    tick: runner.tick,
    counts: runner.counts,
    stop: async () => {
      stopping.abort();
      await runner.stop();
    },
    overdueMs: async () => {
      const turn = await store.turn();
      return turn === null ? 0 : Math.max(0, clock.nowMs() - calendar.closesAtMs(turn.record.day));
    },
    begin: async () => {
      if ((await store.turn()) !== null) return;
      const day = calendar.dayOf(clock.nowMs());
      // Another node may be faster.
      await store.setTurn({ schema: 1, firstDay: day, day, merchantId: null, nextAtMs: calendar.closesAtMs(day) }, null);
    },
  };
}

async function closeDue(options: CloseDaysOptions, signal: AbortSignal): Promise<void> {
  const { store, rows, calendar, clock } = options;
  let next = await store.turn();
  while (next !== null && !signal.aborted) {
    const turn = next;
    const { day, nextAtMs } = turn.record;
    const nowMs = clock.nowMs();
    const closesAtMs = calendar.closesAtMs(day);
    if (closesAtMs > nowMs) {
      if (nextAtMs !== closesAtMs) await store.setTurn({ ...turn.record, nextAtMs: closesAtMs }, turn);
      return;
    }
    if (nextAtMs > nowMs) return;
    try {
      // The rows of the day itself are not enough: the states of its links, refunds and unknown
      // payments may have changed until now.
      const there = await rows.areThere(closesAtMs);
      if (there === "some wait" || (there === "some were refused" && nowMs < closesAtMs + REFUSED_WAIT_MS)) {
        await store.setTurn({ ...turn.record, nextAtMs: nowMs + AGAIN_MS }, turn);
        return;
      }
      next = await closeSome(options, turn, signal);
    } catch (error) {
      if (!(error instanceof RelayError) || error.code !== "unavailable") throw error;
      await store.setTurn({ ...turn.record, nextAtMs: nowMs + AGAIN_MS }, turn);
      return;
    }
  }
}

/**
 * Closes the day for some merchants. Resolves with the new turn, or with null if another shard has
 * continued it.
 */
async function closeSome(options: CloseDaysOptions, turn: Stored<TurnRecord>, signal: AbortSignal): Promise<Stored<TurnRecord> | null> {
  const { store, rows, calendar } = options;
  const { firstDay, day, merchantId } = turn.record;
  const days: DayBounds[] = [];
  for (let back = LOOKED_AT_DAYS - 1; back >= 0; back -= 1) {
    const one = calendar.after(day, -back);
    if (one >= firstDay) days.push(calendar.boundsOf(one));
  }
  const last = calendar.boundsOf(day);
  const range = { fromMs: days[0]?.fromMs ?? last.fromMs, untilMs: last.untilMs };
  const merchants = await rows.merchants(range, merchantId, MERCHANTS_AT_ONCE);
  for (const one of merchants) {
    if (signal.aborted) return null;
    await closeOne(options, one, day, days);
    await correctRefunded(options, one, { firstDay, fromMs: range.fromMs });
  }
  const isDone = merchants.length < MERCHANTS_AT_ONCE;
  const next: TurnRecord = isDone
    ? { ...turn.record, day: calendar.after(day, 1), merchantId: null }
    : { ...turn.record, merchantId: merchants.at(-1) ?? null };
  const version = await store.setTurn(next, turn);
  return version === null ? null : { record: next, version };
}

async function closeOne(options: CloseDaysOptions, merchantId: string, day: string, days: readonly DayBounds[]): Promise<void> {
  const { store, rows, calendar, clock, ownerOf, counted } = options;
  const owner = await ownerOf(merchantId);
  if (owner === null) return;
  // These are read before the rows. If another shard corrects a day meanwhile, it has read newer
  // rows, and the corrections found here are not stored.
  const known: Known[] = [];
  for (const bounds of days) known.push(await knownOf(store, merchantId, bounds));
  const figures = await rows.figures(merchantId, days);
  for (const { bounds, closed, since } of known) {
    const now = figures.get(bounds.day) ?? NO_FIGURES;
    const { fromMs, untilMs } = bounds;
    if (closed !== null) {
      // A day that was closed in another time zone has other bounds, and its figures cannot be
      // compared.
      if (closed.fromMs === fromMs && closed.untilMs === untilMs) await correct(options, closed, since, now);
      continue;
    }
    if (isNothing(now)) continue;
    const isLate = bounds.day !== day;
    const closing: ClosedDay = {
      ...{ schema: 1, merchantId, ...owner, day: bounds.day, timeZone: calendar.timeZone, fromMs, untilMs, closedAtMs: clock.nowMs() },
      // There was nothing when the day was closed. Everything found now has come since then.
      figures: isLate ? NO_FIGURES : now,
    };
    if (!(await store.close(closing))) continue;
    counted("closed", 1);
    if (isLate) await correct(options, closing, null, now);
  }
}

/**
 * Checks closed days again that are too old for the regular check, since card payments can be
 * refunded for months.
 */
async function correctRefunded(
  options: CloseDaysOptions,
  merchantId: string,
  { firstDay, fromMs }: { readonly firstDay: string; readonly fromMs: number },
): Promise<void> {
  const { store, rows, calendar } = options;
  const days = new Set((await rows.refundedSince(merchantId, fromMs)).map((paidAtMs) => calendar.dayOf(paidAtMs)));
  for (const day of [...days].sort()) {
    if (day < firstDay) continue;
    const bounds = calendar.boundsOf(day);
    const { closed, since } = await knownOf(store, merchantId, bounds);
    if (closed === null || closed.fromMs !== bounds.fromMs || closed.untilMs !== bounds.untilMs) continue;
    await correct(options, closed, since, (await rows.figures(merchantId, [bounds])).get(day) ?? NO_FIGURES);
  }
}

/** The stored state of a merchant's day; `closed` and `since` are null if it is not closed. */
interface Known {
  readonly bounds: DayBounds;
  readonly closed: ClosedDay | null;
  readonly since: Stored<CorrectionsRecord> | null;
}

async function knownOf(store: ReconciliationStore, merchantId: string, bounds: DayBounds): Promise<Known> {
  const closed = (await store.load(merchantId, bounds.day))?.closed ?? null;
  return { bounds, closed, since: closed === null ? null : await store.corrections(merchantId, bounds.day) };
}

async function correct(
  { store, clock, counted }: CloseDaysOptions,
  closed: ClosedDay,
  since: Stored<CorrectionsRecord> | null,
  now: DayFigures,
): Promise<void> {
  const found = corrections(since?.record.latest ?? closed.figures, now, clock.nowMs());
  if (found.length === 0) return;
  const record: CorrectionsRecord = {
    schema: 1,
    items: [...(since?.record.items ?? []), ...found],
    count: (since?.record.count ?? 0) + found.length,
    latest: now,
  };
  // On a conflict another shard has found the same corrections, or more.
  if (await store.correct(closed, record, since?.version ?? 0)) counted("corrections", found.length);
}
