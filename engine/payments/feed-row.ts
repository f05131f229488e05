import type { Channel, CommandKind, CommandState } from "./command.ts";
import type { ObjectRow } from "./object-row.ts";
import type { Transaction } from "./transaction.ts";

/**
 * What goes to ClickHouse (and, in a cluster, through Kafka). Rows are keyed by (terminal, day, uuid), a merchant's things by (merchant, object, day, id), which
 * never change; a higher version replaces a lower one. At least once: the same row may come again.
 */
export type FeedRow = TerminalRow | ObjectRow;

/** What a terminal's commands and results come to. */
export type TerminalRow = TransactionRow | LifeRow | ConflictRow;

interface FromStore {
  /** The version of the commit that stored it, known to whoever has read it from the store. */
  storeVersion?: number;
}

/** A stored result. `version` grows with each change of the same uuid's row, and with the rank of its end first (row-version.ts). */
export interface TransactionRow extends FromStore {
  type: "transaction";
  version: number;
  transaction: Transaction & { terminalId: string };
  /** What the command was; null for a result that nobody asked for. */
  kind: CommandKind | null;
  /** Sender of the command, empty for an unsolicited result. */
  sender: string;
  unsolicited: boolean;
  amountDiffers: boolean;
  /** How its command ended, in place of a row of its own (`lifeRowOf`). Absent without a command, and in rows of 0.1.0. */
  life?: EndedLife;
  /**
   * The merchant whose row it is, as administered when the command was accepted (for a result that nobody asked for: when it was posted). Absent for none;
   * `transaction.merchantId` may be what the terminal said of itself.
   */
  shop?: string;
}

/**
 * A command whose life ended without a result; a late result ends it a second time, with a higher version (row-version.ts). How a command with a result
 * ended stands in the result's row (`life`), so that one row is stored, sent and deleted, not two.
 */
export interface LifeRow extends FromStore {
  type: "life";
  version: number;
  uuid: string;
  terminalId: string;
  kind: CommandKind;
  service: string;
  amountCents: number;
  sender: string;
  state: Exclude<CommandState, "queued" | "sent">;
  acceptedAtMs: number;
  sentAtMs: number | null;
  finishedAtMs: number;
  channel: Channel | null;
  attempt: number;
  /** As `TransactionRow.shop`: a result that comes later, perhaps to a store that was restored, has the same. */
  shop?: string;
}

/** What a command's end has beyond what the row of its result says. */
export type EndedLife = Pick<
  LifeRow,
  "service" | "amountCents" | "state" | "acceptedAtMs" | "sentAtMs" | "finishedAtMs" | "channel" | "attempt"
>;

/** The end of the command whose result a row is, as a row of its own; null where the row tells of none. */
export function lifeRowOf(row: FeedRow): LifeRow | null {
  // A result that nobody asked for is no command's.
  if (row.type !== "transaction" || row.life === undefined || row.kind === null) return null;
  const { version, storeVersion, transaction, kind, sender, shop, life } = row;
  const { uuid, terminalId } = transaction;
  const { service, amountCents, state, acceptedAtMs, sentAtMs, finishedAtMs, channel, attempt } = life;
  // Each row that is fed is copied, and a spread of `life` takes many times as long.
  const own: LifeRow = {
    type: "life",
    version,
    uuid,
    terminalId,
    kind,
    service,
    amountCents,
    sender,
    state,
    acceptedAtMs,
    sentAtMs,
    finishedAtMs,
    channel,
    attempt,
  };
  if (shop !== undefined) own.shop = shop;
  if (storeVersion !== undefined) own.storeVersion = storeVersion;
  return own;
}

/** A second, different result for a uuid, which never overwrites the first. `raw` is masked JSON text. */
export interface ConflictRow {
  type: "conflict";
  id: string;
  uuid: string;
  terminalId: string;
  postedBy: string;
  atMs: number;
  raw: string;
}
