import type { Digest } from "../kernel/prefixed-id.ts";
import type { FollowUpAsker } from "../links/link.ts";
import type { LinkCause } from "../links/link-companion.ts";
import { type WebhookEvent, webhookEventId } from "../webhooks/webhook-event.ts";
import type { Cancellation, ChargeNews, IntentEffect, IntentNews, RefundNews } from "./events.ts";
import type { IntentRecord, IntentRefund, OrderChange } from "./intent.ts";
import { type IntentChange, refundIn } from "./intent-store.ts";
import type { IntentObjects, Operation } from "./intents.ts";
import type { IntentStepResult } from "./step-intent.ts";

/** What a request at an intent tells the intent, through the links that it uses. */
export class IntentCause implements LinkCause {
  readonly surface = "compat";
  readonly requestId: string;
  readonly askedBy: FollowUpAsker;
  readonly operation: Operation;
  readonly change: OrderChange;
  readonly cancellation: Cancellation | null;
  readonly refund: Omit<IntentRefund, "chargeId" | "createdAtMs" | "told"> | null;

  constructor(
    operation: Operation,
    also: { change?: OrderChange; cancellation?: Cancellation; refund?: NonNullable<IntentCause["refund"]> } = {},
  ) {
    this.operation = operation;
    this.requestId = operation.requestId;
    this.askedBy = operation.by ?? "key";
    this.change = also.change ?? {};
    this.cancellation = also.cancellation ?? null;
    this.refund = also.refund ?? null;
  }
}

export interface Telling {
  objects: IntentObjects;
  digest: Digest;
}

/** What is stored of a step: the record with the number of its events, and those, frozen as everything is after it. `isDisputed`: of the attempt that is told of. */
export function intentChange(
  { record: stepped, effects }: Pick<IntentStepResult, "record" | "effects">,
  version: number,
  atMs: number,
  operation: Operation | null,
  { objects, digest }: Telling,
  isDisputed = false,
): IntentChange {
  const news = effects.flatMap(newsOf);
  const record: IntentRecord = { ...stepped, events: stepped.events + news.length };
  const { id: objectId, merchantId, partnerId, livemode } = record;
  const events = news.map((told, index): WebhookEvent => {
    const sequence = stepped.events + index + 1;
    return {
      schema: 1,
      id: webhookEventId(objectId, sequence, digest),
      format: "platform",
      ...{ merchantId, partnerId, livemode },
      type: told.type,
      createdAtMs: atMs,
      objectId,
      sequence,
      data: { object: objectOf(record, told, objects, isDisputed) },
      request: { id: operation?.requestId ?? null, idempotencyKey: operation?.idempotencyKey ?? null },
    };
  });
  return { record, version, events, atMs };
}

type News = { readonly type: IntentNews } | ChargeNews | RefundNews;

function newsOf(effect: IntentEffect): readonly News[] {
  return effect.type === "tell" ? [{ type: effect.params.news }] : effect.params.news;
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
