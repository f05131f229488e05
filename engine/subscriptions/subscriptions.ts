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
  /** The card on file; null for LINK. */
  readonly methodId: string | null;
}

export interface SubscriptionQuery {
  readonly limit: number;
  /** The `next` of the page before. */
  readonly cursor: string | null;
  readonly state: SubscriptionState | null;
  readonly planId: string | null;
  /** Created within; null: no bound. */
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
  /** Exactly this address, by a keyed digest; in any case of letters. */
  readonly customerEmail: string | null;
}

type Outcome<Type extends string> = Promise<{ type: Type; subscription: SubscriptionRecord } | null>;

/**
 * The subscriptions of merchants, from any thread of any node. What is another merchant's, or of the other environment, is null as if it were not there. Every method rejects with
 * RelayError `unavailable` when the store cannot answer. What changes something is idempotent by the operation's id, as long as nothing else has changed it since.
 */
export interface Subscriptions {
  /**
   * Without a trial the first payment is asked for at once. Throws RelayError `invalid_request` naming the member (planId, customer.name, customer.email, collection, methodId), and
   * `rate_limited` beyond SUBSCRIPTIONS_PER_HOUR_MAX. `no_plan`: the merchant has no such plan. `plan_inactive`: it is deactivated. `inactive`: the merchant is.
   */
  create(
    owner: MerchantParty,
    order: SubscriptionOrder,
    createdBy: SubscriptionCreator,
    operation: RequestContext,
  ): Promise<{ type: "created"; subscription: SubscriptionRecord } | { type: "no_plan" | "plan_inactive" | "inactive" }>;
  find(owner: MerchantParty, id: string): Promise<SubscriptionRecord | null>;
  /** Newest first. `next` null: no more. Throws RelayError `invalid_request` for a cursor that is none. */
  list(owner: MerchantParty, query: SubscriptionQuery): Promise<{ items: readonly SubscriptionRecord[]; next: string | null }>;
  /** Its payments, the latest cycle first; those before a cycle only. */
  charges(owner: MerchantParty, id: string, beforeCycle: number | null, limit: number): Promise<readonly CycleCharge[] | null>;
  /** At once, or when the current period ends; nothing is asked for after that. A payment that was under way and is made after all is kept and reported. */
  cancel(
    owner: MerchantParty,
    id: string,
    when: { readonly atPeriodEnd: boolean },
    operation: RequestContext,
  ): Outcome<"cancelled" | "not_in_state">;
  pause(owner: MerchantParty, id: string, operation: RequestContext): Outcome<"paused" | "not_in_state">;
  /**
   * Of a pause, whose time counts for nothing: the next cycle is the first that is due from now on. Or of a cancellation at the period's end, which is taken back.
   * `outcome_unknown`: a payment from before the pause may still be made. `inactive`: the merchant is deactivated.
   */
  resume(owner: MerchantParty, id: string, operation: RequestContext): Outcome<"resumed" | "not_in_state" | "outcome_unknown" | "inactive">;
  /** Asks for the payment now, once in an hour; where a link can be paid its customer is reminded of it. `too_many`: ATTEMPTS_MAX. */
  retry(
    owner: MerchantParty,
    id: string,
    operation: RequestContext,
  ): Outcome<"retried" | "not_in_state" | "outcome_unknown" | "too_soon" | "too_many" | "inactive">;
  /** By its token, for whoever holds it; null for one that is none. */
  byToken(token: string): Promise<SubscriptionRecord | null>;
  /** The customer's own cancellation. */
  cancelByToken(token: string, when: { readonly atPeriodEnd: boolean }, operation: RequestContext): Outcome<"cancelled" | "not_in_state">;
  /**
   * The customer wants to pay what is unpaid: the link for it, a new one where there is none. `nothing_due`; `outcome_unknown`: a payment is under way; `refused`: there is no link for it.
   */
  pay(
    token: string,
  ): Promise<
    | { type: "payable"; subscription: SubscriptionRecord; link: { readonly id: string; readonly token: string } }
    | { type: "nothing_due" | "outcome_unknown" | "refused" | "too_many" | "inactive"; subscription: SubscriptionRecord }
    | null
  >;
  /**
   * Something has become of the attempt with this id (`sub-<subscription>-<cycle>-<attempt>`; a portal link has it as its reference): looks at it at once instead of when it is due. Other
   * ids are ignored.
   */
  told(attemptId: string): Promise<void>;
  /** Pauses all of a merchant that is deactivated; those that it misses are paused when something of them is due. Resolves with how many; safe to repeat. */
  pauseAll(owner: MerchantParty, operation: RequestContext): Promise<number>;
}
