import type { AlertRecord } from "../../../engine/alerts/alert.ts";
import { createAlertDeadlines } from "../../../engine/alerts/alert-deadlines.ts";
import { createAlertRulesStore } from "../../../engine/alerts/alert-rules-store.ts";
import { createAlertStore } from "../../../engine/alerts/alert-store.ts";
import type { AlertFeed, Alerts } from "../../../engine/alerts/alerts.ts";
import { createAlerts } from "../../../engine/alerts/create-alerts.ts";
import { createDisputeBoard, type DisputeBoard } from "../../../engine/alerts/dispute-board.ts";
import { createDisputeTasks, type DisputeTasks } from "../../../engine/alerts/dispute-tasks.ts";
import { createLinkRefunds } from "../../../engine/alerts/link-refunds.ts";
import type { DisputeHoldStore } from "../../../engine/disputes/dispute-hold-store.ts";
import type { Disputes } from "../../../engine/disputes/disputes.ts";
import type { GiveBack } from "../../../engine/intents/give-back.ts";
import type { ActivityLog } from "../../../engine/kernel/activity-log.ts";
import type { Address, Homes } from "../../../engine/kernel/bus.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { Links } from "../../../engine/links/links.ts";
import { eventOperations } from "../../../engine/webhooks/webhook-event-store.ts";
import { sha256Hex } from "../../../http/auth/digest.ts";
import { createLocalTime } from "../../../http/surfaces/local-time.ts";
import { alertObject } from "../../../http/surfaces/merchant/alerts/alert-object.ts";
import type { Config } from "../boot/config.ts";
import type { Lifecycle } from "../boot/lifecycle.ts";
import type { ShardMetrics } from "../observability/metrics.ts";
import { DISPUTES_KEPT_MS } from "./disputes.ts";

/** How long refunds under way may take to end when the node stops; what is broken off is found out by whoever is home then. */
const STOP_MS = 5_000;

export interface AlertParts {
  config: Pick<Config, "timeZone">;
  kv: Kv;
  bus: { readonly self: Address };
  homes: Homes;
  clock: Clock;
  links: Pick<Links, "byTxId" | "verifyNow">;
  giveBack: GiveBack;
  holds: DisputeHoldStore;
  disputes: Disputes;
  activity: Pick<ActivityLog, "workflow">;
  retentionMs: number;
  metrics: Pick<ShardMetrics, "gauge" | "alertBecame">;
  failed(what: string, error: unknown): void;
}

export interface ComposedAlerts extends Lifecycle {
  alerts: Alerts;
  feed: AlertFeed;
  board: DisputeBoard;
  tasks: DisputeTasks;
  /** Whosever it is: for operators. */
  byId(id: string): Promise<AlertRecord | null>;
}

/** Alerts in a shard, over links and disputes that it has: their operations, and what becomes of those whose home it is. */
export function composeAlerts(parts: AlertParts): ComposedAlerts {
  const { config, kv, bus, homes, clock, links, giveBack, holds, disputes, activity, metrics, failed } = parts;
  const retentionMs = Math.max(parts.retentionMs, DISPUTES_KEPT_MS);
  const store = createAlertStore({ kv, retentionMs, eventOperations, digest: sha256Hex });
  const refunds = createLinkRefunds({ links, giveBack, holds, digest: sha256Hex, clock });
  const stepping = { refunds, clock, objectOf: alertObject, digest: sha256Hex, activity, became: metrics.alertBecame };
  const { dayOf } = createLocalTime(config.timeZone);
  const { alerts, feed } = createAlerts({ ...stepping, store, rules: createAlertRulesStore(kv), holds, dayOf, failed });
  const deadlines = createAlertDeadlines({ ...stepping, store, homes, self: bus.self, failed });
  metrics.gauge("relay_alerts_due", "Pre-dispute alerts that are looked at now or within seconds.", () => deadlines.counts().held);
  let stopped: Promise<void> | null = null;
  return {
    ...{ alerts, feed, byId: feed.byId },
    board: createDisputeBoard({ disputes, alerts }),
    tasks: createDisputeTasks({ disputes, alerts, clock }),
    tick: deadlines.tick,
    drain: () => {
      stopped ??= deadlines.stop();
    },
    close: async () => {
      stopped ??= deadlines.stop();
      await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, STOP_MS).unref())]);
    },
  };
}
