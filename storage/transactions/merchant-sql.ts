import { GATEWAY_RESULT } from "../../engine/gateway/gateway.ts";
import type { TransactionRow } from "../../engine/payments/feed-row.ts";
import {
  type MerchantTransactionFilter,
  refundStateOf,
  type TransactionKey,
  type TransactionOrder,
} from "../../engine/payments/merchant-transactions.ts";
import { isPayment } from "../../engine/payments/payment.ts";
import type { Transaction, TransactionMethod } from "../../engine/payments/transaction.ts";
import { LATEST_MS } from "../feed/row-binary.ts";
import { afterCondition } from "./merchant-order.ts";
import { isWanted, last4Of, wantedConditions } from "./merchant-wanted.ts";

/** Transactions that never appear in a merchant's list. */
const UNLISTED_METHODS: readonly TransactionMethod[] = ["SCAN", "PRINT"];
const UNLISTED_KINDS: readonly TransactionRow["kind"][] = ["scan", "print", "cancel", "administrative"];

/**
 * Only payments by link can be refunded here. A terminal may have posted a result under the uuid of
 * one.
 */
const REFUNDABLE: TransactionMethod = "PAYBYLINK";

/** A part of a query with the values of its parameters, which its text never contains. */
export interface Condition {
  /**
   * Conditions on columns that never change for a row. They can be checked before the newest
   * version is known.
   */
  key: string;
  /** Conditions on any column of the newest version. */
  row: string;
  parameters: Record<string, unknown>;
}

/** Rows of a merchant from `fromMs` on, and before `until` (a time, or the last row of a page). */
export interface Range {
  fromMs: number;
  untilMs: number;
  /** Only rows after this one in the order. */
  after?: TransactionKey | null;
  /** Default: `newest`. */
  order?: TransactionOrder;
  /** Rows, by `keyText`, that are replaced by newer ones that ClickHouse does not have yet. */
  replaced?: readonly string[];
  /** Only rows with these uuids, in any spelling. */
  uuids?: readonly string[];
  /**
   * A table of the merchant's refunds in the range and after it (merchant-refunds.ts), for filters
   * by refunded amount.
   */
  refunds?: string;
}

/** ClickHouse's Date covers 1970 to 2149. A time outside would wrap around. */
export function withinDates(ms: number): number {
  return Math.min(Math.max(ms, 0), LATEST_MS);
}

export function rangeOf({ fromMs, untilMs }: MerchantTransactionFilter): { fromMs: number; untilMs: number } {
  return { fromMs: withinDates(fromMs ?? 0), untilMs: withinDates(untilMs ?? LATEST_MS) };
}

const time = (name: string) => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`;

const words = (values: readonly (string | null)[]) => values.map((value) => `'${value}'`).join(", ");

const LISTED = `method NOT IN (${words(UNLISTED_METHODS)}) AND command_kind NOT IN (${words(UNLISTED_KINDS)})`;

const RESULTS: Readonly<Record<NonNullable<MerchantTransactionFilter["results"]>, string>> = {
  payments: "is_payment",
  others: `NOT is_payment AND ${LISTED}`,
  all: LISTED,
};

/** `isRefundable` in SQL. */
export const IS_REFUNDABLE = `method = '${REFUNDABLE}' AND status = 'OK'`;

/**
 * The refunded amount of a row that is joined with the refunds of its uuid (merchant-refunds.ts).
 */
export const REFUNDED_MINOR = `if(${IS_REFUNDABLE}, ifNull(refunded, 0), 0)`;

/** Conditions for partly and fully refunded rows. */
const SOME = (refunds: string) => `${IS_REFUNDABLE} AND uuid IN (SELECT refundedUuid FROM ${refunds})`;
const ALL = (refunds: string) => `${IS_REFUNDABLE} AND (uuid, amount_cents) IN (SELECT refundedUuid, refunded FROM ${refunds})`;

const REFUND_STATES: Readonly<Record<NonNullable<MerchantTransactionFilter["refundState"]>, (refunds: string) => string>> = {
  ANY: SOME,
  NONE: (refunds) => `NOT (${SOME(refunds)})`,
  PARTLY_REFUNDED: (refunds) => `${SOME(refunds)} AND NOT (${ALL(refunds)})`,
  REFUNDED: ALL,
};

/**
 * Returns the condition for the newest version of a row in SQL. `matches` checks waiting rows in
 * the same way.
 */
export function conditionOf(merchantId: string, filter: MerchantTransactionFilter, range: Range): Condition {
  const key = [
    "merchant_id = {merchantId:String}",
    `day BETWEEN toDate(${time("fromMs")}) AND toDate(${time("untilMs")})`,
    `created_at >= ${time("fromMs")} AND created_at < ${time("untilMs")}`,
  ];
  const parameters: Record<string, unknown> = { merchantId, fromMs: range.fromMs, untilMs: range.untilMs };
  const row = [RESULTS[filter.results ?? "payments"]];
  const add = (to: string[], text: string, values: Record<string, unknown>) => {
    to.push(text);
    Object.assign(parameters, values);
  };
  if (range.after) {
    const { text, isOfKey, parameters: values } = afterCondition(range.order ?? "newest", range.after);
    add(isOfKey ? key : row, text, values);
  }
  // The index uses lower case, because the feed stores a uuid as its sender wrote it.
  if (range.uuids !== undefined) add(key, "lower(uuid) IN {uuids:Array(String)}", { uuids: range.uuids.map((uuid) => uuid.toLowerCase()) });
  if (range.replaced !== undefined && range.replaced.length > 0) {
    add(key, "concat(terminal_id, ' ', uuid) NOT IN {replaced:Array(String)}", { replaced: range.replaced });
  }
  const { status, refundState, method, terminalId, amountMin, amountMax, currency, last4, authCode } = filter;
  if (terminalId !== undefined) add(key, "terminal_id = {terminalId:String}", { terminalId });
  if (status !== undefined) add(row, "status = {status:String}", { status });
  if (refundState !== undefined) {
    if (range.refunds === undefined) throw new Error("a filter by what was given back without a table of refunds");
    add(row, REFUND_STATES[refundState](range.refunds), {});
  }
  if (method !== undefined) add(row, "method = {method:String}", { method });
  if (amountMin !== undefined) add(row, "amount_cents >= {amountMin:Int64}", { amountMin });
  if (amountMax !== undefined) add(row, "amount_cents <= {amountMax:Int64}", { amountMax });
  if (currency !== undefined) add(row, "currency = {currency:String}", { currency });
  if (last4 !== undefined) add(row, "last4 = {last4:String}", { last4 });
  if (authCode !== undefined) add(row, "auth_code = {authCode:String}", { authCode });
  for (const { text, isOfKey, parameters: values } of wantedConditions(filter)) add(isOfKey ? key : row, text, values);
  return { key: key.join(" AND "), row: row.join(" AND "), parameters };
}

/** Returns true if the row is in the list. `refundedMinor` is its refunded amount. */
export function matches(row: TransactionRow, filter: MerchantTransactionFilter, refundedMinor = 0): boolean {
  const { transaction } = row;
  const { createdAtMs, terminalId, method, status, amountCents, currency, auth } = transaction;
  if (!isOf(row, filter.results ?? "payments")) return false;
  const { fromMs, untilMs } = rangeOf(filter);
  if (createdAtMs < fromMs || createdAtMs >= untilMs) return false;
  const same = <T>(wanted: T | undefined, found: T) => wanted === undefined || wanted === found;
  if (filter.amountMin !== undefined && amountCents < filter.amountMin) return false;
  if (filter.amountMax !== undefined && amountCents > filter.amountMax) return false;
  return (
    same(filter.status, status) &&
    (filter.refundState === "ANY" ? refundedMinor > 0 : same(filter.refundState, refundStateOf({ transaction, refundedMinor }))) &&
    same(filter.method, method) &&
    same(filter.terminalId, terminalId) &&
    same(filter.currency, currency) &&
    same(filter.last4, last4Of(transaction)) &&
    same(filter.authCode, auth?.authCode ?? "") &&
    isWanted(transaction, filter)
  );
}

function isOf(row: TransactionRow, results: NonNullable<MerchantTransactionFilter["results"]>): boolean {
  if (results === "payments") return isPayment(row);
  const isListed = !UNLISTED_METHODS.includes(row.transaction.method) && !UNLISTED_KINDS.includes(row.kind);
  return isListed && (results === "all" || !isPayment(row));
}

/** Returns true if a part of it may have been refunded. */
export function isRefundable({ method, status }: Transaction): boolean {
  return method === REFUNDABLE && status === "OK";
}

/**
 * Nobody declined an expired link. The gateway has other codes for other ends
 * (engine/links/machine.ts).
 */
export const EXPIRED = `method = 'PAYBYLINK' AND action_code = '${GATEWAY_RESULT.expired}'`;

/** The contribution of one payment to the sums. */
export const SUMS = `
  sumIf(amount_cents, status = 'OK') AS volumeMinor,
  countIf(status = 'OK') AS approved, countIf(status = 'KO' AND NOT (${EXPIRED})) AS declined`;

/** Returns the contribution of a waiting payment. */
export function sumsOf({ method, status, amountCents, auth }: Transaction): { volumeMinor: number; approved: number; declined: number } {
  const isOk = status === "OK";
  const isExpired = method === "PAYBYLINK" && auth?.actionCode === GATEWAY_RESULT.expired;
  return {
    volumeMinor: isOk ? amountCents : 0,
    approved: isOk ? 1 : 0,
    declined: !isOk && !isExpired ? 1 : 0,
  };
}
