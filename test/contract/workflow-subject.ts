import assert from "node:assert/strict";
import { type CommitPart, NO_PART } from "../../engine/kernel/commit-part.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import type { IndexPage, Place } from "../../engine/kernel/merchant-index-store.ts";
import type { MerchantScope } from "../../engine/kernel/merchant-scope.ts";
import type { Stored } from "../../engine/kernel/stored.ts";
import type { WorkflowRecord } from "../../engine/workflow/workflow.ts";
import type { WorkflowStore } from "../../engine/workflow/workflow-store.ts";

/** A store of its own for one test, empty. */
export interface OpenWorkflowStore<R> {
  store: WorkflowStore<R>;
  kv: Kv;
  retentionMs: number;
  nowMs(): number;
  advance(ms: number): void;
  close(): Promise<void>;
}

/** A record that is about a payment and is to be answered in time. */
export type Answerable = WorkflowRecord & { readonly state: string; readonly uuid: string | null; readonly respondByMs: number };

/** What pages of alerts and of disputes have in common. */
export interface CommonPageQuery<R extends Answerable> {
  readonly limit: number;
  readonly after: Place | null;
  readonly order: "newest" | "due";
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
  readonly state: R["state"] | null;
}

export interface StoredSubject<R extends Answerable> {
  /** The keys of records begin with `<name>/`, those of indexes with `<name>-`. */
  readonly name: "alert" | "dispute";
  /** A record that is to be answered a day after `createdAtMs`. Higher numbers have higher ids. */
  numbered(n: number, createdAtMs: number, changes?: Partial<Omit<Answerable, "state">>): R;
  /** The same record in a state in which nothing is to be answered. */
  ended(record: R): R;
  page(store: WorkflowStore<R>, list: MerchantScope, query: CommonPageQuery<R>): Promise<IndexPage<R>>;
  ofPayment(store: WorkflowStore<R>, merchantId: string, uuid: string): Promise<readonly R[]>;
  summaries(store: WorkflowStore<R>, list: MerchantScope, fromMs: number, limit: number): Promise<readonly Pick<R, "id" | "state">[]>;
}

export const DAY_MS = 86_400_000;
export const LIST = { merchantId: "M1", livemode: false };
export const ALL = { limit: 100, after: null, order: "newest", fromMs: null, beforeMs: null, state: null } as const;

/** Commits a record that has not changed since it was read, and returns it as it is stored. */
export async function stored<R>(
  store: WorkflowStore<R>,
  record: R,
  atMs: number,
  before: Stored<R> | null = null,
  part: CommitPart = NO_PART,
): Promise<Stored<R>> {
  const result = await store.commit({ before: before?.record ?? null, version: before?.version ?? 0, record, atMs, part });
  assert.ok(result.type === "committed");
  return { record, version: result.version };
}

export function idsOf(records: readonly { readonly id: string }[]): string[] {
  return records.map(({ id }) => id);
}
