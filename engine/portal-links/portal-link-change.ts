import type { ActivityLog } from "../kernel/activity-log.ts";
import type { CommitPart } from "../kernel/commit-part.ts";
import type { Digest } from "../kernel/prefixed-id.ts";
import type { LinkCause } from "../links/link-companion.ts";
import { changedAtMs } from "../payments/object-row.ts";
import { portalEvent } from "../webhooks/portal-events.ts";
import type { WebhookEvent } from "../webhooks/webhook-event.ts";
import type { PortalLinkEffect, PortalLinkEvent } from "./events.ts";
import type { PortalLinkRecord } from "./portal-link.ts";
import type { PortalLinkKeeper } from "./portal-link-keeper.ts";
import type { PortalLinkOperation } from "./portal-links.ts";

/** Says to the companion that it is portal links that use a link. */
export class PortalLinkCause implements LinkCause {
  readonly surface = "portal-link";
}

/** Entries of others for the commit of a portal link. */
export type AlsoStored = CommitPart["operations"];

/** One step of a portal link, stored as a whole or not at all. */
export interface PortalLinkChange {
  /** The record as it becomes. */
  readonly record: PortalLinkRecord;
  /** What it replaces, and that one's version; null and 0 for a new one. */
  readonly before: PortalLinkRecord | null;
  readonly version: number;
  readonly events: readonly WebhookEvent[];
  /** What else is stored with it, such as mails that are owed. */
  readonly also: AlsoStored;
  /** What else has to be as it was read; absent: nothing. */
  readonly checks?: CommitPart["checks"];
  readonly atMs: number;
  /** Called once it is stored. */
  committed?(): void;
}

/** What has become of a link, for counts. */
export type PortalLinkBecame = "created" | "paid" | "paid_late" | "paid_twice" | "expired" | "cancelled";

export interface Telling {
  /** What an event shows of a link: no personal data, and not its address. */
  objectOf(record: PortalLinkRecord): object;
  digest: Digest;
  /** Called after the commit. */
  activity: Pick<ActivityLog, "workflow">;
  became(what: PortalLinkBecame): void;
  /** The same, of every step that is stored: for those who wait for a link's end. */
  stored?(record: PortalLinkRecord): void;
  /** Who keeps account of links beside them. */
  keeper?: PortalLinkKeeper;
}

/** What is stored of a step: the record with the number of its events, and those, frozen as everything is after it. */
export function portalLinkChange(
  { record: stepped, effects }: { record: PortalLinkRecord; effects: readonly PortalLinkEffect[] },
  { record: before, version }: { record: PortalLinkRecord; version: number },
  atMs: number,
  operation: PortalLinkOperation | null,
  { objectOf, digest }: Pick<Telling, "objectOf" | "digest">,
): PortalLinkChange {
  const news = effects.flatMap((effect) => (effect.type === "tell" ? [effect.params.news] : []));
  const record: PortalLinkRecord = {
    ...stepped,
    updatedAtMs: changedAtMs(before.updatedAtMs, atMs),
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
  return { record, before, version, events, also: [], atMs };
}

/** Tells those who keep account of it that a step is stored. */
export function tellStored(
  { record, before, atMs, committed }: PortalLinkChange,
  event: PortalLinkEvent["type"] | "link.created",
  operation: PortalLinkOperation | null,
  { activity, became, stored }: Pick<Telling, "activity" | "became" | "stored">,
): void {
  const { id: objectId, merchantId, state } = record;
  activity.workflow({
    ...{ atMs, merchantId, objectType: "payment_link", objectId, event, from: before?.state ?? null, to: state },
    requestId: operation?.requestId ?? null,
    outcome: "done",
  });
  const what = becomingOf(record, before);
  if (what !== null) became(what);
  committed?.();
  stored?.(record);
}

function becomingOf(record: PortalLinkRecord, before: PortalLinkRecord | null): PortalLinkBecame | null {
  if (before === null) return "created";
  if (record.state === before.state) return paymentsOf(record) > paymentsOf(before) ? "paid_twice" : null;
  switch (record.state) {
    case "PAID":
      return record.late ? "paid_late" : "paid";
    case "EXPIRED":
      return "expired";
    case "CANCELLED":
      return "cancelled";
    case "PENDING":
      return null;
  }
}

function paymentsOf({ attempts }: PortalLinkRecord): number {
  return attempts.filter(({ state }) => state === "paid").length;
}

/** The same of what the link did not take. */
export function tellRefused(
  { id: objectId, merchantId, state }: PortalLinkRecord,
  event: PortalLinkEvent["type"],
  atMs: number,
  operation: PortalLinkOperation | null,
  { activity }: Pick<Telling, "activity">,
): void {
  activity.workflow({
    ...{ atMs, merchantId, objectType: "payment_link", objectId, event, from: state, to: state },
    requestId: operation?.requestId ?? null,
    outcome: "refused",
  });
}
