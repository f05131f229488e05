import type { Stored } from "../kernel/stored.ts";
import type { AttentionItem } from "../payments/attention.ts";
import type { TransactionRow } from "../payments/feed-row.ts";
import type { LinkRecord } from "./link.ts";

/** One step of a link, stored as a whole or not at all. */
export interface LinkChange {
  /** The record as it becomes. */
  record: LinkRecord;
  /** What it replaces, and that one's version; null and 0 for a new link. */
  before: LinkRecord | null;
  version: number;
  /** For ClickHouse, written to the outbox in the same commit. */
  rows: readonly TransactionRow[];
  attention: readonly AttentionItem[];
  settled: readonly Pick<AttentionItem, "kind" | "terminalId" | "uuid">[];
  atMs: number;
}

/** A link that wants to be looked at, as the index of deadlines has it. */
export interface DueLink {
  txId: string;
  atMs: number;
}

/**
 * Where payment links are kept. Every method rejects with RelayError `unavailable` when the store cannot answer; after a failed commit
 * it is not known whether it happened.
 */
export interface LinkStore {
  load(txId: string): Promise<Stored<LinkRecord> | null>;
  /** By the gateway's id of the payment or of the money movement, among the links of one account. */
  findByPaymentId(partnerId: number | null, paymentId: string): Promise<Stored<LinkRecord> | null>;
  findByTranId(partnerId: number | null, tranId: string): Promise<Stored<LinkRecord> | null>;
  /**
   * The new version, or null where another version stands (or, for a new link, any). Throws RelayError `duplicate` where the id of a new capture,
   * reversal or refund is that of another payment's.
   */
  commit(change: LinkChange): Promise<number | null>;
  /** Whether any link of any part has a deadline: where there are none, no part needs to be read. */
  anyDue(): Promise<boolean>;
  /** Links of a part (engine/links/link-parts.ts) whose deadline lies before `untilMs`, by deadline, those after `after` only. */
  pageDue(part: number, after: DueLink | null, untilMs: number, limit: number): Promise<DueLink[]>;
}
