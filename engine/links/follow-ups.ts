import { GATEWAY_UNREAD, type GatewayPaymentState, type GatewayTotals } from "../gateway/gateway.ts";
import { LINK_FOLLOW_UP_CHECKS_MS, LINK_FOLLOW_UP_FLAG_MS, LINK_FOLLOW_UP_LEASE_MS, LINK_FOLLOW_UPS_MAX } from "../kernel/limits.ts";
import type { LinkEffect, LinkStep, Of } from "./events.ts";
import { amountOf, type FollowUp, type FollowUpRefusal, type LinkContext, type LinkState } from "./link.ts";

const VERIFY: LinkEffect = { type: "verify", params: {} };
const FLAG_FOLLOW_UP: LinkEffect = { type: "flagFollowUp", params: {} };
const SETTLE_FOLLOW_UP: LinkEffect = { type: "settleFollowUp", params: {} };

function refuse(state: LinkState, link: LinkContext, reason: FollowUpRefusal): LinkStep {
  return { state, link, effects: [{ type: "refuseFollowUp", params: { reason } }] };
}

/** A capture, reversal or refund of a paid link: executed once for its id, or refused with the reason. */
export function followUpRequested(state: LinkState, link: LinkContext, event: Of<"followUp.requested">): LinkStep {
  if (state !== "success") return refuse(state, link, "not_paid");
  const known = link.followUps.find(({ id }) => id === event.id);
  if (known !== undefined) {
    // One that a verify found executed has no movement yet: the gateway tells it when it is asked under the same id again.
    const isWhole = known.state === "refused" || (known.state === "done" && known.tranId !== null);
    return isWhole ? { state, link, effects: [{ type: "repeatFollowUp", params: { followUp: known } }] } : again(state, link, known);
  }
  const checked = checkFollowUp(link, event);
  if (typeof checked === "string") return refuse(state, link, checked);
  if (checked.id !== event.id) return again(state, link, checked);
  if (link.followUps.length >= LINK_FOLLOW_UPS_MAX) return refuse(state, link, "too_many");
  const followUps = [...link.followUps, checked];
  return {
    state,
    // Stored before the gateway is asked: whoever is home finds out what became of it, if nobody is told.
    link: { ...link, followUps, nextAtMs: nextCheckMs(followUps, event.atMs) },
    effects: [{ type: "executeFollowUp", params: { followUp: checked } }],
  };
}

/** Has one executed that was sent before, and remembers that: from now on a refusal says less. */
function again(state: LinkState, link: LinkContext, known: FollowUp): LinkStep {
  if (known.state !== "requested") return { state, link, effects: [{ type: "executeFollowUp", params: { followUp: known } }] };
  const { refusal: _, ...entry } = known;
  const followUp: FollowUp = { ...entry, repeated: true };
  const followUps = link.followUps.map((each) => (each === known ? followUp : each));
  return { state, link: { ...link, followUps }, effects: [{ type: "executeFollowUp", params: { followUp } }] };
}

/** Sums up what of a kind is done or may be. */
function counted(link: LinkContext, type: FollowUp["type"]): { minor: number; entries: readonly FollowUp[] } {
  const entries = link.followUps.filter((entry) => entry.type === type && entry.state !== "refused");
  return { minor: entries.reduce((sum, { amountMinor }) => sum + amountMinor, 0), entries };
}

/** The entry to execute (an earlier one, where its answer never came and the same is wanted), or why there is none. */
function checkFollowUp(link: LinkContext, event: Of<"followUp.requested">): FollowUp | FollowUpRefusal {
  const { order } = link;
  const { amountMinor } = amountOf(link);
  const captures = counted(link, "capture");
  const reversals = counted(link, "reversal");
  const refunds = counted(link, "refund");
  const capturedMinor = order.capture === "now" ? amountMinor : captures.minor;
  switch (event.followUp) {
    case "capture":
      if (order.capture === "now") return "already_captured";
      if (reversals.entries.length > 0) return "already_reversed";
      return unanswered(captures.entries, event) ?? (captures.entries.length > 0 ? "already_captured" : entryOf(event, amountMinor));
    case "reversal":
      if (refunds.entries.length > 0) return "already_refunded";
      return (
        unanswered(reversals.entries, event) ??
        (reversals.minor >= amountMinor ? "already_reversed" : entryOf(event, amountMinor - reversals.minor))
      );
    case "refund":
      if (capturedMinor === 0) return "not_captured";
      if (reversals.entries.length > 0) return "already_reversed";
      if (event.amountMinor !== null && event.amountMinor < capturedMinor) return "partial_refund";
      return unanswered(refunds.entries, event) ?? (refunds.entries.length > 0 ? "already_refunded" : entryOf(event, capturedMinor));
  }
}

/**
 * An earlier one of everything that was left whose answer never came: whoever wants the same goes on with it, under its id, which the gateway
 * executes once. While somebody may still be at it, it is theirs.
 */
function unanswered(entries: readonly FollowUp[], event: Of<"followUp.requested">): FollowUp | FollowUpRefusal | null {
  const entry = entries.find(({ state, whole }) => state === "requested" && whole);
  if (entry === undefined) return null;
  if (event.atMs - entry.requestedAtMs < LINK_FOLLOW_UP_LEASE_MS) return "under_way";
  return event.amountMinor === null || event.amountMinor === entry.amountMinor ? entry : "under_way";
}

function entryOf(event: Of<"followUp.requested">, leftMinor: number): FollowUp | FollowUpRefusal {
  const amountMinor = event.amountMinor ?? leftMinor;
  if (amountMinor > leftMinor) return "too_much";
  return {
    id: event.id,
    type: event.followUp,
    amountMinor,
    whole: amountMinor === leftMinor,
    state: "requested",
    requestedAtMs: event.atMs,
    finishedAtMs: null,
    tranId: null,
    resultCode: null,
    description: null,
  };
}

/** The gateway answered one: done, or refused. */
export function followUpEnded(
  state: LinkState,
  link: LinkContext,
  event: Of<"followUp.answered"> | Of<"followUp.refused">,
  ended: "done" | "refused",
  tranId: string | null,
): LinkStep {
  const { id, atMs, resultCode, description } = event;
  const concerns = (entry: FollowUp) =>
    entry.id === id && (entry.state === "requested" || (entry.state === "done" && entry.tranId === null && ended === "done"));
  if (!link.followUps.some(concerns)) return { state, link, effects: [] };
  const isUncertain = (entry: FollowUp) => ended === "refused" && entry.repeated === true;
  const followUps = link.followUps.map((entry) => {
    if (!concerns(entry)) return entry;
    // Who did not look at it has not said what became of the attempt before.
    if (isUncertain(entry)) return isUnread(resultCode) ? entry : { ...entry, refusal: { atMs, resultCode, description } };
    return endedEntry(entry, { state: ended, finishedAtMs: entry.finishedAtMs ?? atMs, tranId, resultCode, description });
  });
  const anyUncertain = link.followUps.some((entry) => concerns(entry) && isUncertain(entry));
  return {
    state,
    link: { ...link, followUps, nextAtMs: nextCheckMs(followUps, atMs) },
    effects: anyUncertain ? [VERIFY] : settledEffects(link.followUps, followUps),
  };
}

function isUnread(resultCode: string): boolean {
  return Object.values<string>(GATEWAY_UNREAD).includes(resultCode);
}

function endedEntry(
  { flagged: _flagged, repeated: _repeated, refusal: _refusal, ...entry }: FollowUp,
  end: Pick<FollowUp, "state" | "finishedAtMs" | "tranId" | "resultCode" | "description">,
): FollowUp {
  return { ...entry, ...end };
}

function settledEffects(before: readonly FollowUp[], after: readonly FollowUp[]): LinkEffect[] {
  const isFlagged = ({ flagged }: FollowUp) => flagged === true;
  return before.some(isFlagged) && !after.some(isFlagged) ? [SETTLE_FOLLOW_UP] : [];
}

/** When the gateway is next asked about those whose answers were lost; null where there are none, or it was asked often enough. */
function nextCheckMs(followUps: readonly FollowUp[], atMs: number): number | null {
  const checks = followUps
    .filter(({ state }) => state === "requested")
    .flatMap(({ requestedAtMs }) => LINK_FOLLOW_UP_CHECKS_MS.map((afterMs) => requestedAtMs + afterMs))
    .filter((checkMs) => checkMs > atMs);
  return checks.length === 0 ? null : Math.min(...checks);
}

/** A gateway that calls a paid payment something else has not said what became of it since. */
function totalsOf(payment: GatewayPaymentState): GatewayTotals {
  return payment.type === "paid" ? (payment.totals ?? {}) : {};
}

/**
 * What the gateway says of a paid link whose captures, reversals or refunds were never answered. Only a total that is just what all of a kind make up says that
 * they were executed. Anything less says nothing for good: a request may be on its way, and its caller may repeat it under its id. Unless the gateway
 * refused that id in between: what it refused once it does not execute later.
 */
export function followUpsVerified(state: LinkState, link: LinkContext, event: Of<"verify.answered"> | Of<"verify.failed">): LinkStep {
  const { atMs } = event;
  const answered = event.type === "verify.answered";
  const totals = answered ? totalsOf(event.payment) : {};
  if (!link.followUps.some((entry) => entry.state === "requested")) return { state, link, effects: [] };
  const executed: Readonly<Record<FollowUp["type"], boolean | null>> = {
    capture: totals.captured ?? null,
    reversal: isAllOf(link, "reversal", totals.reversedMinor),
    refund: isAllOf(link, "refund", totals.refundedMinor),
  };
  const followUps = link.followUps.map((entry): FollowUp => {
    if (entry.state !== "requested") return entry;
    const found = executed[entry.type];
    if (found === true) {
      return endedEntry(entry, {
        state: "done",
        finishedAtMs: atMs,
        tranId: null,
        resultCode: null,
        description: "Executed, by the gateway's totals",
      });
    }
    if (found === false && answered && entry.refusal !== undefined && event.askedAtMs >= entry.refusal.atMs) {
      const { resultCode, description } = entry.refusal;
      return endedEntry(entry, { state: "refused", finishedAtMs: atMs, tranId: null, resultCode, description });
    }
    // A gateway that answers without a word about it will not have one later either.
    const flag = (answered && found === null) || atMs >= entry.requestedAtMs + LINK_FOLLOW_UP_FLAG_MS;
    const description = !answered
      ? entry.description
      : found === null
        ? "The gateway does not say whether it was executed"
        : "Not executed when the gateway was last asked";
    return { ...entry, description, ...(flag ? { flagged: true } : {}) };
  });
  const isNew = followUps.some(({ flagged }, index) => flagged === true && link.followUps[index]?.flagged !== true);
  const effects = isNew ? [FLAG_FOLLOW_UP] : settledEffects(link.followUps, followUps);
  const verifiedAtMs = answered ? atMs : link.verifiedAtMs;
  return { state, link: { ...link, followUps, verifiedAtMs, nextAtMs: nextCheckMs(followUps, atMs) }, effects };
}

/** Whether a total is that of all of a kind; false where it is less, null where it cannot be told or is something else. */
function isAllOf(link: LinkContext, type: FollowUp["type"], totalMinor: number | undefined): boolean | null {
  if (totalMinor === undefined) return null;
  const { minor, entries } = counted(link, type);
  if (totalMinor === minor) return true;
  const doneMinor = entries.reduce((sum, { state, amountMinor }) => (state === "done" ? sum + amountMinor : sum), 0);
  return totalMinor === doneMinor ? false : null;
}
