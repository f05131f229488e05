import type { AgentGrant } from "../../../engine/access/agent-grant.ts";
import type { AgentCredentialRecord, AgentLimits } from "../../../engine/agents/agent-credential.ts";
import type {
  AgentCredentialOrder,
  AgentCredentials,
  AgentLinkOutcome,
  MerchantRefusal,
} from "../../../engine/agents/agent-credentials.ts";
import { createAgentLinkKeeper } from "../../../engine/agents/agent-link-keeper.ts";
import { createAgentUseStore } from "../../../engine/agents/agent-use-store.ts";
import { type AgentUses, createAgentUses } from "../../../engine/agents/agent-uses.ts";
import { createAgentCredentials } from "../../../engine/agents/create-agent-credentials.ts";
import type { AgentCredentialEffect, AgentCredentialEvent } from "../../../engine/agents/events.ts";
import { createUsableCredentialsStore, type UsableCredentialsStore } from "../../../engine/agents/usable-credentials-store.ts";
import { AGENT_CREDENTIAL_WORKFLOW, type AgentCredentialOutcome } from "../../../engine/agents/workflow.ts";
import type { CardGateway } from "../../../engine/gateway/card-gateway.ts";
import type { WorkflowEntry } from "../../../engine/kernel/activity-log.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import { KeyedMutex } from "../../../engine/kernel/keyed-mutex.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { PortalLinkOrder, PortalLinkRecord } from "../../../engine/portal-links/portal-link.ts";
import { createRendezvousHomes } from "../../../engine/routing/rendezvous.ts";
import type { WebhookEvent } from "../../../engine/webhooks/webhook-event.ts";
import { createWorkflow } from "../../../engine/workflow/run-workflow.ts";
import { createWorkflowDeadlines } from "../../../engine/workflow/workflow-deadlines.ts";
import { createWorkflowStore, type WorkflowStore } from "../../../engine/workflow/workflow-store.ts";
import { compileAddressList } from "../../../http/auth/address-list.ts";
import { createLocalTime } from "../../../http/surfaces/parts/time.ts";
import { digest } from "../intents/world.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { FakeGateway } from "../links/world.ts";
import { HOUR_MS, member, OWNER, openShard, operation, RETENTION_MS, type Shard } from "../portal-links/world.ts";
import { ManualClock, settle } from "../world.ts";

export const DAY_MS = 24 * HOUR_MS;
export const BY_KEY = { type: "key" } as const;
export const LIMITS: AgentLimits = { currency: "EUR", perLinkMaxMinor: 1_000, perDayMinor: 3_000, totalMinor: 5_000, linksPerHour: 100 };

/** Makes limits as wide as possible, except for the total. */
export function onlyTotal(totalMinor: number): AgentLimits {
  return { currency: "EUR", perLinkMaxMinor: totalMinor, perDayMinor: totalMinor, totalMinor, linksPerHour: 1_000 };
}

export interface AgentShard extends Shard {
  agents: AgentCredentials;
  credentials: WorkflowStore<AgentCredentialRecord>;
  usable: UsableCredentialsStore;
  uses: AgentUses;
}

/** The reports of a shard about credentials. */
export interface AgentsHeard {
  became: string[];
  refused: string[];
  workflow: WorkflowEntry[];
}

export interface AgentShardParts {
  kv: Kv;
  gateway: CardGateway;
  clock: Clock;
  heard: AgentsHeard;
  circumstances?: { refused: MerchantRefusal | null };
  timeZone?: string;
  self?: string;
  addresses?: string[];
  newToken?(): string;
  failed(what: string, error: unknown): void;
}

const eventOperations: Parameters<typeof createWorkflow>[1]["eventOperations"] = (events) =>
  events.map((event) => ({ type: "put", key: `event/${event.objectId}/${event.sequence}`, value: JSON.stringify(event) }));

/** Makes the workflow of credentials on a store. It reports to `heard`. */
export function credentialsOn(
  kv: Kv,
  clock: Clock = new ManualClock(),
  heard: Pick<AgentsHeard, "became" | "workflow"> = { became: [], workflow: [] },
) {
  const store = createWorkflowStore(kv, AGENT_CREDENTIAL_WORKFLOW, RETENTION_MS);
  const usable = createUsableCredentialsStore(kv);
  const options: Parameters<
    typeof createWorkflow<AgentCredentialRecord, AgentCredentialEvent, AgentCredentialEffect, AgentCredentialOutcome>
  >[1] = {
    ...{ store, clock, digest, eventOperations },
    objectOf: ({ id, state, reserved }) => ({ id, state, totalMinor: reserved.totalMinor }),
    activity: { workflow: (entry) => void heard.workflow.push(entry) },
    count: (outcome) => void heard.became.push(outcome),
  };
  return {
    ...{ store, usable },
    workflow: createWorkflow(AGENT_CREDENTIAL_WORKFLOW, { ...options, guard: usable.guard }),
    /** For commits of other workflows. */
    unguarded: createWorkflow(AGENT_CREDENTIAL_WORKFLOW, options),
  };
}

/** Makes the links, portal links and credentials of one shard, wired as in the product. */
export function openAgentShard(parts: AgentShardParts): AgentShard {
  const {
    kv,
    gateway,
    clock,
    heard,
    circumstances,
    timeZone = "Europe/Rome",
    self = "shard-0",
    addresses = [self],
    newToken,
    failed,
  } = parts;
  const { workflow, usable, store: credentials } = credentialsOn(kv, clock, heard);
  const mutex = new KeyedMutex<string>();
  const shard = openShard({
    ...{ kv, gateway, clock, self, addresses, failed, ...(newToken === undefined ? {} : { newToken }) },
    circumstances: { hasAccount: true, isInactive: false, hasRoom: true, team: [member(1)] },
    heard: { became: [], workflow: [], leftOut: 0 },
    keeper: createAgentLinkKeeper({ workflow, mutex }),
  });
  const useStore = createAgentUseStore({ kv, keptMs: 90 * DAY_MS });
  const uses = createAgentUses({ store: useStore, clock, failed });
  const { portalLinks, queries: madeLinks } = shard;
  const agents = createAgentCredentials({
    ...{ workflow, usable, digest, uses, useStore, portalLinks, madeLinks, mutex, clock },
    addressLists: { compile: compileAddressList },
    days: createLocalTime(timeZone),
    tokenOf: (operationId) => `ak_merchant_${Buffer.from(digest(`token ${operationId}`), "hex").toString("base64url")}`,
    merchantRefuses: async () => circumstances?.refused ?? null,
    refused: (limit) => void heard.refused.push(limit),
  });
  const homes = createRendezvousHomes(addresses);
  const deadlines = createWorkflowDeadlines(AGENT_CREDENTIAL_WORKFLOW, {
    ...{ store: credentials, clock, homes, self, failed },
    fire: (id) => workflow.apply(id, (_, atMs) => ({ type: "deadline.passed", atMs }), null),
  });
  return {
    ...shard,
    ...{ agents, credentials, usable, uses },
    tick: () => {
      shard.tick();
      deadlines.tick();
    },
    stop: async () => {
      await Promise.all([shard.stop(), deadlines.stop()]);
    },
  };
}

export class AgentWorld {
  readonly kv = new MemoryKv();
  readonly clock = new ManualClock();
  readonly gateway = new FakeGateway(this.clock.nowMs);
  readonly heard: AgentsHeard = { became: [], refused: [], workflow: [] };
  readonly circumstances: { refused: MerchantRefusal | null } = { refused: null };
  readonly failures: { what: string; error: unknown }[] = [];
  readonly shards: AgentShard[];
  #operations = 0;

  constructor(shards = 1, timeZone = "Europe/Rome") {
    const addresses = Array.from({ length: shards }, (_, index) => `shard-${index}`);
    const failed = (what: string, error: unknown) => void this.failures.push({ what, error });
    const { kv, gateway, clock, heard, circumstances } = this;
    this.shards = addresses.map((self) => openAgentShard({ kv, gateway, clock, heard, circumstances, timeZone, self, addresses, failed }));
  }

  shard(index: number): AgentShard {
    const shard = this.shards[index];
    if (shard === undefined) throw new Error(`no shard ${index}`);
    return shard;
  }

  get agents(): AgentCredentials {
    return this.shard(0).agents;
  }

  next() {
    this.#operations += 1;
    return operation(`o${this.#operations}`);
  }

  order(changes: Partial<AgentCredentialOrder> = {}): AgentCredentialOrder {
    return {
      name: "Booking assistant",
      scopes: ["links:create", "links:read", "links:cancel"],
      limits: LIMITS,
      ipAllow: [],
      expiresAtMs: this.clock.nowMs() + 30 * DAY_MS,
      ...changes,
    };
  }

  async create(
    changes: Partial<AgentCredentialOrder> = {},
  ): Promise<{ credential: AgentCredentialRecord; token: string; grant: AgentGrant }> {
    const created = await this.agents.create(OWNER, this.order(changes), BY_KEY, this.next());
    if (created.type !== "created") throw new Error(created.type);
    const { credential, token } = created;
    const { id: credentialId, merchantId, partnerId, livemode, name, scopes } = credential;
    return { credential, token, grant: { merchantId, partnerId, livemode, credentialId, name, scopes } };
  }

  linkOrder(amountMinor: number, changes: Partial<PortalLinkOrder> = {}): PortalLinkOrder {
    return {
      ...{ amountMinor, currency: "EUR", description: "Two nights", reference: null, customerEmail: null },
      expiresAtMs: this.clock.nowMs() + 2 * HOUR_MS,
      ...changes,
    };
  }

  make(grant: AgentGrant, amountMinor: number, changes: Partial<PortalLinkOrder> = {}, shard = 0): Promise<AgentLinkOutcome> {
    return this.shard(shard).agents.createLink(grant, this.linkOrder(amountMinor, changes), this.next());
  }

  async made(grant: AgentGrant, amountMinor: number, changes: Partial<PortalLinkOrder> = {}): Promise<PortalLinkRecord> {
    const outcome = await this.make(grant, amountMinor, changes);
    if (outcome.type !== "created") throw new Error(JSON.stringify(outcome));
    return outcome.link;
  }

  /** Returns the limit that rejects a link, or another outcome. */
  async outcome(grant: AgentGrant, amountMinor: number, changes: Partial<PortalLinkOrder> = {}): Promise<string> {
    const outcome = await this.make(grant, amountMinor, changes);
    return outcome.type === "refused" ? outcome.limit : outcome.type;
  }

  async credential(id: string): Promise<AgentCredentialRecord> {
    const stored = await this.shard(0).credentials.load(id);
    if (stored === null) throw new Error(`no credential ${id}`);
    return stored.record;
  }

  /** Returns the sums of its links and its state. */
  async stands(grant: AgentGrant): Promise<string> {
    const { state, reserved } = await this.credential(grant.credentialId);
    return `${state} ${reserved.totalMinor} ${reserved.dayMinor}`;
  }

  async told(id: string): Promise<WebhookEvent[]> {
    const entries = await this.kv.scan({ from: `event/${id}/`, to: `event/${id}/~`, limit: 100 });
    return entries.map(({ value }): WebhookEvent => JSON.parse(value));
  }

  /** The customer pays a link, and the gateway reports it. */
  async pays(link: PortalLinkRecord): Promise<void> {
    const paying = await this.shard(0).portalLinks.pay(link.token);
    if (paying?.type !== "payable") throw new Error(`${paying?.type}`);
    this.gateway.pay(`${link.id}.1`);
    await this.shard(0).links.verifyNow(`${link.id}.1`);
  }

  async pass(ms: number, stepMs = 1_000): Promise<void> {
    for (let left = ms; left > 0; left -= Math.min(left, stepMs)) {
      this.clock.advance(Math.min(left, stepMs));
      for (const { tick } of this.shards) tick();
      await settle();
    }
  }
}
