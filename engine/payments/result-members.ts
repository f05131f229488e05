import { cutText } from "../kernel/cut-text.ts";
import { AMOUNT_MINOR_MAX } from "../kernel/limits.ts";
import { maskJson, maskPans, maskPanValue, maskSchemePans } from "../kernel/mask.ts";
import { currencyOf } from "../kernel/money.ts";
import { isJsonObject, type JsonObject } from "./payment-request.ts";
import { slipOf } from "./slip.ts";
import type { FreeForm, Transaction, TransactionMethod } from "./transaction.ts";

/**
 * The members of a posting that are recognised, by all their names; infra/docs/results.md shows the same lists. Everything here is
 * optional: what cannot be read is left out of the transaction and stays in the posting's raw text.
 */

/** Characters of `message` and `errorDescription`. */
export const MESSAGE_CHARS_MAX = 512;
/** Characters of every other text member; none of them is a text in fact. */
export const MEMBER_CHARS_MAX = 128;
/** Characters of a scanned value: the most that a QR code holds, with room. */
export const SCANNED_VALUE_CHARS_MAX = 8_192;
/** A voucher or receipt longer than this (as JSON) is left to the raw text. */
export const FREE_FORM_CHARS_MAX = 32_768;

const AUTH_CODE = ["authCode", "authorizationCode", "authorisationCode", "auth_code", "approvalCode"];
const STAN = ["stan", "STAN", "systemTraceNumber"];
const ACTION_CODE = ["actionCode", "action_code"];
const BRAND = ["brand", "cardBrand", "card_brand", "cardScheme"];
const PAN = ["maskedPan", "maskedPAN", "masked_pan", "pan", "PAN", "cardNumber", "card_number"];
const RECEIPT = ["receipt", "customerReceipt", "slip"];
const ENTRY = ["entry", "entryMode", "entry_mode"];
const ENTRIES: { readonly [word: string]: "MAN" | "ICC" | "NFC" } = {
  MAN: "MAN",
  MANUAL: "MAN",
  KEYED: "MAN",
  ICC: "ICC",
  CHIP: "ICC",
  CONTACT: "ICC",
  EMV: "ICC",
  NFC: "NFC",
  CONTACTLESS: "NFC",
  CTLS: "NFC",
};
const METHOD_WORDS: { readonly [word: string]: TransactionMethod } = {
  CARD: "CARD",
  PAYCC: "CARD",
  PAYTAG: "CARD",
  VERIFYTAG: "CARD",
  SATISPAY: "SATISPAY",
  PAYSAT: "SATISPAY",
  VOUCHER: "VOUCHER",
  PAYBP: "VOUCHER",
  RECEIPT: "RECEIPT",
  SCAN: "SCAN",
  PRINT: "PRINT",
};
/** Barcodes that number goods and parcels; a card number is never written in one, a card-like check digit is chance. */
const PRODUCT_FORMATS = new Set(["EAN_13", "EAN_8", "UPC_A", "ITF"]);

const GS1 = /^(?:\][A-Za-z]\d)?(?:\(?0[12]\)?(\d{14})|\(?00\)?(\d{18})(?!\d))/;

export type ResultDetails = Omit<Transaction, "uuid" | "createdAtMs" | "method" | "status" | "amountCents" | "currency" | "terminalId">;

/**
 * What the posting is by its `service`, `method` and `type`; null where it does not tell or tells two different things. RECEIPT goes with
 * any payment service, and is the more precise word.
 */
export function readMethod(posting: JsonObject): TransactionMethod | null {
  const told = new Set<TransactionMethod>();
  for (const member of ["service", "method", "type"]) {
    const value = posting[member];
    const word = typeof value === "string" ? value.trim().toUpperCase() : "";
    const method = Object.hasOwn(METHOD_WORDS, word) ? METHOD_WORDS[word] : undefined;
    if (method !== undefined) told.add(method);
  }
  if (told.has("RECEIPT")) return "RECEIPT";
  const [method] = told;
  return told.size === 1 && method !== undefined ? method : null;
}

/** Minor units; null where the posting has none, "illegible" where it has one that is no whole number of minor units, has more than 12 digits or has two. */
export function readAmount(posting: JsonObject): number | null | "illegible" {
  const given = [posting["amount"], posting["amountCents"]].filter((value) => value !== undefined && value !== null);
  const [first, ...others] = given.map((value) => {
    const amount = typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value;
    return typeof amount === "number" && Number.isSafeInteger(amount) && amount >= 0 && amount <= AMOUNT_MINOR_MAX
      ? Math.abs(amount)
      : "illegible";
  });
  if (first === undefined) return null;
  return others.every((other) => other === first) ? first : "illegible";
}

/**
 * The ISO 4217 code, by letters or by number; null where the posting has none. One that is not known is kept as it came, card numbers masked: it must not
 * pass for the currency of a posting that names none.
 */
export function readCurrency(posting: JsonObject): string | null {
  const value = posting["currency"];
  if (value === undefined || value === null) return null;
  const told = typeof value === "string" ? value : JSON.stringify(maskJson(value));
  if (told.trim() === "") return null;
  return currencyOf(told) ?? cutText(maskPans(told), MEMBER_CHARS_MAX);
}

/** All other members. `word` is the outcome's word; where the posting does not say what it is, `scan` and `print` are both there. */
export function readDetails(
  posting: JsonObject,
  outcome: { status: "OK" | "KO"; word: string },
  method: TransactionMethod | null,
): ResultDetails {
  const details: ResultDetails = {};
  const merchantId = firstText([posting], ["merchantId", "merchantID", "merchant_id"], maskSchemePans);
  if (merchantId !== undefined) details.merchantId = merchantId;
  const message = boundedText(posting["message"], MESSAGE_CHARS_MAX, maskPans);
  if (message !== undefined) details.message = message;
  const auth = readAuth(posting);
  if (auth !== null) details.auth = auth;
  const card = readCard(posting);
  if (card !== null) details.card = card;
  const satispay = readSatispay(posting["satispay"]);
  if (satispay !== null) details.satispay = satispay;
  const provider = readProvider(posting);
  if (provider !== null) details.provider = provider;
  const voucher = readFreeForm(posting["voucher"]);
  if (voucher !== null) details.voucher = voucher;
  const receipt = readReceipt(posting);
  if (receipt !== null) details.receipt = receipt;
  if (method === "SCAN" || method === null) details.scan = readScan(posting, outcome);
  if (method === "PRINT" || method === null) details.print = readPrint(posting, outcome);
  return details;
}

function readAuth(posting: JsonObject): NonNullable<Transaction["auth"]> | null {
  const places = [posting, objectAt(posting, "auth")];
  return withoutAbsent({
    authCode: firstText(places, AUTH_CODE, maskPans),
    stan: firstText(places, STAN, maskPans),
    actionCode: firstText(places, ACTION_CODE, maskPans),
  });
}

function readCard(posting: JsonObject): NonNullable<Transaction["card"]> | null {
  const places = [posting, objectAt(posting, "card")];
  const entry = firstText(places, ENTRY, maskPans)?.trim().toUpperCase() ?? "";
  return withoutAbsent({
    brand: firstText(places, BRAND, maskPans),
    maskedPan: firstText(places, PAN, maskPanValue),
    entry: Object.hasOwn(ENTRIES, entry) ? ENTRIES[entry] : undefined,
  });
}

function readSatispay(value: unknown): NonNullable<Transaction["satispay"]> | null {
  if (!isJsonObject(value)) return null;
  return withoutAbsent({
    paymentId: firstText([value], ["paymentId", "payment_id", "id"], maskSchemePans),
    status: firstText([value], ["status"], maskSchemePans),
    outcome: firstText([value], ["outcome"], maskSchemePans),
    store: firstText([value], ["store"], maskSchemePans),
    codeIdentifier: firstText([value], ["codeIdentifier", "code_identifier"], maskSchemePans),
  });
}

function readProvider(posting: JsonObject): NonNullable<Transaction["provider"]> | null {
  const named = posting["provider"];
  const places = [objectAt(posting, "provider"), posting];
  return withoutAbsent({
    name: isJsonObject(named) ? firstText([named], ["name"], maskPans) : boundedText(named, MEMBER_CHARS_MAX, maskPans),
    model: firstText([objectAt(posting, "provider")], ["model"], maskPans) ?? firstText(places, ["deviceModel"], maskPans),
    clientVersion: firstText(places, ["clientVersion"], maskPans) ?? firstText(places, ["appVersion"], maskPans),
  });
}

function readFreeForm(value: unknown): FreeForm | null {
  if (value === undefined || value === null) return null;
  const object = isJsonObject(value) ? value : Array.isArray(value) ? { items: value } : { text: value };
  const masked = maskJson(object);
  return isJsonObject(masked) ? withinBound(masked) : null;
}

function withinBound(object: FreeForm): FreeForm | null {
  return JSON.stringify(object).length <= FREE_FORM_CHARS_MAX ? object : null;
}

/** A receipt or a slip. The merchant's copy, where it is a member of its own, becomes `merchantLines` of the customer's. */
function readReceipt(posting: JsonObject): FreeForm | null {
  const customer = readFreeForm(RECEIPT.map((member) => posting[member]).find((value) => value !== undefined && value !== null));
  const { customer: merchantLines } = slipOf(readFreeForm(posting["merchantReceipt"]) ?? undefined);
  return merchantLines.length === 0 ? customer : withinBound({ ...customer, merchantLines });
}

function readScan(posting: JsonObject, outcome: { status: "OK" | "KO"; word: string }): NonNullable<Transaction["scan"]> {
  const places = [posting, objectAt(posting, "scan")];
  const barcodeFormat = firstText(places, ["barcodeFormat"], maskPans)?.toUpperCase() ?? null;
  const isProduct = barcodeFormat !== null && PRODUCT_FORMATS.has(barcodeFormat);
  const mask = (text: string): string => (isProduct || isGs1(text) ? text : maskSchemePans(text));
  const scannedValue = places
    .map((place) => boundedText(place["scannedValue"], SCANNED_VALUE_CHARS_MAX, mask))
    .find((text) => text !== undefined);
  const cancelled = outcome.word === "CANCELLED" || outcome.word === "CANCELED";
  return {
    scannedValue: scannedValue ?? null,
    barcodeFormat,
    scanResult: outcome.status === "OK" ? "OK" : cancelled ? "CANCELLED" : "ERROR",
  };
}

/** Says whether a scan is a GS1 element string: a GTIN (01, 02) or SSCC (00) first, with a right check digit. In its long runs of digits anything may be found. */
function isGs1(text: string): boolean {
  const [, gtin, sscc] = GS1.exec(text) ?? [];
  const number = gtin ?? sscc;
  if (number === undefined) return false;
  const sum = [...number].toReversed().reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
  return sum % 10 === 0;
}

function readPrint(posting: JsonObject, outcome: { status: "OK" | "KO" }): NonNullable<Transaction["print"]> {
  const places = [posting, objectAt(posting, "print")];
  const description = places
    .map((place) => boundedText(place["errorDescription"], MESSAGE_CHARS_MAX, maskPans))
    .find((text) => text !== undefined);
  return { printResult: outcome.status, errorDescription: description ?? null };
}

/** Stands for an object that is not there, which most are not. */
const NOTHING: JsonObject = {};

function objectAt(posting: JsonObject, member: string): JsonObject {
  const value = posting[member];
  return isJsonObject(value) ? value : NOTHING;
}

/** The first of these members that is a text or a number, in the first place that has one. */
function firstText(places: readonly JsonObject[], members: readonly string[], mask: (text: string) => string): string | undefined {
  for (const place of places) {
    if (place === NOTHING) continue;
    for (const member of members) {
      const text = boundedText(Object.hasOwn(place, member) ? place[member] : undefined, MEMBER_CHARS_MAX, mask);
      if (text !== undefined && text !== "") return text;
    }
  }
  return undefined;
}

/** Masked before it is cut, so that a cut never takes a card number's check digit away. */
function boundedText(value: unknown, charsMax: number, mask: (text: string) => string): string | undefined {
  if (typeof value === "number") return boundedText(String(value), charsMax, mask);
  return typeof value === "string" ? cutText(mask(value), charsMax) : undefined;
}

/** The object without its absent members; null where none is left. */
function withoutAbsent<T extends object>(object: T): { [K in keyof T]?: NonNullable<T[K]> } | null {
  const present: { [K in keyof T]?: NonNullable<T[K]> } = {};
  let isEmpty = true;
  for (const member in object) {
    const value = object[member];
    if (value === undefined || value === null) continue;
    present[member] = value;
    isEmpty = false;
  }
  return isEmpty ? null : present;
}
