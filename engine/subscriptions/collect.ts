import { RelayError } from "../kernel/errors.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { CycleLinkOrder, CycleLinkState, CycleLinks } from "./cycle-links.ts";
import type { SubscriptionEvent } from "./events.ts";
import type { RecurringChargeAnswer, RecurringChargeOrder, RecurringCharges } from "./recurring-charges.ts";
import { isToBeClosed, isWanted, pendingOf } from "./rules.ts";
import { ASK_WITHIN_MS, type ChargeAttempt, FIRST_PAYMENT_MS, type SubscriptionRecord } from "./subscription.ts";
import { type SubscriptionParts, takeStep } from "./take-step.ts";

/** A round is lost if the subscription changed concurrently. More lost rounds indicate a bug. */
const ROUNDS_MAX = 8;

const HOUR_MS = 3_600_000;
/** Longer than any policy, and shorter than the maximum of a payment link. */
const LINK_LIFETIME_MS = 60 * 24 * HOUR_MS;
/** A payment link must last at least an hour. A first payment may have less time left. */
const LINK_LIFETIME_MIN_MS = 2 * HOUR_MS;

/**
 * This many attempts may follow each other immediately, for example a rejected card and then a
 * link.
 */
const ASKED_MAX = 3;

export interface CollectOptions extends SubscriptionParts {
  charges: RecurringCharges;
  links: CycleLinks;
  failed(what: string, error: unknown): void;
}

/** Requests payments and learns their outcomes. */
export interface Collector {
  /**
   * Requests the attempt that a stored transition has started, once. Never rejects: an unknown
   * outcome is checked later.
   */
  ask(record: SubscriptionRecord): Promise<void>;
  /**
   * Learns the outcome of the pending attempt. Rejects with RelayError `unavailable` if the outcome
   * cannot be stored or the state of a link cannot be read.
   */
  look(record: SubscriptionRecord): Promise<void>;
}

type Found =
  | RecurringChargeAnswer
  | { type: "done"; atMs: number; uuid?: string }
  | { type: "absent" }
  | { type: "opened"; link: { id: string; token: string } }
  | Exclude<CycleLinkState, { type: "paid" }>;

export function createCollector(options: CollectOptions): Collector {
  const { workflow, policies, clock, charges, links, failed } = options;
  const { store } = workflow;

  async function ask(record: SubscriptionRecord): Promise<void> {
    try {
      await askFor(record);
    } catch (error) {
      // The attempt is stored as requested, so a later check learns its outcome.
      if (!(error instanceof RelayError)) failed("subscription.ask", error);
    }
  }

  async function askFor(record: SubscriptionRecord): Promise<void> {
    for (let asked: SubscriptionRecord | null = record, times = 0; asked !== null && times < ASKED_MAX; times += 1) {
      const attempt = pendingOf(asked);
      // After a delay, the request must not be made here any more, because another check may be in
      // progress.
      if (attempt?.state !== "asked" || clock.nowMs() - attempt.askedAtMs > ASK_WITHIN_MS) return;
      const found = attempt.means === "CARD" ? await charge(asked, attempt) : await open(asked, attempt);
      asked = await note(asked.id, attempt.id, found);
    }
  }

  async function charge(record: SubscriptionRecord, attempt: ChargeAttempt): Promise<Found> {
    // It was cancelled in the meantime. A later check learns whether the charge was requested.
    const stored = await store.load(record.id);
    if (stored === null || !isWanted(stored.record)) return { type: "unknown" };
    return answered("subscription.charge", () => charges.charge(chargeOrder(record, attempt)));
  }

  async function open(record: SubscriptionRecord, attempt: ChargeAttempt): Promise<Found> {
    return answered("subscription.link", async () => {
      const created = await links.create(linkOrder(record, attempt, clock.nowMs()));
      if (created.type === "created") return { type: "opened", link: created.link };
      return { type: "failed", hard: false, code: created.code, description: null };
    });
  }

  async function answered(what: string, work: () => Promise<Found>): Promise<Found> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RelayError)) failed(what, error);
      return { type: "unknown" };
    }
  }

  async function look(record: SubscriptionRecord): Promise<void> {
    const attempt = pendingOf(record);
    if (attempt === null) return;
    const begun = await note(record.id, attempt.id, await lookAt(record, attempt));
    if (begun !== null) await ask(begun);
  }

  function lookAt(record: SubscriptionRecord, attempt: ChargeAttempt): Promise<Found> {
    const { link, means } = attempt;
    if (link !== null) return lookAtLink(record, link);
    if (means === "LINK") return open(record, attempt);
    return answered("subscription.verify", () => charges.verify(chargeOrder(record, attempt)));
  }

  async function lookAtLink(record: SubscriptionRecord, link: { id: string; token: string }): Promise<Found> {
    const state = isToBeClosed(record) ? await links.close(record, link) : await links.look(record, link);
    return state.type === "paid" ? { ...state, type: "done" } : state;
  }

  /** Stores an outcome. Returns the record if the outcome started another attempt, or null. */
  function note(id: string, attemptId: string, found: Found): Promise<SubscriptionRecord | null> {
    return retryOnConflict(ROUNDS_MAX, async () => {
      const stored = await store.load(id);
      if (stored === null) return null;
      const terms = await policies.termsOf(stored.record.merchantId);
      const taken = await takeStep(stored, eventOf(attemptId, found, clock.nowMs(), terms), null, options);
      if (taken === CONFLICT) return CONFLICT;
      return taken !== "refused" && taken.asks ? taken.record : null;
    });
  }

  return { ask, look };
}

function eventOf(
  attemptId: string,
  found: Found,
  atMs: number,
  terms: Extract<SubscriptionEvent, { type: "charge.failed" }>["terms"],
): SubscriptionEvent {
  switch (found.type) {
    case "done":
      return { type: "charge.done", atMs, attemptId, paidAtMs: found.atMs, ...("uuid" in found ? { uuid: found.uuid } : {}) };
    case "failed":
      return { type: "charge.failed", atMs, attemptId, code: found.code, description: found.description, hard: found.hard, terms };
    case "ended":
      return { type: "charge.failed", atMs, attemptId, code: found.code, description: null, hard: false, terms };
    case "unknown":
      return { type: "charge.unknown", atMs, attemptId };
    case "absent":
      return { type: "charge.lost", atMs, attemptId, terms };
    case "opened":
      return { type: "charge.opened", atMs, attemptId, link: found.link };
    case "open":
      return { type: "charge.open", atMs, attemptId };
  }
}

function chargeOrder(record: SubscriptionRecord, { id }: ChargeAttempt): RecurringChargeOrder {
  const { merchantId, partnerId, livemode, methodId, charge, plan } = record;
  if (charge === null || methodId === null) throw new Error(`the subscription ${record.id} has no card for ${id}`);
  const { amountMinor, currency } = charge;
  return { ...{ id, merchantId, partnerId, livemode, methodId, amountMinor, currency }, description: plan.name };
}

function linkOrder(record: SubscriptionRecord, { id }: ChargeAttempt, atMs: number): CycleLinkOrder {
  const { merchantId, partnerId, livemode, charge, plan, customer, createdBy } = record;
  if (charge === null) throw new Error(`the subscription ${record.id} has no cycle for ${id}`);
  const { amountMinor, currency } = charge;
  // The link of a first payment ends with the time for that payment.
  const untilMs = record.state === "INCOMPLETE" ? record.createdAtMs + FIRST_PAYMENT_MS : atMs + LINK_LIFETIME_MS;
  return {
    ...{ id, merchantId, partnerId, livemode, amountMinor, currency, createdBy },
    ...{ description: plan.name, customerEmail: customer.email },
    expiresAtMs: Math.max(untilMs, atMs + LINK_LIFETIME_MIN_MS),
  };
}
