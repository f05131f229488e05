import { RelayError } from "../kernel/errors.ts";
import { hashOf } from "../kernel/hash.ts";
import { uuidKey } from "../kernel/identifiers.ts";
import { available, type Entry, type Kv, type Operation, prefixRange } from "../kernel/kv.ts";
import { readBareRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { type AttentionItem, attentionKey, attentionOperation } from "../payments/attention.ts";
import type { TransactionRow } from "../payments/feed-row.ts";
import { outboxOperation } from "../payments/outbox.ts";
import type { LinkRecord } from "./link.ts";

/**
 * Links are divided into this many partitions, each with an index of its deadlines. A partition lives where `homeOf` says, as a terminal does, and that
 * shard looks after its links: it reads its own partitions only, and nobody else reads them.
 */
export const LINK_PARTITIONS = 64;

/** The partition of a link, the same on every node. */
export function partitionOf(txId: string): number {
  return hashOf(txId) % LINK_PARTITIONS;
}

/** What a partition is called where homes are asked for. */
export function partitionName(partition: number): string {
  return `links/${partition}`;
}

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
  /** What else is stored in the same commit, and what has to be as it was read; the entries of companions. Absent: nothing. */
  alongside?: Alongside;
  atMs: number;
}

/** Entries of others for the commit of a link. */
export interface Alongside {
  readonly checks: readonly { key: string; version: number }[];
  readonly operations: readonly Operation[];
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
   * The new version, or null where another version stands (or, for a new link, any) of it or of what goes alongside. Throws RelayError `duplicate` where the id of a new capture,
   * reversal or refund is that of another payment's.
   */
  commit(change: LinkChange): Promise<number | null>;
  /** Whether any link of any partition has a deadline: where there are none, no partition needs to be read. */
  anyDue(): Promise<boolean>;
  /** Links of a partition whose deadline lies before `untilMs`, by deadline, those after `after` only. */
  pageDue(partition: number, after: DueLink | null, untilMs: number, limit: number): Promise<DueLink[]>;
}

export const LINKS = "link/";
/** One entry for each link that is still followed. */
export const LINKS_DUE = "link-due/";
const PAYMENTS = "link-payment/";
const MOVEMENTS = "link-tran/";
/** Ids of captures, reversals and refunds: the gateway executes one once, so none is for two payments. */
const OPERATIONS = "link-op/";

const MS_DIGITS = 13;

/** Names that the gateway gives and links are found by; a longer one is no id. */
const NAME = /^[!-~]{1,200}$/;

export interface LinkStoreOptions {
  kv: Kv;
  /** How long a link is kept after its time is over. */
  retentionMs: number;
  /** Unique among all writers (shards of all nodes and restarts); part of the outbox keys. */
  writer: string;
}

/**
 * Payment links on the key-value store: `link/<txId>`, the index of deadlines `link-due/<partition>/<13 digits of milliseconds>/<txId>`, the
 * gateway's names `link-payment/` and `link-tran/<partner>/<name>`, `link-op/<id of a capture, reversal or refund>`, outbox rows.
 */
export function createLinkStore({ kv, retentionMs, writer }: LinkStoreOptions): LinkStore {
  let rowsWritten = 0;

  async function loadBy(key: string | null): Promise<Stored<LinkRecord> | null> {
    const name = key === null ? null : await kv.get(key);
    return name === null ? null : storedOf(await kv.get(keyOf(name.value)));
  }

  function operationsOf(change: LinkChange): Operation[] {
    const { record, before, rows, attention, settled, atMs } = change;
    const { txId, partnerId, expiresAtMs } = record.order;
    const kept = record.nextAtMs === null ? { expiresAtMs: expiresAtMs + retentionMs } : {};
    const operations: Operation[] = [{ type: "put", key: keyOf(txId), value: recordText("link", record), ...kept }];
    const dueBefore = before === null ? null : dueKeyOf(before);
    const due = dueKeyOf(record);
    if (dueBefore !== null && dueBefore !== due) operations.push({ type: "delete", key: dueBefore });
    if (due !== null && dueBefore !== due) operations.push({ type: "put", key: due, value: "1" });
    const movementsBefore = before === null ? [] : tranIdsOf(before);
    const names = [
      record.paymentId === before?.paymentId ? null : nameKey(PAYMENTS, partnerId, record.paymentId),
      ...tranIdsOf(record).map((tranId) => (movementsBefore.includes(tranId) ? null : nameKey(MOVEMENTS, partnerId, tranId))),
    ];
    for (const key of names) {
      if (key !== null) operations.push({ type: "put", key, value: txId, expiresAtMs: expiresAtMs + retentionMs });
    }
    for (const key of operationKeys(change)) operations.push({ type: "put", key, value: txId, expiresAtMs: expiresAtMs + retentionMs });
    for (const row of rows) {
      rowsWritten += 1;
      operations.push(outboxOperation(row, atMs, `${writer}-l${rowsWritten.toString(36)}`));
    }
    for (const item of attention) operations.push(attentionOperation(item));
    for (const item of settled) operations.push({ type: "delete", key: attentionKey(item.kind, item.terminalId, item.uuid ?? "") });
    if (change.alongside !== undefined) operations.push(...change.alongside.operations);
    return operations;
  }

  return {
    // Ids come out of requests as they are.
    load: (txId) => available(async () => (NAME.test(txId) ? storedOf(await kv.get(keyOf(txId))) : null)),
    findByPaymentId: (partnerId, paymentId) => available(() => loadBy(nameKey(PAYMENTS, partnerId, paymentId))),
    findByTranId: (partnerId, tranId) => available(() => loadBy(nameKey(MOVEMENTS, partnerId, tranId))),
    commit: (change) =>
      available(async () => {
        const { txId } = change.record.order;
        const result = await kv.commit({
          // The link's own stands first: where another version of it stands, the claims of that one say nothing.
          checks: [
            { key: keyOf(txId), version: change.version },
            ...operationKeys(change).map((key) => ({ key, version: 0 })),
            ...(change.alongside?.checks ?? []),
          ],
          operations: operationsOf(change),
        });
        if (result.type === "committed") return result.version;
        if (result.key.startsWith(OPERATIONS)) throw new RelayError("duplicate", "The id was used for an operation of another payment");
        return null;
      }),
    anyDue: () => available(async () => (await kv.scan({ ...prefixRange(LINKS_DUE), limit: 1 })).length > 0),
    pageDue: (partition, after, untilMs, limit) =>
      available(async () => {
        const prefix = duePrefix(partition);
        const from = after === null ? prefix : `${dueKey(after.txId, after.atMs)}\u0001`;
        const entries = await kv.scan({ from, to: prefix + digitsOf(untilMs), limit });
        return entries.map(({ key }) => dueOf(key, prefix.length));
      }),
  };
}

/** In capitals it is the same link. */
function keyOf(txId: string): string {
  return LINKS + uuidKey(txId);
}

function duePrefix(partition: number): string {
  return `${LINKS_DUE}${String(partition).padStart(2, "0")}/`;
}

function digitsOf(ms: number): string {
  return String(Math.max(0, Math.floor(ms))).padStart(MS_DIGITS, "0");
}

function dueKey(txId: string, atMs: number): string {
  return `${duePrefix(partitionOf(txId))}${digitsOf(atMs)}/${txId}`;
}

function dueKeyOf({ order, nextAtMs }: LinkRecord): string | null {
  return nextAtMs === null ? null : dueKey(order.txId, nextAtMs);
}

function dueOf(key: string, prefixLength: number): DueLink {
  const atMs = Number(key.slice(prefixLength, prefixLength + MS_DIGITS));
  return { txId: key.slice(prefixLength + MS_DIGITS + 1), atMs };
}

function operationKeys({ record, before }: LinkChange): string[] {
  const known = new Set(before?.followUps.map(({ id }) => id));
  return record.followUps.filter(({ id }) => !known.has(id)).map(({ id }) => OPERATIONS + id);
}

/** The payment's own movement of money, and those that followed it: a refund may name a later capture. */
function tranIdsOf({ outcome, followUps }: LinkRecord): string[] {
  return [outcome?.payment?.tranId, ...followUps.map(({ tranId }) => tranId)].filter((tranId) => typeof tranId === "string");
}

/** Null for a name that cannot be one: what the gateway calls its payments is not ours to choose, keys are plain ASCII. */
function nameKey(prefix: string, partnerId: number | null, name: string | null): string | null {
  return name !== null && NAME.test(name) ? `${prefix}${partnerId ?? "own"}/${name}` : null;
}

function storedOf(entry: Entry | null): Stored<LinkRecord> | null {
  if (entry === null) return null;
  return { record: readBareRecord("link", "a link", entry.value), version: entry.version };
}
