import type { Address, Bus, Homes } from "../../../../engine/kernel/bus.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { MerchantStore } from "../../../../engine/partners/merchant-store.ts";
import type { DayCalendar } from "../../../../engine/reconciliation/calendar.ts";
import { createClosingDays } from "../../../../engine/reconciliation/close-days.ts";
import { createReconciliation } from "../../../../engine/reconciliation/create-reconciliation.ts";
import type { Reconciliation } from "../../../../engine/reconciliation/reconciliation.ts";
import type { ReconciliationRows } from "../../../../engine/reconciliation/reconciliation-rows.ts";
import { createReconciliationStore } from "../../../../engine/reconciliation/reconciliation-store.ts";
import { createLocalTime, daysAfter } from "../../../../http/surfaces/parts/time.ts";
import type { Config } from "../../boot/config.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";
import type { NodeProtocol } from "../../boot/node-protocol.ts";
import { MAIN, STORE_OWNER } from "../../boot/shard-boot.ts";
import type { ShardMetrics } from "../../observability/metrics.ts";
import { lookedUp } from "../administration/overview.ts";

/** Longer than the queries may take (storage/reports/reconciliation-rows.ts). */
const THERE_TIMEOUT_MS = 10_000;
const MERCHANTS_TIMEOUT_MS = 150_000;
const FIGURES_TIMEOUT_MS = 540_000;

const STOP_MS = 5_000;

/** The time after which a node that could not start tries again. */
const BEGIN_AGAIN_MS = 60_000;

/** Limits the queries of the store if metrics are requested often. */
const OVERDUE_AGAIN_MS = 1_000;

const CLOSED_AT_HOUR = 3;
const CLOSED_AFTER_DAYS = 2;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export interface ReconciliationParts {
  config: Pick<Config, "timeZone">;
  kv: Kv;
  bus: Bus<NodeProtocol> & { readonly self: Address };
  homes: Homes;
  clock: Clock;
  /** The machine's own clock, which tests do not move. It limits the queries of the store. */
  machineClock: Clock;
  /** The address of this shard. The first shard of a node queries the store. */
  address: Address;
  merchants: Pick<MerchantStore, "load">;
  metrics: Pick<ShardMetrics, "storedGauge" | "daysClosed">;
  failed(what: string, error: unknown): void;
}

/** Closed days in a shard: their operations, and the closing if this shard is their home. */
export function composeReconciliation(parts: ReconciliationParts): Lifecycle & { reconciliation: Reconciliation } {
  const { config, kv, bus, homes, clock, machineClock, address, merchants, metrics, failed } = parts;
  const store = createReconciliationStore(kv);
  const calendar = dayCalendar(config.timeZone);
  const closing = createClosingDays({
    ...{ store, rows: rowsOf(bus), calendar, homes, self: bus.self, clock, failed },
    ownerOf: async (merchantId) => {
      const merchant = (await merchants.load(merchantId))?.record;
      return merchant === undefined ? null : { partnerId: merchant.partnerId, livemode: merchant.environment === "LIVE" };
    },
    counted: metrics.daysClosed,
  });
  if (address === STORE_OWNER)
    metrics.storedGauge(
      "relay_reconciliation_overdue_seconds",
      "How long ago the oldest open day of the merchants should have been closed, of all nodes; 0 if none is overdue.",
      lookedUp(machineClock, async () => (await closing.overdueMs()) / 1_000, OVERDUE_AGAIN_MS),
    );
  let stopped: Promise<void> | null = null;
  let begun: "not yet" | "under way" | "done" = "not yet";
  let triedAtMs = Number.NEGATIVE_INFINITY;
  return {
    reconciliation: createReconciliation({ store, calendar, clock }),
    tick: closing.tick,
    everySecond: () => {
      const nowMs = clock.monotonicMs();
      if (begun !== "not yet" || stopped !== null || nowMs - triedAtMs < BEGIN_AGAIN_MS) return;
      begun = "under way";
      triedAtMs = nowMs;
      closing.begin().then(
        () => {
          begun = "done";
        },
        (error: unknown) => {
          begun = "not yet";
          failed("reconciliation.begin", error);
        },
      );
    },
    drain: () => {
      stopped ??= closing.stop();
    },
    close: async () => {
      stopped ??= closing.stop();
      await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, STOP_MS).unref())]);
    },
  };
}

function rowsOf(bus: Pick<Bus<NodeProtocol>, "request">): ReconciliationRows {
  return {
    areThere: (untilMs) => bus.request(MAIN, "node.dayRowsThere", { untilMs }, THERE_TIMEOUT_MS),
    merchants: ({ fromMs, untilMs }, after, limit) =>
      bus.request(MAIN, "node.dayMerchants", { fromMs, untilMs, after, limit }, MERCHANTS_TIMEOUT_MS),
    refundedSince: (merchantId, fromMs) => bus.request(MAIN, "node.dayRefundedSince", { merchantId, fromMs }, MERCHANTS_TIMEOUT_MS),
    figures: async (merchantId, days) => new Map(await bus.request(MAIN, "node.dayFigures", { merchantId, days }, FIGURES_TIMEOUT_MS)),
  };
}

/** Returns the calendar of a time zone. Days with a clock change have 23 or 25 hours. */
export function dayCalendar(timeZone: string): DayCalendar {
  const localTime = createLocalTime(timeZone);
  function boundsOf(day: string) {
    const range = localTime.dayRange(day);
    if (range === null) throw new Error(`${day} is not a day`);
    return { day, ...range };
  }
  return {
    timeZone,
    dayOf: localTime.dayOf,
    boundsOf,
    after: daysAfter,
    closesAtMs: (day) => {
      const { fromMs, untilMs } = boundsOf(daysAfter(day, CLOSED_AFTER_DAYS));
      // Uses the clocks of that day, because 03:00 is not always three hours after its start.
      const hour = (atMs: number) => Number(localTime.format(atMs).slice("YYYY-MM-DDT".length, "YYYY-MM-DDTHH".length));
      let atMs = fromMs;
      while (hour(atMs) < CLOSED_AT_HOUR && atMs < untilMs) atMs += HOUR_MS / 4;
      return Math.min(atMs, fromMs + DAY_MS);
    },
  };
}
