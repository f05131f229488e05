import type { ZvtConnection, ZvtEnded, ZvtOutcome, ZvtReceipt } from "./zvt-payments.ts";

/**
 * What is kept of a route: which payment is open and how it ended, so that a register that repeats 06-01 pays once (begin-decision.ts). Changed by
 * compare-and-set only, by any node.
 */
export interface ZvtRouteRecord {
  readonly schema: 1;
  /** Random when the record is made: a store that was reset cannot repeat uuids. */
  readonly epoch: string;
  /** Of the latest payment. */
  readonly seq: number;
  readonly open: ZvtOpen | null;
  /** For 06-20. */
  readonly lastReceipt: { readonly uuid: string; readonly receipt: ZvtReceipt } | null;
  /** For operators. */
  readonly lastOutcome: ZvtLastOutcome | null;
}

export interface ZvtOpen {
  readonly uuid: string;
  /** Where it was sent, whatever the route's configuration says since. */
  readonly terminalId: string;
  readonly amountCents: number;
  /** ISO 4217 number of four digits. */
  readonly currency: string;
  /** When 06-01 was accepted, or repeated while the relay knew no command of it: it is sent for 5 s from here on. */
  readonly acceptedAtMs: number;
  /** 1 to 9999. */
  readonly receiptNo: number;
  readonly seq: number;
  /** Whose it is. */
  readonly attached: ZvtAttachment;
  /** The register acknowledged something there: another connection of its address is not its repeat. */
  readonly heard: boolean;
  readonly disconnectedAtMs: number | null;
  /** The register acknowledged the result. */
  readonly delivered: boolean;
  readonly endedAtMs: number | null;
  readonly outcome: ZvtOutcome | null;
  /** Operators have been told that an approved one was not delivered. */
  readonly flagged: boolean;
}

/** A connection, among those of all nodes and of their lives. */
export interface ZvtAttachment {
  /** Of the connection on its node. */
  readonly connection: string;
  /** The address of the shard whose it is. */
  readonly shard: string;
  /** Unique to the life of that shard. */
  readonly writer: string;
  /** Of the register. */
  readonly address: string;
}

export interface ZvtLastOutcome {
  readonly uuid: string;
  readonly atMs: number;
  readonly amountCents: number;
  readonly type: ZvtOutcome["type"];
  /** Of what was not paid; null else. */
  readonly code: number | null;
}

export interface ZvtOrder {
  readonly terminalId: string;
  readonly amountCents: number;
  readonly currency: string;
}

/** A node sends a payment only within this time after its acceptance: one that slept longer finds it given up, or another's. */
export const SEND_WITHIN_MS = 5_000;

const RECEIPT_NO_MAX = 9_999;

export function newRouteRecord(epoch: string): ZvtRouteRecord {
  return { schema: 1, epoch, seq: 0, open: null, lastReceipt: null, lastOutcome: null };
}

/** The next payment takes the place of what was open. */
export function withOpened(
  record: ZvtRouteRecord,
  { order, attached, uuidOf, atMs }: { order: ZvtOrder; attached: ZvtAttachment; uuidOf: (seq: number) => string; atMs: number },
): ZvtRouteRecord & { open: ZvtOpen } {
  const seq = record.seq + 1;
  const { terminalId, amountCents, currency } = order;
  const open: ZvtOpen = {
    uuid: uuidOf(seq),
    ...{ terminalId, amountCents, currency },
    acceptedAtMs: atMs,
    receiptNo: ((seq - 1) % RECEIPT_NO_MAX) + 1,
    ...{ seq, attached, heard: false, disconnectedAtMs: null },
    ...{ delivered: false, endedAtMs: null, outcome: null, flagged: false },
  };
  return { ...record, seq, open };
}

/** Another connection takes the open payment over; `resend`: the relay knows no command of it, and it is to be sent now. */
export function withReattached(
  record: ZvtRouteRecord,
  open: ZvtOpen,
  { attached, resend, atMs }: { attached: ZvtAttachment; resend: boolean; atMs: number },
): ZvtRouteRecord & { open: ZvtOpen } {
  const acceptedAtMs = resend ? atMs : open.acceptedAtMs;
  return { ...record, open: { ...open, acceptedAtMs, attached, heard: false, disconnectedAtMs: null } };
}

/** How the open payment ended; a later result takes the place of `unknown`. `endedAtMs` is when it was known. */
export function withOutcome(
  record: ZvtRouteRecord,
  open: ZvtOpen,
  outcome: ZvtOutcome,
  endedAtMs: number,
): ZvtRouteRecord & { open: ZvtOpen } {
  const { uuid, amountCents } = open;
  const receipt = outcome.type === "unknown" ? null : outcome.receipt;
  return {
    ...record,
    open: { ...open, outcome, endedAtMs },
    lastReceipt: receipt === null ? record.lastReceipt : { uuid, receipt },
    lastOutcome: { uuid, atMs: endedAtMs, amountCents, type: outcome.type, code: outcome.type === "notPaid" ? outcome.code : null },
  };
}

/**
 * Nothing was charged for it, and nothing can be any more; or an operator released it. Its register has not heard of it, and would take the receipt of the
 * payment before for the one of this: there is nothing to repeat any more.
 */
export function withoutOpen(record: ZvtRouteRecord): ZvtRouteRecord {
  return { ...record, open: null, lastReceipt: null };
}

export function attachmentOf({ id, address }: ZvtConnection, { shard, writer }: Pick<ZvtAttachment, "shard" | "writer">): ZvtAttachment {
  return { connection: id, shard, writer, address };
}

export function isSameConnection(one: ZvtAttachment, other: ZvtAttachment): boolean {
  return one.connection === other.connection && one.writer === other.writer;
}

/** A result that is kept for the register. */
export function undeliveredOf(open: ZvtOpen): ZvtEnded | null {
  return open.delivered || open.outcome === null || open.outcome.type === "unknown" ? null : open.outcome;
}
