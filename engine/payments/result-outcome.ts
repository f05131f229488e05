import { isJsonObject, type JsonObject } from "./payment-request.ts";
import type { TransactionMethod, TransactionStatus } from "./transaction.ts";

/**
 * What a posting says of its outcome. Nothing is guessed: an approval needs one of these words in one of these members, and a decline too,
 * because a wrong KO invites a second charge. infra/docs/results.md shows the same lists.
 */

/** Top-level members that say the outcome; each that is there has to be understood, and all have to agree. */
export const OUTCOME_MEMBERS = ["result", "status", "outcome", "transactionResult", "transactionStatus"] as const;

const APPROVED = new Set(["OK", "APPROVED", "SUCCESS", "SUCCESSFUL", "SUCCEEDED", "AUTHORIZED", "AUTHORISED"]);
const DECLINED = new Set([
  "KO",
  "DECLINED",
  "REFUSED",
  "REJECTED",
  "DENIED",
  "FAILED",
  "FAILURE",
  "NOT_APPROVED",
  "NOT_AUTHORIZED",
  "NOT_AUTHORISED",
  "CANCELLED",
  "CANCELED",
  "ABORTED",
]);
/** Words that only say that it ended, and so neither make an outcome nor disturb one. */
const NEUTRAL = new Set(["COMPLETED", "COMPLETE", "DONE", "FINISHED", "FINAL", "EXECUTED", "PROCESSED"]);
/** Words that leave the outcome open: around or beside them, an OK or a KO is not certain. */
const OPEN = new Set(["ERROR", "PENDING", "PROCESSING", "IN_PROGRESS", "TIMEOUT", "TIMED_OUT", "UNKNOWN", "REVERSED", "VOIDED"]);
/** In nested objects of a provider, where other words (ACCEPTED and the like) are its own. */
const PROVIDER_APPROVED = new Set([...APPROVED, "ACCEPTED"]);

export const PROVIDERS = ["satispay", "voucher"] as const;
/** Objects that speak of the same payment: what the outcome is wrapped in, and who decided it. Others (a printer, a slip, a device) speak of themselves. */
export const WRAPPERS = [
  "data",
  "body",
  "payload",
  "content",
  "response",
  "result",
  "details",
  "transaction",
  "payment",
  "operation",
  "auth",
  "authorization",
  "authorisation",
] as const;
/** Wrappers within wrappers that are looked into; nobody wraps deeper. */
export const WRAPPED_LEVELS_MAX = 4;

export type Outcome = { type: "told"; status: TransactionStatus; word: string } | { type: "untold"; reason: string };

/** Reads the outcome of a posting; `method` is what the posting says of itself, and permits ERROR for SCAN and PRINT. */
export function readOutcome(posting: JsonObject, method: TransactionMethod | null): Outcome {
  let told: { status: TransactionStatus; word: string; member: string } | null = null;
  for (const { member, value } of outcomeValues(posting, method)) {
    const word = wordOf(value);
    if (word === "" || NEUTRAL.has(word)) continue;
    const status = statusOf(word, method);
    if (status === null) return { type: "untold", reason: `${member} is not a known outcome` };
    if (told !== null && told.status !== status) return { type: "untold", reason: `${told.member} and ${member} contradict each other` };
    told ??= { status, word, member };
  }
  if (told === null) return { type: "untold", reason: "the result contains no outcome" };
  // What the answer to a CANCEL says within is how the cancelled command ended, whose KO is no contradiction.
  const against = wordOf(posting["service"]) === "CANCEL" ? null : contradiction(posting, told.status, method);
  if (against !== null) return { type: "untold", reason: `${told.member} and ${against} contradict each other` };
  return { type: "told", status: told.status, word: told.word };
}

function outcomeValues(posting: JsonObject, method: TransactionMethod | null): { member: string; value: unknown }[] {
  const values: { member: string; value: unknown }[] = OUTCOME_MEMBERS.map((member) => ({ member, value: posting[member] }));
  if (method === "SCAN" || method === null)
    values.push({ member: "scanResult", value: posting["scanResult"] ?? inner(posting["scan"], "scanResult") });
  if (method === "PRINT" || method === null)
    values.push({ member: "printResult", value: posting["printResult"] ?? inner(posting["print"], "printResult") });
  values.push({ member: "approved", value: approvedWord(posting["approved"]) });
  return values.filter(({ value }) => value !== undefined && value !== null);
}

/**
 * The nested member that says something else than the outcome that was told: `{"status":"OK","data":{"result":"KO"}}`. Such words never make an outcome by
 * themselves.
 */
function contradiction(posting: JsonObject, status: TransactionStatus, method: TransactionMethod | null, level = 0): string | null {
  for (const provider of PROVIDERS) {
    const object = inner(posting, provider);
    for (const member of ["status", "outcome", "result"]) {
      const word = wordOf(inner(object, member));
      const nested = PROVIDER_APPROVED.has(word) ? "OK" : DECLINED.has(word) ? "KO" : null;
      if (nested !== null && nested !== status) return `${provider}.${member}`;
    }
  }
  if (level === WRAPPED_LEVELS_MAX) return null;
  for (const wrapper of WRAPPERS) {
    const object = inner(posting, wrapper);
    if (!isJsonObject(object)) continue;
    const against = outcomeValues(object, method).find(({ value }) => isAgainst(wordOf(value), status, method))?.member;
    const deeper = against ?? contradiction(object, status, method, level + 1);
    if (deeper !== null) return `${wrapper}.${deeper}`;
  }
  return null;
}

function isAgainst(word: string, status: TransactionStatus, method: TransactionMethod | null): boolean {
  const nested = statusOf(word, method);
  return nested === null ? OPEN.has(word) : nested !== status;
}

function statusOf(word: string, method: TransactionMethod | null): TransactionStatus | null {
  if (APPROVED.has(word)) return "OK";
  if (DECLINED.has(word)) return "KO";
  // A failed scan or print is surely over; a payment's ERROR may hide a charge that went through.
  return word === "ERROR" && (method === "SCAN" || method === "PRINT") ? "KO" : null;
}

/** Only a true boolean is an approval by this member. */
function approvedWord(value: unknown): unknown {
  return typeof value === "boolean" ? (value ? "APPROVED" : "DECLINED") : value;
}

/** Upper-case, `not authorized` and `not-authorized` as one; what is not a string is a word that nobody recognises. */
function wordOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string" || value.length > 32) return "?";
  return value
    .trim()
    .toUpperCase()
    .replace(/[\s-]+/g, "_");
}

function inner(value: unknown, member: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, member) ? value[member] : undefined;
}
