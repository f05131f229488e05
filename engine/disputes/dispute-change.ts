import type { ActivityLog } from "../kernel/activity-log.ts";
import type { CommitPart } from "../kernel/commit-part.ts";
import type { Digest } from "../kernel/prefixed-id.ts";
import type { Stored } from "../kernel/stored.ts";
import { type AttentionItem, attentionOperation } from "../payments/attention.ts";
import { changedAtMs } from "../payments/object-row.ts";
import { portalEvent } from "../webhooks/portal-events.ts";
import type { WebhookEvent } from "../webhooks/webhook-event.ts";
import type { DisputeRecord } from "./dispute.ts";
import type { DisputeEffect, DisputeEvent } from "./events.ts";
import { nextAtMs } from "./rules.ts";
import type { DisputeStep } from "./step-dispute.ts";

/** A request, as far as what comes of it is told to others. */
export interface DisputeOperation {
  /** The same for every attempt at one request. */
  readonly id: string;
  readonly requestId: string | null;
}

/** Entries of others for the commit of a dispute. */
export type AlsoStored = CommitPart["operations"];

/** One step of a dispute, stored as a whole or not at all. */
export interface DisputeChange {
  /** The record as it becomes. */
  readonly record: DisputeRecord;
  /** What it replaces, and that one's version; null and 0 for a new one. */
  readonly before: DisputeRecord | null;
  readonly version: number;
  readonly events: readonly WebhookEvent[];
  /** What else is stored with it: mails that are owed, what operators are to look at. */
  readonly also: AlsoStored;
  readonly atMs: number;
}

/** What has become of a dispute, for counts. */
export type DisputeBecame = "received" | "submitted" | "accepted" | "won" | "lost" | "expired" | "reminded" | "undelivered";

export interface Telling {
  /** What an event shows of a dispute: no personal data, nothing of the evidence. */
  objectOf(record: DisputeRecord): object;
  digest: Digest;
  /** Called after the commit. */
  activity: Pick<ActivityLog, "workflow">;
  became(what: DisputeBecame): void;
}

/**
 * The mails of a dispute, each for the commit that makes it due. Null where it cannot be owed now,
 * because too many mails wait or the store does not answer: it is owed later. Never rejects.
 */
export interface DisputeNotices {
  received(record: DisputeRecord): Promise<AlsoStored | null>;
  reminder(record: DisputeRecord, leadMs: number): Promise<AlsoStored | null>;
}

/** A mail that found no room is tried again after this time. */
const MAIL_AGAIN_MS = 10 * 60_000;

/** What is stored of a step: the record with the number of its events, those, its mails and what operators are told. */
export async function disputeChange(
  { record: stepped, effects }: DisputeStep,
  stored: Stored<DisputeRecord> | null,
  atMs: number,
  operation: DisputeOperation | null,
  { objectOf, digest, notices }: Pick<Telling, "objectOf" | "digest"> & { notices: DisputeNotices },
): Promise<DisputeChange> {
  const news = effects.flatMap((effect) => (effect.type === "tell" ? [effect.params.news] : []));
  const mail = mailOf(effects);
  const mails = mail === null ? [] : await (mail.leadMs === null ? notices.received(stepped) : notices.reminder(stepped, mail.leadMs));
  const record: DisputeRecord = {
    ...stepped,
    ...(mail !== null && mails === null ? owedLater(stepped, mail.leadMs, atMs) : {}),
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
  const flagged = effects.filter(({ type }) => type === "flagUndelivered").map(() => attentionOperation(undeliveredItem(record, atMs)));
  return { record, before: stored?.record ?? null, version: stored?.version ?? 0, events, also: [...(mails ?? []), ...flagged], atMs };
}

/** The mail that a step makes due: so long before the deadline, or `leadMs` null that there is a case. A step makes one at most. */
function mailOf(effects: readonly DisputeEffect[]): { leadMs: number | null } | null {
  const effect = effects.findLast(({ type }) => type === "mailReceived" || type === "mailReminder");
  if (effect === undefined) return null;
  return { leadMs: effect.type === "mailReminder" ? effect.params.leadMs : null };
}

function owedLater(stepped: DisputeRecord, leadMs: number | null, atMs: number): Pick<DisputeRecord, "mailOwed" | "nextAtMs"> {
  const mailOwed = { leadMs, atMs: atMs + MAIL_AGAIN_MS };
  return { mailOwed, nextAtMs: nextAtMs({ ...stepped, mailOwed }) };
}

/** Where a payment's terminal is not known, the item stands under no terminal. */
function undeliveredItem({ id, terminalId }: DisputeRecord, atMs: number): AttentionItem {
  const detail = `A response to the dispute ${id} has not reached its network as far as is known; whoever knows the network has to ask there`;
  return { kind: "dispute_undelivered", terminalId: terminalId ?? "-", uuid: id, atMs, detail, raw: null };
}

/** Tells those who keep account of it that a step is stored. */
export function tellStored(
  { record, before, atMs }: DisputeChange,
  { effects }: Pick<DisputeStep, "effects">,
  event: DisputeEvent["type"],
  operation: DisputeOperation | null,
  { activity, became }: Pick<Telling, "activity" | "became">,
): void {
  const { id: objectId, merchantId, state } = record;
  activity.workflow({
    ...{ atMs, merchantId, objectType: "dispute", objectId, event, from: before?.state ?? null, to: state },
    requestId: operation?.requestId ?? null,
    outcome: "done",
  });
  const leadMs = mailOf(effects)?.leadMs ?? null;
  if (leadMs !== null && (record.mailOwed ?? null) === null) became("reminded");
  if (effects.some(({ type }) => type === "flagUndelivered")) became("undelivered");
  const what = becomingOf(record, before);
  if (what !== null) became(what);
}

function becomingOf(record: DisputeRecord, before: DisputeRecord | null): DisputeBecame | null {
  if (before === null) return "received";
  if (record.state === before.state) return null;
  switch (record.state) {
    case "UNDER_REVIEW":
      return "submitted";
    case "WON":
      return "won";
    case "LOST":
      return record.outcome?.by === "accepted" ? "accepted" : "lost";
    case "EXPIRED":
      return "expired";
    case "OPEN":
    case "EVIDENCE_REQUIRED":
      return null;
  }
}

/** The same of what the dispute did not take. */
export function tellRefused(
  { id: objectId, merchantId, state }: DisputeRecord,
  event: DisputeEvent["type"],
  atMs: number,
  operation: DisputeOperation | null,
  { activity }: Pick<Telling, "activity">,
): void {
  activity.workflow({
    ...{ atMs, merchantId, objectType: "dispute", objectId, event, from: state, to: state },
    requestId: operation?.requestId ?? null,
    outcome: "refused",
  });
}
