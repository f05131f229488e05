import type { CallEntry, WorkflowEntry } from "./activity-log.ts";
import { cutText } from "./cut-text.ts";
import { IDENTIFIER_LENGTH_MAX } from "./limits.ts";
import { holdsSchemePan, maskText } from "./mask.ts";

/**
 * What may be in an entry of the logs, decided here for all who write one: ids, words, a host and figures. An entry whose ids or words are none is not written at all,
 * since nobody could find it or say what it tells; what only explains it is left out or cut.
 */

/** As merchants are named. */
const MERCHANT_ID = new RegExp(`^[A-Za-z0-9._-]{1,${IDENTIFIER_LENGTH_MAX}}$`);
/** Ids of links, intents, endpoints, events and mails. Neither an address of a page nor of a person has this form. */
const OBJECT_ID = /^[A-Za-z0-9._:-]{1,100}$/;
/** `noun.verb`, and the names of events and operations. */
const EVENT = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;
/** A state, as machines name it. */
const STATE = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;
const REQUEST_ID = /^[A-Za-z0-9._-]{1,100}$/;
/** A name or an address, and a port. */
const HOST = /^[A-Za-z0-9.-]{1,255}(?::\d{1,5})?$|^\[[0-9A-Fa-f:.]{2,45}\](?::\d{1,5})?$/;

const DETAIL_CHARS_MAX = 255;
/** What no reason of ours holds: an address of a page or of a person. */
const ADDRESS = /:\/\/|@/;
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** Longer than anything that is waited for. */
const MS_MAX = 86_400_000;

/** The entry as it is kept; null for one that is not. */
export function keptWorkflow(entry: WorkflowEntry): WorkflowEntry | null {
  const { atMs, merchantId, objectType, objectId, event, from, to, requestId, outcome } = entry;
  if (!isTime(atMs) || !isId(merchantId, MERCHANT_ID) || !isId(objectId, OBJECT_ID) || !EVENT.test(event)) return null;
  if (!STATE.test(to) || (from !== null && !STATE.test(from))) return null;
  return { atMs, merchantId, objectType, objectId, event, from, to, requestId: keptRequestId(requestId), outcome };
}

/** The entry as it is kept; null for one that is not. */
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

/** By an id something is found again, so it is not changed: one that holds a card number is none. */
function isId(text: string, form: RegExp): boolean {
  return form.test(text) && !holdsSchemePan(text);
}

function keptRequestId(requestId: string | null): string | null {
  return requestId !== null && isId(requestId, REQUEST_ID) ? requestId : null;
}

/** Masked before it is cut, so that a card number at the end is seen whole. */
function keptDetail(detail: string): string {
  const words = maskText(detail).replaceAll(UNPRINTABLE, " ").trim();
  return ADDRESS.test(words) ? "not shown" : cutText(words, DETAIL_CHARS_MAX);
}
