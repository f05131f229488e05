import type { DisputeOperation } from "../disputes/dispute-change.ts";
import type { ActivityLog } from "../kernel/activity-log.ts";
import type { CommitPart } from "../kernel/commit-part.ts";
import type { Digest } from "../kernel/prefixed-id.ts";
import type { Stored } from "../kernel/stored.ts";
import { attentionKey, attentionOperation } from "../payments/attention.ts";
import type { AttentionKind } from "../payments/attention-kinds.ts";
import { changedAtMs } from "../payments/object-row.ts";
import { portalEvent } from "../webhooks/portal-events.ts";
import type { WebhookEvent } from "../webhooks/webhook-event.ts";
import type { AlertRecord } from "./alert.ts";
import type { AlertEffect, AlertEvent } from "./events.ts";
import { wasFlaggedUnknown } from "./rules.ts";
import type { AlertStep } from "./step-alert.ts";

export type AlertOperation = DisputeOperation;

/** One step of an alert, stored as a whole or not at all. */
export interface AlertChange {
  /** The record as it becomes. */
  readonly record: AlertRecord;
  /** What it replaces, and that one's version; null and 0 for a new one. */
  readonly before: AlertRecord | null;
  readonly version: number;
  readonly events: readonly WebhookEvent[];
  /** What else is stored with it, and what has to be as it was read. */
  readonly alongside: CommitPart;
  readonly atMs: number;
}

/** What has become of an alert, for counts. */
export type AlertBecame =
  | "received"
  | "auto_refund"
  | "refunded"
  | "declined"
  | "expired"
  | "invalid"
  | "prevented"
  | "refund_failed"
  | "refund_unknown"
  | "refunded_twice";

export interface Telling {
  /** What an event shows of an alert: no personal data. */
  objectOf(record: AlertRecord): object;
  digest: Digest;
  /** Called after the commit. */
  activity: Pick<ActivityLog, "workflow">;
  became(what: AlertBecame): void;
}

const NOTHING: CommitPart = { checks: [], operations: [] };

/** What is stored of a step: the record with the number of its events, those, and what operators are told. */
export function alertChange(
  { record: stepped, effects }: AlertStep,
  stored: Stored<AlertRecord> | null,
  atMs: number,
  operation: AlertOperation | null,
  { objectOf, digest }: Pick<Telling, "objectOf" | "digest">,
  alongside: CommitPart = NOTHING,
): AlertChange {
  const news = effects.flatMap((effect) => (effect.type === "tell" ? [effect.params.news] : []));
  const record: AlertRecord = {
    ...stepped,
    updatedAtMs: changedAtMs(stored?.record.updatedAtMs ?? null, atMs),
    events: stepped.events + news.length,
  };
  const { id: objectId, merchantId, partnerId, livemode } = record;
  const events = news.map((type, index) =>
    portalEvent(
      {
        ...{ merchantId, partnerId, livemode, type, objectId, atMs },
        sequence: stepped.events + index + 1,
        object: objectOf(record),
        requestId: operation?.requestId ?? null,
      },
      digest,
    ),
  );
  const attention = effects.flatMap((effect) => attentionOf(effect, record, stored?.record ?? null, atMs));
  return {
    ...{ record, before: stored?.record ?? null, version: stored?.version ?? 0, events, atMs },
    alongside: { checks: alongside.checks, operations: [...alongside.operations, ...attention] },
  };
}

function attentionOf(effect: AlertEffect, record: AlertRecord, before: AlertRecord | null, atMs: number): CommitPart["operations"] {
  const { id, refund, uuid } = record;
  const payment = `the payment ${uuid ?? "-"}`;
  switch (effect.type) {
    case "tell":
    case "askRefund":
      return [];
    case "flagFailed":
      return [
        item(
          record,
          "alert_refund_failed",
          atMs,
          `The automatic refund of ${payment} for the alert ${id} was refused: ${refund?.detail ?? "-"}`,
        ),
      ];
    case "flagUnknown":
      return [item(record, "alert_refund_unknown", atMs, `Whether ${payment} was given back for the alert ${id} is not known`)];
    case "flagTwice":
      return [item(record, "alert_refunded_twice", atMs, `${payment} was given back for the alert ${id}, which ended otherwise`)];
    case "settleUnknown":
      if (before === null || !wasFlaggedUnknown(before)) return [];
      return [{ type: "delete", key: attentionKey("alert_refund_unknown", terminalOf(record), id) }];
  }
}

function item(record: AlertRecord, kind: AttentionKind, atMs: number, detail: string): CommitPart["operations"][number] {
  return attentionOperation({ kind, terminalId: terminalOf(record), uuid: record.id, atMs, detail, raw: null });
}

/** Where a payment's terminal is not known, the item stands under no terminal. */
function terminalOf({ terminalId }: AlertRecord): string {
  return terminalId ?? "-";
}

/** Tells those who keep account of it that a step is stored. */
export function tellStored(
  { record, before, atMs }: AlertChange,
  { effects }: Pick<AlertStep, "effects">,
  event: AlertEvent["type"],
  operation: AlertOperation | null,
  { activity, became }: Pick<Telling, "activity" | "became">,
): void {
  const { id: objectId, merchantId, state } = record;
  activity.workflow({
    ...{ atMs, merchantId, objectType: "alert", objectId, event, from: before?.state ?? null, to: state },
    requestId: operation?.requestId ?? null,
    outcome: "done",
  });
  const what = becomingOf(record, before);
  if (what !== null) became(what);
  for (const { type } of effects) {
    if (type === "flagFailed") became("refund_failed");
    if (type === "flagUnknown") became("refund_unknown");
    if (type === "flagTwice") became("refunded_twice");
  }
}

function becomingOf({ state, end }: AlertRecord, before: AlertRecord | null): AlertBecame | null {
  if (state === before?.state) return null;
  switch (state) {
    case "PENDING":
      return before === null ? "received" : null;
    case "AUTO_REFUND":
      return "auto_refund";
    case "REFUNDED":
      return "refunded";
    case "PREVENTED":
      return "prevented";
    case "DECLINED":
      return end?.by === "deadline" ? "expired" : end?.by === "invalid" ? "invalid" : "declined";
  }
}

/** The same of what the alert did not take. */
export function tellRefused(
  { id: objectId, merchantId, state }: AlertRecord,
  event: AlertEvent["type"],
  atMs: number,
  operation: AlertOperation | null,
  { activity }: Pick<Telling, "activity">,
): void {
  activity.workflow({
    ...{ atMs, merchantId, objectType: "alert", objectId, event, from: state, to: state },
    requestId: operation?.requestId ?? null,
    outcome: "refused",
  });
}
