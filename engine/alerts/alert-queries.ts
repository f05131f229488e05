import { uuidKey } from "../kernel/identifiers.ts";
import { type IndexPage, listPrefix, type Place } from "../kernel/merchant-index-store.ts";
import type { MerchantScope } from "../kernel/merchant-scope.ts";
import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import type { WorkflowStore } from "../workflow/workflow-store.ts";
import type { AlertRecord, AlertSource, AlertState } from "./alert.ts";
import { ALERT_STATES } from "./words.ts";

export interface AlertPageQuery {
  readonly limit: number;
  readonly after: Place | null;
  /** `newest`: all alerts. `due`: only PENDING ones, the most urgent first. */
  readonly order: "newest" | "due";
  /** Bounds of the time of receipt. */
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
  readonly state: AlertState | null;
  readonly source: AlertSource | null;
  readonly currency?: string | null;
}

/** The value of an alert in the index by time. Sums need no record. */
export interface AlertSummary {
  readonly id: string;
  readonly receivedAtMs: number;
  readonly state: AlertState;
  readonly amountMinor: number;
  readonly currency: string;
  readonly wasInvalid: boolean;
}

const UUID = /^[A-Za-z0-9._-]{1,64}$/;

export const ALERTS_FOUND_MAX = 50;

type AlertStore = WorkflowStore<AlertRecord>;

/** Returns the id of an alert with this reference, whether it exists or not. */
export function alertIdOf(source: AlertSource, networkRef: string, digest: Digest): string {
  return prefixedId("al_", digest(`alert ${source} ${networkRef}`));
}

export function pageOfAlerts(store: AlertStore, list: MerchantScope, query: AlertPageQuery): Promise<IndexPage<AlertRecord>> {
  const { order, state, limit, after, fromMs, beforeMs } = query;
  const isMatch = (record: AlertRecord) => matches(record, query);
  // The index by deadline does not know the time of receipt, so the records are filtered.
  if (order === "due") {
    return store.page(listPrefix("alert-due/", list), { limit, after, fromMs: null, beforeMs: null, order: "oldest" }, isMatch);
  }
  const prefix = state === null ? listPrefix("alert-of/", list) : `${listPrefix("alert-state/", list)}${state}/`;
  return store.page(prefix, { limit, after, fromMs, beforeMs, order }, isMatch);
}

/** Returns the alerts of a payment in both environments, oldest first. */
export async function alertsOfPayment(store: AlertStore, merchantId: string, uuid: string): Promise<readonly AlertRecord[]> {
  return UUID.test(uuid) ? store.under(`alert-payment/${merchantId}/${uuidKey(uuid)}/`, ALERTS_FOUND_MAX) : [];
}

/** Returns the newest alerts since this time, at most `limit` (10,000). */
export async function alertSummaries(
  store: AlertStore,
  list: MerchantScope,
  fromMs: number,
  limit: number,
): Promise<readonly AlertSummary[]> {
  const entries = await store.entries(listPrefix("alert-of/", list), fromMs, limit);
  return entries.map(({ place, value }) => summaryOf(place, value));
}

/** The words contain no spaces. */
export function summaryText({ state, amountMinor, currency, end }: AlertRecord): string {
  return [state, amountMinor, currency, end?.by === "invalid" ? "invalid" : "-"].join(" ");
}

function summaryOf({ id, atMs }: Place, text: string): AlertSummary {
  const [word = "", amount = "", currency = "", invalid = ""] = text.split(" ");
  const state = ALERT_STATES.find((one) => one === word);
  if (state === undefined) throw new Error(`the alert ${id} has a summary that this version cannot read`);
  return { id, receivedAtMs: atMs, state, amountMinor: Number(amount), currency, wasInvalid: invalid === "invalid" };
}

function matches({ state, source, currency, createdAtMs }: AlertRecord, query: AlertPageQuery): boolean {
  if ((query.currency ?? currency) !== currency) return false;
  if (query.order === "due" && state !== "PENDING") return false;
  if ((query.fromMs !== null && createdAtMs < query.fromMs) || (query.beforeMs !== null && createdAtMs >= query.beforeMs)) return false;
  return (query.state === null || state === query.state) && (query.source === null || source === query.source);
}
