import type { RequestContext } from "../workflow/workflow.ts";
import type { AlertActor, AlertNotice, AlertRecord } from "./alert.ts";
import type { AlertPageQuery } from "./alert-queries.ts";
import type { AlertRuleSet, AlertRules } from "./alert-rules.ts";
import type { DryRun } from "./dry-run.ts";

/** Whose alerts they are; from the session or the key, never from the request. */
export interface AlertOwner {
  readonly merchantId: string;
  readonly livemode: boolean;
}

/** Whose an alert is that a source has sent. */
export interface AlertParty extends AlertOwner {
  readonly partnerId: number;
}

export interface AlertQuery extends Omit<AlertPageQuery, "after"> {
  /** The `next` of the page before. */
  readonly cursor: string | null;
}

export type AlertAnswered<Type extends string> = { readonly type: Type; readonly alert: AlertRecord };

/** By state, with amounts by currency. */
export interface AlertStats {
  readonly counts: { readonly [state: string]: number };
  readonly amountsMinor: { readonly [state: string]: { readonly [currency: string]: number } };
  /** REFUNDED and PREVENTED of all that have ended; what was none counts as neither. Null where none has ended. */
  readonly preventionRate: number | null;
  /** False where there are more than ALERT_STATS_MAX: it is then of the newest. */
  readonly complete: boolean;
}

/**
 * The alerts of merchants, from any thread of any node. What is another merchant's, or of the other environment, is null as if it were not there. Every method rejects with RelayError
 * `unavailable` when the store cannot answer.
 */
export interface Alerts {
  find(owner: AlertOwner, id: string): Promise<AlertRecord | null>;
  /** Throws RelayError `invalid_request` for a cursor that is none. */
  list(owner: AlertOwner, query: AlertQuery): Promise<{ items: readonly AlertRecord[]; next: string | null }>;
  ofPayment(owner: AlertOwner, uuid: string): Promise<readonly AlertRecord[]>;
  stats(owner: AlertOwner): Promise<AlertStats>;
  /**
   * Gives its payment back, once however often it is asked. `refunded` also where it was given back before. `outcome_unknown`: the gateway was asked and has not said; the relay finds out by
   * itself, and asked again this says how it stands. `refused`: not given back, as `alert.refund` says. `no_payment`: it is not known which; `network_refunds`: the network moves the money itself.
   */
  refund(
    owner: AlertOwner,
    id: string,
    by: AlertActor,
    operation: RequestContext,
  ): Promise<AlertAnswered<
    "refunded" | "outcome_unknown" | "refused" | "not_pending" | "under_dispute" | "no_payment" | "network_refunds"
  > | null>;
  /** `outcome_unknown`: a refund is under way. Throws RelayError `invalid_request` for a reason that is too long. */
  decline(
    owner: AlertOwner,
    id: string,
    reason: string | null,
    by: AlertActor,
    operation: RequestContext,
  ): Promise<AlertAnswered<"declined" | "not_pending" | "outcome_unknown"> | null>;
  rules(owner: AlertOwner): Promise<{ rules: AlertRules; version: number }>;
  /** `changed`: somebody else has changed them since `version`. Throws RelayError `invalid_request` naming the member. */
  saveRules(
    owner: AlertOwner,
    rules: AlertRuleSet,
    version: number,
    by: AlertActor,
  ): Promise<{ type: "saved" | "changed"; rules: AlertRules; version: number }>;
  /** What rules would have done with the alerts of the last DRY_RUN_MS. Throws RelayError `invalid_request` naming the member. */
  dryRun(owner: AlertOwner, rules: AlertRuleSet): Promise<DryRun>;
}

/** `refused`: the alert does not take it as it stands. */
export type AlertFed = { readonly type: "done" | "refused"; readonly alert: AlertRecord };

/** What sources of alerts say, brought in by administrators or an adapter; the same word again changes nothing. Null where there is no such alert. */
export interface AlertFeed {
  /**
   * `respondByMs` null: ALERT_RESPOND_MS from now. Where a rule of the merchant's matches, its refund is decided in the same commit and begun at once. Throws RelayError `invalid_request` naming
   * the member, and `conflict` where the reference is another merchant's alert, or was another one.
   */
  received(
    party: AlertParty,
    notice: Omit<AlertNotice, "respondByMs"> & { respondByMs: number | null },
    operation: RequestContext,
  ): Promise<AlertRecord>;
  /** The network has moved the money, or needs none: the relay never does then. */
  resolved(source: AlertNotice["source"], networkRef: string, operation: RequestContext): Promise<AlertFed | null>;
  invalid(source: AlertNotice["source"], networkRef: string, operation: RequestContext): Promise<AlertFed | null>;
  /** Whosever it is: for operators. */
  byId(id: string): Promise<AlertRecord | null>;
}
