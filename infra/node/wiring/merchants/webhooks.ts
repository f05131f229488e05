import type { LookAtKey } from "../../../../engine/access/made-by-key.ts";
import type { ActivityLog } from "../../../../engine/kernel/activity-log.ts";
import type { Homes } from "../../../../engine/kernel/bus.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import { hashOf } from "../../../../engine/kernel/hash.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { SecretBox } from "../../../../engine/kernel/secret-box.ts";
import { partnerPlace } from "../../../../engine/partners/partner.ts";
import type { Partners } from "../../../../engine/partners/partners.ts";
import { type AdministerWebhooks, createAdministerWebhooks } from "../../../../engine/webhooks/administer-webhooks.ts";
import { createApiVersions } from "../../../../engine/webhooks/api-version-store.ts";
import type { ApiVersions } from "../../../../engine/webhooks/api-versions.ts";
import { createEndpointDeliveries, type EndpointDeliveries } from "../../../../engine/webhooks/endpoint-deliveries.ts";
import { createEndpointStops } from "../../../../engine/webhooks/endpoint-stops.ts";
import { createEndpointsOfKey } from "../../../../engine/webhooks/endpoints-of-key.ts";
import { createFanOut } from "../../../../engine/webhooks/fan-out.ts";
import { createMerchantDeliveries } from "../../../../engine/webhooks/merchant-deliveries.ts";
import { WEBHOOK_DELIVERY_STATES } from "../../../../engine/webhooks/webhook-delivery.ts";
import { createWebhookDeliveryStore } from "../../../../engine/webhooks/webhook-delivery-store.ts";
import { createWebhookEndpointStore, type EndpointOwed } from "../../../../engine/webhooks/webhook-endpoint-store.ts";
import { createWebhookEndpoints, type WebhookEndpoints } from "../../../../engine/webhooks/webhook-endpoints.ts";
import { createWebhookEventStore } from "../../../../engine/webhooks/webhook-event-store.ts";
import { createWebhookEvents, type WebhookEvents } from "../../../../engine/webhooks/webhook-events.ts";
import { createWebhookSender } from "../../../../engine/webhooks/webhook-sender.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { DEFAULT_API_VERSION } from "../../../../http/compat/wire-names.ts";
import { createCallableAddresses } from "../../../../http/gateway/callable-addresses.ts";
import { createPostTarget } from "../../../../http/gateway/callback-post.ts";
import type { WebhookOperations } from "../../../../http/surfaces/merchant/webhooks/surface.ts";
import { createWebhookRequests, merchantBody } from "../../../../http/webhooks/webhook-request.ts";
import { createWebhookSecrets } from "../../../../http/webhooks/webhook-secrets.ts";
import { incarnationOf } from "../../../../storage/bus/cluster/cluster-bus.ts";
import type { Config } from "../../boot/config.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";
import type { Log } from "../../observability/log.ts";
import type { ByState, ShardMetrics } from "../../observability/metrics.ts";
import { lookedUp } from "../administration/overview.ts";
import { logEndedEndpoint, logWebhookEndpoints, logWebhooks } from "../shared/activity-hooks.ts";

export interface WebhookParts {
  config: Pick<Config, "callbackAllowedNetworks">;
  kv: Kv;
  homes: Pick<Homes, "homeOf">;
  /** Null for a single node. */
  cluster: { readonly incarnation: string } | null;
  partners: Partners;
  box: SecretBox;
  clock: Clock;
  /** The machine's own clock, which tests do not move. It is for counts. */
  machineClock: Clock;
  log: Pick<Log, "webhook" | "webhookEndpointDisabled" | "engineFailed">;
  metrics: Pick<ShardMetrics, "webhookTold" | "gauge" | "gaugeByState">;
  /** For the logs of merchants. */
  activity: ActivityLog;
  /** The notices to merchants' owners about changes of endpoints. */
  owed: EndpointOwed;
}

/**
 * Endpoints are divided into this many partitions. The home of a partition sends to its endpoints.
 */
const PARTITIONS = 64;
/** The queue key for the fan-out of events, used instead of an endpoint. */
const FAN_OUT = "fan-out";

/** Limits the counted deliveries, and the rate of counting if metrics are requested often. */
const COUNTED_MAX = 10_000;
const COUNT_AGAIN_MS = 1_000;

export interface ComposedWebhooks {
  operations: Omit<WebhookOperations, "clock"> & {
    /** The endpoints of merchants and partners, and of the compatible adapter's format. */
    webhookEndpoints: WebhookEndpoints;
    /** Events in the compatible adapter's format. */
    webhookEvents: WebhookEvents;
    endpointDeliveries: EndpointDeliveries;
    administerWebhooks: AdministerWebhooks;
    apiVersions: ApiVersions;
    effectiveApiVersion(merchantId: string): Promise<string>;
  };
  /** Finds the endpoints that a secret key created. */
  ofKey: LookAtKey;
  /** Fans out events and sends deliveries. One thread of a node must run it. */
  sender(): Lifecycle;
}

export function composeWebhooks(parts: WebhookParts): ComposedWebhooks {
  const { config, kv, homes, cluster, partners, box, clock, machineClock, log, metrics, activity, owed } = parts;
  const events = createWebhookEventStore(kv);
  const endpoints = logWebhookEndpoints(createWebhookEndpointStore(kv, owed), activity, clock.nowMs);
  const deliveries = createWebhookDeliveryStore(kv);
  const apiVersions = createApiVersions(kv);
  const stops = createEndpointStops({
    ...{ endpoints, deliveries, clock },
    disabled: ({ id, disabledReason }) => log.webhookEndpointDisabled({ id, reason: disabledReason }),
  });
  const apiVersionOf = async (merchantId: string) => (await apiVersions.versionOf(merchantId)) ?? DEFAULT_API_VERSION;
  const mine = (name: string): boolean => {
    if (cluster === null) return true;
    return incarnationOf(homes.homeOf(`webhooks/${hashOf(name) % PARTITIONS}`)) === cluster.incarnation;
  };

  const { isLocalHost } = createCallableAddresses(config.callbackAllowedNetworks);
  const endpointParts = { store: endpoints, stops, box, clock, secrets: createWebhookSecrets(), digest: sha256Hex, isLocalHost };

  return {
    operations: {
      webhookEndpoints: createWebhookEndpoints({ ...endpointParts, format: "platform" }),
      merchantWebhooks: createWebhookEndpoints({ ...endpointParts, format: null }),
      merchantDeliveries: createMerchantDeliveries({ events, deliveries, endpoints, apiVersionOf, digest: sha256Hex, clock }),
      webhookBody: merchantBody,
      webhookEvents: createWebhookEvents({ format: "platform", events, deliveries, endpoints, apiVersionOf, clock }),
      endpointDeliveries: createEndpointDeliveries({ deliveries, clock }),
      administerWebhooks: createAdministerWebhooks({ deliveries, endpoints, stops, clock }),
      ...{ apiVersions, effectiveApiVersion: apiVersionOf },
    },
    ofKey: createEndpointsOfKey({ store: endpoints, stops, ended: logEndedEndpoint(activity), failed: log.engineFailed }),
    sender: () => {
      const fanOut = createFanOut({
        ...{ events, endpoints, deliveries, apiVersionOf, clock },
        mine: () => mine(FAN_OUT),
        failed: log.engineFailed,
      });
      const sender = createWebhookSender({
        ...{ deliveries, stops, clock, mine },
        requests: createWebhookRequests({ box, partnerSecretOf: (partnerId) => partnerSecretOf(partners, box, partnerId) }),
        target: createPostTarget({ allowedNetworks: config.callbackAllowedNetworks }),
        told: (event) => {
          metrics.webhookTold(event.type);
          log.webhook(event);
        },
        attempted: logWebhooks(activity),
        failed: log.engineFailed,
      });
      const count = async (): Promise<ByState> => {
        const counted = WEBHOOK_DELIVERY_STATES.map(async (state) => [state, await deliveries.count(state, COUNTED_MAX)] as const);
        return Object.fromEntries(await Promise.all(counted));
      };
      metrics.gaugeByState(
        "relay_webhook_deliveries",
        "Stored deliveries of webhooks, by state, of all nodes; each state counted up to 10,000.",
        lookedUp(machineClock, count, COUNT_AGAIN_MS),
      );
      metrics.gauge(
        "relay_webhook_oldest_due_seconds",
        "How long the oldest webhook that this node must send or fan out has been due.",
        () => {
          const since = [sender.oldestDueMs(), fanOut.oldestMs()].filter((atMs) => atMs !== null);
          return since.length === 0 ? 0 : Math.max(0, clock.nowMs() - Math.min(...since)) / 1_000;
        },
      );
      return {
        tick: () => {
          fanOut.tick();
          sender.tick();
        },
        // Waits only as long as for requests. Another node sends an interrupted delivery again.
        drain: () => {
          for (const { stop } of [fanOut, sender]) stop().catch((error: unknown) => log.engineFailed("webhooks", error));
        },
      };
    },
  };
}

/**
 * Returns null for a partner that is disabled or has no access to Partner API v1, because nothing
 * can be signed for it.
 */
function partnerSecretOf(partners: Partners, box: SecretBox, partnerId: number): string | null {
  const record = partners.byId(partnerId)?.record;
  if (record === undefined || !record.enabled || record.partnerApi === null) return null;
  return box.open(record.partnerApi.sealedSecret, partnerPlace(partnerId, "partnerApiSecret"));
}
