import type { Shops } from "../../../../engine/branding/shop-branding.ts";
import type { ActivityLog } from "../../../../engine/kernel/activity-log.ts";
import type { Address, Homes } from "../../../../engine/kernel/bus.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { SecretBox } from "../../../../engine/kernel/secret-box.ts";
import type { GatewayAccounts } from "../../../../engine/links/gateway-accounts.ts";
import type { MerchantAccounts } from "../../../../engine/links/merchant-accounts.ts";
import type { MailStore } from "../../../../engine/mails/mail-store.ts";
import type { MerchantOwner, MerchantRecord } from "../../../../engine/partners/merchant.ts";
import type { Merchants } from "../../../../engine/partners/merchants.ts";
import type { PortalLinkRecord } from "../../../../engine/portal-links/portal-link.ts";
import type { PortalLinks } from "../../../../engine/portal-links/portal-links.ts";
import { createBillingCalendar } from "../../../../engine/subscriptions/calendar.ts";
import { createCollector } from "../../../../engine/subscriptions/collect.ts";
import { createSubscriptions } from "../../../../engine/subscriptions/create-subscriptions.ts";
import { createCycleChargeStore } from "../../../../engine/subscriptions/cycle-charge-store.ts";
import { createDunningPolicyStore } from "../../../../engine/subscriptions/dunning-policy-store.ts";
import { createSubscriptionMailTexts } from "../../../../engine/subscriptions/mail-texts.ts";
import { createPlanStore } from "../../../../engine/subscriptions/plan-store.ts";
import { createPlans } from "../../../../engine/subscriptions/plans.ts";
import { createPortalCycleLinks } from "../../../../engine/subscriptions/portal-cycle-links.ts";
import { NO_RECURRING_CHARGES, type RecurringCharges } from "../../../../engine/subscriptions/recurring-charges.ts";
import type { SubscriptionRecord } from "../../../../engine/subscriptions/subscription.ts";
import { createSubscriptionDeadlines } from "../../../../engine/subscriptions/subscription-deadlines.ts";
import { createSubscriptionMails, subscriptionMailOf } from "../../../../engine/subscriptions/subscription-mails.ts";
import { createSubscriptionQueries } from "../../../../engine/subscriptions/subscription-queries.ts";
import { createSubscriptionTasks, type SubscriptionTasks } from "../../../../engine/subscriptions/subscription-tasks.ts";
import type { Subscriptions } from "../../../../engine/subscriptions/subscriptions.ts";
import { subscriptionWorkflow } from "../../../../engine/subscriptions/workflow.ts";
import type { ReplicatedRecords } from "../../../../engine/tables/replicated-table.ts";
import { eventOperations } from "../../../../engine/webhooks/webhook-event-store.ts";
import { createWorkflow } from "../../../../engine/workflow/run-workflow.ts";
import { createWorkflowSearch, type WorkflowSearch } from "../../../../engine/workflow/workflow-search.ts";
import { createWorkflowStore } from "../../../../engine/workflow/workflow-store.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { createSandboxCharges, mayChargeCards } from "../../../../http/gateway/card-on-file.ts";
import { subscriptionObject } from "../../../../http/surfaces/merchant/subscriptions/schemas.ts";
import type { SubscriptionOperations } from "../../../../http/surfaces/merchant/subscriptions/surface.ts";
import { createLocalTime } from "../../../../http/surfaces/parts/time.ts";
import type { Config } from "../../boot/config.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";
import type { ShardMetrics } from "../../observability/metrics.ts";
import { keyedDigest, newToken } from "../access/new-token.ts";
import { logCharges } from "../shared/activity-hooks.ts";

/**
 * Limits the wait for payments in progress when the node stops. The next home of an interrupted
 * payment checks it.
 */
const STOP_MS = 5_000;

export interface SubscriptionWiring {
  config: Pick<Config, "terminalSecret" | "timeZone" | "mode" | "gatewayUrl">;
  kv: Kv;
  bus: { readonly self: Address };
  homes: Homes;
  clock: Clock;
  box: SecretBox;
  accounts: Pick<GatewayAccounts, "ofPartner">;
  merchantAccounts: Pick<MerchantAccounts, "ofMerchant">;
  merchantOwners: Pick<ReplicatedRecords<MerchantOwner>, "get">;
  mails: Pick<MailStore, "room">;
  shops: Shops;
  portalLinks: PortalLinks;
  activity: ActivityLog;
  retentionMs: number;
  /**
   * The address by which customers' browsers reach the relay. It is known once the node listens.
   */
  publicUrl(): string;
  metrics: Pick<ShardMetrics, "gauge" | "subscriptionBecame" | "subscriptionMailPostponed">;
  failed(what: string, error: unknown): void;
}

export interface ComposedSubscriptions extends Lifecycle {
  operations: Pick<SubscriptionOperations, "plans" | "cardsOnFile" | "subscriptionUrl"> & {
    subscriptions: Subscriptions;
    subscriptionTasks: SubscriptionTasks;
  };
  /**
   * Called after a transition of a payment link is stored. If the link pays a cycle, the cycle is
   * checked. Never rejects and never waits.
   */
  linkStored(record: PortalLinkRecord): void;
  /** Finds the subscription of any merchant, for operators. */
  byId(id: string): Promise<SubscriptionRecord | null>;
  search: WorkflowSearch<SubscriptionRecord>;
  /** Returns merchants whose deactivation pauses their subscriptions. */
  pausing(merchants: Merchants): Merchants;
}

/** Subscriptions, plans and dunning in a shard. */
export function composeSubscriptions(parts: SubscriptionWiring): ComposedSubscriptions {
  const { config, kv, bus, homes, clock, box, accounts, merchantOwners, shops, portalLinks, activity, metrics, failed } = parts;
  const digests = { digest: sha256Hex, keyedDigest: keyedDigest(config.terminalSecret, "subscriptions") };
  const definition = subscriptionWorkflow(digests, (partnerId) => accounts.ofPartner(partnerId)?.terminalId ?? "");
  const store = createWorkflowStore(kv, definition, parts.retentionMs);
  const queries = createSubscriptionQueries(store, digests);
  const planStore = createPlanStore(kv);
  const policies = createDunningPolicyStore(kv);
  const charges = logCharges(withinReach(recurringCharges(config), parts.merchantAccounts), activity, config.gatewayUrl, clock);
  const mails = createSubscriptionMails({
    ...{ store: parts.mails, shops, box, digest: sha256Hex, clock },
    texts: createSubscriptionMailTexts({ publicUrl: parts.publicUrl, timeZone: config.timeZone }),
    postponed: metrics.subscriptionMailPostponed,
  });
  const workflow = createWorkflow(definition, {
    ...{ store, clock, digest: sha256Hex, objectOf: subscriptionObject, eventOperations, activity, count: metrics.subscriptionBecame },
    mailOf: subscriptionMailOf(mails),
  });
  const common = {
    ...{ workflow, policies, clock },
    calendar: createBillingCalendar(createLocalTime(config.timeZone).offsetMs),
    isInactive: (merchantId: string) => merchantOwners.get(merchantId)?.inactive === true,
  };
  const collector = createCollector({ ...common, charges, links: createPortalCycleLinks(portalLinks), failed });
  const subscriptions = createSubscriptions({
    ...{ ...common, digest: sha256Hex, queries, cycleCharges: createCycleChargeStore(kv), plans: planStore, collector, charges, newToken },
  });
  const deadlines = createSubscriptionDeadlines({ ...common, definition, collector, homes, self: bus.self, failed });
  metrics.gauge("relay_subscriptions_due", "Subscriptions with a deadline now or within seconds.", () => deadlines.counts().held);
  let stopped: Promise<void> | null = null;

  async function pauseAll({ merchantId, partnerId, environment, updatedAtMs }: MerchantRecord): Promise<void> {
    const owner = { merchantId, partnerId, livemode: environment === "LIVE" };
    await subscriptions.pauseAll(owner, { id: `deactivated ${merchantId} ${updatedAtMs}`, requestId: null });
  }

  return {
    operations: {
      plans: createPlans({ store: planStore, policies, clock, digest: sha256Hex }),
      subscriptions,
      cardsOnFile: charges,
      subscriptionUrl: (token) => `${parts.publicUrl()}/s/${token}`,
      subscriptionTasks: createSubscriptionTasks({ store: queries, clock }),
    },
    linkStored: ({ order: { reference }, state }) => {
      if (reference === null || state === "PENDING") return;
      subscriptions.told(reference).catch((error: unknown) => {
        // The store is unavailable. The regular check follows when it is due.
        if (!(error instanceof RelayError)) failed("subscription.told", error);
      });
    },
    byId: async (id) => (await store.load(id))?.record ?? null,
    search: createWorkflowSearch(store, "subscription-of/"),
    pausing: (own) => ({
      ...own,
      patch: async (partner, merchantId, patch) => {
        const outcome = await own.patch(partner, merchantId, patch);
        if (outcome.type === "changed" && patch.active === false) {
          // No request waits for it. A missed subscription is paused when it is due.
          pauseAll(outcome.merchant).catch((error: unknown) => failed("subscription.pause", error));
        }
        return outcome;
      },
    }),
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

/** Restricts card charges to environments in which a payment of the subscription may start. */
function withinReach(charges: RecurringCharges, accounts: Pick<MerchantAccounts, "ofMerchant">): RecurringCharges {
  return {
    ...charges,
    charge: async (order) => {
      const { type } = await accounts.ofMerchant(order);
      return type === "other_environment" ? { type: "failed", hard: true, code: type, description: null } : charges.charge(order);
    },
  };
}

/**
 * The protocol of the card gateway cannot charge a card on file. The sandbox's own gateway can,
 * with an additional call.
 */
function recurringCharges({ mode, gatewayUrl }: Pick<Config, "mode" | "gatewayUrl">): RecurringCharges {
  return mode === "sandbox" && gatewayUrl !== null && mayChargeCards(gatewayUrl) ? createSandboxCharges(gatewayUrl) : NO_RECURRING_CHARGES;
}
