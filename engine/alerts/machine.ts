import { assign, setup } from "xstate";
import { type AlertRecord, isRefunding } from "./alert.ts";
import type { AlertEvent, AlertNews } from "./events.ts";
import {
  checkedRefund,
  endedRefund,
  hasMoved,
  isCheckDue,
  isInTime,
  isLongUnknown,
  isOver,
  mayRefund,
  mayResume,
  resumedRefund,
} from "./rules.ts";

/**
 * The machine of an alert (drawn in infra/docs/machines/alert.md). It is pure: events carry the
 * time, and effects are data. `nextAtMs` (rules.ts) derives the next check. A refund that was begun
 * is followed to its end in every state.
 */
const setUp = setup({
  types: {} as { context: AlertRecord; input: AlertRecord; events: AlertEvent; tags: "ended" },
  guards: {
    isNew: ({ context }) => context.events === 0,
    mayRefund: ({ context, event: { atMs } }) => mayRefund(context, atMs),
    mayResume: ({ context, event: { atMs } }) => mayResume(context, atMs),
    isRefunding: ({ context }) => isRefunding(context),
    movesAfterEnd: ({ context, event }) => event.type === "refund.done" && event.moved && isRefunding(context),
    isLongUnknown: ({ context, event: { atMs } }) => isLongUnknown(context, atMs),
    isCheckDue: ({ context, event: { atMs } }) => isCheckDue(context, atMs),
    mayDecline: ({ context, event: { atMs } }) => !isRefunding(context) && isInTime(context, atMs),
    isOver: ({ context, event: { atMs } }) => isOver(context, atMs),
    /** The relay had refunded the payment before the network resolved the alert. */
    hasMoved: ({ context }) => hasMoved(context),
  },
  actions: {
    tell: (_, _params: { news: AlertNews }) => {},
    askRefund: (_, _params: Record<string, never>) => {},
    flagFailed: (_, _params: Record<string, never>) => {},
    flagUnknown: (_, _params: Record<string, never>) => {},
    /** Does nothing if operators were not notified. */
    settleUnknown: (_, _params: Record<string, never>) => {},
    flagTwice: (_, _params: Record<string, never>) => {},
    refund: assign(({ event }) => {
      if (event.type === "refund.requested") return { refund: event.refund };
      if (event.type !== "rule.matched") return {};
      return { refund: event.refund, rule: event.refund.by.type === "rule" ? event.refund.by.ruleId : null };
    }),
    check: assign(({ context, event }) => ({ refund: checkedRefund(context, event.atMs) })),
    resume: assign(({ context, event }) => ({ refund: resumedRefund(context, event.atMs) })),
    endRefund: assign(({ context, event }) => ({ refund: endedRefund(context, event) })),
    decline: assign(({ event }) =>
      event.type === "declined" ? { end: { by: "merchant" as const, atMs: event.atMs, reason: event.reason } } : {},
    ),
    expire: assign(({ event }) => ({ end: { by: "deadline" as const, atMs: event.atMs, reason: null } })),
    resolve: assign(({ event }) => ({ end: { by: "network" as const, atMs: event.atMs, reason: null } })),
    invalidate: assign(({ event }) => ({ end: { by: "invalid" as const, atMs: event.atMs, reason: null } })),
  },
});

const tell = (news: AlertNews) => ({ type: "tell", params: { news } }) as const;
const askRefund = { type: "askRefund", params: {} } as const;
const flagFailed = { type: "flagFailed", params: {} } as const;
const flagUnknown = { type: "flagUnknown", params: {} } as const;
const settleUnknown = { type: "settleUnknown", params: {} } as const;
const flagTwice = { type: "flagTwice", params: {} } as const;
const closed = tell("alert.closed");

const following = {
  "refund.checked": [
    { guard: "isLongUnknown", actions: ["check", flagUnknown] },
    { guard: "isCheckDue", actions: "check" },
  ],
} as const;
const resumed = { "refund.resumed": { guard: "mayResume", actions: ["resume", askRefund] } } as const;

/** A refund may be under way when the alert ends otherwise. */
const afterEnd = {
  "refund.done": [
    { guard: "movesAfterEnd", actions: ["endRefund", settleUnknown, flagTwice] },
    { guard: "isRefunding", actions: ["endRefund", settleUnknown] },
  ],
  "refund.failed": { guard: "isRefunding", actions: ["endRefund", settleUnknown] },
} as const;

const refunded = { guard: "isRefunding", target: "REFUNDED", actions: ["endRefund", settleUnknown, closed] } as const;
const resolved = [
  { guard: "hasMoved", target: "PREVENTED", actions: ["resolve", closed, flagTwice] },
  { target: "PREVENTED", actions: ["resolve", closed] },
] as const;
const invalid = { target: "DECLINED", actions: ["invalidate", closed] } as const;

export const alertMachine = setUp.createMachine({
  id: "alert",
  context: ({ input }) => input,
  initial: "PENDING",
  states: {
    PENDING: {
      description: "Its merchant decides in time. A refund that somebody has asked for is followed to its end first.",
      on: {
        ...following,
        ...resumed,
        "alert.received": { guard: "isNew", actions: tell("alert.created") },
        "rule.matched": { guard: "mayRefund", target: "AUTO_REFUND", actions: ["refund", askRefund] },
        "refund.requested": { guard: "mayRefund", actions: ["refund", askRefund] },
        "refund.done": refunded,
        "refund.failed": { guard: "isRefunding", actions: ["endRefund", settleUnknown] },
        declined: { guard: "mayDecline", target: "DECLINED", actions: ["decline", closed] },
        "deadline.passed": { guard: "isOver", target: "DECLINED", actions: ["expire", closed] },
        "network.resolved": resolved,
        "network.invalid": invalid,
      },
    },
    AUTO_REFUND: {
      description: "A rule of the merchant's has decided; the refund is under way.",
      on: {
        ...following,
        ...resumed,
        "refund.done": refunded,
        "refund.failed": { guard: "isRefunding", target: "PENDING", actions: ["endRefund", settleUnknown, flagFailed] },
        "network.resolved": resolved,
        "network.invalid": invalid,
      },
    },
    REFUNDED: {
      tags: "ended",
      description: "All of the payment was given back, by the relay or before.",
      on: { "network.resolved": resolved },
    },
    DECLINED: {
      tags: "ended",
      description: "Not given back: its merchant does not want to, nobody answered in time, or it was none.",
      on: { ...following, ...afterEnd, "network.resolved": resolved },
    },
    PREVENTED: {
      tags: "ended",
      description: "The network has resolved it. The relay begins no refund any more.",
      on: { ...following, ...afterEnd },
    },
  },
});
