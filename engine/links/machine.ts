import { assign, setup } from "xstate";
import { GATEWAY_RESULT } from "../gateway/gateway.ts";
import { LINK_GRACE_MS, LINK_INIT_CHECK_MS } from "../kernel/limits.ts";
import type { LinkEvent } from "./events.ts";
import { amountDiffers, isFinal, type LinkRecord, type LinkState } from "./link.ts";
import {
  afterGapMs,
  expiredOutcome,
  graceEndsMs,
  isHeard,
  lateCheckAgainMs,
  lateCheckMs,
  mayVerify,
  nextOverdueVerifyMs,
  nextVerifyMs,
  outcomeOf,
  unverifiedTooLong,
} from "./rules.ts";

/**
 * A payment link (infra/docs/links.md; drawn in infra/docs/machines/link.md): what is believed of its payment, and when the gateway is asked. Pure: time comes with
 * the events, effects are data, carried out by the runtime once the step is stored. The record is its context, and alone tells its state. What becomes of
 * captures, reversals and refunds is said by the machine of each (follow-up-machine.ts).
 */
export type LinkMachineState = LinkState | "overdue";

/** What happens to a link, but for its follow-ups. */
export type LinkMachineEvent = Exclude<LinkEvent, { type: `followUp.${string}` }>;

/** One that is overdue is stored as how far it had come, and that it is overdue. */
export function stateOfLink({ state, overdue }: LinkRecord): LinkMachineState {
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
    isFoundInGrace,
    isInGrace: (args) => args.context.state === "waiting" && isEarly(args),
  },
  actions: {
    verify: (_, _params: Record<string, never>) => {},
    ended: (_, _params: Record<string, never>) => {},
    flagLate: (_, _params: Record<string, never>) => {},
    flagAmount: (_, _params: Record<string, never>) => {},
    flagOverdue: (_, _params: Record<string, never>) => {},
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
      return { state: "failed" as const, outcome: { resultCode, description, atMs, payment: null }, nextAtMs: null };
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
      return { state, paymentId, outcome: outcomeOf(event.payment, event.atMs), overdue: false, nextAtMs: null };
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
const verifiedAfterEnd = {
  guard: "isAskedAfterEnd",
  target: "expired",
  actions: ["noteAnswer", "noteNames", "endAsExpired", ended],
} as const;
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
      description: "Paid. It is looked at again only where the answer to a capture, reversal or refund was lost.",
      on: { "deadline.passed": verifyDue },
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
        "verify.answered": [...paidLate, { guard: "isFailed", ...lookNoMore }, { actions: ["noteAnswer", "lookAgain"] }],
      },
    },
  },
});
