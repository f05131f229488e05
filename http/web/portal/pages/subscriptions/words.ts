import type { PlanJson } from "../../../../surfaces/merchant/subscriptions/plan-schemas.ts";
import type {
  SubscriptionAttemptJson,
  SubscriptionDetailJson,
  SubscriptionJson,
} from "../../../../surfaces/merchant/subscriptions/schemas.ts";
import { declineLine } from "../../i18n/decline-text.ts";
import { formatMoney } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";

export type TabName = "subscriptions" | "plans" | "dunning";
export type Collection = SubscriptionJson["collection"];
type Terms = SubscriptionJson["plan"];

const FIRST_PAYMENT_MS = 72 * 3_600_000;

/** The address of a tab, with its filters and the opened object. */
export function subscriptionsHref(tab: TabName, { id, query = "" }: { id?: string; query?: string } = {}): string {
  const params = new URLSearchParams(query);
  if (tab !== "subscriptions") params.set("tab", tab);
  const search = params.toString();
  const object = id === undefined ? "" : `/${encodeURIComponent(id)}`;
  return `/portal/subscriptions${object}${search === "" ? "" : `?${search}`}`;
}

/** For example `€29.00 every month, first payment after 14 days`. */
export function planInWords({ amountMinor, currency, interval, count, trialDays }: Omit<Terms, "name">): string {
  return text().plans.inWords(formatMoney(amountMinor, currency), interval, count, trialDays);
}

/** For example `€29.00 every month`. */
export function priceInWords({ amountMinor, currency, interval, count }: Omit<Terms, "name" | "trialDays">): string {
  return `${formatMoney(amountMinor, currency)} ${text().subscriptions.perInterval(interval, count)}`;
}

/** The label includes the price, because two plans may have the same name. */
export function planChoice(plan: PlanJson): { value: string; label: string } {
  return { value: plan.id, label: `${plan.name} · ${priceInWords(plan)}` };
}

/**
 * Returns the attempt of the latest charge whose outcome is unknown or whose link can be paid.
 * There is at most one.
 */
export function pendingOf({ charges: [latest] }: SubscriptionDetailJson): SubscriptionAttemptJson | null {
  return latest?.attempts.find(({ state }) => state === "asked" || state === "unknown" || state === "open") ?? null;
}

/**
 * Returns true while an attempt's outcome is unknown. No further charge starts until it is known.
 */
export function isBlocked(subscription: SubscriptionDetailJson): boolean {
  const pending = pendingOf(subscription);
  return pending?.state === "asked" || pending?.state === "unknown";
}

/** Returns what "Retry now" does. An open link is sent again. */
export function meansOfRetry(subscription: SubscriptionDetailJson): Collection {
  const { dunning, collection } = subscription;
  return dunning?.means ?? (pendingOf(subscription)?.means === "LINK" ? "LINK" : collection);
}

/** Returns when a subscription without its first payment is cancelled. */
export function firstPaymentUntil({ createdAt }: Pick<SubscriptionJson, "createdAt">): string {
  return new Date(Date.parse(createdAt) + FIRST_PAYMENT_MS).toISOString();
}

export type Next = { at: string; what: "payment" | "charge" | "remind" | "CANCEL" | "PAUSE" | "STAY" | "end" | "firstPayment" } | null;

/** Returns the next automatic step. */
export function nextOf(subscription: SubscriptionJson): Next {
  const { state, dunning, cancelsAtPeriodEnd, periodUntil, nextDueAt } = subscription;
  if (state === "CANCELLED") return null;
  if (state === "INCOMPLETE") return { at: firstPaymentUntil(subscription), what: "firstPayment" };
  const end: Next = cancelsAtPeriodEnd ? { at: periodUntil, what: "end" } : null;
  const step = dunning?.steps.find(({ made }) => !made);
  const dunned: Next =
    dunning === null || dunning.stays
      ? null
      : step === undefined
        ? { at: dunning.finalAt, what: dunning.finalAction }
        : { at: step.at, what: dunning.means === "CARD" ? "charge" : "remind" };
  const due: Next = nextDueAt === null || state === "PAUSED" || dunned !== null ? null : { at: nextDueAt, what: "payment" };
  return [end, dunned, due].filter((next) => next !== null).sort((one, other) => Date.parse(one.at) - Date.parse(other.at))[0] ?? null;
}

/** Explains why an attempt failed, with the code as it came; null if no reason is known. */
export function reasonOf({ code, message }: { code: string | null; message: string | null }): string | null {
  const known: Readonly<Record<string, string>> = text().subscriptions.reasons;
  return (code === null ? undefined : known[code]) ?? declineLine({ actionCode: code, message });
}
