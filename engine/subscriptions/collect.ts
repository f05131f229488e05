import { RelayError } from "../kernel/errors.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { CycleLinkOrder, CycleLinkState, CycleLinks } from "./cycle-links.ts";
import type { SubscriptionEvent } from "./events.ts";
import type { RecurringChargeAnswer, RecurringChargeOrder, RecurringCharges } from "./recurring-charges.ts";
import { isToBeClosed, isWanted, pendingOf } from "./rules.ts";
import { ASK_WITHIN_MS, type ChargeAttempt, FIRST_PAYMENT_MS, type SubscriptionRecord } from "./subscription.ts";
import { type SubscriptionParts, takeStep } from "./take-step.ts";

/** Each lost round is somebody else's change of the same subscription; more of them mean that something is wrong. */
const ROUNDS_MAX = 8;

const HOUR_MS = 3_600_000;
/** Longer than any policy lasts, and less than a payment link may last. */
const LINK_LIFETIME_MS = 60 * 24 * HOUR_MS;
/** No payment link lasts less than an hour; what is left of the time of a first payment may be less. */
const LINK_LIFETIME_MIN_MS = 2 * HOUR_MS;

/** So many attempts follow each other at once: a card that is of no use, and the link for it. */
const ASKED_MAX = 3;

export interface CollectOptions extends SubscriptionParts {
  charges: RecurringCharges;
  links: CycleLinks;
  failed(what: string, error: unknown): void;
}

/** Asks for payments, and finds out what became of them. */
export interface Collector {
  /** Asks for the attempt that a stored step has begun, once. Never rejects: what is not known is looked at later. */
  ask(record: SubscriptionRecord): Promise<void>;
  /** Finds out what became of the pending attempt. Rejects with RelayError `unavailable` where that cannot be stored, or a link's state cannot be read. */
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
      // It is stored that it was asked for, so it is looked at.
      if (!(error instanceof RelayError)) failed("subscription.ask", error);
    }
  }

  async function askFor(record: SubscriptionRecord): Promise<void> {
    for (let asked: SubscriptionRecord | null = record, times = 0; asked !== null && times < ASKED_MAX; times += 1) {
      const attempt = pendingOf(asked);
      // Whoever was stopped in between is not the one who asks: others look at it by now.
      if (attempt?.state !== "asked" || clock.nowMs() - attempt.askedAtMs > ASK_WITHIN_MS) return;
      const found = attempt.means === "CARD" ? await charge(asked, attempt) : await open(asked, attempt);
      asked = await note(asked.id, attempt.id, found);
    }
  }

  async function charge(record: SubscriptionRecord, attempt: ChargeAttempt): Promise<Found> {
    // Cancelled in the meantime: whether it was asked for by somebody else is looked at when that is due.
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

  /** Stores what was found out. The record where another attempt was begun by it, else null. */
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
  // A first payment is worth nothing once its time is over.
  const untilMs = record.state === "INCOMPLETE" ? record.createdAtMs + FIRST_PAYMENT_MS : atMs + LINK_LIFETIME_MS;
  return {
    ...{ id, merchantId, partnerId, livemode, amountMinor, currency, createdBy },
    ...{ description: plan.name, customerEmail: customer.email },
    expiresAtMs: Math.max(untilMs, atMs + LINK_LIFETIME_MIN_MS),
  };
}
