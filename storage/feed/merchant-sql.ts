import { GATEWAY_RESULT } from "../../engine/gateway/gateway.ts";
import { hasUuidForm, isSameUuid, uuidKey } from "../../engine/kernel/identifiers.ts";
import type { TransactionRow } from "../../engine/payments/feed-row.ts";
import type { MerchantTransactionFilter, TransactionKey } from "../../engine/payments/merchant-transactions.ts";
import type { Transaction, TransactionMethod } from "../../engine/payments/transaction.ts";
import { LATEST_MS } from "./row-binary.ts";

/** What is no transaction of a shop: neither a list nor a sum has it. */
const UNLISTED_METHODS: readonly TransactionMethod[] = ["SCAN", "PRINT"];
const UNLISTED_KINDS: readonly TransactionRow["kind"][] = ["scan", "print", "cancel", "administrative"];

/** What counts as money that was taken. */
const VOLUME_METHODS: readonly TransactionMethod[] = ["CARD", "SATISPAY", "VOUCHER", "PAYBYLINK"];

/** A part of a query and the values of its parameters, which stand nowhere in its text. */
export interface Condition {
  /** Of columns that never change for a row: it may be looked at before the newest version is known. */
  key: string;
  /** Of all columns, of the newest version. */
  row: string;
  parameters: Record<string, unknown>;
}

/** Rows of a merchant before `until` (a time, or the last row of a page) and from `fromMs` on. */
export interface Range {
  fromMs: number;
  untilMs: number;
  /** Only rows that are older than this one. */
  after?: TransactionKey | null;
  /** Rows, by `keyText`, in whose place something newer stands that ClickHouse does not have. */
  replaced?: readonly string[];
  /** Only these, in whatever spelling. */
  uuids?: readonly string[];
}

/** ClickHouse's Date goes from 1970 to 2149, and a time outside would wrap around. */
export function withinDates(ms: number): number {
  return Math.min(Math.max(ms, 0), LATEST_MS);
}

export function rangeOf({ fromMs, untilMs }: MerchantTransactionFilter): { fromMs: number; untilMs: number } {
  return { fromMs: withinDates(fromMs ?? 0), untilMs: withinDates(untilMs ?? LATEST_MS) };
}

const time = (name: string) => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`;

const words = (values: readonly (string | null)[]) => values.map((value) => `'${value}'`).join(", ");

export const LISTED = `method NOT IN (${words(UNLISTED_METHODS)}) AND command_kind NOT IN (${words(UNLISTED_KINDS)})`;

/** What the newest version of a row has to be like, in SQL; `matches` says the same of a row that waits. */
export function conditionOf(merchantId: string, filter: MerchantTransactionFilter, range: Range): Condition {
  const key = [
    "merchant_id = {merchantId:String}",
    `day BETWEEN toDate(${time("fromMs")}) AND toDate(${time("untilMs")})`,
    `created_at >= ${time("fromMs")} AND created_at < ${time("untilMs")}`,
  ];
  const parameters: Record<string, unknown> = { merchantId, fromMs: range.fromMs, untilMs: range.untilMs };
  const row = [LISTED];
  const add = (to: string[], text: string, values: Record<string, unknown>) => {
    to.push(text);
    Object.assign(parameters, values);
  };
  if (range.after) {
    const { createdAtMs: afterMs, uuid: afterUuid, terminalId: afterTerminal } = range.after;
    const last = `(${time("afterMs")}, {afterUuid:String}, {afterTerminal:String})`;
    add(key, `created_at <= ${time("afterMs")} AND (created_at, uuid, terminal_id) < ${last}`, { afterMs, afterUuid, afterTerminal });
  }
  // The index is one of small letters, since the feed writes a uuid as its sender did.
  if (range.uuids !== undefined) add(key, "lower(uuid) IN {uuids:Array(String)}", { uuids: range.uuids.map((uuid) => uuid.toLowerCase()) });
  if (range.replaced !== undefined && range.replaced.length > 0) {
    add(key, "concat(terminal_id, ' ', uuid) NOT IN {replaced:Array(String)}", { replaced: range.replaced });
  }
  const { status, method, terminalId, amountMin, amountMax, currency, last4, authCode, q } = filter;
  if (terminalId !== undefined) add(key, "terminal_id = {terminalId:String}", { terminalId });
  if (status !== undefined) add(row, "status = {status:String}", { status });
  if (method !== undefined) add(row, "method = {method:String}", { method });
  if (amountMin !== undefined) add(row, "amount_cents >= {amountMin:Int64}", { amountMin });
  if (amountMax !== undefined) add(row, "amount_cents <= {amountMax:Int64}", { amountMax });
  if (currency !== undefined) add(row, "currency = {currency:String}", { currency });
  if (last4 !== undefined) add(row, "last4 = {last4:String}", { last4 });
  if (authCode !== undefined) add(row, "auth_code = {authCode:String}", { authCode });
  if (q !== undefined) {
    if (hasUuidForm(q)) add(key, "lower(uuid) = {wanted:String}", { wanted: uuidKey(q) });
    else {
      const text = "(startsWith(uuid, {q:String}) OR startsWith(uuid, {qSmall:String}) OR auth_code = {q:String} OR last4 = {q:String})";
      add(row, text, { q, qSmall: q.toLowerCase() });
    }
  }
  return { key: key.join(" AND "), row: row.join(" AND "), parameters };
}

/** Whether the row is one of the list. */
export function matches({ transaction, kind }: TransactionRow, filter: MerchantTransactionFilter): boolean {
  const { createdAtMs, uuid, terminalId, method, status, amountCents, currency, auth } = transaction;
  if (UNLISTED_METHODS.includes(method) || UNLISTED_KINDS.includes(kind)) return false;
  const { fromMs, untilMs } = rangeOf(filter);
  if (createdAtMs < fromMs || createdAtMs >= untilMs) return false;
  const same = <T>(wanted: T | undefined, found: T) => wanted === undefined || wanted === found;
  if (filter.amountMin !== undefined && amountCents < filter.amountMin) return false;
  if (filter.amountMax !== undefined && amountCents > filter.amountMax) return false;
  return (
    same(filter.status, status) &&
    same(filter.method, method) &&
    same(filter.terminalId, terminalId) &&
    same(filter.currency, currency) &&
    same(filter.last4, last4Of(transaction)) &&
    same(filter.authCode, auth?.authCode ?? "") &&
    (filter.q === undefined || isFound(filter.q, uuid, transaction))
  );
}

function isFound(q: string, uuid: string, transaction: Transaction): boolean {
  if (hasUuidForm(q)) return isSameUuid(q, uuid);
  return uuid.startsWith(q) || uuid.startsWith(q.toLowerCase()) || transaction.auth?.authCode === q || last4Of(transaction) === q;
}

/** As the materialized view of migration 0005 fills `last4`. */
function last4Of({ card }: Transaction): string {
  return /[0-9]{4}$/.exec(card?.maskedPan ?? "")?.[0] ?? "";
}

/** A link that nobody paid in time was declined by nobody. (The gateway's words for other ends have other codes: engine/links/machine.ts.) */
export const EXPIRED = `method = 'PAYBYLINK' AND action_code = '${GATEWAY_RESULT.expired}'`;

/** What one row adds to the sums. */
export const SUMS = `
  sumIf(amount_cents, status = 'OK' AND method IN (${words(VOLUME_METHODS)})) AS volumeMinor,
  countIf(status = 'OK') AS approved, countIf(status = 'KO' AND NOT (${EXPIRED})) AS declined`;

/** The same of a row that waits. */
export function sumsOf({ method, status, amountCents, auth }: Transaction): { volumeMinor: number; approved: number; declined: number } {
  const isOk = status === "OK";
  const isExpired = method === "PAYBYLINK" && auth?.actionCode === GATEWAY_RESULT.expired;
  return {
    volumeMinor: isOk && VOLUME_METHODS.includes(method) ? amountCents : 0,
    approved: isOk ? 1 : 0,
    declined: !isOk && !isExpired ? 1 : 0,
  };
}
