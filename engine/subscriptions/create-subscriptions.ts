import { RelayError } from "../kernel/errors.ts";
import { cursorOf, type Place, placeOfCursor } from "../kernel/merchant-index-store.ts";
import type { MerchantParty } from "../kernel/merchant-scope.ts";
import { isInScope } from "../kernel/merchant-scope.ts";
import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Stored } from "../kernel/stored.ts";
import type { RequestContext } from "../workflow/workflow.ts";
import { checkedCustomer, checkedMethod, invalid } from "./check-text.ts";
import type { Collector } from "./collect.ts";
import type { CycleChargeStore } from "./cycle-charge-store.ts";
import type { SubscriptionEffect, SubscriptionEvent } from "./events.ts";
import type { PlanRecord } from "./plan.ts";
import { type PlanStore, planUse } from "./plan-store.ts";
import type { RecurringCharges } from "./recurring-charges.ts";
import { hasRoom, isBlocked, isRetryTooSoon, isUnpaid, meansOf, nextAtMs, pendingOf, withBegun, withCycle } from "./rules.ts";
import { SUBSCRIPTIONS_PER_HOUR_MAX, type SubscriptionRecord } from "./subscription.ts";
import type { SubscriptionQueries } from "./subscription-queries.ts";
import type { SubscriptionOrder, Subscriptions } from "./subscriptions.ts";
import { type SubscriptionParts, type TakenStep, takeStep } from "./take-step.ts";

/** A round is lost if the subscription changed concurrently. More lost rounds indicate a bug. */
const ROUNDS_MAX = 8;

const HOUR_MS = 3_600_000;
/**
 * The time after which a caller over the hourly limit should retry. The exact time is not computed.
 */
const RETRY_AFTER_SECONDS = 60;

/** The number of subscriptions of a deactivated merchant that are read at once. */
const PAUSE_PAGE = 100;
const PAUSABLE = ["TRIALING", "ACTIVE", "PAST_DUE"] as const;

/** The maximum number of payments in a response. */
const CHARGES_MAX = 200;

export interface SubscriptionsOptions extends SubscriptionParts {
  digest: Digest;
  queries: SubscriptionQueries;
  cycleCharges: CycleChargeStore;
  plans: Pick<PlanStore, "load">;
  collector: Collector;
  charges: Pick<RecurringCharges, "isOffered">;
  /** Returns 22 random letters or digits. */
  newToken(): string;
}

/** The result of an event that changes a subscription. */
type Changed = TakenStep | "refused";

export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { workflow, queries, cycleCharges, plans, collector, charges, calendar, clock, newToken, isInactive, digest } = options;
  const { store } = workflow;

  async function own(owner: MerchantParty, id: string): Promise<Stored<SubscriptionRecord> | null> {
    const stored = await store.load(id);
    return stored !== null && isInScope(stored.record, owner) ? stored : null;
  }

  async function again(id: string): Promise<SubscriptionRecord> {
    const stored = await store.load(id);
    if (stored === null) throw new Error(`the subscription ${id} is gone`);
    return stored.record;
  }

  /**
   * Applies a transition, requests the attempt that it started, and returns the resulting
   * subscription.
   */
  async function change(
    stored: Stored<SubscriptionRecord>,
    event: SubscriptionEvent,
    operation: RequestContext | null,
  ): Promise<Changed | typeof CONFLICT> {
    const taken = await takeStep(stored, event, operation, options);
    if (taken === CONFLICT || taken === "refused" || !taken.asks) return taken;
    await collector.ask(taken.record);
    return { ...taken, record: await again(taken.record.id) };
  }

  async function requireRoom(owner: MerchantParty, atMs: number): Promise<void> {
    const made = await queries.createdSince(owner, atMs - HOUR_MS, SUBSCRIPTIONS_PER_HOUR_MAX);
    if (made < SUBSCRIPTIONS_PER_HOUR_MAX) return;
    throw new RelayError("rate_limited", `A merchant may create ${SUBSCRIPTIONS_PER_HOUR_MAX} subscriptions in an hour; retry later`, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  function checked(owner: MerchantParty, order: SubscriptionOrder): SubscriptionOrder {
    const customer = checkedCustomer(order.customer);
    if (order.collection === "LINK") {
      if (order.methodId !== null) throw invalid("methodId", "is only for collection CARD");
      return { ...order, customer };
    }
    if (!charges.isOffered(owner)) throw invalid("collection", "CARD is not available here: use LINK");
    return { ...order, customer, methodId: checkedMethod(order.methodId) };
  }

  const create: Subscriptions["create"] = async (owner, given, createdBy, operation) => {
    const id = prefixedId("sub_", digest(`subscription ${operation.id}`));
    const existing = await own(owner, id);
    if (existing !== null) return { type: "created", subscription: existing.record };
    const order = checked(owner, given);
    if (isInactive(owner.merchantId)) return { type: "inactive" };
    await requireRoom(owner, clock.nowMs());
    return retryOnConflict(ROUNDS_MAX, async () => {
      const plan = await plans.load(order.planId);
      if (plan === null || !isInScope(plan.record, owner)) return { type: "no_plan" } as const;
      const found = await own(owner, id);
      if (found !== null) return { type: "created", subscription: found.record } as const;
      if (!plan.record.active) return { type: "plan_inactive" } as const;
      const event = { type: "subscription.created", atMs: clock.nowMs() } as const;
      const effects: readonly SubscriptionEffect[] = [{ type: "tell", params: { news: "subscription.created" } }];
      const record = begun(owner, id, order, plan.record, createdBy, event.atMs);
      const made = await workflow.create({ record, effects }, event, operation, planUse(plan));
      if (!("record" in made)) return CONFLICT;
      if (pendingOf(record) === null) return { type: "created", subscription: made.record } as const;
      await collector.ask(made.record);
      return { type: "created", subscription: await again(id) } as const;
    });
  };

  /** Returns a new subscription, either in its trial or with the first payment to request. */
  function begun(
    { merchantId, partnerId, livemode }: MerchantParty,
    id: string,
    { planId, customer, collection, methodId }: SubscriptionOrder,
    { terms: plan }: PlanRecord,
    createdBy: SubscriptionRecord["createdBy"],
    atMs: number,
  ): SubscriptionRecord {
    const anchor = calendar.anchorAt(atMs, plan.trialDays);
    const first = calendar.cycle(anchor, plan, 1);
    const trial: SubscriptionRecord = {
      ...{ schema: 1, id, token: newToken(), merchantId, partnerId, livemode, planId, plan, customer, collection, methodId, createdBy },
      ...{ createdAtMs: atMs, updatedAtMs: atMs, ...anchor, state: "TRIALING", cycle: 0 },
      ...{ period: { fromMs: atMs, untilMs: first.dueAtMs }, charge: null, dunning: null, cancelsAtPeriodEnd: false },
      ...{ cancelledAtMs: null, cancelledBy: null, pausedAtMs: null, pausedBy: null, retriedAtMs: null, operationId: null },
      ...{ mailOwed: null, mails: 0, nextAtMs: null, events: 0 },
    };
    if (plan.trialDays > 0) return { ...trial, nextAtMs: nextAtMs(trial) };
    const cycle = { ...trial, state: "INCOMPLETE" as const, ...withCycle(trial, { ...first, dueAtMs: atMs }) };
    const asking = { ...cycle, ...withBegun(cycle, atMs, meansOf(cycle)) };
    return { ...asking, nextAtMs: nextAtMs(asking) };
  }

  /** A repeated request gets the same response while its effect still exists. */
  function isRepeated({ operationId }: SubscriptionRecord, operation: RequestContext): boolean {
    return operationId === operation.id;
  }

  function cancel(
    read: () => Promise<Stored<SubscriptionRecord> | null>,
    by: "merchant" | "customer",
    { atPeriodEnd }: { readonly atPeriodEnd: boolean },
    operation: RequestContext,
  ) {
    return retryOnConflict(ROUNDS_MAX, async () => {
      const stored = await read();
      if (stored === null) return null;
      if (isRepeated(stored.record, operation)) return { type: "cancelled", subscription: stored.record } as const;
      const event = { type: "cancel.requested", atMs: clock.nowMs(), operationId: operation.id, atPeriodEnd, by } as const;
      const changed = await change(stored, event, operation);
      if (changed === CONFLICT) return CONFLICT;
      return changed === "refused"
        ? ({ type: "not_in_state", subscription: stored.record } as const)
        : ({ type: "cancelled", subscription: changed.record } as const);
    });
  }

  const pauseOne = (read: () => Promise<Stored<SubscriptionRecord> | null>, by: "merchant" | "deactivated", operation: RequestContext) =>
    retryOnConflict(ROUNDS_MAX, async () => {
      const stored = await read();
      if (stored === null) return null;
      if (stored.record.state === "PAUSED" && isRepeated(stored.record, operation)) {
        return { type: "paused", subscription: stored.record } as const;
      }
      const event = { type: "pause.requested", atMs: clock.nowMs(), operationId: operation.id, by } as const;
      const changed = await change(stored, event, operation);
      if (changed === CONFLICT) return CONFLICT;
      return changed === "refused"
        ? ({ type: "not_in_state", subscription: stored.record } as const)
        : ({ type: "paused", subscription: changed.record } as const);
    });

  const resume: Subscriptions["resume"] = (owner, id, operation) =>
    retryOnConflict(ROUNDS_MAX, async () => {
      const stored = await own(owner, id);
      if (stored === null) return null;
      const { record } = stored;
      const answer = <Type extends string>(type: Type, subscription = record) => ({ type, subscription });
      if (record.state !== "PAUSED" && isRepeated(record, operation)) return answer("resumed");
      if (isInactive(owner.merchantId)) return answer("inactive");
      if (record.state === "PAUSED" && pendingOf(record) !== null) return answer("outcome_unknown");
      const atMs = clock.nowMs();
      const next = calendar.firstAfter(record, record.plan, record.cycle + 1, atMs);
      const changed = await change(stored, { type: "resume.requested", atMs, operationId: operation.id, next }, operation);
      if (changed === CONFLICT) return CONFLICT;
      return changed === "refused" ? answer("not_in_state") : answer("resumed", changed.record);
    });

  const retry: Subscriptions["retry"] = (owner, id, operation) =>
    retryOnConflict(ROUNDS_MAX, async () => {
      const stored = await own(owner, id);
      if (stored === null) return null;
      const { record } = stored;
      const answer = <Type extends string>(type: Type, subscription = record) => ({ type, subscription });
      if (isRepeated(record, operation)) return answer("retried");
      if (isInactive(owner.merchantId)) return answer("inactive");
      const atMs = clock.nowMs();
      const changed = await change(stored, { type: "retry.requested", atMs, operationId: operation.id }, operation);
      if (changed === CONFLICT) return CONFLICT;
      if (changed !== "refused") return answer("retried", changed.record);
      if ((record.state !== "PAST_DUE" && record.state !== "INCOMPLETE") || !isUnpaid(record)) return answer("not_in_state");
      if (isBlocked(record)) return answer("outcome_unknown");
      return answer(isRetryTooSoon(record, atMs) ? "too_soon" : "too_many");
    });

  type Paying = NonNullable<Awaited<ReturnType<Subscriptions["pay"]>>>;

  const pay: Subscriptions["pay"] = (token) =>
    retryOnConflict<Paying | null>(ROUNDS_MAX, async () => {
      const stored = await queries.byToken(token);
      if (stored === null) return null;
      const { record } = stored;
      if (!isUnpaid(record) || record.state === "PAUSED" || record.state === "CANCELLED") {
        return { type: "nothing_due", subscription: record };
      }
      if (isInactive(record.merchantId)) return { type: "inactive", subscription: record };
      const pending = pendingOf(record);
      if (pending !== null) return payable(record);
      if (!hasRoom(record)) return { type: "too_many", subscription: record };
      const changed = await change(stored, { type: "payment.requested", atMs: clock.nowMs() }, null);
      // Another request has started an attempt or paid in the meantime.
      return changed === CONFLICT || changed === "refused" ? CONFLICT : payable(changed.record);
    });

  function payable(subscription: SubscriptionRecord): Paying {
    const pending = pendingOf(subscription);
    if (pending?.state === "open" && !pending.closing && pending.link !== null)
      return { type: "payable", subscription, link: pending.link };
    if (pending !== null) return { type: "outcome_unknown", subscription };
    return { type: isUnpaid(subscription) ? "refused" : "nothing_due", subscription };
  }

  async function told(attemptId: string): Promise<void> {
    const [, id] = ATTEMPT_ID.exec(attemptId) ?? [];
    const stored = id === undefined ? null : await store.load(id);
    const pending = stored === null ? null : pendingOf(stored.record);
    // A state of `asked` means that another request is waiting for the response.
    if (stored !== null && pending?.id === attemptId && pending.state !== "asked") await collector.look(stored.record);
  }

  async function pauseAll(owner: MerchantParty, operation: RequestContext): Promise<number> {
    let count = 0;
    for (const state of PAUSABLE) {
      let after: Place | null = null;
      do {
        const query = { limit: PAUSE_PAGE, after, fromMs: null, beforeMs: null, state, planId: null, customerEmail: null };
        const page: Awaited<ReturnType<typeof queries.page>> = await queries.page(owner, query);
        for (const { id } of page.items) {
          const outcome = await pauseOne(() => own(owner, id), "deactivated", operation);
          if (outcome?.type === "paused") count += 1;
        }
        after = page.next;
      } while (after !== null);
    }
    return count;
  }

  return {
    create,
    find: async (owner, id) => (await own(owner, id))?.record ?? null,
    list: async (owner, { cursor, ...query }) => {
      const page = await queries.page(owner, { ...query, after: cursor === null ? null : placeOfCursor(cursor, CURSOR_ID) });
      return { items: page.items, next: page.next === null ? null : cursorOf(page.next) };
    },
    charges: async (owner, id, beforeCycle, limit) =>
      (await own(owner, id)) === null ? null : cycleCharges.charges(id, beforeCycle, Math.min(limit, CHARGES_MAX)),
    cancel: (owner, id, when, operation) => cancel(() => own(owner, id), "merchant", when, operation),
    pause: (owner, id, operation) => pauseOne(() => own(owner, id), "merchant", operation),
    resume,
    retry,
    byToken: async (token) => (await queries.byToken(token))?.record ?? null,
    cancelByToken: (token, when, operation) => cancel(() => queries.byToken(token), "customer", when, operation),
    pay,
    told,
    pauseAll,
  };
}

const ATTEMPT_ID = /^sub-(sub_[a-z0-9]{24})-\d{1,5}-\d{1,3}$/;
const CURSOR_ID = /^sub_[a-z0-9]{24}$/;
