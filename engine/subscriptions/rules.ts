import { hashOf } from "../kernel/hash.ts";
import type { CyclePlace } from "./calendar.ts";
import type { DunningTerms } from "./dunning-policy.ts";
import type { Of } from "./events.ts";
import {
  ASK_LEASE_MS,
  ATTEMPTS_MAX,
  type ChargeAttempt,
  type Collection,
  type CycleCharge,
  DUNNING_FINAL_AFTER_MS,
  type Dunning,
  FIRST_PAYMENT_MS,
  LINK_OVERDUE_MS,
  RETRY_GAP_MS,
  SPREAD_MS,
  type SubscriptionRecord,
  UNKNOWN_FLAG_MS,
} from "./subscription.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The times between checks of an unknown outcome. The last one repeats. */
const UNKNOWN_LOOKS_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS, DAY_MS] as const;
/**
 * The time between checks of a payable link. Its payment is normally reported immediately, unless a
 * node fails in between.
 */
const OPEN_LOOK_MS = 6 * HOUR_MS;

/**
 * Returns the delay of an id within the half hour after its due time. It is equal on every node and
 * in every cycle.
 */
export function spreadOf(id: string): number {
  return hashOf(id) % SPREAD_MS;
}

/** Returns the attempt that has not ended, or whose link can be paid. There is at most one. */
export function pendingOf({ charge }: Pick<SubscriptionRecord, "charge">): ChargeAttempt | null {
  return charge?.attempts.find(isPending) ?? null;
}

function isPending({ state }: ChargeAttempt): boolean {
  return state === "asked" || state === "unknown" || state === "open";
}

/**
 * Returns true while an attempt's outcome is unknown. The relay requests no payment and ends
 * nothing until it is known.
 */
export function isBlocked(record: Pick<SubscriptionRecord, "charge">): boolean {
  const pending = pendingOf(record);
  return pending !== null && (pending.state !== "open" || !isUnpaid(record));
}

/** Returns true if the attempt is the pending one. */
export function isOfPending(record: SubscriptionRecord, { attemptId }: { attemptId: string }): boolean {
  return pendingOf(record)?.id === attemptId;
}

export function isOfLink(record: SubscriptionRecord, { attemptId }: { attemptId: string }): boolean {
  return record.charge?.attempts.some(({ id, means }) => id === attemptId && means === "LINK") === true;
}

/** Returns true if the cycle has not failed yet. */
export function isFirstFailure({ charge }: SubscriptionRecord): boolean {
  return charge?.failedAtMs === null;
}

export function isUnpaid({ charge }: Pick<SubscriptionRecord, "charge">): boolean {
  return charge?.state === "OPEN";
}

/** Returns true if the event pays the cycle. */
export function becomesPaid(record: SubscriptionRecord, event: Of<"charge.done">): boolean {
  return isNewlyDone(record, event) && isUnpaid(record);
}

/** Returns true if the event pays a cycle that was given up. */
export function becomesPaidLate(record: SubscriptionRecord, event: Of<"charge.done">): boolean {
  return isNewlyDone(record, event) && record.charge?.state === "VOID";
}

/** Returns true if the event pays a cycle that was paid before. */
export function becomesPaidTwice(record: SubscriptionRecord, event: Of<"charge.done">): boolean {
  return isNewlyDone(record, event) && record.charge?.state === "PAID";
}

function isNewlyDone({ charge }: SubscriptionRecord, { attemptId }: Of<"charge.done">): boolean {
  return charge?.attempts.some(({ id, state }) => id === attemptId && state !== "done") === true;
}

// The due times.

function dueOf(record: SubscriptionRecord): number {
  return record.period.untilMs + spreadOf(record.id);
}

function stepAtMs({ failedAtMs, terms, step }: Dunning): number | null {
  const days = terms.retryDays[step];
  return days === undefined ? null : failedAtMs + days * DAY_MS;
}

/** Returns the steps of a policy with their times, and the time of the final action. */
export function dunningCalendar(dunning: Dunning): { steps: { atMs: number; made: boolean }[]; finalAtMs: number } {
  const { failedAtMs, terms, step } = dunning;
  const steps = terms.retryDays.map((days, index) => ({ atMs: failedAtMs + days * DAY_MS, made: index < step }));
  return { steps, finalAtMs: finalAtMs(dunning) };
}

function finalAtMs({ failedAtMs, terms }: Dunning): number {
  return failedAtMs + (terms.retryDays.at(-1) ?? 0) * DAY_MS + DUNNING_FINAL_AFTER_MS;
}

/**
 * Returns the time at which a cycle's link becomes overdue, or null if no link waits for its first
 * failure.
 */
function overdueAtMs(record: SubscriptionRecord): number | null {
  const { charge } = record;
  const pending = pendingOf(record);
  if (charge === null || pending?.state !== "open" || charge.failedAtMs !== null) return null;
  return (charge.attempts[0]?.askedAtMs ?? charge.dueAtMs) + LINK_OVERDUE_MS;
}

export function isFirstPaymentOver({ createdAtMs }: SubscriptionRecord, atMs: number): boolean {
  return atMs >= createdAtMs + FIRST_PAYMENT_MS;
}

export function isCycleDue(record: SubscriptionRecord, atMs: number): boolean {
  return !isUnpaid(record) && !record.cancelsAtPeriodEnd && atMs >= dueOf(record);
}

export function isPeriodOver(record: SubscriptionRecord, atMs: number): boolean {
  return record.cancelsAtPeriodEnd && atMs >= dueOf(record);
}

export function isOverdue(record: SubscriptionRecord, atMs: number): boolean {
  const overdue = overdueAtMs(record);
  return overdue !== null && atMs >= overdue;
}

export function isStepDue({ dunning }: SubscriptionRecord, atMs: number): boolean {
  const step = dunning === null ? null : stepAtMs(dunning);
  return step !== null && atMs >= step;
}

/** Returns true if all steps are done and the last one is long enough ago. */
export function isExhausted({ dunning }: SubscriptionRecord, atMs: number): boolean {
  return dunning !== null && !dunning.stays && stepAtMs(dunning) === null && atMs >= finalAtMs(dunning);
}

/** Returns true if the subscription still wants the requested payment. */
export function isWanted(record: SubscriptionRecord): boolean {
  return record.state !== "PAUSED" && record.state !== "CANCELLED" && isUnpaid(record);
}

/** Returns true if an open link must be cancelled. */
export function isToBeClosed(record: SubscriptionRecord): boolean {
  return !isWanted(record) || pendingOf(record)?.closing === true;
}

/**
 * Returns the next time at which something is due, or null if nothing is or it must wait for an
 * outcome.
 */
export function timeAtMs(record: SubscriptionRecord): number | null {
  if (isBlocked(record)) return null;
  const { state, dunning } = record;
  const end = record.cancelsAtPeriodEnd ? dueOf(record) : null;
  switch (state) {
    case "INCOMPLETE":
      return record.createdAtMs + FIRST_PAYMENT_MS;
    case "TRIALING":
    case "ACTIVE":
      return isUnpaid(record) ? earliest([end, overdueAtMs(record)]) : dueOf(record);
    case "PAST_DUE":
      return earliest([end, dunning === null || dunning.stays ? null : (stepAtMs(dunning) ?? finalAtMs(dunning))]);
    case "PAUSED":
      return end;
    case "CANCELLED":
      return null;
  }
}

/** Returns the time at which the relay processes it next. */
export function nextAtMs(record: SubscriptionRecord): number | null {
  return earliest([timeAtMs(record), pendingOf(record)?.lookAtMs ?? null, record.mailOwed?.atMs ?? null]);
}

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** Returns the next means of payment. An unusable card is not charged again in this cycle. */
export function meansOf({ collection, state, charge }: SubscriptionRecord): Collection {
  const attempts = charge?.attempts ?? [];
  const isOfNoUse = attempts.some(({ hard }) => hard) || (state === "INCOMPLETE" && attempts.some(({ code }) => code !== null));
  return collection === "CARD" && !isOfNoUse ? "CARD" : "LINK";
}

export function hasRoom({ charge }: SubscriptionRecord): boolean {
  return (charge?.attempts.length ?? 0) < ATTEMPTS_MAX;
}

/**
 * Returns true if another attempt may start: the cycle is unpaid, and all its attempts have ended.
 */
export function mayBegin(record: SubscriptionRecord): boolean {
  return isUnpaid(record) && pendingOf(record) === null && hasRoom(record);
}

export function isRetryTooSoon({ retriedAtMs }: SubscriptionRecord, atMs: number): boolean {
  return retriedAtMs !== null && atMs < retriedAtMs + RETRY_GAP_MS;
}

/** Returns the time from which "retry now" is permitted again, or null if it is permitted. */
export function retryFromMs(record: SubscriptionRecord, atMs: number): number | null {
  return record.retriedAtMs === null || !isRetryTooSoon(record, atMs) ? null : record.retriedAtMs + RETRY_GAP_MS;
}

/**
 * Returns true if a customer with a card on file has requested a link and not paid it. The link is
 * cancelled before the card is charged again.
 */
export function mayClose(record: SubscriptionRecord): boolean {
  const pending = pendingOf(record);
  return pending?.state === "open" && !pending.closing && meansOf(record) === "CARD" && hasRoom(record);
}

/** Returns true if the ended link was cancelled in favor of the card. */
export function makesWay(record: SubscriptionRecord, event: { attemptId: string }): boolean {
  return isOfPending(record, event) && pendingOf(record)?.closing === true && meansOf(record) === "CARD" && hasRoom(record);
}

/** "Retry now" during an open link sends its customer a reminder. */
export function mayRemind(record: SubscriptionRecord, atMs: number): boolean {
  return pendingOf(record)?.state === "open" && !isRetryTooSoon(record, atMs);
}

export function mayRetry(record: SubscriptionRecord, atMs: number): boolean {
  return mayBegin(record) && !isRetryTooSoon(record, atMs);
}

/**
 * Returns the attempt whose outcome has been unknown for long, or null. An attempt whose link
 * exists does not count.
 */
export function unknownLongOf(record: SubscriptionRecord | null): string | null {
  const pending = record === null ? null : pendingOf(record);
  return pending?.state === "unknown" && pending.flagged ? pending.id : null;
}

// The changes of the record.

type Changes = Partial<SubscriptionRecord>;

function withAttempt(
  record: SubscriptionRecord,
  attemptId: string,
  change: (attempt: ChargeAttempt) => Partial<ChargeAttempt>,
): CycleCharge {
  const { charge } = record;
  if (charge === null) throw new Error(`the subscription ${record.id} has no attempt ${attemptId}`);
  const attempts = charge.attempts.map((attempt) => (attempt.id === attemptId ? { ...attempt, ...change(attempt) } : attempt));
  return { ...charge, attempts };
}

/** Starts a new cycle of the calendar. No payment is requested for it yet. */
export function withCycle({ plan }: SubscriptionRecord, { cycle, dueAtMs, untilMs }: CyclePlace): Changes {
  const period = { fromMs: dueAtMs, untilMs };
  const charge: CycleCharge = {
    ...{ cycle, dueAtMs, period, amountMinor: plan.amountMinor, currency: plan.currency, state: "OPEN", failedAtMs: null },
    ...{ paidAtMs: null, late: false, attempts: [] },
  };
  return { cycle, period, charge };
}

/** Adds the next attempt, which is requested after the commit. */
export function withBegun(record: SubscriptionRecord, atMs: number, means: Collection): Changes {
  const { id, charge } = record;
  if (charge === null) throw new Error(`the subscription ${id} has no cycle to pay`);
  const n = charge.attempts.length + 1;
  const attempt: ChargeAttempt = {
    ...{ id: `sub-${id}-${charge.cycle}-${n}`, n, means, state: "asked", askedAtMs: atMs, lookedAtMs: atMs, looks: 0 },
    ...{
      lookAtMs: atMs + ASK_LEASE_MS,
      endedAtMs: null,
      code: null,
      description: null,
      hard: false,
      link: null,
      closing: false,
      flagged: false,
    },
  };
  return { charge: { ...charge, attempts: [...charge.attempts, attempt] } };
}

export function withOpened(record: SubscriptionRecord, { attemptId, atMs, link }: Of<"charge.opened">): Changes {
  // An unwanted link is closed immediately.
  const lookAtMs = isWanted(record) ? atMs + OPEN_LOOK_MS : atMs;
  return { charge: withAttempt(record, attemptId, () => ({ state: "open", link, lookedAtMs: atMs, looks: 0, lookAtMs })) };
}

export function withStillOpen(record: SubscriptionRecord, { attemptId, atMs }: Of<"charge.open">): Changes {
  return {
    charge: withAttempt(record, attemptId, ({ looks }) => ({
      ...{ lookedAtMs: atMs, looks: looks + 1 },
      lookAtMs: atMs + (isToBeClosed(record) ? unknownPause(looks) : OPEN_LOOK_MS),
    })),
  };
}

export function withUnknown(record: SubscriptionRecord, { attemptId, atMs }: Of<"charge.unknown">): Changes {
  // Repeated lost requests follow each other at increasing intervals.
  const lost = record.charge?.attempts.filter(({ state, code }) => state === "failed" && code === null).length ?? 0;
  return {
    charge: withAttempt(record, attemptId, ({ looks, askedAtMs }) => ({
      ...{ state: "unknown", lookedAtMs: atMs, looks: looks + 1, lookAtMs: atMs + unknownPause(looks + lost) },
      flagged: atMs >= askedAtMs + UNKNOWN_FLAG_MS,
    })),
  };
}

function unknownPause(looks: number): number {
  return UNKNOWN_LOOKS_MS[Math.min(looks, UNKNOWN_LOOKS_MS.length - 1)] ?? DAY_MS;
}

export function withDone(record: SubscriptionRecord, { attemptId, atMs, paidAtMs, uuid }: Of<"charge.done">): Changes {
  const charge = withAttempt(record, attemptId, () => ({
    ...{ state: "done", lookedAtMs: atMs, lookAtMs: null, endedAtMs: atMs },
    ...(uuid === undefined ? {} : { uuid }),
  }));
  if (charge.state === "PAID") return { charge };
  return { charge: { ...charge, state: "PAID", paidAtMs, late: !isWanted(record) } };
}

export function withFailed(record: SubscriptionRecord, event: Of<"charge.failed">): Changes {
  const { attemptId, atMs, code, description, hard } = event;
  return {
    charge: withAttempt(record, attemptId, () => ({
      ...{ state: "failed", lookedAtMs: atMs, lookAtMs: null, endedAtMs: atMs, code, description, hard },
    })),
  };
}

/** A lost request is not the customer's failure and does not count. */
export function withLost(record: SubscriptionRecord, { attemptId, atMs }: Of<"charge.lost">): Changes {
  return { charge: withAttempt(record, attemptId, () => ({ state: "failed", lookedAtMs: atMs, lookAtMs: null, endedAtMs: atMs })) };
}

/** Records the first failure of the cycle. */
export function withFailure({ charge }: SubscriptionRecord, atMs: number, terms: DunningTerms): Changes {
  if (charge === null) return {};
  return { charge: { ...charge, failedAtMs: atMs }, dunning: { failedAtMs: atMs, terms, step: 0, stays: false } };
}

/** Completes all steps whose time has passed as one, so that a long outage causes one request. */
export function withStep({ dunning }: SubscriptionRecord, atMs: number): Changes {
  if (dunning === null) return {};
  const made = dunning.terms.retryDays.filter((days) => atMs >= dunning.failedAtMs + days * DAY_MS).length;
  return { dunning: { ...dunning, step: Math.max(dunning.step, made) } };
}

/**
 * Schedules an immediate check of a payable link that is no longer wanted. The check closes the
 * link.
 */
export function withUnwanted(record: SubscriptionRecord, atMs: number): Changes {
  const pending = pendingOf(record);
  if (pending?.state !== "open") return {};
  return { charge: withAttempt(record, pending.id, () => ({ looks: 0, lookAtMs: atMs })) };
}

export function withClosing(record: SubscriptionRecord, atMs: number): Changes {
  const pending = pendingOf(record);
  if (pending === null) return {};
  return { charge: withAttempt(record, pending.id, () => ({ closing: true, looks: 0, lookAtMs: atMs })) };
}

/**
 * The time of the pause does not count: an unpaid cycle is given up, and the next cycle is the
 * first that is due from now on.
 */
export function withResumed(record: SubscriptionRecord, { atMs, next }: Of<"resume.requested">): Changes {
  const { charge, period } = record;
  const given = charge?.state === "OPEN" ? { charge: { ...charge, state: "VOID" as const } } : {};
  const isWithin = charge?.state !== "OPEN" && period.untilMs === next.dueAtMs;
  return {
    ...given,
    cycle: next.cycle - 1,
    period: isWithin ? period : { fromMs: atMs, untilMs: next.dueAtMs },
    ...{ pausedAtMs: null, pausedBy: null, dunning: null },
  };
}

/** Returns the time of the next automatic card charge, or null if the customer must pay. */
export function nextTryAtMs(record: SubscriptionRecord): number | null {
  if (record.state !== "PAST_DUE" || record.dunning === null || meansOf(record) === "LINK" || pendingOf(record)?.means === "LINK")
    return null;
  return stepAtMs(record.dunning);
}

/** Returns the last rejected attempt. */
export function lastFailureOf({ attempts }: Pick<CycleCharge, "attempts">): ChargeAttempt | undefined {
  return attempts.findLast(({ state, code }) => state === "failed" && code !== null);
}
