import type { LookAtKey } from "../../../../engine/access/made-by-key.ts";
import type { AgentCredentials } from "../../../../engine/agents/agent-credentials.ts";
import { createAgentLinkKeeper } from "../../../../engine/agents/agent-link-keeper.ts";
import { createAgentUseStore } from "../../../../engine/agents/agent-use-store.ts";
import { createAgentUses } from "../../../../engine/agents/agent-uses.ts";
import { AGENT_TOKEN_PREFIX, createAgentCredentials } from "../../../../engine/agents/create-agent-credentials.ts";
import { createCredentialsOfKey } from "../../../../engine/agents/credentials-of-key.ts";
import { createUsableCredentialsStore } from "../../../../engine/agents/usable-credentials-store.ts";
import { AGENT_DAYS_MAX } from "../../../../engine/agents/words.ts";
import { AGENT_CREDENTIAL_WORKFLOW } from "../../../../engine/agents/workflow.ts";
import type { ActivityLog } from "../../../../engine/kernel/activity-log.ts";
import type { Address, Homes } from "../../../../engine/kernel/bus.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { KeyedMutex } from "../../../../engine/kernel/keyed-mutex.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { MerchantStore } from "../../../../engine/partners/merchant-store.ts";
import type { Partners } from "../../../../engine/partners/partners.ts";
import type { PortalLinkKeeper } from "../../../../engine/portal-links/portal-link-keeper.ts";
import type { PortalLinkQueries } from "../../../../engine/portal-links/portal-link-queries.ts";
import type { PortalLinks } from "../../../../engine/portal-links/portal-links.ts";
import { eventOperations } from "../../../../engine/webhooks/webhook-event-store.ts";
import { createWorkflow } from "../../../../engine/workflow/run-workflow.ts";
import { createWorkflowDeadlines } from "../../../../engine/workflow/workflow-deadlines.ts";
import { createWorkflowStore } from "../../../../engine/workflow/workflow-store.ts";
import { compileAddressList } from "../../../../http/auth/address-list.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { agentCredentialObject } from "../../../../http/surfaces/merchant/agent-credentials/schemas.ts";
import { createLocalTime } from "../../../../http/surfaces/parts/time.ts";
import type { Config } from "../../boot/config.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";
import type { ShardMetrics } from "../../observability/metrics.ts";
import { keyedDigest } from "../access/new-token.ts";

/** Limits the wait for expiries in progress when the node stops. */
const STOP_MS = 5_000;

const DAY_MS = 86_400_000;

export interface AgentWiring {
  config: Pick<Config, "terminalSecret" | "timeZone">;
  kv: Kv;
  bus: { readonly self: Address };
  homes: Homes;
  clock: Clock;
  merchants: Pick<MerchantStore, "load">;
  partners: Pick<Partners, "byId">;
  activity: Pick<ActivityLog, "workflow">;
  retentionMs: number;
  metrics: Pick<ShardMetrics, "gauge" | "agentCredentialBecame" | "agentLinkRefused">;
  failed(what: string, error: unknown): void;
}

export interface ComposedAgents extends Lifecycle {
  /** Tracks agents' links in the commits that change them. */
  keeper: PortalLinkKeeper;
  /** Finds the credentials that a secret key created. */
  ofKey: LookAtKey;
  /** Returns the operations over links that have the keeper. */
  over(portalLinks: PortalLinks, madeLinks: Pick<PortalLinkQueries, "madeByAgent" | "firstMadeByAgent">): AgentCredentials;
}

/**
 * Composes credentials of AI agents in a shard in two steps. Portal links are composed between
 * them, because their commits call the keeper and agents create links.
 */
export function composeAgents(parts: AgentWiring): ComposedAgents {
  const { config, kv, bus, homes, clock, merchants, partners, activity, retentionMs, metrics, failed } = parts;
  const store = createWorkflowStore(kv, AGENT_CREDENTIAL_WORKFLOW, retentionMs);
  const usable = createUsableCredentialsStore(kv);
  const options = {
    ...{ store, clock, digest: sha256Hex, objectOf: agentCredentialObject, eventOperations, activity },
    count: metrics.agentCredentialBecame,
  };
  const workflow = createWorkflow(AGENT_CREDENTIAL_WORKFLOW, { ...options, guard: usable.guard });
  const useStore = createAgentUseStore({ kv, keptMs: AGENT_DAYS_MAX * DAY_MS + retentionMs });
  const uses = createAgentUses({
    ...{ store: useStore, clock },
    // While the store is unavailable, every second fails again. The store itself reports that.
    failed: (what, error) => void (error instanceof RelayError ? undefined : failed(what, error)),
  });
  const mutex = new KeyedMutex<string>();
  const deadlines = createWorkflowDeadlines(AGENT_CREDENTIAL_WORKFLOW, {
    ...{ store, clock, homes, self: bus.self, failed },
    fire: (id) => workflow.apply(id, (_, atMs) => ({ type: "deadline.passed", atMs }), null),
  });
  metrics.gauge(
    "relay_agent_credentials_due",
    "Credentials of AI agents that expire now or within seconds.",
    () => deadlines.counts().held,
  );
  const digestOfOperation = keyedDigest(config.terminalSecret, "tokens of agents");
  let stopped: Promise<void> | null = null;
  return {
    ofKey: createCredentialsOfKey({ workflow: createWorkflow(AGENT_CREDENTIAL_WORKFLOW, options), usable }),
    keeper: createAgentLinkKeeper({ workflow, mutex }),
    over: (portalLinks, madeLinks) =>
      createAgentCredentials({
        ...{ workflow, usable, digest: sha256Hex, uses, useStore, portalLinks, madeLinks, mutex, clock },
        addressLists: { compile: compileAddressList },
        days: createLocalTime(config.timeZone),
        tokenOf: (operationId) => AGENT_TOKEN_PREFIX + Buffer.from(digestOfOperation(operationId), "hex").toString("base64url"),
        merchantRefuses: async ({ merchantId, partnerId, livemode }) => {
          const merchant = (await merchants.load(merchantId))?.record;
          if (merchant?.active !== true || partners.byId(partnerId)?.record.enabled !== true) return "inactive";
          return (merchant.environment === "LIVE") === livemode ? null : "environment";
        },
        refused: metrics.agentLinkRefused,
      }),
    tick: deadlines.tick,
    everySecond: () => void uses.flush(),
    drain: () => {
      stopped ??= deadlines.stop();
    },
    close: async () => {
      stopped ??= deadlines.stop();
      await Promise.race([Promise.all([stopped, uses.flush()]), new Promise((resolve) => setTimeout(resolve, STOP_MS).unref())]);
    },
  };
}
