import type { TeamStore } from "../../../../engine/accounts/team-store.ts";
import type { Shops } from "../../../../engine/branding/shop-branding.ts";
import type { ActivityLog } from "../../../../engine/kernel/activity-log.ts";
import type { Address, Homes } from "../../../../engine/kernel/bus.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { SecretBox } from "../../../../engine/kernel/secret-box.ts";
import type { LinkCompanion } from "../../../../engine/links/link-companion.ts";
import type { Links } from "../../../../engine/links/links.ts";
import type { MerchantAccounts } from "../../../../engine/links/merchant-accounts.ts";
import type { MailStore } from "../../../../engine/mails/mail-store.ts";
import type { MerchantOwner } from "../../../../engine/partners/merchant.ts";
import { createPortalLinks } from "../../../../engine/portal-links/create-portal-links.ts";
import { createPortalLinkTasks, type PortalLinkTasks } from "../../../../engine/portal-links/link-tasks.ts";
import { createPortalLinkMailTexts } from "../../../../engine/portal-links/mail-texts.ts";
import type { PortalLinkRecord } from "../../../../engine/portal-links/portal-link.ts";
import { createPortalLinkCompanion } from "../../../../engine/portal-links/portal-link-companion.ts";
import type { PortalLinkKeeper } from "../../../../engine/portal-links/portal-link-keeper.ts";
import { createPortalLinkMails } from "../../../../engine/portal-links/portal-link-mails.ts";
import { createPortalLinkQueries, type PortalLinkQueries } from "../../../../engine/portal-links/portal-link-queries.ts";
import type { PortalLinks } from "../../../../engine/portal-links/portal-links.ts";
import { portalLinkWorkflow } from "../../../../engine/portal-links/workflow.ts";
import type { ReplicatedRecords } from "../../../../engine/tables/replicated-table.ts";
import { eventOperations } from "../../../../engine/webhooks/webhook-event-store.ts";
import { createWorkflow } from "../../../../engine/workflow/run-workflow.ts";
import { createWorkflowDeadlines } from "../../../../engine/workflow/workflow-deadlines.ts";
import { createWorkflowSearch, type WorkflowSearch } from "../../../../engine/workflow/workflow-search.ts";
import { createWorkflowStore } from "../../../../engine/workflow/workflow-store.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { paymentLinkObject } from "../../../../http/surfaces/merchant/payment-links/schemas.ts";
import type { Config } from "../../boot/config.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";
import type { ShardMetrics } from "../../observability/metrics.ts";
import { keyedDigest, newToken } from "../access/new-token.ts";

/** Limits the wait for expiries in progress when the node stops. */
const STOP_MS = 5_000;

export interface PortalLinkParts {
  config: Pick<Config, "terminalSecret" | "timeZone">;
  kv: Kv;
  bus: { readonly self: Address };
  homes: Homes;
  clock: Clock;
  box: SecretBox;
  accounts: MerchantAccounts;
  merchantOwners: Pick<ReplicatedRecords<MerchantOwner>, "get">;
  mails: Pick<MailStore, "room">;
  stores: { teams: Pick<TeamStore, "load">; shops: Shops };
  activity: Pick<ActivityLog, "workflow">;
  retentionMs: number;
  /**
   * The address by which customers' browsers reach the relay. It is known once the node listens.
   */
  publicUrl(): string;
  /** The address of the portal for merchants' people. */
  portalUrl(): string;
  metrics: Pick<ShardMetrics, "gauge" | "portalLinkBecame" | "portalLinkMailsLeftOut">;
  /** Tracks the links that agents create. */
  keeper: PortalLinkKeeper;
  /** Called after a transition of a link is stored. */
  stored(record: PortalLinkRecord): void;
  failed(what: string, error: unknown): void;
}

export interface ComposedPortalLinks extends Lifecycle {
  /** Updates portal links in the commits of the links that are their attempts. */
  companion: LinkCompanion;
  /** Returns the operations over links that have the companion. */
  over(links: Links): PortalLinks;
  /** Finds the link of any merchant, for operators. */
  byId(id: string): Promise<PortalLinkRecord | null>;
  search: WorkflowSearch<PortalLinkRecord>;
  tasks: PortalLinkTasks;
  /** Counts the links that an AI agent's credential created. */
  madeLinks: Pick<PortalLinkQueries, "madeByAgent" | "firstMadeByAgent">;
}

/**
 * Composes payment links of the portal in a shard in two steps. Links are composed between them,
 * because their commits call the companion and portal links use links.
 */
export function composePortalLinks(parts: PortalLinkParts): ComposedPortalLinks {
  const { config, kv, bus, homes, clock, box, accounts, merchantOwners, stores, activity, retentionMs, publicUrl, metrics, failed } = parts;
  const digests = { digest: sha256Hex, keyedDigest: keyedDigest(config.terminalSecret, "payment links of the portal") };
  const definition = portalLinkWorkflow(digests);
  const store = createWorkflowStore(kv, definition, retentionMs);
  const queries = createPortalLinkQueries(store, digests);
  const mails = createPortalLinkMails({
    ...{ store: parts.mails, ...stores, box, digest: sha256Hex, clock },
    texts: createPortalLinkMailTexts({ publicUrl, portalUrl: parts.portalUrl, timeZone: config.timeZone }),
    leftOut: metrics.portalLinkMailsLeftOut,
  });
  const workflow = createWorkflow(definition, {
    ...{ store, clock, digest: sha256Hex, objectOf: paymentLinkObject, eventOperations, activity, count: metrics.portalLinkBecame },
    ...{ stored: parts.stored, guard: parts.keeper, mailOf: mails.paid },
  });
  const deadlines = createWorkflowDeadlines(definition, {
    ...{ store, homes, self: bus.self, clock, failed },
    fire: (id) => workflow.apply(id, (_, atMs) => ({ type: "deadline.passed", atMs }), null),
  });
  metrics.gauge("relay_portal_links_due", "Payment links of the portal that expire now or within seconds.", () => deadlines.counts().held);
  let stopped: Promise<void> | null = null;
  return {
    companion: createPortalLinkCompanion(workflow),
    over: (links) =>
      createPortalLinks({
        ...{ workflow, queries, digest: sha256Hex, links, accounts, mails, clock, newToken },
        isInactive: (merchantId) => merchantOwners.get(merchantId)?.inactive === true,
        returnUrl: (token) => `${publicUrl()}/l/${token}/return`,
      }),
    byId: async (id) => (await store.load(id))?.record ?? null,
    search: createWorkflowSearch(store, "portal-link-of/"),
    tasks: createPortalLinkTasks({ store: queries, clock }),
    madeLinks: queries,
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
