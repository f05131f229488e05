import { assign, setup } from "xstate";
import type { ChargeNews, IntentEvent, IntentNews, RefundNews } from "./events.ts";
import type { IntentRecord, IntentStatus } from "./intent.ts";
import {
  afterAttempt,
  begun,
  changedOrder,
  changesMoney,
  isPossible,
  isUntold,
  mayBegin,
  newsOfAttempt,
  statusAfter,
  takesChange,
  takesMetadata,
  withCharge,
  withRefund,
} from "./rules.ts";

/**
 * The machine of a payment intent (drawn in infra/docs/machines/intent.md). It decides which
 * attempt may start, which payment counts, and which events the merchant receives. Its context is
 * the record, which alone determines the state (`statusOf`); the state is never stored. The machine
 * is pure: events carry the time, and effects are data. The link of an attempt decides its outcome
 * (engine/links/machine.ts). The commits that change a link apply the transition of its intent
 * (intent-companion.ts).
 */
interface Args {
  context: IntentRecord;
  event: IntentEvent;
}

const becomes =
  (status: IntentStatus) =>
  ({ context, event }: Args) =>
    event.type === "attempt.changed" && isPossible(context, event) && statusAfter(context, event) === status;

const setUp = setup({
  types: {} as { context: IntentRecord; input: IntentRecord; events: IntentEvent; tags: "ended" },
  guards: {
    isNew: ({ context }) => context.events === 0,
    /** The payment conditions cannot change while somebody may be paying. */
    leavesMoney: ({ context, event }) => event.type === "intent.updated" && !changesMoney(context, event.change),
    mayBegin: ({ context, event }) => event.type === "attempt.begun" && mayBegin(context, event),
    mayCancel: ({ context }) => context.cancellation === null,
    isUntold: ({ context, event }) => event.type === "refund.told" && isUntold(context, event),
    takesChange: ({ context, event }) => event.type === "charge.changed" && takesChange(context, event),
    takesMetadata: ({ context, event }) => event.type === "refund.changed" && takesMetadata(context, event),
    isPossible: ({ context, event }) => event.type === "attempt.changed" && isPossible(context, event),
    becomesUnpaid: becomes("requires_payment_method"),
    becomesPayable: becomes("requires_action"),
    becomesUnclear: becomes("processing"),
    becomesCapturable: becomes("requires_capture"),
    becomesSucceeded: becomes("succeeded"),
    becomesCanceled: becomes("canceled"),
  },
  actions: {
    tell: (_, _params: { news: IntentNews }) => {},
    tellOfAttempt: (_, _params: { news: readonly (ChargeNews | RefundNews)[] }) => {},
    changeOrder: assign(({ context, event }) =>
      event.type === "intent.updated" ? { order: changedOrder(context.order, event.change) } : {},
    ),
    begin: assign(({ context, event }) => (event.type === "attempt.begun" ? begun(context, event) : {})),
    note: assign(({ context, event }) => afterAttempt(context, event)),
    cancel: assign(({ event }) =>
      event.type === "cancel.requested"
        ? { cancellation: { ...event.cancellation, requestedAtMs: event.atMs, canceledAtMs: event.atMs } }
        : {},
    ),
    changeCharge: assign(({ context, event }) => (event.type === "charge.changed" ? withCharge(context, event) : {})),
    changeRefund: assign(({ context, event }) => (event.type === "refund.changed" ? withRefund(context, event) : {})),
    noteTold: assign(({ context, event }) =>
      event.type === "refund.told"
        ? { refunds: context.refunds.map((refund) => (refund.id === event.refundId ? { ...refund, told: true } : refund)) }
        : {},
    ),
  },
});

const tell = (news: IntentNews) => ({ type: "tell", params: { news } }) as const;
/**
 * This action reads the record before the transition, so it precedes the action that records the
 * change.
 */
const tellOfAttempt = {
  type: "tellOfAttempt",
  params: ({ context, event }: Args) => ({ news: newsOfAttempt(context, event) }),
} as const;

const noted = { guard: "isPossible", actions: [tellOfAttempt, "note"] } as const;
const succeeded = {
  guard: "becomesSucceeded",
  target: "succeeded",
  actions: [tellOfAttempt, "note", tell("payment_intent.succeeded")],
} as const;
const capturable = {
  guard: "becomesCapturable",
  target: "requires_capture",
  actions: [tellOfAttempt, "note", tell("payment_intent.amount_capturable_updated")],
} as const;
const failed = {
  guard: "becomesUnpaid",
  target: "requires_payment_method",
  actions: [tellOfAttempt, "note", tell("payment_intent.payment_failed")],
} as const;
const canceled = {
  guard: "becomesCanceled",
  target: "canceled",
  actions: [tellOfAttempt, "note", tell("payment_intent.canceled")],
} as const;
const payable = {
  guard: "becomesPayable",
  target: "requires_action",
  actions: [tellOfAttempt, "note", tell("payment_intent.requires_action")],
} as const;
const unclear = {
  guard: "becomesUnclear",
  target: "processing",
  actions: [tellOfAttempt, "note", tell("payment_intent.processing")],
} as const;

const updateAll = { actions: "changeOrder" } as const;
const updateRest = { guard: "leavesMoney", actions: "changeOrder" } as const;
/** A charge exists from the end of its attempt on, whatever the state of the intent. */
const changedCharge = { guard: "takesChange", actions: "changeCharge" } as const;
const changedRefund = { guard: "takesMetadata", actions: [tellOfAttempt, "changeRefund"] } as const;
const toldRefund = { guard: "isUntold", actions: [tellOfAttempt, "noteTold"] } as const;

export const intentMachine = setUp.createMachine({
  id: "intent",
  context: ({ input }) => input,
  initial: "requires_payment_method",
  states: {
    requires_payment_method: {
      description: "Nothing is payable: no attempt was begun, or the last one has failed. An earlier one may still turn out to be paid.",
      on: {
        "intent.created": { guard: "isNew", actions: tell("payment_intent.created") },
        "intent.updated": updateAll,
        "attempt.begun": { guard: "mayBegin", target: "processing", actions: "begin" },
        "attempt.changed": [succeeded, capturable, noted],
        "charge.changed": changedCharge,
        "cancel.requested": { guard: "mayCancel", target: "canceled", actions: ["cancel", tell("payment_intent.canceled")] },
      },
    },
    requires_action: {
      description: "An attempt is open at the gateway, and its address is known: the buyer is to pay there.",
      on: {
        "intent.updated": updateRest,
        "attempt.changed": [succeeded, capturable, failed, canceled, unclear, noted],
        "charge.changed": changedCharge,
      },
    },
    processing: {
      description:
        "An attempt may be payable, but its address is not known: the gateway has not answered its creation, or cannot be asked about one whose time is over.",
      on: {
        "intent.updated": updateRest,
        "attempt.changed": [succeeded, capturable, failed, canceled, payable, noted],
        "charge.changed": changedCharge,
      },
    },
    requires_capture: {
      description: "Authorized: the money is to be taken, or released. A cancel that was not confirmed by the gateway is noted meanwhile.",
      on: { "intent.updated": updateRest, "attempt.changed": [succeeded, canceled, noted], "charge.changed": changedCharge },
    },
    succeeded: {
      tags: "ended",
      description: "Paid. It stays so when it is refunded, and any further payment is given back.",
      on: {
        "intent.updated": updateRest,
        "attempt.changed": noted,
        "charge.changed": changedCharge,
        "refund.told": toldRefund,
        "refund.changed": changedRefund,
      },
    },
    canceled: {
      tags: "ended",
      description: "Nobody is to pay it any more; what is paid all the same is given back.",
      on: { "attempt.changed": noted, "charge.changed": changedCharge },
    },
  },
});
