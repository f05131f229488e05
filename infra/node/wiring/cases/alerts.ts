import type { AlertRecord } from "../../../../engine/alerts/alert.ts";
import { createAlertRefunder } from "../../../../engine/alerts/alert-refunder.ts";
import { createAlertRulesStore } from "../../../../engine/alerts/alert-rules-store.ts";
import type { AlertFeed, Alerts } from "../../../../engine/alerts/alerts.ts";
import { createAlerts } from "../../../../engine/alerts/create-alerts.ts";
import { createLinkRefunds } from "../../../../engine/alerts/link-refunds.ts";
import { ALERT_WORKFLOW } from "../../../../engine/alerts/workflow.ts";
import { createDisputeBoard, type DisputeBoard } from "../../../../engine/cases/case-list.ts";
import { createDisputeTasks, type DisputeTasks } from "../../../../engine/cases/case-tasks.ts";
import type { DisputeHoldStore } from "../../../../engine/disputes/dispute-hold-store.ts";
import type { Disputes } from "../../../../engine/disputes/disputes.ts";
import type { ActivityLog } from "../../../../engine/kernel/activity-log.ts";
import type { Address, Homes } from "../../../../engine/kernel/bus.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { Links } from "../../../../engine/links/links.ts";
import type { GiveBack } from "../../../../engine/refunds/refund-payment.ts";
import { eventOperations } from "../../../../engine/webhooks/webhook-event-store.ts";
import { createWorkflow } from "../../../../engine/workflow/run-workflow.ts";
import { createWorkflowDeadlines } from "../../../../engine/workflow/workflow-deadlines.ts";
import { createWorkflowSearch, type WorkflowSearch } from "../../../../engine/workflow/workflow-search.ts";
import { createWorkflowStore } from "../../../../engine/workflow/workflow-store.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { alertObject } from "../../../../http/surfaces/merchant/alerts/schemas.ts";
import { createLocalTime } from "../../../../http/surfaces/parts/time.ts";
import type { Config } from "../../boot/config.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";
import type { ShardMetrics } from "../../observability/metrics.ts";
import { DISPUTES_KEPT_MS } from "./disputes.ts";

/**
 * Limits the wait for refunds in progress when the node stops. The next home of an interrupted
 * refund learns its outcome.
 */
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
  /** Finds the alert of any merchant, for operators. */
  byId(id: string): Promise<AlertRecord | null>;
  search: WorkflowSearch<AlertRecord>;
}

/**
 * Alerts in a shard, based on its links and disputes: their operations, and the processing of those
 * whose home it is.
 */
export function composeAlerts(parts: AlertParts): ComposedAlerts {
  const { config, kv, bus, homes, clock, links, giveBack, holds, disputes, activity, metrics, failed } = parts;
  const retentionMs = Math.max(parts.retentionMs, DISPUTES_KEPT_MS);
  const store = createWorkflowStore(kv, ALERT_WORKFLOW, retentionMs);
  const workflow = createWorkflow(ALERT_WORKFLOW, {
    ...{ store, clock, digest: sha256Hex, objectOf: alertObject, eventOperations, activity, count: metrics.alertBecame },
  });
  const refunds = createLinkRefunds({ links, giveBack, holds, digest: sha256Hex, clock });
  const refunder = createAlertRefunder({ workflow, refunds, clock });
  const { dayOf } = createLocalTime(config.timeZone);
  const { alerts, feed } = createAlerts({
    ...{ workflow, refunder, clock, digest: sha256Hex, rules: createAlertRulesStore(kv), holds, dayOf, failed },
  });
  const deadlines = createWorkflowDeadlines(ALERT_WORKFLOW, { store, homes, self: bus.self, clock, failed, fire: refunder.due });
  metrics.gauge("relay_alerts_due", "Pre-dispute alerts with a deadline now or within seconds.", () => deadlines.counts().held);
  let stopped: Promise<void> | null = null;
  return {
    ...{ alerts, feed, byId: feed.byId, search: createWorkflowSearch(store, "alert-of/") },
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
