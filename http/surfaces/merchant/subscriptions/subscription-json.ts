import type { Caller } from "../../../../engine/access/caller.ts";
import { dunningCalendar, isUnpaid, meansOf, nextTryAtMs, retryFromMs } from "../../../../engine/subscriptions/rules.ts";
import type { ChargeAttempt, CycleCharge, Dunning, SubscriptionRecord } from "../../../../engine/subscriptions/subscription.ts";
import { maySeePersonalData } from "../../../endpoint/personal-data.ts";
import { iso, isoOrNull } from "../../../endpoint/time.ts";
import { maskedEmail, maskedName } from "../../parts/masking.ts";
import { actorNames } from "../actor-names.ts";
import { okOf } from "../envelope.ts";
import { merchantOwnerOf } from "../surface.ts";
import {
  type SubscriptionAttemptJson,
  type SubscriptionChargeJson,
  SubscriptionDetail,
  type SubscriptionDetailJson,
  type SubscriptionDunningJson,
  type SubscriptionJson,
} from "./schemas.ts";
import { noSuchSubscription, type SubscriptionOperations } from "./surface.ts";

/** Payments of one answer: four years of a monthly plan. */
export const CHARGES_PAGE = 48;

type Seen = Pick<SubscriptionOperations, "users" | "subscriptionUrl" | "clock">;

export async function subscriptionList(
  operations: Seen,
  caller: Caller,
  records: readonly SubscriptionRecord[],
): Promise<SubscriptionJson[]> {
  const names = await actorNames(
    operations.users,
    caller,
    records.map(({ createdBy }) => createdBy),
  );
  const maySee = maySeePersonalData(caller);
  const nowMs = operations.clock.nowMs();
  return records.map((record) => {
    const { id, token, state, planId, plan, customer, collection, methodId, createdAtMs, createdBy, cycle, period } = record;
    const { name, amountMinor, currency, interval, count, trialDays } = plan;
    const { by, byType: creator } = names(createdBy);
    const { cancelsAtPeriodEnd, cancelledAtMs, cancelledBy, pausedAtMs, pausedBy, dunning } = record;
    return {
      ...{ id, url: maySee ? operations.subscriptionUrl(token) : null, state, planId },
      plan: { name, amountMinor, currency, interval, count, trialDays },
      customer: {
        name: maySee ? customer.name : maskedName(customer.name),
        email: maySee ? customer.email : maskedEmail(customer.email),
        locale: customer.locale,
      },
      ...{ collection, methodId, createdAt: iso(createdAtMs), createdBy: by, creator },
      ...{ cycle, periodFrom: iso(period.fromMs), periodUntil: iso(period.untilMs) },
      nextDueAt: isoOrNull(nextDueAtMs(record)),
      unpaid: unpaidOf(record),
      dunning: dunning === null ? null : dunningJson(record, dunning),
      nextRetryAt: isoOrNull(nextTryAtMs(record)),
      retryFrom: isoOrNull(retryFromMs(record, nowMs)),
      ...{ cancelsAtPeriodEnd, cancelledAt: isoOrNull(cancelledAtMs), cancelledBy, pausedAt: isoOrNull(pausedAtMs), pausedBy },
    };
  });
}

/** One with its payments; those before a cycle only. */
export async function subscriptionDetail(
  operations: Seen & Pick<SubscriptionOperations, "subscriptions">,
  caller: Caller,
  record: SubscriptionRecord,
  beforeCycle: number | null = null,
): Promise<SubscriptionDetailJson> {
  const [[json], charges] = await Promise.all([
    subscriptionList(operations, caller, [record]),
    operations.subscriptions.charges(merchantOwnerOf(caller), record.id, beforeCycle, CHARGES_PAGE + 1),
  ]);
  if (json === undefined || charges === null) throw noSuchSubscription();
  const shown = charges.slice(0, CHARGES_PAGE);
  return { ...json, charges: shown.map(chargeJson), chargesNext: charges.length > CHARGES_PAGE ? (shown.at(-1)?.cycle ?? null) : null };
}

/** The cycle that is due when the current period ends. */
export function nextDueAtMs({ state, period, cancelsAtPeriodEnd }: SubscriptionRecord): number | null {
  return state === "PAUSED" || state === "CANCELLED" || cancelsAtPeriodEnd ? null : period.untilMs;
}

/** The last attempt that whoever was asked has said no to. */
export function lastFailureOf({ attempts }: CycleCharge): ChargeAttempt | null {
  return attempts.findLast(({ state, code }) => state === "failed" && code !== null) ?? null;
}

function unpaidOf(record: SubscriptionRecord): SubscriptionJson["unpaid"] {
  const { charge } = record;
  if (charge === null || !isUnpaid(record)) return null;
  const { amountMinor, currency, dueAtMs } = charge;
  const last = lastFailureOf(charge);
  return {
    ...{ amountMinor, currency, dueAt: iso(dueAtMs) },
    ...{ code: last?.code ?? null, message: last?.description ?? null, hard: last?.hard ?? false },
  };
}

function dunningJson(record: SubscriptionRecord, dunning: Dunning): SubscriptionDunningJson {
  const { steps, finalAtMs } = dunningCalendar(dunning);
  const { failedAtMs, terms, stays } = dunning;
  return {
    failedAt: iso(failedAtMs),
    steps: steps.map(({ atMs, made }) => ({ at: iso(atMs), made })),
    means: meansOf(record),
    ...{ finalAction: terms.finalAction, finalAt: iso(finalAtMs), stays, mails: terms.mails },
  };
}

function chargeJson({
  cycle,
  dueAtMs,
  period,
  amountMinor,
  currency,
  state,
  failedAtMs,
  paidAtMs,
  late,
  attempts,
}: CycleCharge): SubscriptionChargeJson {
  return {
    ...{ cycle, dueAt: iso(dueAtMs), periodFrom: iso(period.fromMs), periodUntil: iso(period.untilMs), amountMinor, currency, state },
    ...{ failedAt: isoOrNull(failedAtMs), paidAt: isoOrNull(paidAtMs), late, attempts: attempts.map(attemptJson) },
  };
}

function attemptJson({
  id,
  means,
  state,
  askedAtMs,
  endedAtMs,
  lookAtMs,
  code,
  description,
  hard,
  link,
}: ChargeAttempt): SubscriptionAttemptJson {
  return {
    ...{ id, means, state, askedAt: iso(askedAtMs), endedAt: isoOrNull(endedAtMs), nextLookAt: isoOrNull(lookAtMs) },
    ...{ code, message: description, hard, paymentLinkId: link?.id ?? null },
  };
}

export const SUBSCRIPTION_EXAMPLE: SubscriptionJson = {
  id: "sub_4f0k2m9x7q1c8v5b3n6z0a2s",
  url: "https://relay.example/s/7Y2mBqN0cKxE4rTgVdW1aP",
  state: "PAST_DUE",
  planId: "plan_9x7q1c8v5b3n6z0a2s4f0k2m",
  plan: { name: "Gym, monthly", amountMinor: 2_900, currency: "EUR", interval: "MONTH", count: 1, trialDays: 0 },
  customer: { name: "Ada Rossi", email: "ada@example.com", locale: "it" },
  collection: "CARD",
  methodId: "card_4d7c",
  createdAt: "2026-01-31T10:00:00.000Z",
  createdBy: "anna@example.com",
  creator: "user",
  cycle: 2,
  periodFrom: "2026-02-28T08:00:00.000Z",
  periodUntil: "2026-03-31T07:00:00.000Z",
  nextDueAt: "2026-03-31T07:00:00.000Z",
  unpaid: {
    ...{ amountMinor: 2_900, currency: "EUR", dueAt: "2026-02-28T08:00:00.000Z" },
    ...{ code: "insufficient_funds", message: "Insufficient funds", hard: false },
  },
  dunning: {
    failedAt: "2026-02-28T08:12:00.000Z",
    steps: [
      { at: "2026-03-01T08:12:00.000Z", made: true },
      { at: "2026-03-03T08:12:00.000Z", made: false },
    ],
    ...{ means: "CARD", finalAction: "CANCEL", finalAt: "2026-03-04T08:12:00.000Z", stays: false, mails: true },
  },
  nextRetryAt: "2026-03-03T08:12:00.000Z",
  retryFrom: null,
  cancelsAtPeriodEnd: false,
  cancelledAt: null,
  cancelledBy: null,
  pausedAt: null,
  pausedBy: null,
};

export const SUBSCRIPTION_DETAIL_EXAMPLE: SubscriptionDetailJson = {
  ...SUBSCRIPTION_EXAMPLE,
  charges: [
    {
      ...{ cycle: 2, dueAt: "2026-02-28T08:00:00.000Z", periodFrom: "2026-02-28T08:00:00.000Z", periodUntil: "2026-03-31T07:00:00.000Z" },
      ...{ amountMinor: 2_900, currency: "EUR", state: "OPEN", failedAt: "2026-02-28T08:12:00.000Z", paidAt: null, late: false },
      attempts: [
        {
          ...{ id: "sub-sub_4f0k2m9x7q1c8v5b3n6z0a2s-2-1", means: "CARD", state: "failed", askedAt: "2026-02-28T08:11:59.000Z" },
          ...{ endedAt: "2026-02-28T08:12:00.000Z", nextLookAt: null, code: "insufficient_funds", message: "Insufficient funds" },
          ...{ hard: false, paymentLinkId: null },
        },
      ],
    },
  ],
  chargesNext: null,
};

export const subscriptionAnswered = {
  description: "The subscription.",
  body: okOf(SubscriptionDetail),
  example: { status: "ok", data: SUBSCRIPTION_DETAIL_EXAMPLE },
};

/** Of changes that take no body. */
export const subscriptionChanged = { ...subscriptionAnswered, sharedName: "SubscriptionChanged" };
