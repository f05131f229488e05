import { assign, setup } from "xstate";
import { GATEWAY_UNREAD } from "../gateway/gateway.ts";
import { LINK_FOLLOW_UP_FLAG_MS } from "../kernel/limits.ts";
import type { Of } from "./events.ts";
import type { FollowUp } from "./link.ts";

/**
 * The life of one capture, reversal or refund of a paid link: whether the gateway has executed it, whom to believe, and what an operator has to look at.
 * (Drawn in infra/docs/machines/follow-up.md.) A link steps each of its own by it (follow-ups.ts), and says which ones may be asked for.
 */
export interface FollowUpContext {
  entry: FollowUp;
}

export type FollowUpState = "requested" | "repeated" | "doubted" | "found" | "done" | "refused";

/** What happens to one follow-up: the events of its link that concern it, and what the gateway's totals say of it. */
export type FollowUpEvent =
  | Of<"followUp.requested">
  | Of<"followUp.answered">
  | Of<"followUp.refused">
  | Of<"verify.failed">
  /** `executed`: whether the total of its kind says so; null where that cannot be told. */
  | { type: "totals.read"; atMs: number; askedAtMs: number; executed: boolean | null };

export function stateOfFollowUp({ state, tranId, repeated, refusal }: FollowUp): FollowUpState {
  if (state === "done") return tranId === null ? "found" : "done";
  if (state === "refused") return "refused";
  if (refusal !== undefined) return "doubted";
  return repeated === true ? "repeated" : "requested";
}

interface Args {
  context: FollowUpContext;
  event: FollowUpEvent;
}

/** Who did not look at it has not said what became of the attempt before. */
function isUnread({ event }: Args): boolean {
  return event.type === "followUp.refused" && Object.values<string>(GATEWAY_UNREAD).includes(event.resultCode);
}

function endedEntry(
  { flagged: _flagged, repeated: _repeated, refusal: _refusal, ...entry }: FollowUp,
  end: Pick<FollowUp, "state" | "finishedAtMs" | "tranId" | "resultCode" | "description">,
): FollowUp {
  return { ...entry, ...end };
}

const setUp = setup({
  types: {} as { context: FollowUpContext; input: FollowUpContext; events: FollowUpEvent },
  guards: {
    isUnread,
    isExecuted: ({ event }) => event.type === "totals.read" && event.executed === true,
    isNotExecutedSince: ({ context: { entry }, event }) =>
      event.type === "totals.read" && event.executed === false && entry.refusal !== undefined && event.askedAtMs >= entry.refusal.atMs,
    isNotTold: ({ event }) => event.type === "totals.read" && event.executed === null,
    isUnknownTooLong: ({ context: { entry }, event }) => event.atMs >= entry.requestedAtMs + LINK_FOLLOW_UP_FLAG_MS,
  },
  actions: {
    verify: (_, _params: Record<string, never>) => {},
    executeFollowUp: (_, _params: { followUp: FollowUp }) => {},
    repeatFollowUp: (_, _params: { followUp: FollowUp }) => {},
    /** From now on a refusal says less; what was refused before says nothing of this attempt. */
    noteRepetition: assign(({ context: { entry } }) => {
      const { refusal: _, ...rest } = entry;
      return { entry: { ...rest, repeated: true as const } };
    }),
    noteRefusal: assign(({ context: { entry }, event }) => {
      if (event.type !== "followUp.refused") return {};
      const { atMs, resultCode, description } = event;
      return { entry: { ...entry, refusal: { atMs, resultCode, description } } };
    }),
    endAsAnswered: assign(({ context: { entry }, event }) => {
      if (event.type !== "followUp.answered") return {};
      const { atMs, tranId, resultCode, description } = event;
      return { entry: endedEntry(entry, { state: "done", finishedAtMs: entry.finishedAtMs ?? atMs, tranId, resultCode, description }) };
    }),
    endAsRefused: assign(({ context: { entry }, event }) => {
      if (event.type !== "followUp.refused") return {};
      const { atMs, resultCode, description } = event;
      return { entry: endedEntry(entry, { state: "refused", finishedAtMs: atMs, tranId: null, resultCode, description }) };
    }),
    endAsFound: assign(({ context: { entry }, event }) => ({
      entry: endedEntry(entry, {
        state: "done",
        finishedAtMs: event.atMs,
        tranId: null,
        resultCode: null,
        description: "Executed, by the gateway's totals",
      }),
    })),
    believeRefusal: assign(({ context: { entry }, event }) => {
      if (entry.refusal === undefined) return {};
      const { resultCode, description } = entry.refusal;
      return { entry: endedEntry(entry, { state: "refused", finishedAtMs: event.atMs, tranId: null, resultCode, description }) };
    }),
    noteNotTold: assign(({ context: { entry } }) => ({
      entry: { ...entry, description: "The gateway does not say whether it was executed" },
    })),
    noteNotExecuted: assign(({ context: { entry } }) => ({
      entry: { ...entry, description: "Not executed when the gateway was last asked" },
    })),
    /** An operator is to look at it, until it ends. */
    flag: assign(({ context: { entry } }) => ({ entry: { ...entry, flagged: true as const } })),
  },
});

const itself = ({ context: { entry } }: Args) => ({ followUp: entry });
const execute = { type: "executeFollowUp", params: itself } as const;
const repeatAnswer = { actions: { type: "repeatFollowUp", params: itself } } as const;
const verify = { type: "verify", params: {} } as const;

/** The gateway is asked under the same id, which it executes once. */
const again = { target: "repeated", actions: ["noteRepetition", execute] } as const;
const answered = { target: "done", actions: "endAsAnswered" } as const;
const found = { guard: "isExecuted", target: "found", actions: "endAsFound" } as const;
/** A gateway that answers without a word about it will not have one later either. */
const notTold = { guard: "isNotTold", actions: ["noteNotTold", "flag"] } as const;
/** Anything less than the total of all says nothing for good: a request may be on its way. */
const notExecuted = [{ guard: "isUnknownTooLong", actions: ["noteNotExecuted", "flag"] }, { actions: "noteNotExecuted" }] as const;
const notAsked = { guard: "isUnknownTooLong", actions: "flag" } as const;
/** A refusal of a repetition may only say that an earlier attempt was executed: the gateway's totals know. */
const refusedAgain = [
  { guard: "isUnread", actions: verify },
  { target: "doubted", actions: ["noteRefusal", verify] },
] as const;

export const followUpMachine = setUp.createMachine({
  id: "followUp",
  context: ({ input }) => input,
  initial: "requested",
  states: {
    requested: {
      description: "The gateway was asked once, and its answer is not known. It counts as executed until that is known.",
      on: {
        "followUp.requested": again,
        "followUp.answered": answered,
        "followUp.refused": { target: "refused", actions: "endAsRefused" },
        "totals.read": [found, notTold, ...notExecuted],
        "verify.failed": notAsked,
      },
    },
    repeated: {
      description: "The gateway was asked again while its answer was missing, so a refusal is not believed.",
      on: {
        "followUp.requested": again,
        "followUp.answered": answered,
        "followUp.refused": [...refusedAgain],
        "totals.read": [found, notTold, ...notExecuted],
        "verify.failed": notAsked,
      },
    },
    doubted: {
      description:
        "A repetition was refused, and nobody knows of the attempt before. The refusal stands once a verify that began after it says that nothing was executed.",
      on: {
        "followUp.requested": again,
        "followUp.answered": answered,
        "followUp.refused": [...refusedAgain],
        "totals.read": [found, { guard: "isNotExecutedSince", target: "refused", actions: "believeRefusal" }, notTold, ...notExecuted],
        "verify.failed": notAsked,
      },
    },
    found: {
      description: "Executed, by the gateway's totals. The gateway tells its movement of money when it is asked under the same id again.",
      on: { "followUp.requested": { actions: execute }, "followUp.answered": answered },
    },
    done: { description: "Executed. Asked for again, its answer is repeated.", on: { "followUp.requested": repeatAnswer } },
    refused: { description: "Not executed. Asked for again, its answer is repeated.", on: { "followUp.requested": repeatAnswer } },
  },
});
