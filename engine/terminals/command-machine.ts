import { assign, setup } from "xstate";
import {
  type Entry,
  finishedParams,
  finishedSentParams,
  heldEntry,
  isSent,
  pauseOf,
  queuedEntry,
  resentEntry,
  sentEntry,
} from "./command-entries.ts";
import type { Finished, TerminalEffect, TerminalEvent } from "./events.ts";
import { isHeld, mayGoTo } from "./rules.ts";

/**
 * The life of one command: what may be sent, again too, and to whom, and what a command may end as. (Drawn in infra/docs/machines/command.md.)
 * A terminal steps each of its commands by it (step-terminal.ts), and says which one is next and whether there is room.
 */
export interface CommandContext {
  entry: Entry;
}

/** A command that has not ended is in one of these, as its entry tells. */
export type WaitingState = "queued" | "returned";
export type AwaitedState = "sent" | "held" | "resent" | "withdrawn";

/** What happens to one command: the events of its terminal that concern it, and more. */
export type CommandEvent =
  | Extract<
      TerminalEvent,
      {
        type:
          | "command.taken"
          | "command.redelivered"
          | "command.undelivered"
          | "command.acknowledged"
          | "command.refused"
          | "session.lost"
          | "result.recorded"
          | "deadline.passed";
      }
    >
  /** `hasRoom`: one more command may await its result. */
  | (Extract<TerminalEvent, { type: "cancel.requested" }> & { hasRoom: boolean })
  /** The terminal has answered the CANCEL for it with OK. */
  | { type: "cancel.confirmed"; atMs: number }
  /** The store has lost some of its history since this entry was stored. */
  | { type: "history.lost"; atMs: number };

export type CommandEffect = Extract<TerminalEffect, { type: "deliver" | "finished" | "cancelQueued" }>;

export function stateOfEntry(entry: Entry): WaitingState | AwaitedState {
  if (!isSent(entry)) return entry.attempts === 0 ? "queued" : "returned";
  if (isHeld(entry)) return "held";
  if (entry.session !== null) return entry.held ? "resent" : "sent";
  return entry.held || entry.channel !== "poll" ? "withdrawn" : "sent";
}

interface Args {
  context: CommandContext;
  event: CommandEvent;
}

/** The poll or the session of this event has it. A poll is told from others by when it took. */
function hasTaken({ context: { entry }, event }: Args): boolean {
  if (event.type !== "command.undelivered" || !isSent(entry) || entry.session !== event.session) return false;
  return event.session !== null || (entry.channel === "poll" && entry.sentAtMs === event.sentAtMs);
}

function awaitsAck({ context: { entry }, event }: Args): boolean {
  if (event.type !== "command.acknowledged" && event.type !== "command.refused") return false;
  return isSent(entry) && entry.awaitingAck && entry.session === event.session;
}

/** Its session has ended without having acknowledged it, and was one that remembers uuids. */
function isLost({ context: { entry }, event }: Args): boolean {
  if (event.type !== "session.lost" || !isSent(entry)) return false;
  return entry.redeliverable && entry.session === event.session && entry.expiresAtMs > event.atMs;
}

/** One that is to be cancelled is not sent again: the CANCEL is. */
function mayNotGoAgain({ context: { entry } }: Args): boolean {
  return !isSent(entry) || !entry.redeliverable || entry.cancelRequested;
}

function isOverdue({ context: { entry }, event }: Args): boolean {
  return entry.expiresAtMs <= event.atMs;
}

const setUp = setup({
  types: {} as { context: CommandContext; input: CommandContext; events: CommandEvent },
  guards: {
    mayGoTo: ({ context: { entry }, event }) =>
      event.type === "command.taken" && mayGoTo(entry, event.session === null ? null : event.session.id, event.atMs),
    mayGoAgainTo: ({ context: { entry }, event }) =>
      event.type === "command.redelivered" && event.session.redeliver && mayGoTo(entry, event.session.id, event.atMs),
    hasTaken,
    hasTakenFirst: (args) => hasTaken(args) && args.context.entry.attempts === 1,
    hasTakenAndMayNotGoAgain: (args) => hasTaken(args) && mayNotGoAgain(args),
    awaitsAck,
    awaitsAckAndMayNotGoAgain: (args) => awaitsAck(args) && mayNotGoAgain(args),
    isLost,
    isLostAndMayNotGoAgain: (args) => isLost(args) && mayNotGoAgain(args),
    hasSession: ({ context: { entry } }) => isSent(entry) && entry.session !== null,
    isOverdue,
    isOverdueOrHasNoRoom: (args) => isOverdue(args) || (args.event.type === "cancel.requested" && !args.event.hasRoom),
    isSilent: ({ context: { entry }, event }) => isSent(entry) && entry.unknownAtMs <= event.atMs,
    pauseIsOver: ({ context: { entry }, event }) => entry.refusedBy !== null && entry.refusedBy.untilMs <= event.atMs,
  },
  actions: {
    deliver: (_, _params: Extract<CommandEffect, { type: "deliver" }>["params"]) => {},
    finished: (_, _params: Finished) => {},
    cancelQueued: (_, _params: Extract<CommandEffect, { type: "cancelQueued" }>["params"]) => {},
    send: assign(({ context: { entry }, event }) =>
      event.type === "command.taken" ? { entry: sentEntry(entry, entry.attempts + 1, event.atMs, event.channel, event.session) } : {},
    ),
    sendAgain: assign(({ context: { entry }, event }) =>
      isSent(entry) && event.type === "command.redelivered" ? { entry: resentEntry(entry, event.session.id, event.atMs) } : {},
    ),
    /** As if it had never left. */
    putBack: assign(({ context: { entry } }) => ({ entry: queuedEntry(entry, entry.attempts - 1) })),
    /** Who refuses a first attempt has not executed it, nor has anyone else: anyone may get it next, but not the same session for a moment. */
    giveBack: assign(({ context: { entry }, event }) =>
      event.type === "command.refused" ? { entry: { ...queuedEntry(entry, entry.attempts), refusedBy: pauseOf(event) } } : {},
    ),
    hold: assign(({ context: { entry } }) =>
      isSent(entry) ? { entry: heldEntry(entry, { attempts: entry.attempts, refusedBy: null }) } : {},
    ),
    holdAsNotDelivered: assign(({ context: { entry } }) =>
      isSent(entry) ? { entry: heldEntry(entry, { attempts: entry.attempts - 1, refusedBy: null }) } : {},
    ),
    /** That it has not executed it is known of this session alone. */
    holdAsRefused: assign(({ context: { entry }, event }) =>
      isSent(entry) && event.type === "command.refused"
        ? { entry: heldEntry(entry, { attempts: entry.attempts, refusedBy: pauseOf(event) }) }
        : {},
    ),
    acknowledge: assign(({ context: { entry } }) =>
      isSent(entry) ? { entry: { ...entry, awaitingAck: false, redeliverable: false } } : {},
    ),
    /** When it was sent last is not known any more; it was before now. Only sessions give commands back. */
    withdraw: assign(({ context: { entry }, event }) => ({
      entry: { ...sentEntry(entry, entry.attempts, event.atMs, "websocket", null), cancelRequested: true },
    })),
    markCancelRequested: assign(({ context: { entry } }) => (isSent(entry) ? { entry: { ...entry, cancelRequested: true } } : {})),
    endPause: assign(({ context: { entry } }) => ({ entry: { ...entry, refusedBy: null } })),
    /** It may have been sent since, and come back: nobody sends it again, and it ends as unknown. */
    countAsSentAndOverdue: assign(({ context: { entry } }) => ({
      entry: { ...entry, attempts: Math.max(entry.attempts, 1), expiresAtMs: 0, refusedBy: null },
    })),
    /** It may have come back since, and gone to another device: whoever has it and gives it back, or is lost, nobody gets it again. */
    countAsSentAgain: assign(({ context: { entry } }) => (isSent(entry) ? { entry: { ...entry, held: true, redeliverable: false } } : {})),
  },
});

const finish = <State extends Finished["state"]>(state: State) =>
  ({
    target: state,
    actions: {
      type: "finished",
      params: ({ context: { entry }, event: { atMs } }: Args) =>
        isSent(entry) ? finishedSentParams(entry, state, atMs) : finishedParams(entry, state, atMs),
    },
  }) as const;

const deliver = {
  type: "deliver",
  params: ({ context: { entry } }: Args) => ({
    uuid: entry.uuid,
    attempt: entry.attempts,
    expiresAtMs: entry.expiresAtMs,
    channel: isSent(entry) ? entry.channel : ("poll" as const),
    session: isSent(entry) ? entry.session : null,
  }),
} as const;

const cancelQueued = {
  type: "cancelQueued",
  params: ({ context: { entry }, event }: Args) => ({
    uuid: entry.uuid,
    cancelUuid: event.type === "cancel.requested" ? event.cancel.uuid : "",
  }),
} as const;

/** Somebody has executed it, or says that nobody has: that counts wherever it is. */
const ends = { "result.recorded": finish("done"), "cancel.confirmed": finish("cancelled") } as const;
const isSilent = { guard: "isSilent", ...finish("unknown") } as const;
const pauseIsOver = { guard: "pauseIsOver", actions: "endPause" } as const;
const noteCancel = { actions: ["markCancelRequested", cancelQueued] } as const;

export const commandMachine = setUp.createMachine({
  id: "command",
  context: ({ input }) => input,
  initial: "queued",
  states: {
    queued: {
      description: "It has never left. Anyone may get it.",
      on: {
        ...ends,
        "command.taken": { guard: "mayGoTo", target: "sent", actions: ["send", deliver] },
        "cancel.requested": finish("cancelled"),
        "deadline.passed": { guard: "isOverdue", ...finish("expired") },
        "history.lost": { target: "returned", actions: "countAsSentAndOverdue" },
      },
    },
    returned: {
      description:
        "It left and came back: who had it refused it, so anyone may get it. It may have been executed all the same, so it never expires.",
      on: {
        ...ends,
        "command.taken": { guard: "mayGoTo", target: "sent", actions: ["send", deliver] },
        "cancel.requested": [
          { guard: "isOverdueOrHasNoRoom", ...finish("unknown") },
          { target: "withdrawn", actions: ["withdraw", cancelQueued] },
        ],
        "deadline.passed": [{ guard: "isOverdue", ...finish("unknown") }, pauseIsOver],
        "history.lost": { actions: "countAsSentAndOverdue" },
      },
    },
    sent: {
      description: "A poll or a session has it. It goes to nobody else unless that one refuses it, certainly did not get it, or is lost.",
      on: {
        ...ends,
        "command.undelivered": [
          { guard: "hasTakenFirst", target: "queued", actions: "putBack" },
          { guard: "hasTaken", target: "returned", actions: "putBack" },
        ],
        "command.acknowledged": { guard: "awaitsAck", actions: "acknowledge" },
        "command.refused": { guard: "awaitsAck", target: "returned", actions: "giveBack" },
        "session.lost": [
          { guard: "isLostAndMayNotGoAgain", target: "withdrawn", actions: "hold" },
          { guard: "isLost", target: "held", actions: "hold" },
        ],
        "cancel.requested": noteCancel,
        "deadline.passed": isSilent,
        "history.lost": [
          { guard: "hasSession", target: "resent", actions: "countAsSentAgain" },
          { target: "withdrawn", actions: "countAsSentAgain" },
        ],
      },
    },
    held: {
      description:
        "Its session was lost, and a device may be executing it. Only a session that declares that it remembers uuids may get it.",
      on: {
        ...ends,
        "command.redelivered": { guard: "mayGoAgainTo", target: "resent", actions: ["sendAgain", deliver] },
        "cancel.requested": { target: "withdrawn", actions: ["markCancelRequested", cancelQueued] },
        "deadline.passed": [isSilent, pauseIsOver],
        "history.lost": { target: "withdrawn", actions: "countAsSentAgain" },
      },
    },
    resent: {
      description:
        "A session has it, and another device may be executing it: it was sent before, or may have been. What comes back is held or withdrawn.",
      on: {
        ...ends,
        "command.undelivered": [
          { guard: "hasTakenAndMayNotGoAgain", target: "withdrawn", actions: "holdAsNotDelivered" },
          { guard: "hasTaken", target: "held", actions: "holdAsNotDelivered" },
        ],
        "command.acknowledged": { guard: "awaitsAck", actions: "acknowledge" },
        "command.refused": [
          { guard: "awaitsAckAndMayNotGoAgain", target: "withdrawn", actions: "holdAsRefused" },
          { guard: "awaitsAck", target: "held", actions: "holdAsRefused" },
        ],
        "session.lost": [
          { guard: "isLostAndMayNotGoAgain", target: "withdrawn", actions: "hold" },
          { guard: "isLost", target: "held", actions: "hold" },
        ],
        "cancel.requested": noteCancel,
        "deadline.passed": isSilent,
        "history.lost": { actions: "countAsSentAgain" },
      },
    },
    withdrawn: {
      description:
        "Nobody has it, and a device may be executing it. It is never sent again; only its result, or that of a CANCEL, is awaited.",
      on: {
        ...ends,
        "command.undelivered": { guard: "hasTaken", actions: "holdAsNotDelivered" },
        "cancel.requested": noteCancel,
        "deadline.passed": [isSilent, pauseIsOver],
        "history.lost": { actions: "countAsSentAgain" },
      },
    },
    done: { type: "final", description: "It has a result." },
    cancelled: { type: "final", description: "It was not executed: it never left, or the terminal says so. It is safe to charge again." },
    expired: { type: "final", description: "It never left in time, so it was not executed. It is safe to charge again." },
    unknown: { type: "final", description: "It may have been executed, and no result came. A late one is still taken." },
  },
});
