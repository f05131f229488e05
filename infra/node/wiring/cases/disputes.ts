import { createHash } from "node:crypto";
import type { TeamStore } from "../../../../engine/accounts/team-store.ts";
import { createDisputes } from "../../../../engine/disputes/create-disputes.ts";
import type { DisputeRecord } from "../../../../engine/disputes/dispute.ts";
import { createDisputeDeadlines } from "../../../../engine/disputes/dispute-deadlines.ts";
import { createDisputeFileStore } from "../../../../engine/disputes/dispute-file-store.ts";
import { createDisputeHoldCompanion } from "../../../../engine/disputes/dispute-hold-companion.ts";
import { createDisputeHoldStore, createHoldGuard, type DisputeHoldStore } from "../../../../engine/disputes/dispute-hold-store.ts";
import { createDisputeMails, disputeMailOf } from "../../../../engine/disputes/dispute-mails.ts";
import { BY_ADMINISTRATORS } from "../../../../engine/disputes/dispute-network.ts";
import type { DisputeFeed, Disputes } from "../../../../engine/disputes/disputes.ts";
import { createDisputeMailTexts } from "../../../../engine/disputes/mail-texts.ts";
import { DISPUTE_WORKFLOW } from "../../../../engine/disputes/workflow.ts";
import type { ActivityLog } from "../../../../engine/kernel/activity-log.ts";
import type { Address, Homes } from "../../../../engine/kernel/bus.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { SecretBox } from "../../../../engine/kernel/secret-box.ts";
import type { LinkCompanion } from "../../../../engine/links/link-companion.ts";
import type { MailStore } from "../../../../engine/mails/mail-store.ts";
import type { MerchantStore } from "../../../../engine/partners/merchant-store.ts";
import { eventOperations } from "../../../../engine/webhooks/webhook-event-store.ts";
import { createWorkflow } from "../../../../engine/workflow/run-workflow.ts";
import { createWorkflowSearch, type WorkflowSearch } from "../../../../engine/workflow/workflow-search.ts";
import { createWorkflowStore } from "../../../../engine/workflow/workflow-store.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { createDocumentCheck } from "../../../../http/documents/document-check.ts";
import { disputeObject } from "../../../../http/surfaces/merchant/disputes/schemas.ts";
import type { Config } from "../../boot/config.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";
import type { ShardMetrics } from "../../observability/metrics.ts";

/** Limits the wait for checks in progress when the node stops. */
const STOP_MS = 5_000;

const DAY_MS = 86_400_000;

/**
 * Networks may reopen cases for a year and a half, and rates cover that time. Alerts are stored
 * equally long.
 */
export const DISPUTES_KEPT_MS = 540 * DAY_MS;

/**
 * A file is stored longer than every dispute that may name it, because deadlines are up to 400 days
 * ahead.
 */
const FILES_KEPT_LONGER_MS = 2 * 365 * DAY_MS;

export interface DisputeParts {
  config: Pick<Config, "timeZone">;
  kv: Kv;
  bus: { readonly self: Address };
  homes: Homes;
  clock: Clock;
  box: SecretBox;
  mails: Pick<MailStore, "room">;
  stores: { teams: Pick<TeamStore, "load">; merchants: Pick<MerchantStore, "load"> };
  activity: Pick<ActivityLog, "workflow">;
  retentionMs: number;
  /** The address by which merchants' people reach the portal. */
  portalUrl(): string;
  metrics: Pick<ShardMetrics, "gauge" | "disputeBecame" | "disputeMailPostponed">;
  failed(what: string, error: unknown): void;
}

export interface ComposedDisputes extends Lifecycle {
  /** Blocks refunds of links that are under dispute. */
  companion: LinkCompanion;
  holds: DisputeHoldStore;
  disputes: Disputes;
  feed: DisputeFeed;
  /** Finds the dispute of any merchant, for operators. */
  byId(id: string): Promise<DisputeRecord | null>;
  search: WorkflowSearch<DisputeRecord>;
}

/** Disputes in a shard: their operations, and the processing of those whose home it is. */
export function composeDisputes(parts: DisputeParts): ComposedDisputes {
  const { config, kv, bus, homes, clock, box, stores, activity, portalUrl, metrics, failed } = parts;
  const retentionMs = Math.max(parts.retentionMs, DISPUTES_KEPT_MS);
  const files = createDisputeFileStore({ kv, keptMs: retentionMs + FILES_KEPT_LONGER_MS });
  const holds = createDisputeHoldStore(kv);
  const notices = createDisputeMails({
    ...{ store: parts.mails, ...stores, box, digest: sha256Hex, clock },
    texts: createDisputeMailTexts({ portalUrl, timeZone: config.timeZone }),
    postponed: metrics.disputeMailPostponed,
  });
  const workflow = createWorkflow(DISPUTE_WORKFLOW, {
    store: createWorkflowStore(kv, DISPUTE_WORKFLOW, retentionMs),
    ...{ clock, digest: sha256Hex, objectOf: disputeObject, eventOperations, activity, count: metrics.disputeBecame },
    guard: createHoldGuard(kv, (transition) => DISPUTE_WORKFLOW.expiresAtMs(transition, retentionMs)),
    mailOf: disputeMailOf(notices),
  });
  const { disputes, feed } = createDisputes({ workflow, clock, digest: sha256Hex, files, digestOf, isActive: createDocumentCheck() });
  const deadlines = createDisputeDeadlines({ workflow, files, network: BY_ADMINISTRATORS, clock, homes, self: bus.self, failed });
  metrics.gauge("relay_disputes_due", "Disputes with a deadline now or within seconds.", () => deadlines.counts().held);
  let stopped: Promise<void> | null = null;
  return {
    companion: createDisputeHoldCompanion(holds),
    ...{ holds, disputes, feed, byId: feed.byId, search: createWorkflowSearch(workflow.store, "dispute-of/") },
    tick: deadlines.tick,
    drain: () => {
      stopped ??= deadlines.stop();
    },
    close: async () => {
      stopped ??= deadlines.stop();
      await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, STOP_MS).unref())]);
    },
  };
}

function digestOf(contents: Uint8Array): string {
  return createHash("sha256").update(contents).digest("hex");
}
