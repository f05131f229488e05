import type { Stored } from "../kernel/stored.ts";
import type { CallbackRecord } from "./callback.ts";

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
