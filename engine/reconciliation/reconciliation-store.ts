import { createDueIndex, type DueIndex, dueOperations } from "../kernel/due-index-store.ts";
import { available, type Kv, type Operation, prefixRange } from "../kernel/kv.ts";
import { readBareRecord, readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { totalsOf } from "./figures.ts";
import {
  type ClosedDay,
  CORRECTIONS_MAX,
  type Correction,
  type DayFigures,
  type DaySummary,
  type DaysQuery,
  type ReconciledDay,
} from "./reconciliation.ts";

/** The corrections of a day since it was closed. */
export interface CorrectionsRecord {
  readonly schema: 1;
  readonly items: readonly Correction[];
  /** Number of all corrections, listed or not. */
  readonly count: number;
  /** The figures of the last check, which the next check compares with. */
  readonly latest: DayFigures;
}

/** The day that is closed next, and its progress. The installation has one such record. */
export interface TurnRecord {
  readonly schema: 1;
  /** The first day that this installation has closed. */
  readonly firstDay: string;
  /** Every day before this one is closed. */
  readonly day: string;
  /** The last merchant of the day that was processed; null if there is none yet. */
  readonly merchantId: string | null;
  readonly nextAtMs: number;
}

/**
 * Stores closed days. Every method rejects with RelayError `unavailable` when the store cannot
 * answer. The outcome of a failed commit is unknown.
 */
export interface ReconciliationStore extends DueIndex {
  turn(): Promise<Stored<TurnRecord> | null>;
  /** Resolves with the new version, or with null on a conflict. */
  setTurn(turn: TurnRecord, before: Stored<TurnRecord> | null): Promise<number | null>;
  /** Resolves with false if the day is already closed. A closed day never changes. */
  close(day: ClosedDay): Promise<boolean>;
  load(merchantId: string, day: string): Promise<ReconciledDay | null>;
  corrections(merchantId: string, day: string): Promise<Stored<CorrectionsRecord> | null>;
  /** Resolves with false on a conflict. */
  correct(closed: ClosedDay, record: CorrectionsRecord, version: number): Promise<boolean>;
  /** Lists the newest days first: days before `before`, from `from` to `to` (included). */
  summaries(merchantId: string, query: DaysQuery): Promise<readonly DaySummary[]>;
  /** Returns the first day of the merchant with any activity; null if there is none. */
  firstDay(merchantId: string): Promise<string | null>;
  /**
   * Lists a partner's merchants that have closed the day, in the order of their ids, after `after`
   * only.
   */
  merchantsOf(partnerId: number, day: string, after: string | null, limit: number): Promise<readonly string[]>;
}

const DAYS = "reconciliation/";
const BY_MERCHANT = "reconciliation-of/";
const BY_PARTNER = "reconciliation-partner/";
const CORRECTIONS = "reconciliation-corrections/";
const TURN = "reconciliation-turn";
const DUE = "due/reconciliation/";

/** The id of the only record with a deadline. */
export const TURN_ID = "days";

const DAY = /^\d{4}-\d{2}-\d{2}$/;

export function createReconciliationStore(kv: Kv): ReconciliationStore {
  async function corrections(merchantId: string, day: string): Promise<Stored<CorrectionsRecord> | null> {
    if (!DAY.test(day)) return null;
    const entry = await kv.get(`${CORRECTIONS}${merchantId}/${day}`);
    if (entry === null) return null;
    return { record: readRecord("reconciliationCorrections", "corrections of a day", entry.value), version: entry.version };
  }

  function summaryOperation(closed: ClosedDay, count: number): Operation {
    const { merchantId, day, closedAtMs, figures } = closed;
    const summary: DaySummary = {
      ...{ day, closedAtMs, totals: totalsOf(figures), unknown: figures.unknown.count, conflicting: figures.conflicting.count },
      corrections: count,
    };
    return { type: "put", key: `${BY_MERCHANT}${merchantId}/${day}`, value: recordText("reconciledDay", summary) };
  }

  return {
    ...createDueIndex(kv, DUE),
    turn: () =>
      available(async () => {
        const entry = await kv.get(TURN);
        if (entry === null) return null;
        return { record: readRecord("reconciliationTurn", "the turn of days", entry.value), version: entry.version };
      }),
    setTurn: (turn, before) =>
      available(async () => {
        const result = await kv.commit({
          checks: [{ key: TURN, version: before?.version ?? 0 }],
          operations: [
            { type: "put", key: TURN, value: recordText("reconciliationTurn", turn) },
            ...dueOperations(DUE, TURN_ID, before?.record.nextAtMs ?? null, turn.nextAtMs),
          ],
        });
        return result.type === "committed" ? result.version : null;
      }),
    close: (closed) =>
      available(async () => {
        const { merchantId, partnerId, day } = closed;
        const key = `${DAYS}${merchantId}/${day}`;
        const result = await kv.commit({
          checks: [{ key, version: 0 }],
          operations: [
            { type: "put", key, value: recordText("reconciledDay", closed) },
            summaryOperation(closed, 0),
            { type: "put", key: `${BY_PARTNER}${partnerId}/${day}/${merchantId}`, value: "1" },
          ],
        });
        return result.type === "committed";
      }),
    load: (merchantId, day) =>
      available(async () => {
        if (!DAY.test(day)) return null;
        const entry = await kv.get(`${DAYS}${merchantId}/${day}`);
        if (entry === null) return null;
        const closed: ClosedDay = readRecord("reconciledDay", "a closed day", entry.value);
        const since = await corrections(merchantId, day);
        return { closed, corrections: since?.record.items ?? [], correctionCount: since?.record.count ?? 0 };
      }),
    corrections: (merchantId, day) => available(() => corrections(merchantId, day)),
    correct: (closed, record, version) =>
      available(async () => {
        const key = `${CORRECTIONS}${closed.merchantId}/${closed.day}`;
        const bounded = { ...record, items: record.items.slice(0, CORRECTIONS_MAX) };
        const result = await kv.commit({
          checks: [{ key, version }],
          operations: [
            { type: "put", key, value: recordText("reconciliationCorrections", bounded) },
            summaryOperation(closed, record.count),
          ],
        });
        return result.type === "committed";
      }),
    summaries: (merchantId, { limit, before, from, to }) =>
      available(async () => {
        const prefix = `${BY_MERCHANT}${merchantId}/`;
        const all = prefixRange(prefix);
        const ends = [all.to, ...(before === null ? [] : [prefix + before]), ...(to === null ? [] : [`${prefix}${to}\u0001`])].sort();
        const range = { from: from === null ? all.from : prefix + from, to: ends[0] ?? all.to };
        if (range.from >= range.to) return [];
        const entries = await kv.scan({ ...range, limit, reverse: true });
        return entries.map(({ value }) => readBareRecord<DaySummary>("reconciledDay", "a summary of a day", value));
      }),
    firstDay: (merchantId) =>
      available(async () => {
        const prefix = `${BY_MERCHANT}${merchantId}/`;
        const [entry] = await kv.scan({ ...prefixRange(prefix), limit: 1 });
        return entry?.key.slice(prefix.length) ?? null;
      }),
    merchantsOf: (partnerId, day, after, limit) =>
      available(async () => {
        if (!DAY.test(day)) return [];
        const prefix = `${BY_PARTNER}${partnerId}/${day}/`;
        const { from, to } = prefixRange(prefix);
        const entries = await kv.scan({ from: after === null ? from : `${prefix}${after}\u0001`, to, limit });
        return entries.map(({ key }) => key.slice(prefix.length));
      }),
  };
}
