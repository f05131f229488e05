import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Kv, StorageUnavailable } from "../../engine/kernel/kv.ts";
import { CONFLICT, retryOnConflict } from "../../engine/kernel/retry-on-conflict.ts";
import { readBareRecord, recordText } from "../../engine/kernel/schemas.ts";

const STORE = { key: "history/store", kind: "storeIdentity", what: "the store's own id" } as const;
const LOSS = { key: "history/loss", kind: "storeLoss", what: "what is known of a restored store" } as const;

type Place = typeof STORE | typeof LOSS;

/** Of a commit that the store does not answer, or refuses. */
const FAILURES_MAX = 3;

/** Each lost attempt means that another node that starts has written it. */
const ATTEMPTS_MAX = 64;

/** Identity of a store; it is the same in all copies. */
export interface StoreIdentity {
  /** Random, made with the store. */
  storeId: string;
  /** Place of the store at the last start (a folder's inode); null if that has no meaning. */
  place: string | null;
}

/** The store was taken back to an earlier copy, and the work that follows from it is not done yet. */
export interface PendingLoss {
  /** The last version that the copy has. */
  lostVersion: number;
  /** Versions up to this one are known to have been given. */
  aboveVersion: number;
  /** False where it is only likely. */
  certain: boolean;
  /** An operator has stated that it was restored, and that the node may start without the missing data (`npm run restored`). */
  acknowledged: boolean;
  foundAtMs: number;
}

/** The store's records about its own identity and about being a copy, for the start of a node. Rejects with StorageUnavailable. */
export interface HistoryStore {
  /** Null in a new store, and in a store that only earlier releases have used. */
  identity(): Promise<StoreIdentity | null>;
  /** Writes the identity if it differs. Returns the stored one. */
  identify(place: string | null): Promise<StoreIdentity>;
  loss(): Promise<PendingLoss | null>;
  /** If another thread or node has recorded the loss, its record is kept, and what this one knows beyond it is added. */
  recordLoss(loss: PendingLoss): Promise<PendingLoss>;
  settle(): Promise<void>;
}

export function createHistoryStore(kv: Kv): HistoryStore {
  function read<T extends object>({ kind, what }: Place, text: string): T {
    return readBareRecord<T>(kind, what, text);
  }

  async function load<T extends object>(place: Place): Promise<T | null> {
    const entry = await kv.get(place.key);
    return entry === null ? null : read<T>(place, entry.value);
  }

  /** Writes the result of `change` on the stored value, if there is one. Returns the value that is then stored. */
  async function update<T extends object>(place: Place, change: (before: T | null) => T | null): Promise<T> {
    const { key, kind } = place;
    let failures = 0;
    return retryOnConflict(ATTEMPTS_MAX, async () => {
      const entry = await kv.get(key);
      const before = entry === null ? null : read<T>(place, entry.value);
      const after = change(before);
      if (after === null && before !== null) return before;
      if (after === null) throw new Error(`${key} is to be written where there is nothing`);
      const operations = [{ type: "put", key, value: recordText(kind, after) }] as const;
      const checks = [{ key, version: entry?.version ?? 0 }];
      try {
        return (await kv.commit({ checks, operations })).type === "committed" ? after : CONFLICT;
      } catch (error) {
        // Another starting node has just marked the store; this node learns it from the refusal.
        failures += 1;
        if (!(error instanceof StorageUnavailable) || failures === FAILURES_MAX) throw error;
        return CONFLICT;
      }
    });
  }

  return {
    identity: () => load(STORE),
    identify: (place) =>
      update<StoreIdentity>(STORE, (before) => {
        if (before !== null && before.place === place) return null;
        return { storeId: before?.storeId ?? randomBytes(16).toString("hex"), place };
      }),
    loss: () => load(LOSS),
    recordLoss: (found) =>
      update<PendingLoss>(LOSS, (before) => {
        if (before === null) return found;
        const merged = {
          ...before,
          aboveVersion: Math.max(before.aboveVersion, found.aboveVersion),
          certain: before.certain || found.certain,
          acknowledged: before.acknowledged || found.acknowledged,
        };
        return isDeepStrictEqual(merged, before) ? null : merged;
      }),
    settle: async () => {
      await kv.commit({ checks: [], operations: [{ type: "delete", key: LOSS.key }] });
    },
  };
}
