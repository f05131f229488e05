import type { ActivityLog } from "../kernel/activity-log.ts";
import type { CommitPart } from "../kernel/commit-part.ts";
import type { Digest } from "../kernel/prefixed-id.ts";
import { portalEvent } from "../webhooks/portal-events.ts";
import type { WebhookEvent } from "../webhooks/webhook-event.ts";
import type { AgentCredentialRecord } from "./agent-credential.ts";
import type { AgentCredentialEffect, AgentCredentialEvent } from "./events.ts";

/** One step of a credential, stored as a whole or not at all. */
export interface AgentCredentialChange {
  /** The record as it becomes. */
  readonly record: AgentCredentialRecord;
  /** What it replaces, and that one's version; null and 0 for a new one. */
  readonly before: AgentCredentialRecord | null;
  readonly version: number;
  readonly events: readonly WebhookEvent[];
  /** What else is stored with it. */
  readonly also: CommitPart["operations"];
  readonly atMs: number;
}

/** What has become of a credential, for counts. */
export type AgentCredentialBecame = "created" | "exhausted" | "active_again" | "expired" | "revoked";

export interface Telling {
  /** What an event shows of a credential: nothing by which it could be used. */
  objectOf(record: AgentCredentialRecord): object;
  digest: Digest;
  /** Called after the commit. */
  activity: Pick<ActivityLog, "workflow">;
  became(what: AgentCredentialBecame): void;
}

/** What is stored of a step: the record with the number of its events, and those. */
export function agentCredentialChange(
  { record: stepped, effects }: { record: AgentCredentialRecord; effects: readonly AgentCredentialEffect[] },
  { record: before, version }: { record: AgentCredentialRecord; version: number },
  atMs: number,
  requestId: string | null,
  { objectOf, digest }: Pick<Telling, "objectOf" | "digest">,
): AgentCredentialChange {
  const record: AgentCredentialRecord = {
    ...stepped,
    updatedAtMs: Math.max(stepped.updatedAtMs, atMs),
    events: stepped.events + effects.length,
  };
  const { id: objectId, merchantId, partnerId, livemode } = record;
  const events = effects.map(({ params: { news } }, index) =>
    portalEvent(
      {
        ...{ merchantId, partnerId, livemode, type: news, objectId, atMs, requestId },
        sequence: stepped.events + index + 1,
        object: objectOf(record),
      },
      digest,
    ),
  );
  return { record, before, version, events, also: [], atMs };
}

/** Tells those who keep account of it that a step is stored. A link that was made or has ended is told of by itself: here only what became of the credential by it. */
export function tellStored(
  { record, before, atMs }: AgentCredentialChange,
  event: AgentCredentialEvent["type"] | "agent_credential.created",
  requestId: string | null,
  { activity, became }: Pick<Telling, "activity" | "became">,
): void {
  const { id: objectId, merchantId, state } = record;
  if (before?.state === state) return;
  activity.workflow({
    ...{ atMs, merchantId, objectType: "agent_credential", objectId, event, from: before?.state ?? null, to: state, requestId },
    outcome: "done",
  });
  became(BECAME[before === null ? "created" : state]);
}

const BECAME = {
  created: "created",
  ACTIVE: "active_again",
  EXHAUSTED: "exhausted",
  EXPIRED: "expired",
  REVOKED: "revoked",
} as const;
