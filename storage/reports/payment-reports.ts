import type { MerchantTransactionFilter } from "../../engine/payments/merchant-transactions.ts";
import type { TransactionMethod } from "../../engine/payments/transaction.ts";
import {
  type DeclineFigures,
  type HeatmapFigures,
  type HeatmapQuery,
  type PaymentQuery,
  type PaymentSums,
  REPORT_LINES_MAX,
} from "../../engine/reports/merchant-reports.ts";
import { EXPIRED, SUMS } from "../transactions/merchant-sql.ts";
import { objectsOf, type PaymentColumn, paymentsOf, type Sql } from "../transactions/newest-rows.ts";
import {
  type Asking,
  bucketOf,
  byCurrency,
  type Counted,
  GROUPED_BUCKET,
  type Grouped,
  groupedBy,
  inBuckets,
  ofMainCurrencies,
  rangeOfEdges,
  startsOf,
} from "./buckets.ts";

/** The columns that SUMS reads. */
const SUMMED = ["currency", "method", "status", "amount_cents", "action_code"] as const satisfies readonly PaymentColumn[];

/** The sums of groups that already have sums. */
const ADDED = "sum(volumeMinor) AS volume, sum(approved) AS ok, sum(declined) AS ko";

/**
 * Limits the groups of a query. A merchant's terminals or brands and the buckets of a report need
 * fewer. An excess drops the smallest lines of breakdowns, and points of invalid currencies.
 */
const GROUPS_MAX = 50_000;

/** Limits texts that a terminal wrote. */
const MESSAGE_LENGTH_MAX = 255;

/**
 * A year has 35,000 quarter hours, so grouping by them first leaves few rows to assign to buckets.
 */
const QUARTER_HOUR = "intDiv(created_ms, 900000)";

interface SumsRow extends Grouped {
  volume: number;
  ok: number;
  ko: number;
}

/** Returns the number of payments of a row. */
const paymentsIn = ({ ok, ko }: Pick<SumsRow, "ok" | "ko">) => ok + ko;

function sumsOf({ currency, volume, ok, ko }: Omit<SumsRow, "startMs">): PaymentSums {
  return { currency, volumeMinor: volume, approved: ok, declined: ko };
}

/** Sorts the largest volume first. */
function bySize(one: PaymentSums, other: PaymentSums): number {
  return other.volumeMinor - one.volumeMinor || other.approved + other.declined - (one.approved + one.declined) || byCurrency(one, other);
}

export function filterOf({ edges, currency, terminalId, method }: PaymentQuery): MerchantTransactionFilter {
  return {
    ...rangeOfEdges(edges),
    ...(currency === undefined ? {} : { currency }),
    ...(terminalId === undefined ? {} : { terminalId }),
    ...(method === undefined ? {} : { method }),
  };
}

/** Returns sums by currency and bucket. */
export async function paymentSums(asking: Asking, filter: MerchantTransactionFilter, edges: readonly number[]): Promise<SumsRow[]> {
  const source = paymentsOf(asking.owner, [...SUMMED, "created_ms"], filter, asking.waiting);
  const rows = await asking.ask<SumsRow>({
    text: `SELECT currency, ${GROUPED_BUCKET}, ${ADDED}
      FROM (
        SELECT currency, ${bucketOf("quarter * 900000")} AS bucket, volumeMinor, approved, declined
        FROM (SELECT currency, ${QUARTER_HOUR} AS quarter, ${SUMS} FROM ${source.text} GROUP BY currency, quarter)
      )
      GROUP BY GROUPING SETS ((currency), (currency, bucket))
      ORDER BY startMs IS NOT NULL, ok + ko DESC LIMIT ${GROUPS_MAX}`,
    parameters: { ...source.parameters, ...startsOf(edges) },
  });
  return ofMainCurrencies(rows, paymentsIn);
}

export async function paymentsReport(asking: Asking, query: PaymentQuery): Promise<Counted<"payments">> {
  const { edges } = query;
  const paid = await paymentSums(asking, filterOf(query), edges);
  const refunded = await refundSums(asking, query);
  // A currency may have only refunds of earlier payments.
  const found = new Map(paid.map((row) => [`${row.startMs} ${row.currency}`, row]));
  const given = new Map(refunded.map((row) => [`${row.startMs} ${row.currency}`, row]));
  const rows = [...paid, ...refunded.filter(({ startMs, currency }) => !found.has(`${startMs} ${currency}`))];
  return inBuckets(edges, rows, ({ startMs, currency }) => {
    const key = `${startMs} ${currency}`;
    const { refunds = 0, refundedMinor = 0 } = given.get(key) ?? {};
    return { ...sumsOf(found.get(key) ?? { currency, volume: 0, ok: 0, ko: 0 }), refunds, refundedMinor };
  });
}

interface RefundRow extends Grouped {
  refunds: number;
  refundedMinor: number;
}

/** Returns the refunds that were executed within the range. */
function refundSums(asking: Asking, query: PaymentQuery): Promise<RefundRow[]> {
  const { edges, currency } = query;
  const range = { ...rangeOfEdges(edges), by: "ended" } as const;
  const source = objectsOf(
    asking.owner,
    ["state", "currency", "amount_minor", "ended_ms", "uuid"],
    { kinds: ["refund"], currency, ...range },
    asking.waiting,
  );
  const narrowed = narrowedRefunds(asking, query);
  return asking.ask<RefundRow>({
    text: `SELECT currency, ${GROUPED_BUCKET}, count() AS refunds, sum(amount_minor) AS refundedMinor
      FROM (
        SELECT currency, amount_minor, ${bucketOf("assumeNotNull(ended_ms)")} AS bucket
        FROM ${source.text} WHERE state = 'done' ${narrowed.text}
      )
      GROUP BY GROUPING SETS ((currency), (currency, bucket))`,
    parameters: { ...source.parameters, ...narrowed.parameters, ...startsOf(edges) },
  });
}

/**
 * Restricts refunds by the terminal and method of their payments, at any time, because refunds have
 * neither.
 */
function narrowedRefunds({ owner, waiting }: Asking, { edges, terminalId, method }: PaymentQuery): Sql {
  if (terminalId === undefined && method === undefined) return { text: "", parameters: {} };
  const range = { ...rangeOfEdges(edges), by: "ended" } as const;
  const again = objectsOf(owner, ["uuid"], { kinds: ["refund"], ...range }, waiting, "again");
  const conditions: string[] = [];
  const parameters: Record<string, unknown> = { ...again.parameters, ofMerchant: owner.merchantId };
  if (terminalId !== undefined) {
    conditions.push("terminal_id = {ofTerminal:String}");
    parameters["ofTerminal"] = terminalId;
  }
  if (method !== undefined) {
    conditions.push("method = {ofMethod:String}");
    parameters["ofMethod"] = method;
  }
  const waits = waiting.transactions
    .map(({ transaction }) => transaction)
    .filter((one) => (terminalId === undefined || one.terminalId === terminalId) && (method === undefined || one.method === method));
  parameters["justPaid"] = waits.map(({ uuid }) => uuid);
  return {
    text: `AND (uuid IN {justPaid:Array(String)} OR uuid IN (
      SELECT uuid FROM relay.merchant_transactions
      PREWHERE merchant_id = {ofMerchant:String} AND lower(uuid) IN (SELECT lower(uuid) FROM ${again.text})
      WHERE ${conditions.join(" AND ")}))`,
    parameters,
  };
}

interface MethodRow extends SumsRow {
  ofMethod: TransactionMethod;
  ofBrand: string | null;
  ofEntry: string | null;
}

export async function methodsReport(asking: Asking, query: PaymentQuery): Promise<Counted<"methods">> {
  const { edges } = query;
  const source = paymentsOf(asking.owner, [...SUMMED, "brand", "entry", "created_ms"], filterOf(query), asking.waiting);
  const all = await asking.ask<MethodRow>({
    text: `SELECT currency, toString(method) AS ofMethod, ${GROUPED_BUCKET}, ${groupedBy("brand", "ofBrand")}, ${groupedBy("entry", "ofEntry")}, ${ADDED}
      FROM (
        SELECT currency, method, brand, entry, bucket, ${SUMS}
        FROM (SELECT currency, method, brand, entry, status, amount_cents, action_code, ${bucketOf("created_ms")} AS bucket FROM ${source.text})
        GROUP BY currency, method, brand, entry, bucket
      )
      GROUP BY GROUPING SETS ((currency, method), (currency, method, bucket), (currency, method, brand), (currency, method, entry))
      ORDER BY ofBrand IS NOT NULL OR ofEntry IS NOT NULL, ok + ko DESC LIMIT ${GROUPS_MAX}`,
    parameters: { ...source.parameters, ...startsOf(edges) },
  });
  const rows = ofMainCurrencies(all, paymentsIn);
  const declines = await declinesOf(asking, query);
  const ofCards = rows.filter(({ ofMethod }) => ofMethod === "CARD");
  const byMethod = rows
    .filter(({ ofBrand, ofEntry }) => ofBrand === null && ofEntry === null)
    .sort((one, other) => (one.ofMethod < other.ofMethod ? -1 : 1));
  return {
    ...inBuckets(edges, byMethod, (row) => ({ ...sumsOf(row), method: row.ofMethod })),
    brands: lines(ofCards.flatMap((row) => (row.ofBrand === null ? [] : [{ ...sumsOf(row), brand: row.ofBrand }]))),
    entries: lines(ofCards.flatMap((row) => (row.ofEntry === null ? [] : [{ ...sumsOf(row), entry: row.ofEntry }]))),
    declines,
  };
}

function lines<Figures extends PaymentSums>(figures: readonly Figures[]): Figures[] {
  return [...figures].sort(bySize).slice(0, REPORT_LINES_MAX);
}

async function declinesOf(asking: Asking, query: PaymentQuery): Promise<DeclineFigures[]> {
  const columns = ["currency", "method", "amount_cents", "action_code", "message"] as const;
  const source = paymentsOf(asking.owner, columns, { ...filterOf(query), status: "KO" }, asking.waiting);
  const rows = await asking.ask<Omit<DeclineFigures, "message"> & { text: string }>({
    text: `SELECT currency, toString(action_code) AS actionCode, substringUTF8(message, 1, ${MESSAGE_LENGTH_MAX}) AS text,
        count() AS declined, sum(amount_cents) AS declinedMinor
      FROM ${source.text} WHERE NOT (${EXPIRED})
      GROUP BY currency, actionCode, text
      ORDER BY declined DESC, declinedMinor DESC, currency, actionCode, text LIMIT ${REPORT_LINES_MAX}`,
    parameters: source.parameters,
  });
  return rows.map(({ text, ...figures }) => ({ ...figures, message: text }));
}

interface TerminalRow extends Omit<SumsRow, "currency"> {
  /** Null if all currencies are counted together, which is possible only for terminals. */
  ofCurrency: string | null;
  ofTerminal: string | null;
  active: number;
  lastAtMs: number;
}

export async function terminalsReport(asking: Asking, query: PaymentQuery): Promise<Counted<"terminals">> {
  const { edges } = query;
  const source = paymentsOf(asking.owner, [...SUMMED, "terminal_id", "created_ms"], filterOf(query), asking.waiting);
  const rows = await asking.ask<TerminalRow>({
    text: `SELECT ${groupedBy("currency", "ofCurrency")}, ${GROUPED_BUCKET}, ${groupedBy("terminal_id", "ofTerminal")},
        ${ADDED}, uniqExactIf(terminal_id, atTerminal > 0) AS active, max(last) AS lastAtMs
      FROM (
        SELECT currency, terminal_id, bucket, ${SUMS}, countIf(method != 'PAYBYLINK') AS atTerminal, max(created_ms) AS last
        FROM (SELECT currency, terminal_id, method, status, amount_cents, action_code, created_ms, ${bucketOf("created_ms")} AS bucket FROM ${source.text})
        GROUP BY currency, terminal_id, bucket
      )
      GROUP BY GROUPING SETS ((), (bucket), (currency), (currency, bucket), (currency, terminal_id))
      ORDER BY ofTerminal IS NOT NULL, volume DESC, ok + ko DESC LIMIT ${GROUPS_MAX}`,
    parameters: { ...source.parameters, ...startsOf(edges) },
  });
  const ofCurrencies = ofMainCurrencies(
    rows.flatMap((row) => (row.ofCurrency === null ? [] : [{ ...row, currency: row.ofCurrency }])),
    paymentsIn,
  );
  const active = new Map(rows.filter(({ ofCurrency }) => ofCurrency === null).map((row) => [row.startMs, row.active]));
  const ofTerminals = ofCurrencies.flatMap((row) =>
    row.ofTerminal === null ? [] : [{ ...sumsOf(row), terminalId: row.ofTerminal, lastAtMs: row.lastAtMs }],
  );
  return {
    ...inBuckets(
      edges,
      ofCurrencies.filter(({ ofTerminal }) => ofTerminal === null),
      sumsOf,
    ),
    activeTerminals: edges.slice(0, -1).map((startMs) => active.get(startMs) ?? 0),
    activeTerminalsInAll: active.get(null) ?? 0,
    terminals: lines(ofTerminals),
  };
}

interface HeatmapRow extends Omit<SumsRow, "startMs"> {
  ofWeekday: number | null;
  ofHour: number | null;
}

export async function heatmapReport(asking: Asking, query: HeatmapQuery): Promise<Counted<"heatmap">> {
  const { fromMs, untilMs, offsets, ...narrowed } = query;
  const source = paymentsOf(asking.owner, [...SUMMED, "created_ms"], filterOf({ ...narrowed, edges: [fromMs, untilMs] }), asking.waiting);
  const offset = offsetSql(offsets);
  const rows = await asking.ask<HeatmapRow>({
    // The first of January 1970 was a Thursday.
    text: `SELECT currency, if(grouping(weekday) = 0, weekday, NULL) AS ofWeekday, if(grouping(clockHour) = 0, clockHour, NULL) AS ofHour, ${ADDED}
      FROM (
        SELECT currency, volumeMinor, approved, declined, quarter * 900000 + ${offset.text} AS local,
          modulo(intDiv(local, 86400000) + 3, 7) + 1 AS weekday, intDiv(modulo(local, 86400000), 3600000) AS clockHour
        FROM (SELECT currency, ${QUARTER_HOUR} AS quarter, ${SUMS} FROM ${source.text} GROUP BY currency, quarter)
      )
      GROUP BY GROUPING SETS ((currency), (currency, weekday, clockHour))
      ORDER BY ofWeekday IS NOT NULL, ok + ko DESC LIMIT ${GROUPS_MAX}`,
    parameters: { ...source.parameters, ...offset.parameters },
  });
  const sorted = ofMainCurrencies(rows, paymentsIn).sort(byCurrency);
  return {
    cells: sorted.flatMap((row): HeatmapFigures[] =>
      row.ofWeekday === null || row.ofHour === null ? [] : [{ ...sumsOf(row), weekday: row.ofWeekday, hour: row.ofHour }],
    ),
    totals: sorted.filter(({ ofWeekday }) => ofWeekday === null).map(sumsOf),
  };
}

/** Returns the offset of the clocks from UTC in the quarter hour of a row. */
function offsetSql(offsets: HeatmapQuery["offsets"]): Sql {
  const parameters: Record<string, unknown> = {};
  const text = offsets.reduce((before, { fromMs, offsetMs }, index) => {
    parameters[`offset${index}`] = offsetMs;
    const own = `{offset${index}:Int64}`;
    if (before === "") return own;
    parameters[`changes${index}`] = fromMs;
    return `if(quarter * 900000 >= {changes${index}:Int64}, ${own}, ${before})`;
  }, "");
  return { text: text === "" ? "0" : text, parameters };
}
