import { cutText } from "../kernel/cut-text.ts";
import { currencyNumberOf } from "../kernel/money.ts";
import { slipOf } from "../payments/slip.ts";
import type { Transaction } from "../payments/transaction.ts";
import type { CommandView } from "../terminals/terminals.ts";
import { cardTypeOf, codeOfDecline, ZVT_CODES } from "./result-codes.ts";
import type { ZvtOpen } from "./route-record.ts";
import type { ZvtOutcome, ZvtReceipt } from "./zvt-payments.ts";

/** What a receipt takes from its payment. */
export type ReceiptFacts = Pick<ZvtOpen, "amountCents" | "currency" | "receiptNo" | "seq"> & { readonly tid: string };

/** Bitmap 0B has six digits. */
const TRACES = 1_000_000;

/** Bitmap 3B. */
const AUTH_CODE_CHARS_MAX = 8;

/** Bitmap 22: the longest card number. */
const PAN_DIGITS_MAX = 19;

/** Bitmap 3C: what a register shows of it. */
const MESSAGE_CHARS_MAX = 80;

/** Bitmap 8B: LLVAR, with a NUL. */
const CARD_NAME_CHARS_MAX = 40;

/** One copy of a slip: some metres of paper. */
const SLIP_LINES_MAX = 200;
const SLIP_LINE_CHARS_MAX = 80;

/** Words of a terminal that say that its customer, or its operator, stopped it. Only beside a KO. */
const CANCELLED = /\b(cancell?ed|aborted|annullat[ao]|abgebrochen|abbruch)\b/i;

/** How a payment ended; null while it has not. */
export function outcomeOf(view: CommandView, facts: ReceiptFacts): ZvtOutcome | null {
  const { transaction, state, finishedAtMs } = view;
  if (transaction !== null) return outcomeOfResult(transaction, facts);
  switch (state) {
    case "queued":
    case "sent":
      return null;
    case "cancelled":
      return { type: "notPaid", code: ZVT_CODES.cancelled, receipt: bareReceipt(ZVT_CODES.cancelled, finishedAtMs ?? 0, facts) };
    case "expired":
      return { type: "notPaid", code: ZVT_CODES.expired, receipt: null };
    // `done` without a result cannot be; were it so, it would not be known.
    case "done":
    case "unknown":
      return { type: "unknown" };
  }
}

function outcomeOfResult(transaction: Transaction, facts: ReceiptFacts): ZvtOutcome {
  if (transaction.status === "OK") return { type: "paid", receipt: receiptOf(transaction, ZVT_CODES.paid, facts) };
  const isCancelled = CANCELLED.test(transaction.message ?? "");
  const code = isCancelled ? ZVT_CODES.cancelled : codeOfDecline(transaction.auth?.actionCode);
  return { type: "notPaid", code, receipt: receiptOf(transaction, code, facts) };
}

function bareReceipt(resultCode: number, atMs: number, { amountCents, currency, receiptNo, seq, tid }: ReceiptFacts): ZvtReceipt {
  return {
    ...{ resultCode, amountCents, atMs, tid, currency, receiptNo },
    trace: seq % TRACES,
    ...{ entry: null, maskedPan: null, authCode: null, cardType: null, cardName: null, message: null },
    slipLines: [],
  };
}

function receiptOf(transaction: Transaction, resultCode: number, facts: ReceiptFacts): ZvtReceipt {
  const { amountCents, createdAtMs, currency, auth, card, message } = transaction;
  const bare = bareReceipt(resultCode, createdAtMs, facts);
  const brand = card?.brand ?? null;
  const slip = slipOf(transaction.receipt);
  return {
    ...bare,
    // A declined payment may tell none.
    amountCents: transaction.status === "OK" || amountCents > 0 ? amountCents : facts.amountCents,
    currency: bitmapOf(currency) ?? facts.currency,
    trace: /^\d{1,6}$/.test(auth?.stan ?? "") ? Number(auth?.stan) : bare.trace,
    entry: card?.entry ?? null,
    maskedPan: card?.maskedPan === undefined ? null : maskedDigits(card.maskedPan),
    authCode: auth?.authCode === undefined ? null : authCodeOf(auth.authCode),
    cardType: brand === null ? null : cardTypeOf(brand),
    cardName: brand === null ? null : asciiOf(brand, CARD_NAME_CHARS_MAX),
    message: message === undefined ? null : cutText(message, MESSAGE_CHARS_MAX),
    slipLines: printableLines(slip.customer),
    ...(slip.merchant.length === 0 ? {} : { merchantSlipLines: printableLines(slip.merchant) }),
  };
}

/** Bitmap 49: the number of ISO 4217 in four digits; null for a currency that has none. */
function bitmapOf(currency: string): string | null {
  const number = currencyNumberOf(currency);
  return number === null ? null : number.padStart(4, "0");
}

/** Digits, and E for what is masked. Null for what is no card number, and for one in which nothing is masked: that is not sent on. */
function maskedDigits(pan: string): string | null {
  const digits = pan.replace(/[\s-]/g, "").replace(/[*xX.#•]/g, "E");
  return /^[0-9E]{8,}$/.test(digits) && digits.includes("E") ? digits.slice(0, PAN_DIGITS_MAX) : null;
}

function authCodeOf(code: string): string | null {
  const text = asciiOf(code, AUTH_CODE_CHARS_MAX);
  return text === "" ? null : text;
}

function asciiOf(text: string, charsMax: number): string {
  return text.replace(/[^\x20-\x7e]/g, "?").slice(0, charsMax);
}

function printableLines(lines: readonly string[]): string[] {
  return lines.slice(0, SLIP_LINES_MAX).map((line) => line.replace(/\p{Cc}/gu, " ").slice(0, SLIP_LINE_CHARS_MAX));
}
