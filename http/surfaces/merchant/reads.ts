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
import type { SubscriptionTasks } from "../../../engine/subscriptions/subscription-tasks.ts";
import type { Terminals } from "../../../engine/terminals/terminals.ts";
import type { LocalTime } from "../parts/time.ts";
import { merchantSurface } from "./surface.ts";

/** What the endpoints use that a merchant reads its payments, terminals and log by. */
export interface ReadOperations {
  merchantTransactions: MerchantTransactions;
  merchantTerminals: MerchantTerminals;
  merchantAttention: MerchantAttention;
  portalLinkTasks: PortalLinkTasks;
  subscriptionTasks: SubscriptionTasks;
  disputeTasks: DisputeTasks;
  disputes: Pick<Disputes, "ofPayment">;
  alerts: Pick<Alerts, "ofPayment">;
  merchantAudit: MerchantAudit;
  merchantLogs: MerchantLogs;
  /** As its partner wrote it. */
  merchantName(merchantId: string): Promise<string>;
  terminals: Pick<Terminals, "command">;
  links: Pick<Links, "byTxId">;
  /** Downloads of one merchant that run at once. */
  downloads: DownloadPlaces;
  localTime: LocalTime;
  clock: Pick<Clock, "nowMs">;
  timers: Pick<Timers, "set">;
}

export interface DownloadPlaces {
  /** False where the merchant has as many as it may. */
  take(merchantId: string): boolean;
  giveBack(merchantId: string): void;
}

export const reads = merchantSurface<ReadOperations>();

/** A query of ClickHouse has 3 s; a panel that has to do without says so instead of waiting. */
export const READ_DEADLINE_MS = 3_500;
