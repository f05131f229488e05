import { available, type Entry, type Kv, type Operation } from "../kernel/kv.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { TIME_DIGITS, timeDigits } from "../kernel/time-digits.ts";
import { CALLBACK_DEAD_LIFETIME_MS, type CallbackRecord, callbacksOf } from "./callback.ts";

/**
 * Callbacks that are owed. They are written in the commit that ends their payment. Every method rejects with RelayError `unavailable`
 * when the store cannot answer.
 */
export interface CallbackStore {
  /** Those whose time has come, the longest due first. */
  due(untilMs: number, limit: number): Promise<Stored<CallbackRecord>[]>;
  load(id: string): Promise<Stored<CallbackRecord> | null>;
  /** Null when somebody else changed it first. */
  replace(before: Stored<CallbackRecord>, after: CallbackRecord): Promise<Stored<CallbackRecord> | null>;
  /** It was delivered; without effect when somebody else changed it first. */
  remove(before: Stored<CallbackRecord>): Promise<void>;
  /** How many there are in the state; those beyond `max` are not counted. */
  count(state: CallbackRecord["state"], max: number): Promise<number>;
  /** By age, those after the one of this id and time only. */
  page(state: CallbackRecord["state"], after: { id: string; atMs: number } | null, limit: number): Promise<CallbackRecord[]>;
}

const CALLBACKS = "callback/";
const DUE = "callback-due/";
const DEAD = "callback-dead/";
/** Read at once while they are counted, so that payments come in between. */
const COUNT_PAGE = 1_000;

/**
 * Callbacks on the key-value store: `callback/<id>`, and their ids by time under `callback-due/<13 digits of milliseconds>/<id>` while they wait
 * and `callback-dead/...` afterwards.
 */
export function createCallbackStore(kv: Kv): CallbackStore {
  async function load(ids: readonly string[]): Promise<Stored<CallbackRecord>[]> {
    if (ids.length === 0) return [];
    const entries = await kv.getMany(ids.map((id) => CALLBACKS + id));
    return entries.flatMap((entry) => (entry === null ? [] : [storedOf(entry)]));
  }

  async function ids(from: string, to: string, limit: number): Promise<string[]> {
    const entries = await kv.scan({ from, to, limit });
    return entries.map(({ key }) => key.slice(key.indexOf("/") + TIME_DIGITS + 2));
  }

  return {
    due: (untilMs, limit) =>
      available(async () => {
        const found = await load(await ids(DUE, DUE + timeDigits(untilMs + 1), limit));
        // Another node may have claimed or even finished one between the two reads: its record says so, the place in time was read before.
        return found.filter(({ record }) => record.state === "waiting" && record.nextAtMs <= untilMs);
      }),
    load: (id) => available(async () => (await load([id]))[0] ?? null),
    replace: (before, after) =>
      available(async () => {
        const checks = [{ key: CALLBACKS + after.id, version: before.version }];
        const [was, is] = [indexKey(before.record), indexKey(after)];
        const stale: Operation[] = was === is ? [] : [{ type: "delete", key: was }];
        const result = await kv.commit({ checks, operations: [...stale, ...putsOf(after)] });
        return result.type === "committed" ? { record: after, version: result.version } : null;
      }),
    remove: (before) =>
      available(async () => {
        const key = CALLBACKS + before.record.id;
        const operations: Operation[] = [
          { type: "delete", key },
          { type: "delete", key: indexKey(before.record) },
        ];
        await kv.commit({ checks: [{ key, version: before.version }], operations });
      }),
    count: (state, max) =>
      available(async () => {
        const index = state === "waiting" ? DUE : DEAD;
        let from = index;
        for (let counted = 0; ; ) {
          const limit = Math.min(COUNT_PAGE, max - counted);
          const page = limit === 0 ? [] : await kv.scan({ from, to: `${index}~`, limit });
          counted += page.length;
          const last = page.at(-1);
          if (last === undefined || page.length < limit) return counted;
          from = `${last.key}\u0001`;
        }
      }),
    page: (state, after, limit) =>
      available(async () => {
        const index = state === "waiting" ? DUE : DEAD;
        const from = after === null ? index : `${index}${timeDigits(after.atMs)}/${after.id}\u0001`;
        const found = await load(await ids(from, `${index}~`, limit));
        return found.map(({ record }) => record).filter((record) => record.state === state);
      }),
  };
}

/** What a link's change owes to whom, for the same commit: something when it ends, or ends otherwise than before. */
export function callbackOperations(change: {
  record: { order: { txId: string; attachment: string | null }; state: string; paymentId: string | null };
  before: { state: string } | null;
  atMs: number;
}): Operation[] {
  const { record, before, atMs } = change;
  const ended = record.state === "success" || record.state === "failed" || record.state === "expired";
  // What the gateway never created was refused in the answer to its init.
  if (!ended || record.state === before?.state || record.paymentId === null) return [];
  const { txId, attachment } = record.order;
  return callbacksOf({ txId, attachment, state: record.state, atMs }).flatMap(putsOf);
}

function putsOf(record: CallbackRecord): Operation[] {
  const kept = record.state === "dead" ? { expiresAtMs: record.createdAtMs + CALLBACK_DEAD_LIFETIME_MS } : {};
  return [
    { type: "put", key: CALLBACKS + record.id, value: recordText("callback", record), ...kept },
    { type: "put", key: indexKey(record), value: "1", ...kept },
  ];
}

function indexKey({ id, state, nextAtMs, createdAtMs }: CallbackRecord): string {
  return state === "waiting" ? `${DUE}${timeDigits(nextAtMs)}/${id}` : `${DEAD}${timeDigits(createdAtMs)}/${id}`;
}

function storedOf({ key, value, version }: Entry): Stored<CallbackRecord> {
  return { record: readRecord("callback", key, value), version };
}
