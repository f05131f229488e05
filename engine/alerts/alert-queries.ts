import { uuidKey } from "../kernel/identifiers.ts";
import { type IndexPage, listPrefix, type MerchantList, type Place } from "../kernel/merchant-index-store.ts";
import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import type { WorkflowStore } from "../workflow/workflow-store.ts";
import { ALERT_STATES, type AlertRecord, type AlertSource, type AlertState } from "./alert.ts";

export interface AlertPageQuery {
  readonly limit: number;
  /** Those after this place only; null: from the first on. */
  readonly after: Place | null;
  /** `newest`: all. `due`: those that are PENDING, the most urgent first. */
  readonly order: "newest" | "due";
  /** Bounds of the time of receipt; null: no bound. */
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
  readonly state: AlertState | null;
  readonly source: AlertSource | null;
  /** ISO 4217. */
  readonly currency?: string | null;
}

/** What the index by time holds of an alert, for sums that need no record. */
export interface AlertSummary {
  readonly id: string;
  readonly receivedAtMs: number;
  readonly state: AlertState;
  readonly amountMinor: number;
  readonly currency: string;
  /** Declined because its source took it back. */
  readonly wasInvalid: boolean;
}

const UUID = /^[A-Za-z0-9._-]{1,64}$/;

/** Alerts of one payment that are read at most. */
export const ALERTS_FOUND_MAX = 50;

type AlertStore = WorkflowStore<AlertRecord>;

/** The id that an alert with this reference has, whether it exists or not. */
export function alertIdOf(source: AlertSource, networkRef: string, digest: Digest): string {
  return prefixedId("al_", digest(`alert ${source} ${networkRef}`));
}

export function pageOfAlerts(store: AlertStore, list: MerchantList, query: AlertPageQuery): Promise<IndexPage<AlertRecord>> {
  const { order, state, limit, after, fromMs, beforeMs } = query;
  const isAsked = (record: AlertRecord) => matches(record, query);
  // The index by deadline does not know the time of receipt; the records do.
  if (order === "due") {
    return store.page(listPrefix("alert-due/", list), { limit, after, fromMs: null, beforeMs: null, order: "oldest" }, isAsked);
  }
  const prefix = state === null ? listPrefix("alert-of/", list) : `${listPrefix("alert-state/", list)}${state}/`;
  return store.page(prefix, { limit, after, fromMs, beforeMs, order }, isAsked);
}

/** The alerts of a payment in either environment, oldest first. */
export async function alertsOfPayment(store: AlertStore, merchantId: string, uuid: string): Promise<readonly AlertRecord[]> {
  return UUID.test(uuid) ? store.under(`alert-payment/${merchantId}/${uuidKey(uuid)}/`, ALERTS_FOUND_MAX) : [];
}

/** The newest alerts that were received from this time on, at most `limit` (10,000). */
export async function alertSummaries(
  store: AlertStore,
  list: MerchantList,
  fromMs: number,
  limit: number,
): Promise<readonly AlertSummary[]> {
  const entries = await store.entries(listPrefix("alert-of/", list), fromMs, limit);
  return entries.map(({ place, value }) => summaryOf(place, value));
}

/** Words with a space between them; none of them has one. */
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
