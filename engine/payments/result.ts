import { cutText } from "../kernel/cut-text.ts";
import { isUuid } from "../kernel/identifiers.ts";
import { maskJson } from "../kernel/mask.ts";
import { currencyDecimals } from "../kernel/money.ts";
import type { CommandKind } from "./command.ts";
import { isJsonObject } from "./payment-request.ts";
import { type ResultDetails, readAmount, readCurrency, readDetails, readMethod } from "./result-members.ts";
import { readOutcome } from "./result-outcome.ts";
import type { Transaction, TransactionMethod, TransactionStatus } from "./transaction.ts";

/** Currency of a payment for which nobody names one: neither its sender, nor its terminal, nor the terminal's configuration. */
export const DEFAULT_CURRENCY = "EUR";

/** Characters of an unreadable posting that operators get to see. */
export const UNREADABLE_RAW_CHARS_MAX = 8_192;

/** A terminal's posting, read: outcome and uuid are certain, everything else is there when the terminal told it. */
export interface ReadResult {
  uuid: string;
  status: TransactionStatus;
  /** Null where the posting does not tell; the command's method is taken then. */
  method: TransactionMethod | null;
  /** Null where the posting does not tell; the command's amount is taken then. */
  amountCents: number | null;
  /** Set where the posting has an amount that is no whole number of minor units, or has too many digits: flagged as one that differs. */
  amountIllegible?: true;
  currency: string | null;
  /** All other members of the transaction that were recognised. */
  details: ResultDetails;
  /** What was posted, PANs masked, as JSON text. */
  raw: string;
}

export type ReadOutcome = { type: "read"; result: ReadResult } | { type: "unreadable"; uuid: string | null; reason: string; raw: string };

export type ResultContext = {
  terminalId: string;
  createdAtMs: number;
  command: { kind: CommandKind; method: TransactionMethod; amountCents: number; currency?: string } | null;
  /** What a result is in that names no currency, where its command names none either; DEFAULT_CURRENCY if absent. */
  currency?: string | null;
};

/**
 * Reads what a terminal posted to `receipt` (already JSON). Unreadable is what has no uuid or no outcome that is certain; a reason never
 * quotes what was posted. infra/docs/results.md tells what is recognised.
 */
export function readResult(body: unknown): ReadOutcome {
  const raw = JSON.stringify(maskJson(body) ?? null);
  const unreadable = (uuid: string | null, reason: string): ReadOutcome => ({
    type: "unreadable",
    uuid,
    reason,
    raw: cutText(raw, UNREADABLE_RAW_CHARS_MAX),
  });
  if (!isJsonObject(body)) return unreadable(null, "the body must be a JSON object");
  const uuid = body["uuid"];
  if (typeof uuid !== "string" || !isUuid(uuid))
    return unreadable(null, "uuid is missing or not 1 to 64 letters, digits, dots, underscores or dashes");
  const method = readMethod(body);
  const outcome = readOutcome(body, method);
  if (outcome.type === "untold") return unreadable(uuid, outcome.reason);
  const amount = readAmount(body);
  return {
    type: "read",
    result: {
      uuid,
      status: outcome.status,
      method,
      amountCents: amount === "illegible" ? null : amount,
      ...(amount === "illegible" ? { amountIllegible: true as const } : {}),
      currency: readCurrency(body),
      details: readDetails(body, outcome, method),
      raw,
    },
  };
}

/**
 * The transaction that everyone gets: what the result does not tell is the command's, and the objects of other methods are left out. Any result may
 * have a receipt, which holds its slip.
 */
export function toTransaction(result: ReadResult, context: ResultContext): Transaction {
  const method = methodOf(result, context.command);
  const { merchantId, message, auth, provider, card, satispay, voucher, receipt, scan, print } = result.details;
  const currency = result.currency ?? context.command?.currency ?? context.currency ?? DEFAULT_CURRENCY;
  const transaction: Transaction = {
    uuid: result.uuid,
    createdAtMs: context.createdAtMs,
    method,
    status: result.status,
    amountCents: amountOf(result, context.command),
    currency,
    terminalId: context.terminalId,
  };
  if (merchantId !== undefined) transaction.merchantId = merchantId;
  if (message !== undefined) transaction.message = message;
  if (auth !== undefined) transaction.auth = auth;
  if (provider !== undefined) transaction.provider = provider;
  if (method === "CARD" && card !== undefined) transaction.card = card;
  if (method === "SATISPAY" && satispay !== undefined) transaction.satispay = satispay;
  if (method === "VOUCHER" && voucher !== undefined) transaction.voucher = voucher;
  if (receipt !== undefined) transaction.receipt = receipt;
  if (method === "SCAN") {
    transaction.scan = scan ?? { scannedValue: null, barcodeFormat: null, scanResult: result.status === "OK" ? "OK" : "ERROR" };
  }
  if (method === "PRINT") transaction.print = print ?? { printResult: result.status, errorDescription: null };
  return transaction;
}

/**
 * Says whether a result is for another amount than its command, or for the same number in another currency. A result that nobody asked for
 * differs from nothing.
 */
export function amountDiffers(result: ReadResult, command: ResultContext["command"]): boolean {
  if (command === null) return false;
  return result.amountIllegible === true || amountOf(result, command) !== command.amountCents || currencyDiffers(result, command);
}

/** Only where both name one. */
export function currencyDiffers({ currency }: Pick<ReadResult, "currency">, command: ResultContext["command"]): boolean {
  return currency !== null && command?.currency !== undefined && currency !== command.currency;
}

/** Says whether a result is in a currency that is none that is known, which is then kept as it came. */
export function currencyUnknown({ currency }: Transaction): boolean {
  return currencyDecimals(currency) === null;
}

function methodOf(result: ReadResult, command: ResultContext["command"]): TransactionMethod {
  return result.method ?? command?.method ?? "UNKNOWN";
}

function amountOf(result: ReadResult, command: ResultContext["command"]): number {
  const method = methodOf(result, command);
  if (method === "SCAN" || method === "PRINT") return 0;
  return result.amountCents ?? command?.amountCents ?? 0;
}

/**
 * Says whether two results are the same one: equal after normalization, the time of storing and slips aside, members in any order. The same result
 * again is acknowledged and changes nothing; a different one for the same uuid is a conflict (ARCHITECTURE.md, promise 4).
 */
export function sameResult(one: Transaction, other: Transaction): boolean {
  const [left, right] = [compared(one), compared(other)];
  // What was stored when fewer forms of card numbers were masked is compared as it would be stored now.
  return sameValue(left, right) || sameValue(maskJson(left), maskJson(right));
}

/**
 * Without the time of storing and, unless the result is a receipt, without the slip: a terminal may print it again with another time, and earlier versions
 * did not store it.
 */
function compared(transaction: Transaction): Transaction {
  const { receipt, ...rest } = transaction;
  const isReceipt = transaction.method === "RECEIPT" && receipt !== undefined;
  return { ...rest, ...(isReceipt ? { receipt } : {}), createdAtMs: 0 };
}

/** Deep equality of JSON values; an absent member and an undefined one are the same. Free-form members are bounded in depth by engine/kernel/mask.ts. */
function sameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const left = new Map(Object.entries(one).filter(([, value]) => value !== undefined));
  const right = new Map(Object.entries(other).filter(([, value]) => value !== undefined));
  if (left.size !== right.size) return false;
  for (const [member, value] of left) {
    if (!right.has(member) || !sameValue(value, right.get(member))) return false;
  }
  return true;
}
