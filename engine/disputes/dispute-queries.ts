import { uuidKey } from "../kernel/identifiers.ts";
import { type IndexPage, listPrefix, type Place } from "../kernel/merchant-index-store.ts";
import type { MerchantScope } from "../kernel/merchant-scope.ts";
import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import type { WorkflowStore } from "../workflow/workflow-store.ts";
import {
  DISPUTES_OF_PAYMENT_MAX,
  type DisputeCategory,
  type DisputeRecord,
  type DisputeStage,
  type DisputeState,
  isAnswerable,
} from "./dispute.ts";
import { DISPUTE_STATES } from "./words.ts";

export interface DisputePageQuery {
  readonly limit: number;
  readonly after: Place | null;
  /** `newest`: all disputes. `due`: only those to answer, the most urgent first. */
  readonly order: "newest" | "due";
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
  /** Used only with the order `due`. */
  readonly dueBeforeMs: number | null;
  readonly state: DisputeState | null;
  readonly stage: DisputeStage | null;
  readonly category: DisputeCategory | null;
  readonly terminalId: string | null;
  /** ISO 4217. */
  readonly currency?: string | null;
}

/** The value of a dispute in the index by time. Sums need no record. */
export interface DisputeSummary {
  readonly id: string;
  readonly receivedAtMs: number;
  readonly state: DisputeState;
  readonly amountMinor: number;
  readonly currency: string;
  readonly respondByMs: number;
  /** An alert preceded it. */
  readonly hasAlert: boolean;
}

const CASE_ID = /^[A-Za-z0-9._:-]{1,64}$/;
const UUID = /^[A-Za-z0-9._-]{1,64}$/;

/** A payment cannot have so many. */
const FOUND_MAX = DISPUTES_OF_PAYMENT_MAX + 1;

type DisputeStore = WorkflowStore<DisputeRecord>;

export function disputeIdOf(network: string, networkCaseId: string, digest: Digest): string {
  return prefixedId("dp_", digest(`dispute ${network} ${networkCaseId}`));
}

export function pageOfDisputes(store: DisputeStore, list: MerchantScope, query: DisputePageQuery): Promise<IndexPage<DisputeRecord>> {
  const { order, state, limit, after, fromMs, beforeMs, dueBeforeMs } = query;
  const isMatch = (record: DisputeRecord) => matches(record, query);
  // The index by deadline does not know the time of receipt, so the records are filtered.
  if (order === "due") {
    return store.page(listPrefix("dispute-due/", list), { limit, after, fromMs: null, beforeMs: dueBeforeMs, order: "oldest" }, isMatch);
  }
  const prefix = state === null ? listPrefix("dispute-of/", list) : `${listPrefix("dispute-state/", list)}${state}/`;
  return store.page(prefix, { limit, after, fromMs, beforeMs, order }, isMatch);
}

/** Returns the disputes of a payment in both environments, oldest first. */
export async function disputesOfPayment(store: DisputeStore, merchantId: string, uuid: string): Promise<readonly DisputeRecord[]> {
  return UUID.test(uuid) ? store.under(`dispute-payment/${merchantId}/${uuidKey(uuid)}/`, FOUND_MAX) : [];
}

/** Two networks may use the same number. */
export async function disputesOfCase(store: DisputeStore, list: MerchantScope, networkCaseId: string): Promise<readonly DisputeRecord[]> {
  return CASE_ID.test(networkCaseId) ? store.under(`${listPrefix("dispute-case/", list)}${networkCaseId}/`, FOUND_MAX) : [];
}

/** Returns the newest disputes since this time, at most `limit` (10,000). */
export async function disputeSummaries(
  store: DisputeStore,
  list: MerchantScope,
  fromMs: number,
  limit: number,
): Promise<readonly DisputeSummary[]> {
  const entries = await store.entries(listPrefix("dispute-of/", list), fromMs, limit);
  return entries.map(({ place, value }) => summaryOf(place, value));
}

function matches(record: DisputeRecord, query: DisputePageQuery): boolean {
  const { state, stage, category, terminalId, currency, createdAtMs, respondByMs } = record;
  if (query.order === "due" && !isAnswerable(record)) return false;
  if (query.dueBeforeMs !== null && !(isAnswerable(record) && respondByMs < query.dueBeforeMs)) return false;
  if ((query.fromMs !== null && createdAtMs < query.fromMs) || (query.beforeMs !== null && createdAtMs >= query.beforeMs)) return false;
  if (query.state !== null && state !== query.state) return false;
  if (query.stage !== null && stage !== query.stage) return false;
  if (query.category !== null && category !== query.category) return false;
  if ((query.currency ?? currency) !== currency) return false;
  return query.terminalId === null || terminalId === query.terminalId;
}

/** The words contain no spaces. */
export function summaryText({ state, amountMinor, currency, respondByMs, alertId }: DisputeRecord): string {
  return [state, amountMinor, currency, respondByMs, alertId === null ? "-" : "alert"].join(" ");
}

function summaryOf({ id, atMs }: Place, text: string): DisputeSummary {
  const [word = "", amount = "", currency = "", respondBy = "", alert = ""] = text.split(" ");
  const state = DISPUTE_STATES.find((one) => one === word);
  if (state === undefined) throw new Error(`the dispute ${id} has a summary that this version cannot read`);
  return {
    ...{ id, receivedAtMs: atMs, state, currency, hasAlert: alert === "alert" },
    ...{ amountMinor: Number(amount), respondByMs: Number(respondBy) },
  };
}
