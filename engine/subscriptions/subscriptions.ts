import type { MerchantParty } from "../kernel/merchant-scope.ts";
import type { RequestContext } from "../workflow/workflow.ts";
import type {
  Collection,
  CycleCharge,
  SubscriptionCreator,
  SubscriptionCustomer,
  SubscriptionRecord,
  SubscriptionState,
} from "./subscription.ts";

export interface SubscriptionOrder {
  readonly planId: string;
  readonly customer: SubscriptionCustomer;
  readonly collection: Collection;
  /** The id of the card on file; null for LINK. */
  readonly methodId: string | null;
}

export interface SubscriptionQuery {
  readonly limit: number;
  /** The `next` of the previous page. */
  readonly cursor: string | null;
  readonly state: SubscriptionState | null;
  readonly planId: string | null;
  /** Bounds of the creation time; null for none. */
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
  /** Exactly this address in any letter case, found by a keyed digest. */
  readonly customerEmail: string | null;
}

type Outcome<Type extends string> = Promise<{ type: Type; subscription: SubscriptionRecord } | null>;

/**
 * The subscriptions of merchants, usable from any thread of any node. An object of another merchant
 * or environment is null, as if it did not exist. Every method rejects with RelayError
 * `unavailable` if the store cannot respond. A change is idempotent by the id of the operation, as
 * long as no other change follows it.
 */
export interface Subscriptions {
  /**
   * Without a trial, the first payment is requested immediately. Throws RelayError
   * `invalid_request` naming the member (planId, customer.name, customer.email, collection,
   * methodId), and `rate_limited` above SUBSCRIPTIONS_PER_HOUR_MAX. `no_plan`: the merchant has no
   * such plan. `plan_inactive`: the plan is deactivated. `inactive`: the merchant is deactivated.
   */
  create(
    owner: MerchantParty,
    order: SubscriptionOrder,
    createdBy: SubscriptionCreator,
    operation: RequestContext,
  ): Promise<{ type: "created"; subscription: SubscriptionRecord } | { type: "no_plan" | "plan_inactive" | "inactive" }>;
  find(owner: MerchantParty, id: string): Promise<SubscriptionRecord | null>;
  /**
   * Newest first. `next` is null on the last page. Throws RelayError `invalid_request` for an
   * invalid cursor.
   */
  list(owner: MerchantParty, query: SubscriptionQuery): Promise<{ items: readonly SubscriptionRecord[]; next: string | null }>;
  /** Returns its payments, the latest cycle first, optionally only those before a cycle. */
  charges(owner: MerchantParty, id: string, beforeCycle: number | null, limit: number): Promise<readonly CycleCharge[] | null>;
  /**
   * Cancels immediately or at the end of the current period. No payment is requested after that. A
   * payment in progress that is made anyway is stored and reported.
   */
  cancel(
    owner: MerchantParty,
    id: string,
    when: { readonly atPeriodEnd: boolean },
    operation: RequestContext,
  ): Outcome<"cancelled" | "not_in_state">;
  pause(owner: MerchantParty, id: string, operation: RequestContext): Outcome<"paused" | "not_in_state">;
  /**
   * Ends a pause, whose time does not count: the next cycle is the first that is due from now on.
   * Or revokes a cancellation at the period's end. `outcome_unknown`: a payment from before the
   * pause may still be made. `inactive`: the merchant is deactivated.
   */
  resume(owner: MerchantParty, id: string, operation: RequestContext): Outcome<"resumed" | "not_in_state" | "outcome_unknown" | "inactive">;
  /**
   * Requests the payment now, at most once an hour. If a link can be paid, its customer gets a
   * reminder. `too_many`: ATTEMPTS_MAX is reached.
   */
  retry(
    owner: MerchantParty,
    id: string,
    operation: RequestContext,
  ): Outcome<"retried" | "not_in_state" | "outcome_unknown" | "too_soon" | "too_many" | "inactive">;
  /** Returns the subscription with this token, or null. */
  byToken(token: string): Promise<SubscriptionRecord | null>;
  /** The customer cancels it. */
  cancelByToken(token: string, when: { readonly atPeriodEnd: boolean }, operation: RequestContext): Outcome<"cancelled" | "not_in_state">;
  /**
   * The customer wants to pay the unpaid cycle. Returns its link, or a new one. `nothing_due`:
   * nothing is unpaid. `outcome_unknown`: a payment is in progress. `refused`: the payment has no
   * link.
   */
  pay(
    token: string,
  ): Promise<
    | { type: "payable"; subscription: SubscriptionRecord; link: { readonly id: string; readonly token: string } }
    | { type: "nothing_due" | "outcome_unknown" | "refused" | "too_many" | "inactive"; subscription: SubscriptionRecord }
    | null
  >;
  /**
   * Reports that the outcome of an attempt may be known. Its id is
   * `sub-<subscription>-<cycle>-<attempt>`, and a portal link has it as its reference. The attempt
   * is checked immediately. Other ids are ignored.
   */
  told(attemptId: string): Promise<void>;
  /**
   * Pauses all subscriptions of a deactivated merchant and resolves with their number. Missed ones
   * are paused when they are due. Safe to repeat.
   */
  pauseAll(owner: MerchantParty, operation: RequestContext): Promise<number>;
}
