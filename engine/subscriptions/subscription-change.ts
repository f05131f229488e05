import type { ActivityLog } from "../kernel/activity-log.ts";
import type { CommitPart } from "../kernel/commit-part.ts";
import type { Digest } from "../kernel/prefixed-id.ts";
import { type AttentionItem, attentionKey, attentionOperation } from "../payments/attention.ts";
import { changedAtMs } from "../payments/object-row.ts";
import { portalEvent } from "../webhooks/portal-events.ts";
import type { WebhookEvent } from "../webhooks/webhook-event.ts";
import type { SubscriptionEffect, SubscriptionEvent } from "./events.ts";
import { unknownLongOf } from "./rules.ts";
import type { SubscriptionRecord } from "./subscription.ts";
import type { SubscriptionMails } from "./subscription-mails.ts";
import type { SubscriptionOperation } from "./subscriptions.ts";

/** A mail that found no room is tried again after this time. */
const MAIL_AGAIN_MS = 10 * 60_000;

/** Entries of others for the commit of a subscription. */
export type AlsoStored = CommitPart["operations"];

/** One step of a subscription, stored as a whole or not at all. */
export interface SubscriptionChange {
  /** The record as it becomes. */
  readonly record: SubscriptionRecord;
  /** What it replaces, and that one's version; null and 0 for a new one. */
  readonly before: SubscriptionRecord | null;
  readonly version: number;
  readonly events: readonly WebhookEvent[];
  /** What else is stored with it: mails that are owed, what operators are told. */
  readonly also: AlsoStored;
  readonly atMs: number;
}

/** What has become of a subscription or of its payment, for counts. */
export type SubscriptionBecame =
  | "created"
  | "paid"
  | "failed"
  | "past_due"
  | "recovered"
  | "paid_late"
  | "paid_twice"
  | "paused"
  | "cancelled";

export interface Telling {
  /** What an event shows of a subscription: no personal data, and not its page's address. */
  objectOf(record: SubscriptionRecord): object;
  digest: Digest;
  /** Called after the commit. */
  activity: Pick<ActivityLog, "workflow">;
  became(what: SubscriptionBecame): void;
  /** The terminal of the partner's account at the gateway, under which operators are told, as they are of its links. */
  terminalOf(partnerId: number): string;
}

export interface Prepared {
  record: SubscriptionRecord;
  effects: readonly SubscriptionEffect[];
}

/** What is stored of a step: the record with the numbers of its events and mails, and those. */
export async function subscriptionChange(
  { record: stepped, effects }: Prepared,
  { record: before, version }: { record: SubscriptionRecord | null; version: number },
  event: SubscriptionEvent | { type: "subscription.created"; atMs: number },
  operation: SubscriptionOperation | null,
  { mails, ...telling }: Pick<Telling, "objectOf" | "digest" | "terminalOf"> & { mails: Pick<SubscriptionMails, "owed"> },
): Promise<SubscriptionChange> {
  const { atMs } = event;
  const news = effects.flatMap((effect) => (effect.type === "tell" ? [effect.params.news] : []));
  const kind = effects.findLast((effect) => effect.type === "mail")?.params.kind ?? null;
  const terms = stepped.dunning?.terms ?? before?.dunning?.terms ?? null;
  const mail = kind === null ? [] : await mails.owed(stepped, kind, terms);
  const record: SubscriptionRecord = {
    ...stepped,
    updatedAtMs: changedAtMs(before?.updatedAtMs ?? null, atMs),
    events: stepped.events + news.length,
    mails: stepped.mails + (mail === null || mail.length === 0 ? 0 : 1),
    ...(kind !== null && mail === null ? owedLater(stepped, kind, atMs) : {}),
    ...activeSince(stepped, before, atMs),
  };
  const { id: objectId, merchantId, partnerId, livemode } = record;
  const events = news.map((type, index) =>
    portalEvent(
      {
        ...{ merchantId, partnerId, livemode, type, objectId, atMs },
        sequence: stepped.events + index + 1,
        object: telling.objectOf(record),
        requestId: operation?.requestId ?? null,
      },
      telling.digest,
    ),
  );
  const paid = "attemptId" in event ? paidOperations(record, event.attemptId, effects, atMs, telling) : [];
  const also = [...(mail ?? []), ...unknownOperations(record, before, atMs, telling), ...paid];
  return { record, before, version, events, also, atMs };
}

function activeSince(
  { state, activeAtMs = null }: SubscriptionRecord,
  before: SubscriptionRecord | null,
  atMs: number,
): Pick<SubscriptionRecord, "activeAtMs"> {
  // Of those of before it was kept nobody knows.
  if (before !== null && before.activeAtMs === undefined) return {};
  return { activeAtMs: activeAtMs ?? (state === "ACTIVE" || state === "TRIALING" ? atMs : null) };
}

function owedLater({ nextAtMs }: SubscriptionRecord, kind: NonNullable<SubscriptionRecord["mailOwed"]>["kind"], atMs: number) {
  const againMs = atMs + MAIL_AGAIN_MS;
  return { mailOwed: { kind, atMs: againMs }, nextAtMs: nextAtMs === null ? againMs : Math.min(nextAtMs, againMs) };
}

/** Operators have an item just while the record has an attempt that has been unknown for long, whatever puts an end to that. */
function unknownOperations(
  record: SubscriptionRecord,
  before: SubscriptionRecord | null,
  atMs: number,
  { terminalOf }: Pick<Telling, "terminalOf">,
): AlsoStored {
  const kind = "subscription_unknown";
  const [was, is] = [unknownLongOf(before), unknownLongOf(record)];
  if (was === is) return [];
  const terminalId = terminalOf(record.partnerId);
  const detail = `Nobody says whether the customer was charged; no other payment is asked for before that is known (subscription ${record.id})`;
  return [
    ...(was === null ? [] : [{ type: "delete", key: attentionKey(kind, terminalId, was) } as const]),
    ...(is === null ? [] : [attentionOperation({ kind, terminalId, uuid: is, atMs, detail, raw: null })]),
  ];
}

function paidOperations(
  record: SubscriptionRecord,
  attemptId: string,
  effects: readonly SubscriptionEffect[],
  atMs: number,
  { terminalOf }: Pick<Telling, "terminalOf">,
): AlsoStored {
  const terminalId = terminalOf(record.partnerId);
  const item = (kind: AttentionItem["kind"], detail: string) =>
    attentionOperation({ kind, terminalId, uuid: attemptId, atMs, detail: `${detail} (subscription ${record.id})`, raw: null });
  return effects.flatMap(({ type }) => {
    switch (type) {
      case "flagLate":
        return [
          item(
            "subscription_late",
            "A payment was made after its subscription had been paused or cancelled; its merchant keeps it or gives it back",
          ),
        ];
      case "flagTwice":
        return [item("subscription_paid_twice", "A cycle was paid a second time: its merchant has to give one of the payments back")];
      default:
        return [];
    }
  });
}

/** Tells those who keep account of it that a step is stored. */
export function tellStored(
  { record, before, atMs }: SubscriptionChange,
  event: SubscriptionEvent["type"] | "subscription.created",
  effects: readonly SubscriptionEffect[],
  operation: SubscriptionOperation | null,
  { activity, became }: Pick<Telling, "activity" | "became">,
): void {
  const { id: objectId, merchantId, state } = record;
  activity.workflow({
    ...{ atMs, merchantId, objectType: "subscription", objectId, event, from: before?.state ?? null, to: state },
    requestId: operation?.requestId ?? null,
    outcome: "done",
  });
  for (const what of becomingOf(effects)) became(what);
  if (state === "PAUSED" && before?.state !== "PAUSED") became("paused");
}

const BECAME = {
  "subscription.created": "created",
  "subscription.renewed": "paid",
  "subscription.payment_failed": "failed",
  "subscription.past_due": "past_due",
  "subscription.recovered": "recovered",
  "subscription.paid_late": "paid_late",
  "subscription.cancelled": "cancelled",
} as const;

function becomingOf(effects: readonly SubscriptionEffect[]): SubscriptionBecame[] {
  return effects.flatMap((effect) => {
    if (effect.type === "tell") return [BECAME[effect.params.news]];
    return effect.type === "flagTwice" ? ["paid_twice" as const] : [];
  });
}

/** The same of what the subscription did not take. */
export function tellRefused(
  { id: objectId, merchantId, state }: SubscriptionRecord,
  { type: event, atMs }: SubscriptionEvent,
  operation: SubscriptionOperation | null,
  { activity }: Pick<Telling, "activity">,
): void {
  activity.workflow({
    ...{ atMs, merchantId, objectType: "subscription", objectId, event, from: state, to: state },
    requestId: operation?.requestId ?? null,
    outcome: "refused",
  });
}
