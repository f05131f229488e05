import type { AttentionItem } from "../payments/attention.ts";
import type { Channel, Command, CommandState } from "../payments/command.ts";
import type { ReadResult } from "../payments/result.ts";
import type { Transaction } from "../payments/transaction.ts";
import type { Connection, DeviceInfo } from "../sessions/presence.ts";
import type { QueueRefusal } from "./terminal-queue-full.ts";

/**
 * The terminals of the whole system, from any thread of any node: each call is carried out by the terminal's home.
 * Every method rejects with RelayError `unavailable` when the home or the store cannot answer in time, and with `too_busy` when
 * the terminal's mailbox is full.
 */
export interface Terminals {
  /**
   * Stores a command under its uuid, once; it is on stable storage when this resolves, and is pushed at once where a live
   * session is (ARCHITECTURE.md, promise 1).
   */
  accept(command: Command): Promise<AcceptOutcome>;
  /**
   * Takes the oldest waiting command for a poll, or null when nothing waits. Counts as activity of the terminal.
   * Answers null without asking anyone where the shared counter says that nothing waits. What could not be taken in time is not taken.
   */
  poll(terminalId: string, device: DeviceInfo): Promise<TakenCommand | null> | null;
  /** Of the answer to a poll certainly nothing was written: what it took goes back. Not waited for; where that fails it ends as `unknown`. */
  notHandedOut(terminalId: string, taken: Pick<TakenCommand, "uuid" | "sentAtMs">): void;
  /** Stores a result (ARCHITECTURE.md, promise 4). `postedBy` is the terminal id of the login, or `fleet`. */
  recordResult(posting: ResultPosting): Promise<ResultOutcome>;
  /** Keeps what could not be read as a result, for operators. */
  recordUnreadable(posting: UnreadablePosting): Promise<void>;
  /** When an answer came to this command that could not be read, milliseconds UTC; null where none did. */
  unreadableAnswerAtMs(uuid: string): Promise<number | null>;
  /** Cancels at once while it waits; after it was sent queues a CANCEL command under `cancelUuid`. */
  cancel(request: { uuid: string; cancelUuid: string }): Promise<CancelOutcome>;
  /**
   * Where a command stands; where there is none, or none that may be seen, the oldest result under the uuid that nobody asked for and that may be. Null for
   * a uuid never seen, at once also for what may not be seen. Waits up to `waitMs` for a result, if asked to.
   */
  command(uuid: string, waitMs: number, maySee?: Sight, gone?: AbortSignal): Promise<CommandView | null>;
  /**
   * The latest command of a terminal (of one sender, where given) or, without one, its last transaction; null when there is neither.
   * Waits up to `waitMs` for its result. Both reject with the reason of `gone` once that is aborted while they wait.
   */
  latest(terminalId: string, sender: string | null, waitMs: number, gone?: AbortSignal): Promise<CommandView | null>;
  /** Presence, device and load of a terminal, also of one that was never seen. */
  view(terminalId: string): Promise<TerminalView>;
  /** The same for whoever wants to know whether it is there: waits for a second where the terminal's home has not heard of all sessions yet. */
  connection(terminalId: string): Promise<TerminalView>;
  /** OFFLINE at once, until the next frame or poll. */
  disconnect(terminalId: string): Promise<void>;
  /**
   * Puts a message that is not a command (FORCE_UPDATE) to all sessions of a terminal, or of all, a few at a time; answers with how many
   * got it. `TERMINAL_ID_PLACE` in the text stands for the id of the terminal that it goes to.
   */
  broadcast(terminalId: string | null, text: string): Promise<number>;
  /** Puts a message that is not a command to those sessions of a terminal that this shard holds, if any, at once. */
  tellHere(terminalId: string, text: () => string): void;
  /** Terminals ever seen, by id, after `after`. */
  list(page: { after: string; limit: number }): Promise<TerminalView[]>;
  /**
   * Forgets, on every node, which terminals are there and what they told about their devices (`/admin/redis-sessions/clear`), except of those with a live
   * session: one that polls is ONLINE again with its next poll. When each was last seen, commands and uuids stay. Answers with how many terminals there are.
   */
  forgetPresence(): Promise<number>;
  attention(page: { after: string; limit: number }): Promise<{ id: string; item: AttentionItem }[]>;
}

/** What a poll took. */
export interface TakenCommand {
  uuid: string;
  /** JSON text for the terminal. */
  text: string;
  /** Tells this take from others of the same command. */
  sentAtMs: number;
}

/** Whether somebody may see what a sender (null: nobody) sent to a terminal. */
export type Sight = (terminalId: string, sender: string | null) => boolean;

/**
 * `state` is where the command stands, `duplicate` for the earlier one with this uuid; `sender` sent that one. `queue_full`: nothing was stored.
 * `neverSeen`: it waits for a terminal that has never connected, as far as its home knows.
 */
export type AcceptOutcome =
  | { type: "accepted"; state: "queued" | "sent"; neverSeen?: true }
  | { type: "duplicate"; state: CommandState; sender: string }
  | (QueueRefusal & { type: "queue_full" });

export interface ResultPosting {
  terminalId: string;
  postedBy: string;
  result: ReadResult;
}

export interface UnreadablePosting {
  terminalId: string;
  /** As the posting names it; null where it names none, or several. */
  uuid: string | null;
  /** What is wrong with it; quotes nothing. */
  reason: string;
  /** What was posted, PANs masked, or what can be told of it. */
  raw: string;
}

/** `repeated`: the same result was stored before. `conflict`: a different one was; this one is kept beside it, the first stands. */
export type ResultOutcome = { type: "recorded" } | { type: "repeated" } | { type: "conflict" };

export type CancelOutcome =
  | { type: "cancelled" }
  | { type: "requested"; cancelUuid: string }
  | { type: "too_late"; state: CommandState }
  | { type: "not_found" };

/** A command, its life so far and its result; `command` is null for a result that nobody asked for. */
export interface CommandView {
  uuid: string;
  terminalId: string;
  command: Command | null;
  state: CommandState;
  sentAtMs: number | null;
  finishedAtMs: number | null;
  channel: Channel | null;
  attempts: number;
  cancelRequested: boolean;
  transaction: Transaction | null;
  amountDiffers: boolean;
}

export interface ConnectionView extends Connection {
  terminalId: string;
  /** Node that holds the session, when ONLINE. */
  server?: string;
}

export interface TerminalView extends ConnectionView {
  device: DeviceInfo;
  queued: number;
  sent: number;
}
