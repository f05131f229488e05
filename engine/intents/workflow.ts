import { LINK_LIFETIME_MS, LINK_UNVERIFIED_MAX_MS } from "../kernel/limits.ts";
import { listPrefix, placeKey } from "../kernel/merchant-index-store.ts";
import { compile } from "../kernel/statechart.ts";
import { webhookEventId } from "../webhooks/webhook-event.ts";
import type { Workflow } from "../workflow/run-workflow.ts";
import type { EffectHandler, Step, WorkflowDefinition } from "../workflow/workflow.ts";
import type { ChargeNews, IntentEffect, IntentEvent, IntentNews, RefundNews } from "./events.ts";
import { type IntentRecord, statusOf } from "./intent.ts";
import { refundIn } from "./intent-index-store.ts";
import type { IntentObjects } from "./intents.ts";
import { intentMachine } from "./machine.ts";

export type IntentWorkflow = Workflow<IntentRecord, IntentEvent, IntentEffect>;

export const INTENT_EFFECTS = ["tell", "tellOfAttempt"] as const;

/** Exceeds the time for which a link is tracked, so no link outlives its intent. */
const KEPT_BEYOND_MS = LINK_LIFETIME_MS + 3 * LINK_UNVERIFIED_MAX_MS;

const runMachine = compile(intentMachine, INTENT_EFFECTS);

export function stepIntent(record: IntentRecord, event: IntentEvent): Step<IntentRecord, IntentEffect> {
  const { context, effects } = runMachine(statusOf(record), record, event);
  return { record: context, effects, accepted: context !== record || effects.length > 0 };
}

/**
 * Payment intents are stored as `intent/<id>`. Ended attempts and refunds have entries by time and
 * by id (intent-index-store.ts). Entries whose value is the intent's id expire with it.
 */
export function intentWorkflow(objects: IntentObjects): WorkflowDefinition<IntentRecord, IntentEvent, IntentEffect, never> {
  return {
    ...{ kind: "intent", label: "an intent", objectType: "payment_intent", idPattern: /^pi_[a-z0-9]{24}$/, keyPrefix: "intent/" },
    step: stepIntent,
    stateOf: statusOf,
    overdue: () => null,
    touch: "none",
    expiresAtMs: ({ atMs }, retentionMs) => atMs + retentionMs + KEPT_BEYOND_MS,
    indexes: [{ prefix: "intent-of/", path: (intent) => listPrefix("", intent), atMs: ({ createdAtMs }) => createdAtMs }],
    ownEntries: ({ record }, expiresAtMs) =>
      entriesOf(record).map((key) => ({ type: "put", key, value: record.id, ...(expiresAtMs === null ? {} : { expiresAtMs }) })),
    terminalOf: () => "-",
    effects: {
      tell: events(({ params: { news } }) => [{ type: news }], objects),
      tellOfAttempt: events(({ params }) => params.news, objects),
    },
    reportRows: () => [],
    outcomesOf: () => [],
  };
}

function entriesOf(record: IntentRecord): string[] {
  const charges = record.attempts.flatMap(({ chargeId: id, endedAtMs }) =>
    endedAtMs === null ? [] : [`intent-charge/${id}`, placeKey(listPrefix("intent-charge-of/", record), { atMs: endedAtMs, id })],
  );
  const refunds = record.refunds.flatMap(({ id, createdAtMs: atMs, told }) =>
    told ? [`intent-refund/${id}`, placeKey(listPrefix("intent-refund-of/", record), { atMs, id })] : [],
  );
  return [...charges, ...refunds];
}

type News = { readonly type: IntentNews } | ChargeNews | RefundNews;

/** Events have the format of the compatible platform. */
function events<F>(newsOf: (effect: F) => readonly News[], objects: IntentObjects): EffectHandler<IntentRecord, F> {
  return {
    kind: "webhook",
    eventsOf: (effect) =>
      newsOf(effect).map((news) => ({ record, sequence, cause, request, digest }) => {
        const { id: objectId, merchantId, partnerId, livemode } = record;
        const isDisputed = "isDisputed" in cause && cause.isDisputed === true;
        return {
          ...{ schema: 1, id: webhookEventId(objectId, sequence, digest), format: "platform", merchantId, partnerId, livemode },
          ...{
            type: news.type,
            createdAtMs: cause.atMs,
            objectId,
            sequence,
            data: { object: objectOf(record, news, objects, isDisputed) },
          },
          request: { id: request?.requestId ?? null, idempotencyKey: request?.idempotencyKey ?? null },
        };
      }),
  };
}

function objectOf(record: IntentRecord, news: News, objects: IntentObjects, isDisputed: boolean): object {
  if ("chargeId" in news) {
    const attempt = record.attempts.find(({ chargeId }) => chargeId === news.chargeId);
    if (attempt === undefined) throw new Error(`the intent ${record.id} has no ${news.chargeId}`);
    return objects.charge({ intent: record, attempt, isDisputed });
  }
  if ("refundId" in news) {
    const refund = refundIn(record, news.refundId);
    if (refund === null) throw new Error(`the intent ${record.id} has no ${news.refundId}`);
    return objects.refund(refund);
  }
  return objects.intent(record);
}
