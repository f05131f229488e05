import type { Channel, Command, CommandKind, CommandState } from "../payments/command.ts";
import type { Transaction } from "../payments/transaction.ts";

/** A command that waits for its terminal. */
export interface QueuedEntry {
  uuid: string;
  kind: CommandKind;
  service: string;
  sender: string;
  acceptedAtMs: number;
  expiresAtMs: number;
  /** How often it was sent before (a NACK put it back). */
  attempts: number;
  /** The session that refused it and until when it is not offered there again. */
  refusedBy: { session: string; untilMs: number } | null;
  /** CANCEL only: the uuid to be cancelled. */
  cancels: string | null;
  /** True where only rule ANY admitted its sender; such senders share a part of the places (shares.ts). */
  byAny: boolean;
}

/** A command that left and whose result is awaited. */
export interface SentEntry {
  uuid: string;
  kind: CommandKind;
  service: string;
  sender: string;
  acceptedAtMs: number;
  expiresAtMs: number;
  attempts: number;
  sentAtMs: number;
  channel: Channel;
  unknownAtMs: number;
  /** The WebSocket session that it went to; null for a poll, and while it is held. */
  session: string | null;
  /** True while the client has declared `redeliver: same-uuid` and has not acknowledged. */
  redeliverable: boolean;
  /**
   * True once its session ended without having acknowledged it: a device may be executing it. It stays sent, and while no session has it, it is held for
   * sessions of the terminal's own login that declare that they remember uuids; nobody else ever gets it.
   */
  held: boolean;
  /** The session that refused it again, and until when it is not offered there again. */
  refusedBy: QueuedEntry["refusedBy"];
  /** True until a client or client-individual subscription acknowledges. */
  awaitingAck: boolean;
  cancels: string | null;
  /** True when a CANCEL for it was queued. */
  cancelRequested: boolean;
  byAny: boolean;
}

/** The latest command of one sender (empty: of nobody, a result that came unasked), for `status`. */
export interface LatestEntry {
  sender: string;
  uuid: string;
  /** True once it has a result. Until then nothing older or unasked may stand in its place. */
  answered: boolean;
}

/** What is stored of a terminal actor; small, rewritten at each step. The machine's snapshot is rebuilt from it. */
export interface TerminalRecord {
  terminalId: string;
  /** In the order in which they go out. */
  queue: readonly QueuedEntry[];
  sent: readonly SentEntry[];
  /** Most recent first, one a sender, for `status`; SCAN and PRINT too, administrator commands and CANCEL not. */
  latest: readonly LatestEntry[];
}

/**
 * What is stored of a command under its uuid: the claim on the uuid, the accepted command, and its end. While it is queued or
 * sent, the terminal record tells where it stands; `life` is written when it ends.
 */
export interface CommandRecord {
  /** Grows with each change that ClickHouse has to learn of; the version of its rows. */
  revision: number;
  /** As the command's sender wrote it; a result that nobody asked for has it as its terminal wrote it. */
  uuid: string;
  /** The store's own: where it lies, if that is not where a command of this uuid is kept now. */
  place?: string;
  terminalId: string;
  /** Null for a result that nobody asked for. */
  command: Command | null;
  life: CommandLife | null;
  result: StoredResult | null;
}

export interface CommandLife {
  state: Exclude<CommandState, "queued" | "sent">;
  sentAtMs: number | null;
  finishedAtMs: number;
  channel: Channel | null;
  attempts: number;
}

export interface StoredResult {
  transaction: Transaction;
  /** The merchant that the terminal told, where its cloud configuration put another in its place; null: it told none. */
  toldMerchantId?: string | null;
  /** What the terminal posted, PANs masked, as JSON text; removed by `receipts/clean`. */
  raw: string | null;
  postedBy: string;
  amountDiffers: boolean;
  /** The merchant whose it is, as administered when it was posted: only where no command tells (nobody asked for it, or `Command.shop` was not kept yet). */
  shop?: string;
}
