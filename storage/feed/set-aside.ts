import { isTerminalId, isUuid } from "../../engine/kernel/identifiers.ts";
import { type Entry, type Kv, type Operation, prefixRange } from "../../engine/kernel/kv.ts";
import { readBareRecord, recordText } from "../../engine/kernel/schemas.ts";
import { ATTENTION, type AttentionItem, attentionKey, attentionOperation } from "../../engine/payments/attention.ts";
import type { FeedRow } from "../../engine/payments/feed-row.ts";
import { OUTBOX, outboxKeyAt } from "../../engine/payments/outbox.ts";
import type { FeedTopics } from "./kafka/kafka-topics.ts";
import { entriesOf, type OutboxEntry, readRow } from "./outbox.ts";

/**
 * Refused rows with the reason, under their outbox key: `op/<milliseconds>-<unique>`. They stay
 * until they are sent again.
 */
export const SET_ASIDE = "op/";

const ATTENTION_KIND = "feed_refused";

/** A refused row as it is stored; `value` is the outbox text. */
interface SetAside {
  reason: string;
  refusedAtMs: number;
  value: string;
}

/** The subject of a row, as far as it is known. A row that cannot be read has none. */
export interface RowSubject {
  rowType: FeedRow["type"] | "unreadable";
  /** Empty if there is none. */
  terminalId: string;
  uuid: string | null;
}

/** A row that was set aside. */
export interface SetAsideRow extends RowSubject {
  entry: Entry;
  row: FeedRow | null;
}

export function subjectOf(row: FeedRow | null): RowSubject {
  if (row === null) return { rowType: "unreadable", terminalId: "", uuid: null };
  const { terminalId, uuid }: { terminalId?: unknown; uuid?: unknown } = partWithNames(row);
  return {
    rowType: row.type,
    terminalId: typeof terminalId === "string" && isTerminalId(terminalId) ? terminalId : "",
    uuid: typeof uuid === "string" && isUuid(uuid) ? uuid : null,
  };
}

/** An object of a merchant has an id instead of a uuid, and no terminal. */
function partWithNames(row: FeedRow): object {
  if (row.type === "object") return { uuid: row.id };
  return row.type === "transaction" ? Object(row.transaction) : row;
}

/**
 * Returns operations that move an entry from the outbox to the rows set aside and report it to
 * operators. It stays there until it is sent again.
 */
export function setAsideOperations(entry: Pick<OutboxEntry, "key" | "value">, reason: string, atMs: number): Operation[] {
  const refused: SetAside = { reason, refusedAtMs: atMs, value: entry.value };
  return [
    { type: "put", key: setAsideKey(entry.key), value: recordText("refusedRow", refused) },
    { type: "delete", key: entry.key },
    attentionOperation(refusedItem(subjectOf(readRow(entry.value)), reason, atMs)),
  ];
}

/**
 * Sets aside the entry with this key. If it is no longer in the outbox (the store was restored, or
 * lost it) and was not set aside already, `value` is its text, or null if the text is not known.
 */
export async function setAsideByKey(kv: Kv, key: string, value: string | null, reason: string, atMs: number): Promise<void> {
  const waiting = await kv.get(key);
  if (waiting === null && (value === null || (await kv.get(setAsideKey(key))) !== null)) return;
  const entry = waiting ?? { key, value: value ?? "" };
  await kv.commit({ checks: [], operations: setAsideOperations(entry, reason, atMs) });
}

/**
 * Returns the entry for operators about a row that is missing in ClickHouse. The reason quotes
 * nothing of it.
 */
export function refusedItem({ rowType, terminalId, uuid }: RowSubject, reason: string, atMs: number): AttentionItem {
  const detail = `A row (${rowType}) is missing in ClickHouse; npm run rebuild-analytics sends it again: ${reason}`;
  return { kind: ATTENTION_KIND, terminalId, uuid, atMs, detail, raw: null };
}

/** Returns the entry for operators about a message that names no outbox entry. */
export function strangerItem({ rowType, terminalId, uuid }: RowSubject, topics: FeedTopics, reason: string, atMs: number): AttentionItem {
  const detail = `A message (${rowType}) of ${topics.rows} that names no outbox entry is stored only in ${topics.dead}: ${reason}`;
  return { kind: ATTENTION_KIND, terminalId, uuid, atMs, detail, raw: null };
}

/** Yields all rows that are set aside, in the order of their outbox keys. */
export async function* rowsSetAside(kv: Kv): AsyncGenerator<SetAsideRow> {
  for await (const entry of entriesOf(kv, SET_ASIDE, null, Number.POSITIVE_INFINITY)) {
    const row = readRow(setAsideText(entry.value));
    yield { entry, row, ...subjectOf(row) };
  }
}

/** Returns the outbox text of an entry. */
export function setAsideText(value: string): string {
  return readBareRecord<SetAside>("refusedRow", "a refused row", value).value;
}

/** Counts the rows that are set aside, up to `max`. */
export async function countSetAside(kv: Kv, max: number): Promise<number> {
  return (await kv.scan({ ...prefixRange(SET_ASIDE), limit: max })).length;
}

/** Returns true if a row is set aside that was written before a time. */
export async function anySetAside(kv: Kv, beforeMs: number): Promise<boolean> {
  const to = setAsideKey(outboxKeyAt(beforeMs));
  return (await kv.scan({ from: SET_ASIDE, to, limit: 1 })).length > 0;
}

/**
 * Entries for operators about refused rows. `settle` removes them when it is known which rows are
 * still refused.
 */
export class ToldOfRefused {
  readonly #kv: Kv;
  readonly #told: ReadonlyMap<string, number>;

  private constructor(kv: Kv, told: ReadonlyMap<string, number>) {
    this.#kv = kv;
    this.#told = told;
  }

  static async load(kv: Kv): Promise<ToldOfRefused> {
    const told = new Map<string, number>();
    const items = entriesOf(kv, `${ATTENTION}${ATTENTION_KIND}/`, null, Number.POSITIVE_INFINITY);
    for await (const { key, version } of items) told.set(key, version);
    return new ToldOfRefused(kv, told);
  }

  /**
   * Removes the entries about all other rows. Entries that were written again meanwhile stay, since
   * their version has changed.
   */
  async settle(refused: readonly RowSubject[]): Promise<void> {
    const stays = new Set(refused.map(({ terminalId, uuid }) => attentionKey(ATTENTION_KIND, terminalId, uuid ?? "")));
    for (const [key, version] of this.#told) {
      if (!stays.has(key)) await this.#kv.commit({ checks: [{ key, version }], operations: [{ type: "delete", key }] });
    }
  }
}

function setAsideKey(outboxKey: string): string {
  return SET_ASIDE + outboxKey.slice(OUTBOX.length);
}
