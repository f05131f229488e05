import type { CallEntry, WorkflowEntry } from "./activity-log.ts";
import { cutText } from "./cut-text.ts";
import { IDENTIFIER_LENGTH_MAX } from "./limits.ts";
import { holdsSchemePan, maskText } from "./mask.ts";

/**
 * These rules decide for all writers what an entry of the logs may contain: ids, words, a host and
 * figures. An entry with an invalid id or word is not written, since it could not be found or
 * understood. Explanations are omitted or cut instead.
 */

/** The form of merchant ids. */
const MERCHANT_ID = new RegExp(`^[A-Za-z0-9._-]{1,${IDENTIFIER_LENGTH_MAX}}$`);
/**
 * The form of ids of links, intents, endpoints, events and mails. No page address and no e-mail
 * address has it.
 */
const OBJECT_ID = /^[A-Za-z0-9._:-]{1,100}$/;
/** The form of `noun.verb`, and of the names of events and operations. */
const EVENT = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;
/** The form of state names in machines. */
const STATE = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;
const REQUEST_ID = /^[A-Za-z0-9._-]{1,100}$/;
/** The form of a name or an address, with an optional port. */
const HOST = /^[A-Za-z0-9.-]{1,255}(?::\d{1,5})?$|^\[[0-9A-Fa-f:.]{2,45}\](?::\d{1,5})?$/;

const DETAIL_CHARS_MAX = 255;
/** Matches the address of a page or of a person. The relay's own reasons contain neither. */
const ADDRESS = /:\/\/|@/;
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** Longer than any wait. */
const MS_MAX = 86_400_000;

/** Returns the entry as it is stored, or null if it is not valid. */
export function keptWorkflow(entry: WorkflowEntry): WorkflowEntry | null {
  const { atMs, merchantId, objectType, objectId, event, from, to, requestId, outcome } = entry;
  if (!isTime(atMs) || !isId(merchantId, MERCHANT_ID) || !isId(objectId, OBJECT_ID) || !EVENT.test(event)) return null;
  if (!STATE.test(to) || (from !== null && !STATE.test(from))) return null;
  return { atMs, merchantId, objectType, objectId, event, from, to, requestId: keptRequestId(requestId), outcome };
}

/** Returns the entry as it is stored, or null if it is not valid. */
export function keptCall(entry: CallEntry): CallEntry | null {
  const { atMs, merchantId, objectId, target, operation, host, httpStatus, outcome, detail, ms, requestId } = entry;
  if (!isTime(atMs) || !isId(merchantId, MERCHANT_ID) || !isId(objectId, OBJECT_ID) || !EVENT.test(operation)) return null;
  return {
    ...{ atMs, merchantId, objectId, target, operation, outcome },
    host: HOST.test(host) ? host : "",
    httpStatus: httpStatus !== null && Number.isInteger(httpStatus) && httpStatus >= 100 && httpStatus <= 599 ? httpStatus : null,
    detail: detail === null ? null : keptDetail(detail),
    ms: Number.isFinite(ms) ? Math.min(MS_MAX, Math.max(0, Math.round(ms))) : 0,
    requestId: keptRequestId(requestId),
  };
}

function isTime(atMs: number): boolean {
  return Number.isSafeInteger(atMs) && atMs > 0;
}

/** Searches use ids, so an id is never masked. An id that contains a card number is not valid. */
function isId(text: string, form: RegExp): boolean {
  return form.test(text) && !holdsSchemePan(text);
}

function keptRequestId(requestId: string | null): string | null {
  return requestId !== null && isId(requestId, REQUEST_ID) ? requestId : null;
}

/** Masks the text before it is cut, so that a card number at the end is recognized. */
function keptDetail(detail: string): string {
  const words = maskText(detail).replaceAll(UNPRINTABLE, " ").trim();
  return ADDRESS.test(words) ? "not shown" : cutText(words, DETAIL_CHARS_MAX);
}
