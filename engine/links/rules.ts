import { GATEWAY_RESULT, type GatewayPaymentState } from "../gateway/gateway.ts";
import {
  LINK_GRACE_MS,
  LINK_INIT_CHECK_MS,
  LINK_LATE_CHECKS_MS,
  LINK_NOTIFICATIONS_MAX,
  LINK_UNVERIFIED_MAX_MS,
  LINK_VERIFY_GAP_ENDED_MS,
  LINK_VERIFY_GAP_MS,
  LINK_VERIFY_MS,
} from "../kernel/limits.ts";
import { isFinal, type LinkContext, type LinkOrder, type LinkOutcome, type LinkRecord } from "./link.ts";

/** A link that has just been thought of: stored before the gateway hears of it, so that it is found whatever happens then. */
export function newLink(order: LinkOrder): LinkRecord {
  return {
    schema: 1,
    state: "created",
    order,
    inits: 0,
    paymentId: null,
    paymentUrl: null,
    nextAtMs: order.createdAtMs + LINK_INIT_CHECK_MS,
    verifiedAtMs: null,
    notifications: 0,
    outcome: null,
    late: false,
    overdue: false,
    followUps: [],
  };
}

/** Whether a caller or a notification may have the gateway asked now. */
export function mayVerify(link: LinkRecord, atMs: number): boolean {
  if (link.state === "success" || neverOffered(link)) return false;
  return link.verifiedAtMs === null || atMs - link.verifiedAtMs >= gapMs(link);
}

/** Whether a notification is listened to. */
export function isHeard(link: LinkRecord): boolean {
  return link.notifications < LINK_NOTIFICATIONS_MAX && !neverOffered(link);
}

/** The gateway refused to create it: there is nothing that could be paid. */
function neverOffered({ state, paymentId }: LinkRecord): boolean {
  return state === "failed" && paymentId === null;
}

function gapMs({ state }: LinkRecord): number {
  return isFinal(state) ? LINK_VERIFY_GAP_ENDED_MS : LINK_VERIFY_GAP_MS;
}

/** When the gateway may be asked again: what a notification tells of may be younger than the last verify. */
export function afterGapMs(link: LinkRecord, atMs: number): number {
  return (link.verifiedAtMs ?? atMs) + gapMs(link);
}

/** Until when a notification is waited for. */
export function graceEndsMs({ order }: LinkContext): number {
  return order.createdAtMs + LINK_GRACE_MS;
}

/** When an open link is verified next, at its end at the latest. */
export function nextVerifyMs({ order }: LinkContext, atMs: number): number {
  return Math.min(atMs + LINK_VERIFY_MS, Math.max(order.expiresAtMs, atMs + LINK_VERIFY_GAP_MS));
}

/** The same of one whose time is over while the gateway cannot be asked: ever less often. */
export function nextOverdueVerifyMs({ order }: LinkContext, atMs: number): number {
  return atMs + Math.max(LINK_VERIFY_MS, Math.floor((atMs - order.expiresAtMs) / 10));
}

/** When an expired link is looked at again, or null: what the gateway never had cannot be paid late. */
export function lateCheckMs({ order, paymentId }: LinkContext, atMs: number): number | null {
  if (paymentId === null) return null;
  const after = LINK_LATE_CHECKS_MS.find((afterMs) => order.expiresAtMs + afterMs > atMs);
  return after === undefined ? null : order.expiresAtMs + after;
}

/** The same where the gateway could not be asked at such a look. */
export function lateCheckAgainMs(link: LinkContext, atMs: number): number | null {
  return link.nextAtMs === null || unverifiedTooLong(link, atMs) ? null : atMs + LINK_LATE_CHECKS_MS[1];
}

export function unverifiedTooLong({ order }: LinkContext, atMs: number): boolean {
  return atMs >= order.expiresAtMs + LINK_UNVERIFIED_MAX_MS;
}

/** How a paid or a failed payment ended, in the gateway's words. */
export function outcomeOf(found: Extract<GatewayPaymentState, { type: "paid" | "failed" }>, atMs: number): LinkOutcome {
  const { resultCode, description } = found.type === "paid" ? found.payment : found;
  return { resultCode, description, atMs, payment: found.type === "paid" ? found.payment : null };
}

export function expiredOutcome(atMs: number, description: string): LinkOutcome {
  return { resultCode: GATEWAY_RESULT.expired, description, atMs, payment: null };
}
