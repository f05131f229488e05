import type { MerchantParty, MerchantScope } from "../kernel/merchant-scope.ts";
import type { RequestContext } from "../workflow/workflow.ts";
import type { AlertActor, AlertNotice, AlertRecord } from "./alert.ts";
import type { AlertPageQuery } from "./alert-queries.ts";
import type { AlertRuleSet, AlertRules } from "./alert-rules.ts";
import type { DryRun } from "./dry-run.ts";

export interface AlertQuery extends Omit<AlertPageQuery, "after"> {
  /** The `next` of the previous page. */
  readonly cursor: string | null;
}

export type AlertAnswered<Type extends string> = { readonly type: Type; readonly alert: AlertRecord };

export interface AlertStats {
  readonly counts: { readonly [state: string]: number };
  readonly amountsMinor: { readonly [state: string]: { readonly [currency: string]: number } };
  /** The share of REFUNDED and PREVENTED among all that have ended, without withdrawn alerts. */
  readonly preventionRate: number | null;
  /** Pending alerts that must be decided within three days, at most ALERTS_DUE_MAX. */
  readonly dueSoon: number;
  /** False if there are more than ALERT_STATS_MAX. Then the newest are counted. */
  readonly complete: boolean;
}

/**
 * An alert of another merchant or environment gives null. Every method rejects with RelayError
 * `unavailable` when the store cannot answer.
 */
export interface Alerts {
  find(owner: MerchantScope, id: string): Promise<AlertRecord | null>;
  /** Throws RelayError `invalid_request` for an invalid cursor. */
  list(owner: MerchantScope, query: AlertQuery): Promise<{ items: readonly AlertRecord[]; next: string | null }>;
  ofPayment(owner: MerchantScope, uuid: string): Promise<readonly AlertRecord[]>;
  stats(owner: MerchantScope): Promise<AlertStats>;
  /**
   * Refunds the payment once, however often it is called. `refunded` includes earlier refunds.
   * `outcome_unknown`: the relay finds out, and a repeated call returns the outcome. `no_payment`:
   * the payment is unknown. `network_refunds`: the network itself moves the money.
   */
  refund(
    owner: MerchantScope,
    id: string,
    by: AlertActor,
    operation: RequestContext,
  ): Promise<AlertAnswered<
    "refunded" | "outcome_unknown" | "refused" | "not_pending" | "under_dispute" | "no_payment" | "network_refunds"
  > | null>;
  /**
   * `outcome_unknown`: a refund is under way. Throws RelayError `invalid_request` for the reason.
   */
  decline(
    owner: MerchantScope,
    id: string,
    reason: string | null,
    by: AlertActor,
    operation: RequestContext,
  ): Promise<AlertAnswered<"declined" | "not_pending" | "outcome_unknown"> | null>;
  rules(owner: MerchantScope): Promise<{ rules: AlertRules; version: number }>;
  /** `changed`: `version` is old. Throws RelayError `invalid_request` naming the member. */
  saveRules(
    owner: MerchantScope,
    rules: AlertRuleSet,
    version: number,
    by: AlertActor,
  ): Promise<{ type: "saved" | "changed"; rules: AlertRules; version: number }>;
  /** Tries rules on the alerts of the last DRY_RUN_MS. Throws RelayError `invalid_request`. */
  dryRun(owner: MerchantScope, rules: AlertRuleSet): Promise<DryRun>;
}

/** `refused`: the state of the alert does not accept the report. */
export type AlertFed = { readonly type: "done" | "refused"; readonly alert: AlertRecord };

/**
 * Accepts reports from administrators or an adapter. A repetition changes nothing. Null: no alert.
 */
export interface AlertFeed {
  /**
   * A null `respondByMs` means ALERT_RESPOND_MS from now. A matching rule decides the refund in the
   * same commit. Throws RelayError `invalid_request` naming the member, and `conflict` if the
   * reference belongs to a different alert.
   */
  received(
    party: MerchantParty,
    notice: Omit<AlertNotice, "respondByMs"> & { respondByMs: number | null },
    operation: RequestContext,
  ): Promise<AlertRecord>;
  /** The network has moved the money, or needs no refund. From then on the relay begins none. */
  resolved(source: AlertNotice["source"], networkRef: string, operation: RequestContext): Promise<AlertFed | null>;
  invalid(source: AlertNotice["source"], networkRef: string, operation: RequestContext): Promise<AlertFed | null>;
  /** Returns an alert of any merchant, for operators. */
  byId(id: string): Promise<AlertRecord | null>;
}
