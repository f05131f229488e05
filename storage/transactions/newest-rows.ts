import type { MerchantScope } from "../../engine/kernel/merchant-scope.ts";
import type { TransactionRow } from "../../engine/payments/feed-row.ts";
import type { MerchantTransactionFilter } from "../../engine/payments/merchant-transactions.ts";
import type { MerchantObjectKind, ObjectRow } from "../../engine/payments/object-row.ts";
import { conditionOf, matches, rangeOf, withinDates } from "./merchant-sql.ts";
import { keyText } from "./waiting-rows.ts";

/** A text of SQL with its values, which the text never contains. */
export interface Sql {
  text: string;
  parameters: Record<string, unknown>;
}

/** The rows that ClickHouse does not have, each the newest of its key. */
export interface Waiting {
  transactions: readonly TransactionRow[];
  objects: readonly ObjectRow[];
}

/** Returns the time of a column in milliseconds. */
const ms = (column: string) => `toUnixTimestamp64Milli(${column})`;

interface Column<Row> {
  /** The expression on a table. */
  sql: string;
  type: string;
  /** The value of a waiting row. */
  of(row: Row): string | number | null;
}

/**
 * The columns of a payment that reports read, by name. Each query selects only those that it needs,
 * because a text column of five million rows takes longer than everything else.
 */
const PAYMENT_COLUMNS = {
  currency: { sql: "currency", type: "LowCardinality(String)", of: ({ transaction }) => transaction.currency },
  method: { sql: "method", type: "LowCardinality(String)", of: ({ transaction }) => transaction.method },
  terminal_id: { sql: "terminal_id", type: "String", of: ({ transaction }) => transaction.terminalId },
  status: { sql: "status", type: "LowCardinality(String)", of: ({ transaction }) => transaction.status },
  amount_cents: { sql: "amount_cents", type: "Int64", of: ({ transaction }) => transaction.amountCents },
  action_code: { sql: "action_code", type: "LowCardinality(String)", of: ({ transaction }) => transaction.auth?.actionCode ?? "" },
  message: { sql: "message", type: "String", of: ({ transaction }) => transaction.message ?? "" },
  brand: { sql: "brand", type: "LowCardinality(String)", of: ({ transaction }) => transaction.card?.brand ?? "" },
  entry: { sql: "entry", type: "LowCardinality(String)", of: ({ transaction }) => transaction.card?.entry ?? "" },
  created_ms: { sql: ms("created_at"), type: "Int64", of: ({ transaction }) => transaction.createdAtMs },
} satisfies Record<string, Column<TransactionRow>>;

export type PaymentColumn = keyof typeof PAYMENT_COLUMNS;

/** The columns of a merchant's object that reports read, by name. */
const OBJECT_COLUMNS = {
  object: { sql: "object", type: "LowCardinality(String)", of: ({ object }) => object },
  id: { sql: "id", type: "String", of: ({ id }) => id },
  version: { sql: "version", type: "UInt64", of: ({ version }) => version },
  state: { sql: "state", type: "LowCardinality(String)", of: ({ state }) => state },
  category: { sql: "category", type: "LowCardinality(String)", of: ({ category }) => category },
  reason: { sql: "reason", type: "LowCardinality(String)", of: ({ reason }) => reason },
  amount_minor: { sql: "amount_minor", type: "Int64", of: ({ amountMinor }) => amountMinor },
  currency: { sql: "currency", type: "LowCardinality(String)", of: ({ currency }) => currency },
  uuid: { sql: "uuid", type: "String", of: ({ uuid }) => uuid },
  parent: { sql: "parent", type: "String", of: ({ parent }) => parent },
  attempt: { sql: "attempt", type: "UInt32", of: ({ attempt }) => attempt },
  created_ms: { sql: ms("created_at"), type: "Int64", of: ({ createdAtMs }) => createdAtMs },
  active_ms: { sql: ms("active_at"), type: "Nullable(Int64)", of: ({ activeAtMs }) => activeAtMs },
  ended_ms: { sql: ms("ended_at"), type: "Nullable(Int64)", of: ({ endedAtMs }) => endedAtMs },
  monthly_minor: { sql: "monthly_minor", type: "Int64", of: ({ monthlyMinor }) => monthlyMinor },
} satisfies Record<string, Column<ObjectRow>>;

export type ObjectColumn = keyof typeof OBJECT_COLUMNS;

interface Range {
  fromMs: number;
  untilMs: number;
}

/** Returns a merchant's payments that its list has with the same filter, including waiting ones. */
export function paymentsOf(
  { merchantId }: MerchantScope,
  columns: readonly PaymentColumn[],
  filter: MerchantTransactionFilter,
  { transactions }: Waiting,
): Sql {
  const range = rangeOf(filter);
  // `conditionOf` takes the range apart from the filter.
  const { fromMs: _from, untilMs: _until, ...rest } = filter;
  const { key, row, parameters } = conditionOf(merchantId, rest, {
    ...range,
    replaced: transactions.map((one) => keyText(one.transaction)),
  });
  const table = `SELECT ${listed(PAYMENT_COLUMNS, columns)} FROM relay.merchant_transactions FINAL PREWHERE ${key} WHERE ${row}`;
  const waiting = transactions.filter((one) => matches(one, filter));
  return withWaiting(table, parameters, waitingOf("waitingPayments", PAYMENT_COLUMNS, columns, waiting));
}

export interface ObjectFilter extends Range {
  kinds: readonly MerchantObjectKind[];
  currency?: string | undefined;
  category?: string;
  /** The end of the object is in the range, instead of its creation. */
  by?: "ended";
}

/** The owner of the objects, in one environment, or in both if `livemode` is absent. */
export type ObjectOwner = Pick<MerchantScope, "merchantId"> & Partial<MerchantScope>;

/**
 * Returns a merchant's objects that were created (or ended) in a range, including waiting ones.
 * `name` distinguishes two uses in one query.
 */
export function objectsOf(
  { merchantId, livemode }: ObjectOwner,
  columns: readonly ObjectColumn[],
  filter: ObjectFilter,
  { objects }: Pick<Waiting, "objects">,
  name = "objects",
): Sql {
  const { kinds, currency, category, by } = filter;
  const [fromMs, untilMs] = [withinDates(filter.fromMs), withinDates(filter.untilMs)];
  const value = (member: string, type: string) => `{${name}_${member}:${type}}`;
  const [from, until] = [
    `fromUnixTimestamp64Milli(${value("fromMs", "Int64")}, 'UTC')`,
    `fromUnixTimestamp64Milli(${value("untilMs", "Int64")}, 'UTC')`,
  ];
  // An object that ended in a range was created before its end.
  const key = [
    `merchant_id = ${value("merchantId", "String")}`,
    `object IN ${value("kinds", "Array(String)")}`,
    ...(by === "ended" ? [] : [`day >= toDate(${from})`, `created_at >= ${from}`]),
    `day <= toDate(${until})`,
    `created_at < ${until}`,
  ];
  const row = ["1"];
  const values: Record<string, unknown> = { merchantId, kinds, fromMs, untilMs };
  if (livemode !== undefined) {
    row.push(`livemode = ${value("livemode", "Bool")}`);
    values["livemode"] = livemode;
  }
  if (by === "ended") row.push(`ended_at >= ${from} AND ended_at < ${until}`);
  if (currency !== undefined) {
    row.push(`currency = ${value("currency", "String")}`);
    values["currency"] = currency;
  }
  if (category !== undefined) {
    row.push(`category = ${value("category", "String")}`);
    values["category"] = category;
  }
  const ofKinds = objects.filter(({ object }) => kinds.includes(object));
  if (ofKinds.length > 0) {
    key.push(`concat(object, ' ', id) NOT IN ${value("replaced", "Array(String)")}`);
    values["replaced"] = ofKinds.map(objectKey);
  }
  const within = (atMs: number | null) => atMs !== null && atMs >= fromMs && atMs < untilMs;
  const waiting = ofKinds.filter(
    (one) =>
      (livemode === undefined || one.livemode === livemode) &&
      within(by === "ended" ? one.endedAtMs : one.createdAtMs) &&
      (currency === undefined || one.currency === currency) &&
      (category === undefined || one.category === category),
  );
  const table = `SELECT ${listed(OBJECT_COLUMNS, columns)} FROM relay.merchant_objects FINAL PREWHERE ${key.join(" AND ")} WHERE ${row.join(" AND ")}`;
  const parameters = Object.fromEntries(Object.entries(values).map(([member, one]) => [`${name}_${member}`, one]));
  return withWaiting(table, parameters, waitingOf(`${name}_waiting`, OBJECT_COLUMNS, columns, waiting));
}

/** Returns the key that identifies an object of a merchant. */
export function objectKey({ object, id }: Pick<ObjectRow, "object" | "id">): string {
  return `${object} ${id}`;
}

function listed<Name extends string>(columns: Record<Name, { sql: string }>, names: readonly Name[]): string {
  return names.map((name) => `${columns[name].sql} AS ${name}`).join(", ");
}

/**
 * Returns waiting rows as a table: a JSON value whose columns are read with the types of the stored
 * table.
 */
function waitingOf<Row, Name extends string>(
  name: string,
  columns: Record<Name, Column<Row>>,
  names: readonly Name[],
  rows: readonly Row[],
): Sql | null {
  if (rows.length === 0) return null;
  const plain = (type: string) => type.replace("LowCardinality(String)", "String");
  const types = names.map((column) => plain(columns[column].type)).join(", ");
  const read = names.map((column, index) => `CAST(tupleElement(waits, ${index + 1}) AS ${columns[column].type}) AS ${column}`).join(", ");
  const text = `SELECT ${read} FROM (SELECT arrayJoin(JSONExtract({${name}:String}, 'Array(Tuple(${types}))')) AS waits)`;
  return { text, parameters: { [name]: JSON.stringify(rows.map((row) => names.map((column) => columns[column].of(row)))) } };
}

function withWaiting(table: string, parameters: Record<string, unknown>, waiting: Sql | null): Sql {
  if (waiting === null) return { text: `(${table})`, parameters };
  return { text: `(${table} UNION ALL ${waiting.text})`, parameters: { ...parameters, ...waiting.parameters } };
}
