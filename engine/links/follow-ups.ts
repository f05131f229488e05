import type { GatewayPaymentState, GatewayTotals } from "../gateway/gateway.ts";
import { LINK_FOLLOW_UP_LEASE_MS, LINK_FOLLOW_UPS_MAX } from "../kernel/limits.ts";
import { compile } from "../kernel/statechart.ts";
import type { LinkEffect, LinkStep, Of } from "./events.ts";
import { type FollowUpEvent, followUpMachine, stateOfFollowUp } from "./follow-up-machine.ts";
import { amountOf, type FollowUp, type FollowUpRefusal, type LinkContext, type LinkRecord } from "./link.ts";
import { isUnread, nextPaidMs } from "./rules.ts";

const FLAG_FOLLOW_UP: LinkEffect = { type: "flagFollowUp", params: {} };
const SETTLE_FOLLOW_UP: LinkEffect = { type: "settleFollowUp", params: {} };

const stepFollowUp = compile(followUpMachine, ["verify", "executeFollowUp", "repeatFollowUp"]);

/** Steps one follow-up by its machine. */
function step(entry: FollowUp, event: FollowUpEvent): { entry: FollowUp; effects: readonly LinkEffect[] } {
  const { context, effects } = stepFollowUp(stateOfFollowUp(entry), { entry }, event);
  return { entry: context.entry, effects };
}

function refuse(link: LinkRecord, reason: FollowUpRefusal): LinkStep {
  return { link, effects: [{ type: "refuseFollowUp", params: { reason } }] };
}

/** A capture, reversal or refund of a paid link: executed once for its id, or refused with the reason. */
export function followUpRequested(link: LinkRecord, event: Of<"followUp.requested">): LinkStep {
  if (link.state !== "success") return refuse(link, "not_paid");
  const known = link.followUps.find(({ id }) => id === event.id);
  const asked = known === undefined || isUnread(known) ? checkFollowUp(link, event) : known;
  if (typeof asked === "string") return refuse(link, asked);
  if (known !== undefined && asked.id === known.id && asked !== known) {
    // Begun anew: for the gateway it is the first time.
    const anew = begunAnew(asked, known);
    const followUps = replaced(link.followUps, known, anew);
    return {
      link: { ...link, followUps, nextAtMs: nextPaidMs({ ...link, followUps }, event.atMs) },
      effects: [{ type: "executeFollowUp", params: { followUp: anew } }],
    };
  }
  if (link.followUps.includes(asked)) {
    const { entry, effects } = step(asked, event);
    return entry === asked ? { link, effects } : { link: { ...link, followUps: replaced(link.followUps, asked, entry) }, effects };
  }
  if (link.followUps.length >= LINK_FOLLOW_UPS_MAX) return refuse(link, "too_many");
  const followUps = [...link.followUps, asked];
  return {
    // Stored before the gateway is asked: whoever is home finds out what became of it, if nobody is told.
    link: { ...link, followUps, nextAtMs: nextPaidMs({ ...link, followUps }, event.atMs) },
    effects: [{ type: "executeFollowUp", params: { followUp: asked } }],
  };
}

/** Who wanted it first, and when that was, stays. */
function begunAnew(entry: FollowUp, { by, begun, requestedAtMs }: FollowUp): FollowUp {
  const { by: _, ...again } = entry;
  const times = (begun?.times ?? 1) + 1;
  return { ...again, ...(by === undefined ? {} : { by }), begun: { times, firstAtMs: begun?.firstAtMs ?? requestedAtMs } };
}

function replaced(list: readonly FollowUp[], entry: FollowUp, by: FollowUp): readonly FollowUp[] {
  return list.map((other) => (other === entry ? by : other));
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
    ...(event.by === undefined ? {} : { by: event.by }),
  };
}

/** The gateway answered one: done, or refused. */
export function followUpAnswered(link: LinkRecord, event: Of<"followUp.answered"> | Of<"followUp.refused">): LinkStep {
  const asked = link.followUps.find(({ id }) => id === event.id);
  if (asked === undefined) return { link, effects: [] };
  const { entry, effects } = step(asked, event);
  if (entry === asked && effects.length === 0) return { link, effects };
  const followUps = replaced(link.followUps, asked, entry);
  return {
    link: { ...link, followUps, nextAtMs: nextPaidMs({ ...link, followUps }, event.atMs) },
    effects: [...effects, ...attentionEffects(link.followUps, followUps)],
  };
}

/** What operators are told: once for all that they have to look at, and once when there is nothing left. */
function attentionEffects(before: readonly FollowUp[], after: readonly FollowUp[]): LinkEffect[] {
  const isFlagged = ({ flagged }: FollowUp) => flagged === true;
  const isNew = after.some((entry, index) => isFlagged(entry) && before[index]?.flagged !== true);
  if (isNew) return [FLAG_FOLLOW_UP];
  return before.some(isFlagged) && !after.some(isFlagged) ? [SETTLE_FOLLOW_UP] : [];
}

/**
 * What the gateway says of a paid link whose captures, reversals or refunds were never answered. Only a total that is just what all of a kind make up says that
 * they were executed. Anything less says nothing for good: a request may be on its way, and its caller may repeat it under its id. Unless the gateway
 * refused that id in between: what it refused once it does not execute later.
 */
export function followUpsVerified(link: LinkRecord, event: Of<"verify.answered"> | Of<"verify.failed">): LinkStep {
  if (!link.followUps.some(({ state }) => state === "requested")) return { link, effects: [] };
  const { atMs } = event;
  const eventOf = concerning(link, event);
  const followUps = link.followUps.map((entry) => (entry.state === "requested" ? step(entry, eventOf(entry)).entry : entry));
  const verifiedAtMs = event.type === "verify.answered" ? atMs : link.verifiedAtMs;
  return {
    link: { ...link, followUps, verifiedAtMs, nextAtMs: nextPaidMs({ ...link, followUps }, atMs) },
    effects: attentionEffects(link.followUps, followUps),
  };
}

/** What a verify of the link means for each of its follow-ups. */
function concerning(link: LinkRecord, event: Of<"verify.answered"> | Of<"verify.failed">): (entry: FollowUp) => FollowUpEvent {
  if (event.type === "verify.failed") return () => event;
  const { atMs, askedAtMs, payment } = event;
  const totals = totalsOf(payment);
  const executed: Readonly<Record<FollowUp["type"], boolean | null>> = {
    capture: totals.captured ?? null,
    reversal: isAllOf(link, "reversal", totals.reversedMinor),
    refund: isAllOf(link, "refund", totals.refundedMinor),
  };
  return ({ type }) => ({ type: "totals.read", atMs, askedAtMs, executed: executed[type] });
}

/** A gateway that calls a paid payment something else has not said what became of it since. */
function totalsOf(payment: GatewayPaymentState): GatewayTotals {
  return payment.type === "paid" ? (payment.totals ?? {}) : {};
}

/** Whether a total is that of all of a kind; false where it is less, null where it cannot be told or is something else. */
function isAllOf(link: LinkContext, type: FollowUp["type"], totalMinor: number | undefined): boolean | null {
  if (totalMinor === undefined) return null;
  const { minor, entries } = counted(link, type);
  if (totalMinor === minor) return true;
  const doneMinor = entries.reduce((sum, { state, amountMinor }) => (state === "done" ? sum + amountMinor : sum), 0);
  return totalMinor === doneMinor ? false : null;
}
