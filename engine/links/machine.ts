import { assign, setup } from "xstate";
import { GATEWAY_RESULT } from "../gateway/gateway.ts";
import { LINK_GRACE_MS, LINK_INIT_CHECK_MS } from "../kernel/limits.ts";
import type { LinkEvent } from "./events.ts";
import { amountDiffers, isFinal, type LinkRecord, type LinkState } from "./link.ts";
import {
  afterGapMs,
  countedReversal,
  endedReversal,
  expiredOutcome,
  graceEndsMs,
  isHeard,
  isReversalDue,
  isReversalTooLate,
  lateCheckAgainMs,
  lateCheckMs,
  mayVerify,
  nextOverdueVerifyMs,
  nextVerifyMs,
  outcomeOf,
  owingReversal,
  revokedCheckAgainMs,
  revokedCheckMs,
  revokedOutcome,
  unverifiedTooLong,
} from "./rules.ts";

/**
 * A payment link (infra/docs/links.md; drawn in infra/docs/machines/link.md): what is believed of its payment, and when the gateway is asked. Pure: time comes with
 * the events, effects are data, carried out by the runtime once the step is stored. The record is its context, and alone tells its state. What becomes of
 * captures, reversals and refunds is said by the machine of each (follow-up-machine.ts).
 */
export type LinkMachineState = LinkState | "overdue" | "revoked";

/** What happens to a link, but for its follow-ups. */
export type LinkMachineEvent = Exclude<LinkEvent, { type: `followUp.${string}` }>;

/** One that is overdue is stored as how far it had come, and that it is overdue; one that is revoked as failed. */
export function stateOfLink({ state, overdue, revoked }: LinkRecord): LinkMachineState {
  if (revoked === true && state === "failed") return "revoked";
  return overdue && !isFinal(state) ? "overdue" : state;
}

interface Args {
  context: LinkRecord;
  event: LinkMachineEvent;
}

/** Asked by a caller before its time: what was to come still comes. */
function isEarly({ context: { nextAtMs }, event: { atMs } }: Args): boolean {
  return nextAtMs !== null && nextAtMs > atMs;
}

function isInTime({ context: { order }, event: { atMs } }: Args): boolean {
  return atMs < order.expiresAtMs;
}

function isUnknownTooLong({ context, event: { atMs } }: Args): boolean {
  return unverifiedTooLong(context, atMs);
}

/** Nobody has its address. */
function isUnconfirmed({ context: { state } }: Args): boolean {
  return state === "created";
}

/** The refusal of a second init may only say that the first one arrived. */
function isBelieved({ context: { inits }, event }: Args): boolean {
  return event.type === "init.refused" && (inits <= 1 || event.absent);
}

function isPaid({ event }: Args): boolean {
  return event.type === "verify.answered" && event.payment.type === "paid";
}

function isPaidOtherwise({ context: { order }, event }: Args): boolean {
  if (event.type !== "verify.answered" || event.payment.type !== "paid") return false;
  return amountDiffers({ order, outcome: outcomeOf(event.payment, event.atMs) });
}

function isFailed({ event }: Args): boolean {
  return event.type === "verify.answered" && event.payment.type === "failed";
}

function isExpired({ event }: Args): boolean {
  return event.type === "verify.answered" && event.payment.type === "failed" && event.payment.resultCode === GATEWAY_RESULT.expired;
}

function isAbsent({ event }: Args): boolean {
  return event.type === "verify.answered" && event.payment.type === "absent";
}

/** What the gateway does not have and never had, as far as anybody knows, nobody can pay. */
function isNeverThere(args: Args): boolean {
  return isAbsent(args) && args.context.paymentId === null;
}

/** The gateway had it, and buyers may be paying it: another account was asked, or it lost its memory. */
function isLost(args: Args): boolean {
  return isAbsent(args) && args.context.paymentId !== null;
}

/** Found by a verify because init was never answered. */
function isFoundInGrace({ context, event }: Args): boolean {
  if (event.type !== "verify.answered" || event.payment.type !== "pending") return false;
  return context.state === "created" && event.atMs < graceEndsMs(context) && context.notifications === 0;
}

const setUp = setup({
  types: {} as { context: LinkRecord; input: LinkRecord; events: LinkMachineEvent; tags: "ended" },
  guards: {
    isUnconfirmed,
    isBelieved,
    isUnconfirmedAndBelieved: (args) => isUnconfirmed(args) && isBelieved(args),
    hasNoAddress: ({ context: { paymentUrl } }) => paymentUrl === null,
    mayVerify: ({ context, event }) => mayVerify(context, event.atMs),
    isDue: ({ context: { nextAtMs }, event }) => nextAtMs !== null && nextAtMs <= event.atMs,
    isHeard: ({ context }) => isHeard(context),
    isHeardNow: ({ context, event }) => isHeard(context) && mayVerify(context, event.atMs),
    isHeardAfterGap: ({ context, event }) =>
      isHeard(context) && (context.nextAtMs === null || context.nextAtMs > afterGapMs(context, event.atMs)),
    isHeardInGrace: ({ context }) => isHeard(context) && context.state === "waiting",
    isEarly,
    isInTime,
    isUnknownTooLong,
    isPaid,
    isPaidOtherwise,
    isPaidAndWasOverdue: (args) => isPaid(args) && args.context.overdue,
    isPaidOtherwiseAndWasOverdue: (args) => isPaidOtherwise(args) && args.context.overdue,
    isFailed,
    isExpired,
    isAbsent,
    isLost,
    isLostAndEarly: (args) => isLost(args) && isEarly(args),
    isLostInTime: (args) => isLost(args) && isInTime(args),
    isLostTooLong: (args) => isLost(args) && isUnknownTooLong(args),
    /** Only a verify that was asked for after the end knows that it was not paid until then. */
    isAskedAfterEnd: ({ context: { order }, event }) => event.type === "verify.answered" && event.askedAtMs >= order.expiresAtMs,
    isNotThereAfterEnd: (args) =>
      isNeverThere(args) && args.event.type === "verify.answered" && args.event.askedAtMs >= args.context.order.expiresAtMs,
    isFoundInGrace,
    isVerifiedSince: ({ context: { verifiedAtMs }, event }) =>
      event.type === "revoke.requested" && verifiedAtMs !== null && verifiedAtMs >= event.sinceMs,
    isReversalDue: ({ context, event }) => isReversalDue(context, event.atMs),
    isReversalTooLate: ({ context, event }) => isReversalDue(context, event.atMs) && isReversalTooLate(context, event.atMs),
    isGivenUp: (args) => args.context.nextAtMs !== null && isUnknownTooLong(args),
    isInGrace: (args) => args.context.state === "waiting" && isEarly(args),
  },
  actions: {
    verify: (_, _params: Record<string, never>) => {},
    ended: (_, _params: Record<string, never>) => {},
    flagLate: (_, _params: Record<string, never>) => {},
    flagAmount: (_, _params: Record<string, never>) => {},
    flagOverdue: (_, _params: Record<string, never>) => {},
    flagReversal: (_, _params: Record<string, never>) => {},
    reverse: (_, _params: Record<string, never>) => {},
    settleOverdue: (_, _params: Record<string, never>) => {},
    countInit: assign(({ context, event }) => ({ inits: context.inits + 1, nextAtMs: event.atMs + LINK_INIT_CHECK_MS })),
    offer: assign(({ context, event }) => {
      if (event.type !== "init.answered") return {};
      const { atMs, paymentId, redirectUrl } = event;
      const nextAtMs = Math.max(atMs, context.order.createdAtMs) + LINK_GRACE_MS;
      return { state: "waiting" as const, paymentId, paymentUrl: redirectUrl, nextAtMs };
    }),
    /** A verify found it first; the address may be known only now. */
    keepAddress: assign(({ event }) => (event.type === "init.answered" ? { paymentUrl: event.redirectUrl } : {})),
    endAsRefused: assign(({ event }) => {
      if (event.type !== "init.refused") return {};
      const { resultCode, description, atMs } = event;
      return {
        state: "failed" as const,
        outcome: { resultCode, description, atMs, payment: null },
        nextAtMs: null,
        settled: true as const,
      };
    }),
    /** Due at once, also for whoever is home after a crash. */
    countAndAskNow: assign(({ context, event }) => ({ notifications: context.notifications + 1, nextAtMs: event.atMs })),
    countAndAskAfterGap: assign(({ context, event }) => ({
      notifications: context.notifications + 1,
      nextAtMs: afterGapMs(context, event.atMs),
    })),
    endGrace: assign(({ context: { state } }) => (state === "waiting" ? { state: "watching" as const } : {})),
    noteAnswer: assign(({ event }) => ({ verifiedAtMs: event.atMs })),
    /** The gateway's names for it, where it has it. */
    noteNames: assign(({ context, event }) => {
      if (event.type !== "verify.answered" || event.payment.type !== "pending") return {};
      const { paymentId, redirectUrl } = event.payment;
      return { paymentId, paymentUrl: context.paymentUrl ?? redirectUrl };
    }),
    /** From here on as if init had been answered. */
    waitForGrace: assign(({ context }) => ({ state: "waiting" as const, nextAtMs: graceEndsMs(context) })),
    watch: assign(() => ({ state: "watching" as const })),
    askAgain: assign(({ context, event }) => ({ nextAtMs: nextVerifyMs(context, event.atMs) })),
    becomeOverdue: assign(() => ({ overdue: true })),
    askLessOften: assign(({ context, event }) => ({ nextAtMs: nextOverdueVerifyMs(context, event.atMs) })),
    endAsPaid: assign(({ context, event }) => {
      if (event.type !== "verify.answered" || event.payment.type !== "paid") return {};
      const { paymentId } = event.payment;
      const late = isFinal(context.state);
      const outcome = outcomeOf(event.payment, event.atMs);
      return { state: "success" as const, paymentId, outcome, late, overdue: false, nextAtMs: null };
    }),
    endAsFailed: assign(({ event }) => {
      if (event.type !== "verify.answered" || event.payment.type !== "failed") return {};
      const { paymentId, resultCode } = event.payment;
      const state = resultCode === GATEWAY_RESULT.expired ? ("expired" as const) : ("failed" as const);
      return { state, paymentId, outcome: outcomeOf(event.payment, event.atMs), overdue: false, nextAtMs: null, settled: true as const };
    }),
    /** That is its end, though not quite: the buyer may be paying at this moment. */
    endAsExpired: assign(({ context, event }) => ({
      state: "expired" as const,
      outcome: expiredOutcome(event.atMs, "The buyer did not pay in time"),
      overdue: false,
      nextAtMs: lateCheckMs(context, event.atMs),
    })),
    giveUp: assign(({ event }) => ({
      state: "expired" as const,
      outcome: expiredOutcome(event.atMs, "Given up: the gateway could not be asked whether it was paid"),
      nextAtMs: null,
    })),
    settle: assign(() => ({ settled: true as const })),
    /** The gateway has been heard to have it: its number is what late checks ask by. */
    keepName: assign(({ context, event }) => (event.type === "init.answered" ? { paymentId: context.paymentId ?? event.paymentId } : {})),
    revoke: assign(({ context, event }) => {
      const revoked = { ...context, revoked: true as const, state: "failed" as const, overdue: false, outcome: revokedOutcome(event.atMs) };
      return { ...revoked, nextAtMs: revokedCheckMs(context, event.atMs) };
    }),
    askAgainRevoked: assign(({ context, event }) => ({ nextAtMs: revokedCheckMs(context, event.atMs) })),
    askAgainRevokedLater: assign(({ context, event }) => ({ nextAtMs: revokedCheckAgainMs(context, event.atMs) })),
    oweReversal: assign(({ context, event }) => owingReversal(context, event.atMs)),
    countReversal: assign(({ context, event }) => countedReversal(context, event.atMs)),
    giveUpReversal: assign(({ context, event }) => endedReversal(context, "givenUp", event.atMs)),
    lookAgain: assign(({ context, event }) => ({ nextAtMs: lateCheckMs(context, event.atMs) })),
    lookAgainSoon: assign(({ context, event }) => ({ nextAtMs: lateCheckAgainMs(context, event.atMs) })),
    lookNoMore: assign(() => ({ nextAtMs: null })),
  },
});

const verify = { type: "verify", params: {} } as const;
const ended = { type: "ended", params: {} } as const;
const flagLate = { type: "flagLate", params: {} } as const;
const flagAmount = { type: "flagAmount", params: {} } as const;
const flagOverdue = { type: "flagOverdue", params: {} } as const;
const flagReversal = { type: "flagReversal", params: {} } as const;
const reverse = { type: "reverse", params: {} } as const;
const settleOverdue = { type: "settleOverdue", params: {} } as const;

const verifyAsked = { guard: "mayVerify", actions: verify } as const;
const verifyDue = { guard: "isDue", actions: verify } as const;
const keepAddress = { guard: "hasNoAddress", actions: "keepAddress" } as const;
/** A notification is never believed: it leads to a verify, at once or after the gap. */
const notified = [
  { guard: "isHeardNow", actions: ["countAndAskNow", verify] },
  { guard: "isHeardAfterGap", actions: "countAndAskAfterGap" },
] as const;

/** What an open link makes of a verify that knows its end. */
const verifiedAsEnded = [
  { guard: "isPaidOtherwise", target: "success", actions: ["noteAnswer", "endAsPaid", ended, flagAmount] },
  { guard: "isPaid", target: "success", actions: ["noteAnswer", "endAsPaid", ended] },
  { guard: "isExpired", target: "expired", actions: ["noteAnswer", "endAsFailed", ended] },
  { guard: "isFailed", target: "failed", actions: ["noteAnswer", "endAsFailed", ended] },
] as const;
/** Only what the gateway still has might be paid after that. */
const verifiedAfterEnd = {
  guard: "isAskedAfterEnd",
  target: "expired",
  actions: ["noteAnswer", "noteNames", "endAsExpired", ended],
} as const;
const notThereAfterEnd = {
  guard: "isNotThereAfterEnd",
  target: "expired",
  actions: ["noteAnswer", "endAsExpired", "settle", ended],
} as const;
/** Its order is canceled, and the gateway has just said that it is not paid. */
const revoked = { guard: "isVerifiedSince", target: "revoked", actions: ["revoke", ended] } as const;
const revokedOverdue = { guard: "isVerifiedSince", target: "revoked", actions: ["revoke", settleOverdue, ended] } as const;
const watched = { target: "watching", actions: ["noteAnswer", "noteNames", "watch", "askAgain"] } as const;

/** What an open link makes of a verify that does not know it any more. Nothing follows from that, as if the gateway could not be asked. */
const verifiedAsLost = [
  { guard: "isLostAndEarly", actions: "noteAnswer" },
  { guard: "isLostInTime", target: "watching", actions: ["noteAnswer", "watch", "askAgain"] },
  { guard: "isLostTooLong", target: "expired", actions: ["noteAnswer", "giveUp", ended] },
  { guard: "isLost", target: "overdue", actions: ["noteAnswer", "watch", "becomeOverdue", "askLessOften", flagOverdue] },
] as const;
const givenUp = { guard: "isUnknownTooLong", target: "expired", actions: ["giveUp", ended] } as const;

/** Paid after it was told as ended. */
const paidLate = [
  {
    guard: "isPaidOtherwiseAndWasOverdue",
    target: "success",
    actions: ["noteAnswer", "endAsPaid", settleOverdue, ended, flagLate, flagAmount],
  },
  { guard: "isPaidAndWasOverdue", target: "success", actions: ["noteAnswer", "endAsPaid", settleOverdue, ended, flagLate] },
  { guard: "isPaidOtherwise", target: "success", actions: ["noteAnswer", "endAsPaid", ended, flagLate, flagAmount] },
  { guard: "isPaid", target: "success", actions: ["noteAnswer", "endAsPaid", ended, flagLate] },
] as const;
/** Nobody wants the money any more. */
const paidRevoked = [
  {
    guard: "isPaidOtherwise",
    target: "success",
    actions: ["noteAnswer", "endAsPaid", "oweReversal", ended, flagLate, flagAmount, flagReversal],
  },
  { guard: "isPaid", target: "success", actions: ["noteAnswer", "endAsPaid", "oweReversal", ended, flagLate, flagReversal] },
] as const;
const lookNoMore = { actions: ["noteAnswer", "lookNoMore"] } as const;
const notAskedLate = { actions: "lookAgainSoon" } as const;

export const linkMachine = setUp.createMachine({
  id: "link",
  context: ({ input }) => input,
  initial: "created",
  states: {
    created: {
      description: "Stored, but the gateway has not confirmed it: nobody has its address yet.",
      on: {
        "init.begun": { actions: "countInit" },
        "init.answered": { target: "waiting", actions: "offer" },
        "init.refused": { guard: "isBelieved", target: "failed", actions: "endAsRefused" },
        "notification.received": [...notified],
        "verify.requested": verifyAsked,
        "revoke.requested": revoked,
        "deadline.passed": verifyDue,
        "verify.failed": [
          { guard: "isEarly" },
          { guard: "isInTime", actions: "askAgain" },
          givenUp,
          { target: "overdue", actions: ["becomeOverdue", "askLessOften", flagOverdue] },
        ],
        "verify.answered": [
          ...verifiedAsEnded,
          // It has no name at the gateway yet, so that what is absent is not lost.
          notThereAfterEnd,
          verifiedAfterEnd,
          { guard: "isFoundInGrace", target: "waiting", actions: ["noteAnswer", "noteNames", "waitForGrace"] },
          { guard: "isAbsent", actions: ["noteAnswer", "askAgain"] },
          watched,
        ],
      },
    },
    waiting: {
      description: "At the gateway. A notification is expected, and without one a verify after the grace.",
      on: {
        "init.answered": keepAddress,
        "notification.received": [
          { guard: "isHeardNow", target: "watching", actions: ["countAndAskNow", "watch", verify] },
          { guard: "isHeardAfterGap", target: "watching", actions: ["countAndAskAfterGap", "watch"] },
          { guard: "isHeard", target: "watching", actions: "watch" },
        ],
        "verify.requested": verifyAsked,
        "revoke.requested": revoked,
        "deadline.passed": verifyDue,
        "verify.failed": [
          { guard: "isEarly" },
          { guard: "isInTime", target: "watching", actions: ["watch", "askAgain"] },
          givenUp,
          { target: "overdue", actions: ["watch", "becomeOverdue", "askLessOften", flagOverdue] },
        ],
        "verify.answered": [
          ...verifiedAsEnded,
          ...verifiedAsLost,
          verifiedAfterEnd,
          { guard: "isInGrace", actions: ["noteAnswer", "noteNames"] },
          watched,
        ],
      },
    },
    watching: {
      description: "At the gateway, verified again and again until it ends.",
      on: {
        "init.answered": keepAddress,
        "notification.received": [...notified],
        "verify.requested": verifyAsked,
        "revoke.requested": revoked,
        "deadline.passed": verifyDue,
        "verify.failed": [
          { guard: "isEarly" },
          { guard: "isInTime", actions: "askAgain" },
          givenUp,
          { target: "overdue", actions: ["becomeOverdue", "askLessOften", flagOverdue] },
        ],
        "verify.answered": [...verifiedAsEnded, ...verifiedAsLost, verifiedAfterEnd, watched],
      },
    },
    overdue: {
      description:
        "Its time is over, and the gateway cannot be asked whether it was paid, or does not know it any more. Operators have been told. It is asked about ever less often, and after a week given up.",
      on: {
        "init.begun": { guard: "isUnconfirmed", actions: "countInit" },
        "init.answered": [{ guard: "isUnconfirmed", actions: "offer" }, keepAddress],
        "init.refused": { guard: "isUnconfirmedAndBelieved", target: "failed", actions: "endAsRefused" },
        "notification.received": [
          { guard: "isHeardNow", actions: ["countAndAskNow", "endGrace", verify] },
          { guard: "isHeardAfterGap", actions: ["countAndAskAfterGap", "endGrace"] },
          { guard: "isHeardInGrace", actions: "endGrace" },
        ],
        "verify.requested": verifyAsked,
        "revoke.requested": revokedOverdue,
        "deadline.passed": verifyDue,
        "verify.failed": [
          { guard: "isEarly" },
          { guard: "isInTime", actions: ["endGrace", "askAgain"] },
          givenUp,
          { actions: ["endGrace", "askLessOften"] },
        ],
        "verify.answered": [
          { guard: "isPaidOtherwise", target: "success", actions: ["noteAnswer", "endAsPaid", settleOverdue, ended, flagAmount] },
          { guard: "isPaid", target: "success", actions: ["noteAnswer", "endAsPaid", settleOverdue, ended] },
          { guard: "isExpired", target: "expired", actions: ["noteAnswer", "endAsFailed", settleOverdue, ended] },
          { guard: "isFailed", target: "failed", actions: ["noteAnswer", "endAsFailed", settleOverdue, ended] },
          { guard: "isLostAndEarly", actions: "noteAnswer" },
          { guard: "isLostInTime", actions: ["noteAnswer", "endGrace", "askAgain"] },
          { guard: "isLostTooLong", target: "expired", actions: ["noteAnswer", "giveUp", ended] },
          { guard: "isLost", actions: ["noteAnswer", "endGrace", "askLessOften"] },
          { guard: "isNotThereAfterEnd", target: "expired", actions: ["noteAnswer", "endAsExpired", "settle", settleOverdue, ended] },
          { guard: "isAskedAfterEnd", target: "expired", actions: ["noteAnswer", "noteNames", "endAsExpired", settleOverdue, ended] },
          { guard: "isFoundInGrace", actions: ["noteAnswer", "noteNames", "waitForGrace"] },
          { guard: "isInGrace", actions: ["noteAnswer", "noteNames"] },
          { guard: "isAbsent", actions: ["noteAnswer", "askAgain"] },
          { actions: ["noteAnswer", "noteNames", "watch", "askAgain"] },
        ],
      },
    },
    success: {
      tags: "ended",
      description:
        "Paid. It is looked at again only where the answer to a capture, reversal or refund was lost, or where the relay has to give it back by itself.",
      on: {
        "deadline.passed": [
          { guard: "isReversalTooLate", actions: ["giveUpReversal", flagReversal] },
          { guard: "isReversalDue", actions: ["countReversal", reverse] },
          verifyDue,
        ],
      },
    },
    failed: {
      tags: "ended",
      description: "Not paid, by the gateway's word. Notifications and callers may still have it verified: it may be paid late.",
      on: {
        "notification.received": [...notified],
        "verify.requested": verifyAsked,
        "deadline.passed": verifyDue,
        "verify.failed": notAskedLate,
        "verify.answered": [...paidLate, lookNoMore],
      },
    },
    expired: {
      tags: "ended",
      description: "Not paid in time, or given up. It is looked at a few times more: the buyer may just have been paying.",
      on: {
        "notification.received": [...notified],
        "verify.requested": verifyAsked,
        "deadline.passed": verifyDue,
        "verify.failed": notAskedLate,
        "verify.answered": [
          ...paidLate,
          { guard: "isFailed", actions: ["noteAnswer", "settle", "lookNoMore"] },
          { guard: "isNotThereAfterEnd", actions: ["noteAnswer", "settle", "lookAgain"] },
          { actions: ["noteAnswer", "lookAgain"] },
        ],
      },
    },
    revoked: {
      tags: "ended",
      description:
        "Its order was canceled here after the gateway had said that it is not paid. The gateway may still take the money, which is then given back: it is verified until its time is over, and late as an expired one.",
      on: {
        "init.answered": { actions: "keepName" },
        "notification.received": [...notified],
        "verify.requested": verifyAsked,
        "deadline.passed": verifyDue,
        "verify.failed": [
          { guard: "isEarly" },
          { guard: "isGivenUp", actions: ["askAgainRevokedLater", flagOverdue] },
          { actions: "askAgainRevokedLater" },
        ],
        "verify.answered": [
          ...paidRevoked,
          { guard: "isFailed", ...lookNoMore },
          { actions: ["noteAnswer", "noteNames", "askAgainRevoked"] },
        ],
      },
    },
  },
});
