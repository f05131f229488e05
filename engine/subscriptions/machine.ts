import { assign, setup } from "xstate";
import type { SubscriptionEvent, SubscriptionNews } from "./events.ts";
import {
  becomesPaid,
  becomesPaidLate,
  becomesPaidTwice,
  isBlocked,
  isCycleDue,
  isExhausted,
  isFirstFailure,
  isFirstPaymentOver,
  isOfLink,
  isOfPending,
  isOverdue,
  isPeriodOver,
  isRetryTooSoon,
  isStepDue,
  makesWay,
  mayBegin,
  mayClose,
  mayRemind,
  mayRetry,
  meansOf,
  pendingOf,
  withBegun,
  withClosing,
  withCycle,
  withDone,
  withFailed,
  withFailure,
  withLost,
  withOpened,
  withResumed,
  withStep,
  withStillOpen,
  withUnknown,
  withUnwanted,
} from "./rules.ts";
import type { SubscriptionMail, SubscriptionRecord } from "./subscription.ts";

/**
 * The machine of a subscription (drawn in infra/docs/machines/subscription.md). It decides when a
 * payment is requested, what its outcome means, and what the merchant and the customer are told.
 * Its context is the record, which has the state. The machine is pure: events carry the time, and
 * effects are data. While the outcome of an attempt is unknown, no payment is requested and nothing
 * expires.
 */
const setUp = setup({
  types: {} as { context: SubscriptionRecord; input: SubscriptionRecord; events: SubscriptionEvent; tags: "ended" },
  guards: {
    isFirstPaymentOver: ({ context, event: { atMs } }) => !isBlocked(context) && isFirstPaymentOver(context, atMs),
    isInactive: ({ context, event }) => event.type === "deadline.passed" && event.isInactive && !isBlocked(context),
    isPeriodOver: ({ context, event: { atMs } }) => !isBlocked(context) && isPeriodOver(context, atMs),
    isCycleDue: ({ context, event: { atMs } }) => !isBlocked(context) && isCycleDue(context, atMs),
    isOverdue: ({ context, event: { atMs } }) => isOverdue(context, atMs),
    /** A link will be created, and the customer is notified. */
    isLinkDue: ({ context, event: { atMs } }) => isStepDue(context, atMs) && mayBegin(context) && meansOf(context) === "LINK",
    /** The card is charged again. */
    isRetryDue: ({ context, event: { atMs } }) => isStepDue(context, atMs) && mayBegin(context),
    /** The card can be charged only after the link that its customer requested has ended. */
    isCardDue: ({ context, event: { atMs } }) => isStepDue(context, atMs) && mayClose(context),
    /** No new payment is possible, so the customer is reminded of the existing link. */
    isReminderDue: ({ context, event: { atMs } }) => !isBlocked(context) && isStepDue(context, atMs),
    cancelsAtLast: ({ context, event: { atMs } }) => isFinal(context, atMs, "CANCEL"),
    pausesAtLast: ({ context, event: { atMs } }) => isFinal(context, atMs, "PAUSE"),
    staysAtLast: ({ context, event: { atMs } }) => isFinal(context, atMs, "STAY"),
    isPending: ({ context, event }) => "attemptId" in event && isOfPending(context, event),
    /** The customer was not asked to pay this cycle before. */
    isFirstAsked: ({ context, event }) => "attemptId" in event && isOfPending(context, event) && isFirstFailure(context),
    becomesPaid: ({ context, event }) => event.type === "charge.done" && becomesPaid(context, event),
    /** The subscription was paused and continued with a later cycle. */
    becomesPaidLate: ({ context, event }) => event.type === "charge.done" && becomesPaidLate(context, event),
    becomesPaidTwice: ({ context, event }) => event.type === "charge.done" && becomesPaidTwice(context, event),
    /** The card is unusable, so the customer is immediately asked for another payment. */
    isDeclinedHard: ({ context, event }) => event.type === "charge.failed" && isOfPending(context, event) && event.hard,
    /** A link that ended unpaid is not a decline. */
    isLinkEnded: ({ context, event }) => event.type === "charge.failed" && isOfPending(context, event) && isOfLink(context, event),
    makesWay: ({ context, event }) => event.type === "charge.failed" && makesWay(context, event),
    mayAskAgain: ({ context, event }) => event.type === "charge.lost" && isOfPending(context, event) && mayBegin(afterLost(context, event)),
    endsAtOnce: ({ event }) => event.type === "cancel.requested" && !event.atPeriodEnd,
    mayEndLater: ({ context, event }) => event.type === "cancel.requested" && event.atPeriodEnd && !context.cancelsAtPeriodEnd,
    endsLater: ({ context }) => context.cancelsAtPeriodEnd,
    isKnown: ({ context }) => pendingOf(context) === null,
    mayRetryByLink: ({ context, event: { atMs } }) => mayRetry(context, atMs) && meansOf(context) === "LINK",
    mayRetry: ({ context, event: { atMs } }) => mayRetry(context, atMs),
    mayRetryCard: ({ context, event: { atMs } }) => mayClose(context) && !isRetryTooSoon(context, atMs),
    mayRemind: ({ context, event: { atMs } }) => mayRemind(context, atMs),
    mayBegin: ({ context }) => mayBegin(context),
    isMailDue: ({ context, event: { atMs } }) => context.mailOwed !== null && context.mailOwed.atMs <= atMs,
  },
  actions: {
    tell: (_, _params: { news: SubscriptionNews }) => {},
    ask: (_, _params: Record<string, never>) => {},
    mail: (_, _params: { kind: SubscriptionMail }) => {},
    flagLate: (_, _params: Record<string, never>) => {},
    flagTwice: (_, _params: Record<string, never>) => {},
    beginCycle: assign(({ context, event }) => (event.type === "deadline.passed" ? withCycle(context, event.next) : {})),
    begin: assign(({ context, event: { atMs } }) => withBegun(context, atMs, meansOf(context))),
    beginLink: assign(({ context, event: { atMs } }) => withBegun(context, atMs, "LINK")),
    noteOpened: assign(({ context, event }) => (event.type === "charge.opened" ? withOpened(context, event) : {})),
    noteOpen: assign(({ context, event }) => (event.type === "charge.open" ? withStillOpen(context, event) : {})),
    noteUnknown: assign(({ context, event }) => (event.type === "charge.unknown" ? withUnknown(context, event) : {})),
    noteDone: assign(({ context, event }) => (event.type === "charge.done" ? withDone(context, event) : {})),
    noteFailed: assign(({ context, event }) => (event.type === "charge.failed" ? withFailed(context, event) : {})),
    noteLost: assign(({ context, event }) => (event.type === "charge.lost" ? withLost(context, event) : {})),
    beginDunning: assign(({ context, event }) => ("terms" in event ? withFailure(context, event.atMs, event.terms) : {})),
    endDunning: assign(() => ({ dunning: null })),
    makeStep: assign(({ context, event: { atMs } }) => withStep(context, atMs)),
    stay: assign(({ context: { dunning } }) => (dunning === null ? {} : { dunning: { ...dunning, stays: true } })),
    dropPending: assign(({ context, event: { atMs } }) => withUnwanted(context, atMs)),
    closePending: assign(({ context, event: { atMs } }) => withClosing(context, atMs)),
    noteCancelled: assign(({ context, event }, { by }: { by: SubscriptionRecord["cancelledBy"] }) => ({
      ...{ cancelledAtMs: event.atMs, mailOwed: null },
      cancelledBy: event.type === "cancel.requested" ? event.by : (by ?? context.cancelledBy),
      operationId: event.type === "cancel.requested" ? event.operationId : context.operationId,
    })),
    noteEndsLater: assign(({ event }) =>
      event.type === "cancel.requested" ? { cancelsAtPeriodEnd: true, operationId: event.operationId, cancelledBy: event.by } : {},
    ),
    noteGoesOn: assign(({ event }) =>
      event.type === "resume.requested" ? { cancelsAtPeriodEnd: false, operationId: event.operationId, cancelledBy: null } : {},
    ),
    notePaused: assign(({ context, event }, { by }: { by: SubscriptionRecord["pausedBy"] }) => ({
      ...{ pausedAtMs: event.atMs, mailOwed: null, dunning: null },
      pausedBy: event.type === "pause.requested" ? event.by : by,
      operationId: event.type === "pause.requested" ? event.operationId : context.operationId,
    })),
    resume: assign(({ context, event }) =>
      event.type === "resume.requested" ? { ...withResumed(context, event), operationId: event.operationId } : {},
    ),
    noteRetry: assign(({ event }) => (event.type === "retry.requested" ? { retriedAtMs: event.atMs, operationId: event.operationId } : {})),
    clearMail: assign(() => ({ mailOwed: null })),
  },
});

function isFinal(context: SubscriptionRecord, atMs: number, action: "CANCEL" | "PAUSE" | "STAY"): boolean {
  return !isBlocked(context) && isExhausted(context, atMs) && context.dunning?.terms.finalAction === action;
}

function afterLost(context: SubscriptionRecord, event: Parameters<typeof withLost>[1]): SubscriptionRecord {
  return { ...context, ...withLost(context, event) };
}

const tell = (news: SubscriptionNews) => ({ type: "tell", params: { news } }) as const;
const mail = (kind: SubscriptionMail) => ({ type: "mail", params: { kind } }) as const;
const cancelled = (by: SubscriptionRecord["cancelledBy"]) => ({ type: "noteCancelled", params: { by } }) as const;
const paused = (by: SubscriptionRecord["pausedBy"]) => ({ type: "notePaused", params: { by } }) as const;
const ask = { type: "ask", params: {} } as const;
const flagLate = { type: "flagLate", params: {} } as const;
const flagTwice = { type: "flagTwice", params: {} } as const;

const renewed = ["noteDone", "dropPending", "endDunning", tell("subscription.renewed")] as const;
const end = (by: SubscriptionRecord["cancelledBy"]) =>
  ({ target: "CANCELLED", actions: ["dropPending", cancelled(by), tell("subscription.cancelled"), mail("cancelled")] }) as const;
const pause = (by: SubscriptionRecord["pausedBy"]) => ({ target: "PAUSED", actions: ["dropPending", paused(by)] }) as const;

const paidLate = { guard: "becomesPaidLate", actions: ["noteDone", flagLate, tell("subscription.paid_late")] } as const;
const paidTwice = { guard: "becomesPaidTwice", actions: ["noteDone", flagTwice] } as const;
/** Events about the pending attempt that change no state. */
const looked = {
  "charge.open": { guard: "isPending", actions: "noteOpen" },
  "charge.unknown": { guard: "isPending", actions: "noteUnknown" },
} as const;
const askAgain = [
  { guard: "mayAskAgain", actions: ["noteLost", "begin", ask] },
  { guard: "isPending", actions: "noteLost" },
] as const;
const opened = [
  { guard: "isFirstAsked", actions: ["noteOpened", mail("payment")] },
  { guard: "isPending", actions: "noteOpened" },
] as const;
const payNow = { guard: "mayBegin", actions: ["beginLink", ask] } as const;
const owedMail = {
  guard: "isMailDue",
  actions: [
    "clearMail",
    { type: "mail", params: ({ context }: { context: SubscriptionRecord }) => ({ kind: context.mailOwed?.kind ?? "payment" }) },
  ],
} as const;
const cancelNow = { ...end("merchant"), guard: "endsAtOnce" } as const;
const cancelLater = { guard: "mayEndLater", actions: ["noteEndsLater", mail("cancelled")] } as const;
const goOn = { guard: "endsLater", actions: "noteGoesOn" } as const;
const retries = [
  { guard: "mayRetryByLink", actions: ["noteRetry", "begin", ask, mail("step")] },
  { guard: "mayRetry", actions: ["noteRetry", "begin", ask] },
  { guard: "mayRetryCard", actions: ["noteRetry", "closePending"] },
  { guard: "mayRemind", actions: ["noteRetry", mail("step")] },
] as const;

/** The current payment is made or not due yet. */
const current = {
  "deadline.passed": [
    { ...pause("deactivated"), guard: "isInactive" },
    { ...end(null), guard: "isPeriodOver" },
    { guard: "isCycleDue", actions: ["beginCycle", "begin", ask] },
    {
      guard: "isOverdue",
      target: "PAST_DUE",
      actions: ["beginDunning", tell("subscription.payment_failed"), tell("subscription.past_due"), mail("failed")],
    },
  ],
  "charge.opened": opened,
  ...looked,
  "charge.done": [{ guard: "becomesPaid", target: "ACTIVE", actions: renewed }, paidLate, paidTwice],
  "charge.failed": [
    {
      guard: "isDeclinedHard",
      target: "PAST_DUE",
      actions: [
        ...["noteFailed", "beginDunning", tell("subscription.payment_failed"), tell("subscription.past_due")],
        ...["beginLink", ask, mail("failed")],
      ],
    },
    {
      guard: "isPending",
      target: "PAST_DUE",
      actions: [...["noteFailed", "beginDunning", tell("subscription.payment_failed"), tell("subscription.past_due")], mail("failed")],
    },
  ],
  "charge.lost": [
    askAgain[0],
    // After many lost requests, this way of payment counts as failed.
    {
      guard: "isPending",
      target: "PAST_DUE",
      actions: [...["noteLost", "beginDunning", tell("subscription.payment_failed"), tell("subscription.past_due")], mail("failed")],
    },
  ],
  "cancel.requested": [cancelNow, cancelLater],
  "pause.requested": pause("merchant"),
  "resume.requested": goOn,
  "payment.requested": payNow,
  "mail.due": owedMail,
} as const;

/**
 * No further payment is requested. The relay still stores the outcome of the attempt, and reports a
 * late payment.
 */
const over = {
  "charge.opened": { guard: "isPending", actions: "noteOpened" },
  ...looked,
  "charge.done": [
    {
      guard: "becomesPaid",
      actions: ["noteDone", "dropPending", flagLate, tell("subscription.paid_late")],
    },
    paidLate,
    paidTwice,
  ],
  "charge.failed": { guard: "isPending", actions: "noteFailed" },
  "charge.lost": { guard: "isPending", actions: "noteLost" },
} as const;

export const subscriptionMachine = setUp.createMachine({
  id: "subscription",
  context: ({ input }) => input,
  initial: "INCOMPLETE",
  states: {
    INCOMPLETE: {
      description: "The first payment was asked for. Without it within 72 hours the subscription is cancelled.",
      on: {
        "deadline.passed": { ...end("no_first_payment"), guard: "isFirstPaymentOver" },
        "charge.opened": opened,
        ...looked,
        "charge.done": [{ guard: "becomesPaid", target: "ACTIVE", actions: renewed }, paidLate, paidTwice],
        "charge.failed": [
          { guard: "isLinkEnded", actions: "noteFailed" },
          {
            guard: "isPending",
            actions: ["noteFailed", tell("subscription.payment_failed"), "beginLink", ask],
          },
        ],
        "charge.lost": askAgain,
        "cancel.requested": end("merchant"),
        // The customer gets a mail once the link exists.
        "retry.requested": [
          { guard: "mayRetry", actions: ["noteRetry", "begin", ask] },
          { guard: "mayRemind", actions: ["noteRetry", mail("payment")] },
        ],
        "payment.requested": payNow,
        "mail.due": owedMail,
      },
    },
    TRIALING: { description: "Nothing has been paid yet; the first cycle is due when the trial ends.", on: current },
    ACTIVE: { description: "Paid, or the payment of the current cycle is under way and has not failed.", on: current },
    PAST_DUE: {
      description: "A payment has failed. Steps are made when their time comes, whatever was asked for in between.",
      on: {
        "deadline.passed": [
          { ...pause("deactivated"), guard: "isInactive" },
          { ...end(null), guard: "isPeriodOver" },
          { guard: "isLinkDue", actions: ["makeStep", "begin", ask, mail("step")] },
          { guard: "isRetryDue", actions: ["makeStep", "begin", ask] },
          { guard: "isCardDue", actions: ["makeStep", "closePending"] },
          { guard: "isReminderDue", actions: ["makeStep", mail("step")] },
          { ...end("dunning"), guard: "cancelsAtLast" },
          { ...pause("dunning"), guard: "pausesAtLast" },
          { guard: "staysAtLast", actions: "stay" },
        ],
        "charge.opened": { guard: "isPending", actions: "noteOpened" },
        ...looked,
        "charge.done": [
          { guard: "becomesPaid", target: "ACTIVE", actions: [...renewed, tell("subscription.recovered"), mail("recovered")] },
          paidLate,
          paidTwice,
        ],
        "charge.failed": [
          { guard: "makesWay", actions: ["noteFailed", "begin", ask] },
          { guard: "isLinkEnded", actions: "noteFailed" },
          {
            guard: "isDeclinedHard",
            actions: ["noteFailed", tell("subscription.payment_failed"), "beginLink", ask, mail("step")],
          },
          { guard: "isPending", actions: ["noteFailed", tell("subscription.payment_failed"), mail("step")] },
        ],
        "charge.lost": askAgain,
        "cancel.requested": [cancelNow, cancelLater],
        "pause.requested": pause("merchant"),
        "resume.requested": goOn,
        "retry.requested": retries,
        "payment.requested": payNow,
        "mail.due": owedMail,
      },
    },
    PAUSED: {
      description: "Nothing is asked for. A payment that was under way is followed to its end; the merchant resumes.",
      on: {
        ...over,
        "deadline.passed": { ...end(null), guard: "isPeriodOver" },
        "cancel.requested": [cancelNow, cancelLater],
        "resume.requested": { guard: "isKnown", target: "ACTIVE", actions: "resume" },
        "mail.due": owedMail,
      },
    },
    CANCELLED: {
      tags: "ended",
      description: "For ever. A payment that was under way is followed to its end.",
      on: { ...over, "mail.due": owedMail },
    },
  },
});
