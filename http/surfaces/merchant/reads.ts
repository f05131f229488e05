import type { Alerts } from "../../../engine/alerts/alerts.ts";
import type { DisputeTasks } from "../../../engine/cases/case-tasks.ts";
import type { Disputes } from "../../../engine/disputes/disputes.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Timers } from "../../../engine/kernel/timers.ts";
import type { Links } from "../../../engine/links/links.ts";
import type { MerchantAudit } from "../../../engine/operators/merchant-audit.ts";
import type { MerchantLogs } from "../../../engine/operators/merchant-logs.ts";
import type { MerchantTransactions } from "../../../engine/payments/merchant-transactions.ts";
import type { PortalLinkTasks } from "../../../engine/portal-links/link-tasks.ts";
import type { MerchantAttention } from "../../../engine/settings/merchant-attention.ts";
import type { MerchantTerminals } from "../../../engine/settings/merchant-terminals.ts";
import type { OfflineTasks } from "../../../engine/settings/offline-tasks.ts";
import type { SubscriptionTasks } from "../../../engine/subscriptions/subscription-tasks.ts";
import type { Terminals } from "../../../engine/terminals/terminals.ts";
import type { LocalTime } from "../parts/time.ts";
import { merchantSurface } from "./surface.ts";

/** The collaborators of the endpoints that read payments, terminals and logs. */
export interface ReadOperations {
  merchantTransactions: MerchantTransactions;
  merchantTerminals: MerchantTerminals;
  merchantAttention: MerchantAttention;
  portalLinkTasks: PortalLinkTasks;
  subscriptionTasks: SubscriptionTasks;
  disputeTasks: DisputeTasks;
  offlineTasks: OfflineTasks;
  disputes: Pick<Disputes, "ofPayment">;
  alerts: Pick<Alerts, "ofPayment">;
  merchantAudit: MerchantAudit;
  merchantLogs: MerchantLogs;
  /** Returns the name that the partner gave the merchant. */
  merchantName(merchantId: string): Promise<string>;
  terminals: Pick<Terminals, "command">;
  links: Pick<Links, "byTxId">;
  /** Limits the concurrent downloads of one merchant. */
  downloads: DownloadPlaces;
  localTime: LocalTime;
  clock: Pick<Clock, "nowMs">;
  timers: Pick<Timers, "set">;
}

export interface DownloadPlaces {
  /** Returns false if the merchant has reached its limit. */
  take(merchantId: string): boolean;
  giveBack(merchantId: string): void;
}

export const reads = merchantSurface<ReadOperations>();

/**
 * A query of ClickHouse may take 3 s. A panel without data reports that instead of waiting longer.
 */
export const READ_DEADLINE_MS = 3_500;
