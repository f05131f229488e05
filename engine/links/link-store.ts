import type { CommitPart } from "../kernel/commit-part.ts";
import { createDueIndex, type DueIndex, dueOperations } from "../kernel/due-index-store.ts";
import { RelayError } from "../kernel/errors.ts";
import { uuidKey } from "../kernel/identifiers.ts";
import { available, type Entry, type Kv, type Operation, prefixRange } from "../kernel/kv.ts";
import { readBareRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { timeDigits } from "../kernel/time-digits.ts";
import { type AttentionItem, attentionKey, attentionOperation } from "../payments/attention.ts";
import type { TransactionRow } from "../payments/feed-row.ts";
import { outboxOperation } from "../payments/outbox.ts";
import { isFinal, type LinkRecord } from "./link.ts";

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
  alongside?: CommitPart;
  atMs: number;
}

/**
 * Where payment links are kept. Every method rejects with RelayError `unavailable` when the store cannot answer; after a failed commit
 * it is not known whether it happened.
 */
export interface LinkStore extends DueIndex {
  load(txId: string): Promise<Stored<LinkRecord> | null>;
  /** By the gateway's id of the payment or of the money movement, among the links of one account. */
  findByPaymentId(partnerId: number | null, paymentId: string): Promise<Stored<LinkRecord> | null>;
  findByTranId(partnerId: number | null, tranId: string): Promise<Stored<LinkRecord> | null>;
  /**
   * The new version, or null where another version stands (or, for a new link, any) of it or of what goes alongside. Throws RelayError `duplicate` where the id of a new capture,
   * reversal or refund is that of another payment's.
   */
  commit(change: LinkChange): Promise<number | null>;
}

/** More open links are not counted. */
export const OPEN_LINKS_MAX = 100_000;
const OPEN_PAGE = 1_000;

export const LINKS = "link/";
/** The index of deadlines: one entry for each link that is still followed. It has its name from before there were others (`due/`). */
const LINKS_DUE = "link-due/";
/** Links that can be paid, by the end of their time. Entries expire with it. */
const OPEN = "link-open/";
const PAYMENTS = "link-payment/";
const MOVEMENTS = "link-tran/";
/** Ids of captures, reversals and refunds: the gateway executes one once, so none is for two payments. */
const OPERATIONS = "link-op/";

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
 * links that can be paid `link-open/<13 digits of the end of their time>/<txId>`, the gateway's names `link-payment/` and `link-tran/<partner>/<name>`, `link-op/<id of a capture, reversal or refund>`, outbox rows.
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
    operations.push(...openOperations(record, before));
    operations.push(...dueOperations(LINKS_DUE, txId, before?.nextAtMs ?? null, record.nextAtMs));
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
    ...createDueIndex(kv, LINKS_DUE),
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
        if (result.key.startsWith(OPERATIONS))
          throw new RelayError("duplicate", "The id was already used for an operation of another payment; use a new one");
        return null;
      }),
  };
}

/** Counts the links that can be paid at this time, at most OPEN_LINKS_MAX. */
export function countOpenLinks(kv: Pick<Kv, "scan">, atMs: number): Promise<number> {
  return available(async () => {
    const { to } = prefixRange(OPEN);
    let from = OPEN + timeDigits(atMs + 1);
    for (let open = 0; ; ) {
      const page = await kv.scan({ from, to, limit: OPEN_PAGE });
      open += page.length;
      const last = page.at(-1);
      if (last === undefined || page.length < OPEN_PAGE || open >= OPEN_LINKS_MAX) return open;
      from = `${last.key}\u0001`;
    }
  });
}

/** In capitals it is the same link. */
function keyOf(txId: string): string {
  return LINKS + uuidKey(txId);
}

function openOperations({ state, order: { txId, expiresAtMs } }: LinkRecord, before: LinkRecord | null): Operation[] {
  const isOpen = !isFinal(state);
  const wasOpen = before !== null && !isFinal(before.state);
  if (isOpen === wasOpen) return [];
  const key = `${OPEN}${timeDigits(expiresAtMs)}/${txId}`;
  return [isOpen ? { type: "put", key, value: "1", expiresAtMs } : { type: "delete", key }];
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
