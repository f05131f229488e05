import { uuidKey } from "../kernel/identifiers.ts";
import { type IndexPage, listPrefix, type MerchantList, type Place } from "../kernel/merchant-index-store.ts";
import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import type { WorkflowStore } from "../workflow/workflow-store.ts";
import {
  DISPUTE_STATES,
  DISPUTES_OF_PAYMENT_MAX,
  type DisputeCategory,
  type DisputeRecord,
  type DisputeStage,
  type DisputeState,
  isAnswerable,
} from "./dispute.ts";

export interface DisputePageQuery {
  readonly limit: number;
  /** Those after this place only; null: from the first on. */
  readonly after: Place | null;
  /** `newest`: all. `due`: those that are to be answered, the most urgent first. */
  readonly order: "newest" | "due";
  /** Bounds of the time of receipt; null: no bound. */
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
  /** To be answered before this time; only in the order `due`. */
  readonly dueBeforeMs: number | null;
  readonly state: DisputeState | null;
  readonly stage: DisputeStage | null;
  readonly category: DisputeCategory | null;
  readonly terminalId: string | null;
  /** ISO 4217. */
  readonly currency?: string | null;
}

/** What the index by time holds of a dispute, for sums that need no record. */
export interface DisputeSummary {
  readonly id: string;
  readonly receivedAtMs: number;
  readonly state: DisputeState;
  readonly amountMinor: number;
  readonly currency: string;
  readonly respondByMs: number;
  /** Whether an alert came before it. */
  readonly hasAlert: boolean;
}

/** What may stand in a key. */
const CASE_ID = /^[A-Za-z0-9._:-]{1,64}$/;
const UUID = /^[A-Za-z0-9._-]{1,64}$/;

/** More than a payment can have. */
const FOUND_MAX = DISPUTES_OF_PAYMENT_MAX + 1;

type DisputeStore = WorkflowStore<DisputeRecord>;

/** The id that a network's case has, whether it exists or not. */
export function disputeIdOf(network: string, networkCaseId: string, digest: Digest): string {
  return prefixedId("dp_", digest(`dispute ${network} ${networkCaseId}`));
}

export function pageOfDisputes(store: DisputeStore, list: MerchantList, query: DisputePageQuery): Promise<IndexPage<DisputeRecord>> {
  const { order, state, limit, after, fromMs, beforeMs, dueBeforeMs } = query;
  const isAsked = (record: DisputeRecord) => matches(record, query);
  // The index by deadline does not know the time of receipt; the records do.
  if (order === "due") {
    return store.page(listPrefix("dispute-due/", list), { limit, after, fromMs: null, beforeMs: dueBeforeMs, order: "oldest" }, isAsked);
  }
  const prefix = state === null ? listPrefix("dispute-of/", list) : `${listPrefix("dispute-state/", list)}${state}/`;
  return store.page(prefix, { limit, after, fromMs, beforeMs, order }, isAsked);
}

/** The disputes of a payment in either environment, oldest first. */
export async function disputesOfPayment(store: DisputeStore, merchantId: string, uuid: string): Promise<readonly DisputeRecord[]> {
  return UUID.test(uuid) ? store.under(`dispute-payment/${merchantId}/${uuidKey(uuid)}/`, FOUND_MAX) : [];
}

/** By the network's number of the case, which two networks may share. */
export async function disputesOfCase(store: DisputeStore, list: MerchantList, networkCaseId: string): Promise<readonly DisputeRecord[]> {
  return CASE_ID.test(networkCaseId) ? store.under(`${listPrefix("dispute-case/", list)}${networkCaseId}/`, FOUND_MAX) : [];
}

/** The newest disputes that were received from this time on, at most `limit` (10,000). */
export async function disputeSummaries(
  store: DisputeStore,
  list: MerchantList,
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

/** Words with a space between them; none of them has one. */
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
