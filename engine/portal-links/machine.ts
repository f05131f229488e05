import { assign, setup } from "xstate";
import type { PortalLinkEvent, PortalLinkNews } from "./events.ts";
import type { PortalLinkRecord } from "./portal-link.ts";
import {
  becomesPaid,
  becomesPaidTwice,
  expiresBy,
  isDue,
  isKnown,
  mayBegin,
  mayMail,
  nextAtMs,
  settlesTwice,
  withAttempt,
} from "./rules.ts";

/**
 * The machine of a portal link (drawn in infra/docs/machines/portal-link.md). It is pure: events
 * carry the time, and effects are data. Each commit that changes the link of an attempt steps the
 * portal link (portal-link-companion.ts).
 */
const setUp = setup({
  types: {} as { context: PortalLinkRecord; input: PortalLinkRecord; events: PortalLinkEvent; tags: "ended" },
  guards: {
    mayBegin: ({ context, event }) => event.type === "attempt.begun" && mayBegin(context, event),
    isKnown: ({ context, event }) => event.type === "attempt.changed" && isKnown(context, event),
    becomesPaid: ({ context, event }) => event.type === "attempt.changed" && becomesPaid(context, event),
    /** The earlier payment was not refunded. */
    becomesPaidTwice: ({ context, event }) => event.type === "attempt.changed" && becomesPaidTwice(context, event),
    /** The expiry waited only for this attempt. */
    endsItsTime: ({ context, event }) =>
      event.type === "attempt.changed" && isKnown(context, event) && expiresBy(withAttempt(context, event), event.atMs),
    leavesOnePayment: ({ context, event }) => event.type === "attempt.changed" && settlesTwice(context, event),
    isOver: ({ context, event: { atMs } }) => isDue(context, atMs) && expiresBy(context, atMs),
    isDue: ({ context, event: { atMs } }) => isDue(context, atMs),
    mayMail: ({ context, event: { atMs } }) => mayMail(context, atMs),
  },
  actions: {
    tell: (_, _params: { news: PortalLinkNews }) => {},
    mailPaid: (_, _params: Record<string, never>) => {},
    flagLate: (_, _params: Record<string, never>) => {},
    flagTwice: (_, _params: Record<string, never>) => {},
    settleTwice: (_, _params: Record<string, never>) => {},
    begin: assign(({ context, event }) => (event.type === "attempt.begun" ? { attempts: [...context.attempts, event.attempt] } : {})),
    note: assign(({ context, event }) => (event.type === "attempt.changed" ? withAttempt(context, event) : {})),
    pay: assign(({ event }) => ({ paidAtMs: event.atMs, nextAtMs: null })),
    noteLate: assign(() => ({ late: true })),
    cancel: assign(({ event }) =>
      event.type === "cancel.requested" ? { cancelledAtMs: event.atMs, cancelledBy: event.operationId, nextAtMs: null } : {},
    ),
    expire: assign(() => ({ nextAtMs: null })),
    waitForAttempt: assign(({ context, event }) => ({ nextAtMs: nextAtMs(context, event.atMs) })),
    noteMail: assign(({ context, event }) =>
      event.type === "mail.owed" ? { mails: [...context.mails, { id: event.mailId, atMs: event.atMs }] } : {},
    ),
  },
});

const tell = (news: PortalLinkNews) => ({ type: "tell", params: { news } }) as const;
const mailPaid = { type: "mailPaid", params: {} } as const;
const flagLate = { type: "flagLate", params: {} } as const;
const flagTwice = { type: "flagTwice", params: {} } as const;
const settleTwice = { type: "settleTwice", params: {} } as const;

const noted = { guard: "isKnown", actions: "note" } as const;
const paidLate = {
  guard: "becomesPaid",
  target: "PAID",
  actions: ["note", "pay", "noteLate", tell("payment_link.paid"), mailPaid, flagLate],
} as const;

export const portalLinkMachine = setUp.createMachine({
  id: "portalLink",
  context: ({ input }) => input,
  initial: "PENDING",
  states: {
    PENDING: {
      description: "It can be paid, or somebody is still paying after its time.",
      on: {
        "attempt.begun": { guard: "mayBegin", actions: "begin" },
        "attempt.changed": [
          { guard: "becomesPaid", target: "PAID", actions: ["note", "pay", tell("payment_link.paid"), mailPaid] },
          { guard: "endsItsTime", target: "EXPIRED", actions: ["note", "expire", tell("payment_link.expired")] },
          noted,
        ],
        "cancel.requested": { target: "CANCELLED", actions: ["cancel", tell("payment_link.cancelled")] },
        "mail.owed": { guard: "mayMail", actions: "noteMail" },
        "deadline.passed": [
          { guard: "isOver", target: "EXPIRED", actions: ["expire", tell("payment_link.expired")] },
          { guard: "isDue", actions: "waitForAttempt" },
        ],
      },
    },
    PAID: {
      tags: "ended",
      description:
        "Paid. It stays so when the money is given back. Another payment is for its merchant to give back; one after the money was given back has come late.",
      on: {
        "attempt.changed": [
          { guard: "becomesPaidTwice", actions: ["note", flagTwice] },
          { guard: "becomesPaid", actions: ["note", "noteLate", flagLate] },
          { guard: "leavesOnePayment", actions: ["note", settleTwice] },
          noted,
        ],
      },
    },
    CANCELLED: {
      tags: "ended",
      description: "By its merchant. An attempt that was open is followed to its end: it may still be paid.",
      on: { "attempt.changed": [paidLate, noted] },
    },
    EXPIRED: {
      tags: "ended",
      description: "Its time is over and no attempt is open. One that has ended here may still turn out to be paid.",
      on: { "attempt.changed": [paidLate, noted] },
    },
  },
});
