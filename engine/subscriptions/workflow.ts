import type { CommitPart } from "../kernel/commit-part.ts";
import { listPrefix } from "../kernel/merchant-index-store.ts";
import type { Digest } from "../kernel/prefixed-id.ts";
import { compile } from "../kernel/statechart.ts";
import { attentionKey, attentionOperation } from "../payments/attention.ts";
import type { Workflow } from "../workflow/run-workflow.ts";
import {
  attention,
  forCaller,
  mail,
  stepRecords,
  type TimedEvent,
  type Transition,
  type WorkflowDefinition,
  webhook,
} from "../workflow/workflow.ts";
import { chargeEntries } from "./cycle-charge-store.ts";
import type { SubscriptionEffect, SubscriptionEvent } from "./events.ts";
import { subscriptionMachine } from "./machine.ts";
import { subscriptionRows } from "./object-rows.ts";
import { nextAtMs, pendingOf, unknownLongOf } from "./rules.ts";
import { SPREAD_MS, type SubscriptionRecord } from "./subscription.ts";

export type SubscriptionWorkflow = Workflow<SubscriptionRecord, SubscriptionEvent, SubscriptionEffect>;

/** What is counted of subscriptions and of their payments. */
export type SubscriptionOutcome =
  | "created"
  | "paid"
  | "failed"
  | "past_due"
  | "recovered"
  | "paid_late"
  | "paid_twice"
  | "paused"
  | "cancelled";

export interface SubscriptionDigests {
  /** Of tokens, which are long and random, so that a key is not needed. */
  digest: Digest;
  /**
   * A digest (hex) under a key of the installation: without the key nobody finds out whether an address is stored. The same on every
   * node, and for ever.
   */
  keyedDigest(text: string): string;
}

/** A mail that found no room is tried again after this time. */
const MAIL_AGAIN_MS = 10 * 60_000;

export const SUBSCRIPTIONS = "subscription/";

const runMachine = compile(subscriptionMachine, ["tell", "ask", "mail", "flagLate", "flagTwice"]);

/** Steps a subscription by its machine. */
export const stepSubscription = stepRecords(runMachine, nextAtMs);

/** The paths of indexes that hold digests. */
export function digestPaths({ digest, keyedDigest }: SubscriptionDigests) {
  return {
    token: (token: string) => digest(`token of a subscription ${token}`),
    customer: (merchantId: string, email: string) => `${keyedDigest(`customer of ${merchantId} ${email.trim().toLowerCase()}`)}/`,
  };
}

/**
 * Subscriptions are stored as `subscription/<id>`. Their indexes lead to them by time, by state, by plan, by the customer's address (a
 * keyed digest), and by the digest of the token. Each commit also writes the payment of the current cycle (cycle-charge-store.ts).
 * `terminalOf` is the terminal of a partner's account at the gateway, under which operators see the items.
 */
export function subscriptionWorkflow(
  digests: SubscriptionDigests,
  terminalOf: (partnerId: number) => string,
): WorkflowDefinition<SubscriptionRecord, SubscriptionEvent, SubscriptionEffect, SubscriptionOutcome> {
  const paths = digestPaths(digests);
  const atMs = ({ createdAtMs }: SubscriptionRecord) => createdAtMs;
  return {
    ...{ kind: "subscription", label: "a subscription", objectType: "subscription" },
    ...{ idPattern: /^sub_[a-z0-9]{24}$/, keyPrefix: SUBSCRIPTIONS },
    step: stepSubscription,
    overdue: () => null,
    touch: "increasing",
    noted: activeSince,
    // One that goes on is stored until it has ended and no payment may come any more.
    expiresAtMs: ({ record, atMs }, retentionMs) => (hasEnded(record) ? atMs + retentionMs : null),
    indexes: [
      { prefix: "subscription-token/", path: ({ token }) => paths.token(token), exact: true },
      { prefix: "subscription-of/", path: (subscription) => listPrefix("", subscription), atMs },
      { prefix: "subscription-state/", path: (subscription) => `${listPrefix("", subscription)}${subscription.state}/`, atMs },
      { prefix: "subscription-plan/", path: (subscription) => `${listPrefix("", subscription)}${subscription.planId}/`, atMs },
      {
        prefix: "subscription-customer/",
        path: (subscription) => listPrefix("", subscription) + paths.customer(subscription.merchantId, subscription.customer.email),
        atMs,
      },
    ],
    renewIndexes: ({ before, record }) => before?.state !== record.state || hasEnded(record),
    ownEntries: (transition, _, retentionMs) => [
      ...chargeEntries(transition, hasEnded(transition.record), retentionMs),
      ...unknownEntries(transition, terminalOf),
    ],
    deadlines: {
      // What is due at one time is spread by its ids when it is stored. What was missed is spread by the runner, which has to hold as many.
      ...{ name: "subscription", freePerSecond: 60 },
      bounds: { heldMax: 110_000, atOnceMax: 64, catchUpMs: SPREAD_MS, slackMs: 0 },
    },
    terminalOf: ({ partnerId }) => terminalOf(partnerId),
    effects: {
      tell: webhook(({ params }) => params.news),
      ask: forCaller(),
      mail: mail(
        ({ nextAtMs }, { params: { kind } }, atMs) => {
          const againMs = atMs + MAIL_AGAIN_MS;
          return { mailOwed: { kind, atMs: againMs }, nextAtMs: nextAtMs === null ? againMs : Math.min(nextAtMs, againMs) };
        },
        ({ mails }) => ({ mails: mails + 1 }),
      ),
      flagLate: attention(
        "subscription_late",
        ({ id }) =>
          `A payment was made after its subscription was paused or cancelled; its merchant keeps or refunds it (subscription ${id})`,
        attemptIdOf,
      ),
      flagTwice: attention(
        "subscription_paid_twice",
        ({ id }) => `A cycle was paid a second time; its merchant must refund one of the payments (subscription ${id})`,
        attemptIdOf,
      ),
    },
    reportRows: subscriptionRows,
    outcomesOf,
  };
}

function hasEnded(record: SubscriptionRecord): boolean {
  return record.state === "CANCELLED" && pendingOf(record) === null;
}

/** The events whose steps flag a payment name its attempt. */
function attemptIdOf(event: TimedEvent): string {
  if ("attemptId" in event && typeof event.attemptId === "string") return event.attemptId;
  throw new Error(`${event.type} names no attempt`);
}

/** When a subscription first became active. Nobody knows it of those from before it was kept. */
function activeSince({ record: { state, activeAtMs = null }, before, atMs }: Transition<SubscriptionRecord>): Partial<SubscriptionRecord> {
  if (before !== null && before.activeAtMs === undefined) return {};
  return { activeAtMs: activeAtMs ?? (state === "ACTIVE" || state === "TRIALING" ? atMs : null) };
}

/** Operators have an item as long as the record has an attempt that has been unknown for long, whatever puts an end to that. */
function unknownEntries(
  { before, record, atMs }: Transition<SubscriptionRecord>,
  terminalOf: (partnerId: number) => string,
): CommitPart["operations"] {
  const kind = "subscription_unknown";
  const [was, is] = [unknownLongOf(before), unknownLongOf(record)];
  if (was === is) return [];
  const terminalId = terminalOf(record.partnerId);
  const detail = `It is unknown whether the customer was charged. The relay starts no further charge until this is resolved (subscription ${record.id})`;
  return [
    ...(was === null ? [] : [{ type: "delete", key: attentionKey(kind, terminalId, was) } as const]),
    ...(is === null ? [] : [attentionOperation({ kind, terminalId, uuid: is, atMs, detail, raw: null })]),
  ];
}

const OUTCOMES = {
  "subscription.created": "created",
  "subscription.renewed": "paid",
  "subscription.payment_failed": "failed",
  "subscription.past_due": "past_due",
  "subscription.recovered": "recovered",
  "subscription.paid_late": "paid_late",
  "subscription.cancelled": "cancelled",
} as const;

function outcomesOf(
  { before, record }: Transition<SubscriptionRecord>,
  effects: readonly SubscriptionEffect[],
): readonly SubscriptionOutcome[] {
  const ofEffects = effects.flatMap((effect): SubscriptionOutcome[] => {
    if (effect.type === "tell") return [OUTCOMES[effect.params.news]];
    return effect.type === "flagTwice" ? ["paid_twice"] : [];
  });
  return record.state === "PAUSED" && before?.state !== "PAUSED" ? [...ofEffects, "paused"] : ofEffects;
}
