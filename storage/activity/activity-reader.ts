import type { ClickHouseClient } from "@clickhouse/client";
import type { CallEntry, WorkflowEntry } from "../../engine/kernel/activity-log.ts";
import type { Clock } from "../../engine/kernel/clock.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { Timers } from "../../engine/kernel/timers.ts";
import type { LogFilter, Logged, LogPage, LogQuery, MerchantLogs } from "../../engine/operators/merchant-logs.ts";
import { askClickHouse } from "../transactions/ask-clickhouse.ts";
import { withinDates } from "../transactions/merchant-sql.ts";
import { MerchantTurns } from "../transactions/merchant-turns.ts";
import { either } from "../transactions/translated.ts";
import type { ActivityTable } from "./activity-rows.ts";

/** Limit for a page: its wait for a turn and its queries. */
const DEADLINE_MS = 3_000;
/** Limit for the wait for a turn. */
const TURN_MS = 1_000;
const MEMORY_BYTES_MAX = 256 * 1_048_576;

const DAY_MS = 86_400_000;
/** A page reads the newest rows first, since most pages are full after a day. */
const WINDOWS_MS = [DAY_MS, 7 * DAY_MS, Number.POSITIVE_INFINITY];
/** The clocks of nodes differ by less than this. Entries of the present have to be found. */
const AHEAD_MS = 60_000;

export interface ActivityReaderOptions {
  /**
   * The reader has its own connections, so that the feed and the lists of terminals never wait for
   * it.
   */
  client: ClickHouseClient;
  clock: Pick<Clock, "nowMs">;
  timers: Timers;
  /** Older entries have expired, even if ClickHouse has not removed them yet. */
  retentionDays: number;
}

interface Range {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Describes how the rows of a table become entries. */
interface Form<Entry> {
  readonly table: ActivityTable;
  readonly columns: string;
  entryOf(row: LogRow): Logged<Entry>;
}

/** A row of a query. Each form has some of the columns. */
interface LogRow {
  readonly id: string;
  readonly atMs: number;
  readonly object_type: WorkflowEntry["objectType"];
  readonly object_id: string;
  readonly event: string;
  readonly from_state: string;
  readonly to_state: string;
  readonly target: CallEntry["target"];
  readonly operation: string;
  readonly host: string;
  readonly http_status: number;
  readonly detail: string;
  readonly ms: number;
  readonly outcome: string;
  readonly request_id: string;
}

const WORKFLOW: Form<WorkflowEntry> = {
  table: "workflow_log",
  columns: "object_type, object_id, event, from_state, to_state, outcome, request_id",
  entryOf: ({ id, atMs, object_type: objectType, object_id: objectId, event, from_state: from, to_state: to, outcome, request_id }) => ({
    ...{ id, atMs, objectType, objectId, event, from: from || null, to, requestId: request_id || null },
    outcome: outcome === "done" ? "done" : "refused",
  }),
};

const CALLS: Form<CallEntry> = {
  table: "call_log",
  columns: "target, operation, host, object_id, http_status, outcome, detail, ms, request_id",
  entryOf: ({ id, atMs, target, operation, host, object_id: objectId, http_status, outcome, detail, ms, request_id }) => ({
    ...{ id, atMs, objectId, target, operation, host, httpStatus: http_status || null, ms, requestId: request_id || null },
    outcome: outcome === "done" || outcome === "refused" ? outcome : "failed",
    detail: detail || null,
  }),
};

/**
 * Reads the entries of merchants in `relay.workflow_log` and `relay.call_log`. Entries of the last
 * second or two may be missing.
 */
export function createActivityReader({ client, clock, timers, retentionDays }: ActivityReaderOptions): MerchantLogs {
  const turns = new MerchantTurns(timers);

  async function page<Entry>(
    form: Form<Entry>,
    merchantId: string,
    query: LogQuery,
    gone: AbortSignal | undefined,
  ): Promise<LogPage<Entry>> {
    const late = new AbortController();
    const timer = timers.set(DEADLINE_MS, () => late.abort());
    try {
      const signal = either(late.signal, gone);
      return await turns.run(merchantId, TURN_MS, () => read(form, merchantId, query, signal), gone);
    } catch (error) {
      gone?.throwIfAborted();
      if (error instanceof RelayError) throw error;
      throw new RelayError("unavailable", late.signal.aborted ? LATE_TEXT : AWAY_TEXT, { cause: error, retryAfterSeconds: 5 });
    } finally {
      timer.clear();
    }
  }

  /** Returns as many entries as requested, beginning with the newest window. */
  async function read<Entry>(
    form: Form<Entry>,
    merchantId: string,
    { filter, after, limit }: LogQuery,
    signal: AbortSignal,
  ): Promise<LogPage<Entry>> {
    const nowMs = clock.nowMs();
    const keptFromMs = nowMs - retentionDays * DAY_MS;
    const fromMs = withinDates(Math.max(keptFromMs, filter.fromMs ?? keptFromMs));
    let highMs = withinDates(Math.min(nowMs + AHEAD_MS, filter.untilMs ?? Number.POSITIVE_INFINITY));
    if (after !== null) highMs = Math.min(highMs, Number(after.slice(0, 13)) + 1);
    const beginMs = highMs;
    const found: LogRow[] = [];
    for (const windowMs of WINDOWS_MS) {
      const lowMs = Math.max(fromMs, beginMs - windowMs);
      if (lowMs >= highMs) continue;
      const range = { fromMs: lowMs, untilMs: highMs };
      found.push(...(await rows(form, merchantId, { filter, after, limit: limit + 1 - found.length }, range, signal)));
      highMs = lowMs;
      if (found.length > limit || lowMs === fromMs) break;
    }
    const shown = found.slice(0, limit);
    return { items: shown.map(form.entryOf), next: found.length > limit ? (shown.at(-1)?.id ?? null) : null };
  }

  /**
   * PREWHERE runs before FINAL merges duplicate rows, so it only tests columns that never change
   * for a row.
   */
  function rows<Entry>({ table, columns }: Form<Entry>, merchantId: string, query: LogQuery, range: Range, signal: AbortSignal) {
    const { conditions, parameters } = conditionsOf(query.filter, query.after);
    return askClickHouse<LogRow>(client, {
      query: `SELECT id, toUnixTimestamp64Milli(at) AS atMs, ${columns} FROM relay.${table} FINAL
        PREWHERE merchant_id = {merchantId:String}
          AND day BETWEEN toDate(${time("fromMs")}) AND toDate(${time("untilMs")})
          AND at >= ${time("fromMs")} AND at < ${time("untilMs")}${conditions.map((condition) => ` AND ${condition}`).join("")}
        ORDER BY id DESC LIMIT {limit:UInt32}`,
      parameters: { ...parameters, merchantId, fromMs: range.fromMs, untilMs: range.untilMs, limit: query.limit },
      signal,
      secondsMax: DEADLINE_MS / 1_000,
      settings: { max_threads: 1, max_memory_usage: String(MEMORY_BYTES_MAX), use_skip_indexes_if_final: 1 },
    });
  }

  return {
    workflow: (merchantId, query, gone) => page(WORKFLOW, merchantId, query, gone),
    calls: (merchantId, query, gone) => page(CALLS, merchantId, query, gone),
  };
}

const time = (name: string) => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`;

function conditionsOf({ objectId, requestId, outcome }: LogFilter, after: string | null) {
  const conditions: string[] = [];
  const parameters: { [name: string]: string } = {};
  const add = (condition: string, name: string, value: string | null | undefined) => {
    if (value === null || value === undefined) return;
    conditions.push(condition);
    parameters[name] = value;
  };
  add("id < {after:String}", "after", after);
  add("object_id = {objectId:String}", "objectId", objectId);
  add("request_id = {requestId:String}", "requestId", requestId);
  add("outcome = {outcome:String}", "outcome", outcome);
  return { conditions, parameters };
}

/** Returns logs for a node without ClickHouse. Callers get `reason`. */
export function missingMerchantLogs(reason: string): MerchantLogs {
  const missing = () =>
    Promise.reject(new RelayError("unavailable", `This node cannot read the logs: ${reason}`, { retryAfterSeconds: 5 }));
  return { workflow: missing, calls: missing };
}

const AWAY_TEXT =
  "The logs cannot be read now, because ClickHouse does not respond; retry later. Payments and their results are not affected.";
const LATE_TEXT = "The logs could not be read in time; choose fewer days, or retry.";
