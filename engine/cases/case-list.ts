import type { AlertRecord } from "../alerts/alert.ts";
import type { Alerts } from "../alerts/alerts.ts";
import type { DisputeCategory, DisputeRecord, DisputeStage, DisputeState } from "../disputes/dispute.ts";
import type { Disputes } from "../disputes/disputes.ts";
import type { MerchantScope } from "../kernel/merchant-scope.ts";
import { timeDigits } from "../kernel/time-digits.ts";

export type BoardItem =
  | { readonly type: "dispute"; readonly dispute: DisputeRecord }
  | { readonly type: "alert"; readonly alert: AlertRecord };

export interface BoardQuery {
  readonly limit: number;
  /** The `next` of the previous page. */
  readonly cursor: string | null;
  /** `ALERT`: alerts only. A state: disputes only. */
  readonly status: DisputeState | "ALERT" | null;
  readonly stage: DisputeStage | null;
  readonly category: DisputeCategory | null;
  /** Bounds of the time of receipt. */
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
  /** Selects what must be answered before this time, most urgent first; null: all, newest first. */
  readonly dueBeforeMs: number | null;
  readonly terminalId: string | null;
  readonly currency?: string | null;
  /** The exact id, network number of a case, or uuid of a payment. */
  readonly q: string | null;
  readonly includeAlerts: boolean;
}

/** Lists disputes together with alerts that must still be answered. */
export interface DisputeBoard {
  /**
   * Any page but the last may be short. Throws RelayError `invalid_request` for an invalid cursor.
   */
  list(owner: MerchantScope, query: BoardQuery): Promise<{ items: readonly BoardItem[]; next: string | null }>;
}

export interface DisputeBoardOptions {
  disputes: Pick<Disputes, "list">;
  alerts: Pick<Alerts, "list" | "find" | "ofPayment">;
}

/** Merges both lists by time and id. Each continues where the previous page ended. */
export function createDisputeBoard({ disputes, alerts }: DisputeBoardOptions): DisputeBoard {
  const NONE = { items: [], next: null };

  function disputesOf(owner: MerchantScope, query: BoardQuery): ReturnType<Disputes["list"]> {
    const { status, includeAlerts, dueBeforeMs, ...rest } = query;
    if (status === "ALERT") return Promise.resolve(NONE);
    return disputes.list(owner, { ...rest, dueBeforeMs, state: status, order: dueBeforeMs === null ? "newest" : "due" });
  }

  async function alertsOf(owner: MerchantScope, query: BoardQuery): ReturnType<Alerts["list"]> {
    const { status, stage, category, terminalId, currency = null, includeAlerts, dueBeforeMs, q, limit, cursor, fromMs, beforeMs } = query;
    if (!includeAlerts || stage !== null || (status !== null && status !== "ALERT")) return NONE;
    const matchesQuery = (alert: AlertRecord) =>
      alert.state === "PENDING" &&
      (category === null || alert.category === category) &&
      (terminalId === null || alert.terminalId === terminalId) &&
      (currency === null || alert.currency === currency) &&
      (dueBeforeMs === null || alert.respondByMs < dueBeforeMs);
    if (q !== null) return { items: (await findByQuery(owner, q.trim())).filter(matchesQuery).slice(0, limit), next: null };
    const order = dueBeforeMs === null ? "newest" : "due";
    const page = await alerts.list(owner, { limit, cursor, order, fromMs, beforeMs, state: "PENDING", source: null });
    // The most urgent come first, so all alerts after a later one are later too.
    const isEnd = dueBeforeMs !== null && page.items.some(({ respondByMs }) => respondByMs >= dueBeforeMs);
    return { items: page.items.filter(matchesQuery), next: isEnd ? null : page.next };
  }

  async function findByQuery(owner: MerchantScope, q: string): Promise<readonly AlertRecord[]> {
    const alert = await alerts.find(owner, q);
    return alert === null ? alerts.ofPayment(owner, q) : [alert];
  }

  return {
    list: async (owner, query) => {
      const [ofDisputes, ofAlerts] = await Promise.all([disputesOf(owner, query), alertsOf(owner, query)]);
      const isDue = query.dueBeforeMs !== null;
      const placeOf = (item: BoardItem): string => {
        const { id, createdAtMs, respondByMs } = item.type === "dispute" ? item.dispute : item.alert;
        return timeDigits(isDue ? respondByMs : createdAtMs) + id;
      };
      const isBefore = (one: string, other: string) => (isDue ? one < other : one > other);
      const all: { place: string; item: BoardItem }[] = [
        ...ofDisputes.items.map((dispute): BoardItem => ({ type: "dispute", dispute })),
        ...ofAlerts.items.map((alert): BoardItem => ({ type: "alert", alert })),
      ].map((item) => ({ place: placeOf(item), item }));
      all.sort((one, other) => (one.place === other.place ? 0 : isBefore(one.place, other.place) ? -1 : 1));
      // A list that stopped may continue with items that precede those of the other list.
      const stops = [ofDisputes.next, ofAlerts.next].filter((next) => next !== null);
      const stop = stops.reduce<string | null>((first, next) => (first === null || isBefore(next, first) ? next : first), null);
      const sure = stop === null ? all : all.filter(({ place }) => !isBefore(stop, place));
      const page = sure.slice(0, query.limit);
      const next = page.length < sure.length ? (page.at(-1)?.place ?? null) : stop;
      return { items: page.map(({ item }) => item), next };
    },
  };
}
