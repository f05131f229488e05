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

/** The outcomes of subscriptions and payments that metrics count. */
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
  /** Digests tokens. They are long and random, so no key is needed. */
  digest: Digest;
  /**
   * Returns a digest (hex) under a permanent key of the installation, equal on every node. Without
   * the key nobody can learn whether an address is stored.
   */
  keyedDigest(text: string): string;
}

/** The time before a mail that could not be queued is tried again. */
const MAIL_AGAIN_MS = 10 * 60_000;

export const SUBSCRIPTIONS = "subscription/";

const runMachine = compile(subscriptionMachine, ["tell", "ask", "mail", "flagLate", "flagTwice"]);

/** Applies the machine to a subscription. */
export const stepSubscription = stepRecords(runMachine, nextAtMs);

/** Returns the paths of the indexes that contain digests. */
export function digestPaths({ digest, keyedDigest }: SubscriptionDigests) {
  return {
    token: (token: string) => digest(`token of a subscription ${token}`),
    customer: (merchantId: string, email: string) => `${keyedDigest(`customer of ${merchantId} ${email.trim().toLowerCase()}`)}/`,
  };
}

/**
 * Subscriptions are stored as `subscription/<id>`, with indexes by time, state, plan, customer
 * address (a keyed digest) and digest of the token. Each commit also writes the payment of the
 * current cycle (cycle-charge-store.ts). `terminalOf` returns the terminal of a partner's gateway
 * account, under which operators see the items.
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
    // A subscription has no expiry until it has ended and no payment can follow.
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
      // Due times are spread by id when they are stored. The runner spreads missed ones, so it must
      // hold as many.
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

/** Events whose transitions flag a payment contain its attempt. */
function attemptIdOf(event: TimedEvent): string {
  if ("attemptId" in event && typeof event.attemptId === "string") return event.attemptId;
  throw new Error(`${event.type} names no attempt`);
}

/**
 * Returns the time at which a subscription first became active. Records created before this member
 * existed have none.
 */
function activeSince({ record: { state, activeAtMs = null }, before, atMs }: Transition<SubscriptionRecord>): Partial<SubscriptionRecord> {
  if (before !== null && before.activeAtMs === undefined) return {};
  return { activeAtMs: activeAtMs ?? (state === "ACTIVE" || state === "TRIALING" ? atMs : null) };
}

/**
 * Operators see an item while the record has an attempt with a long unknown outcome, whatever ends
 * it.
 */
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
