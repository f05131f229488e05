import type { MemberRecord } from "../../../engine/accounts/team.ts";
import type { CardGateway } from "../../../engine/gateway/card-gateway.ts";
import type { WorkflowEntry } from "../../../engine/kernel/activity-log.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { MerchantParty } from "../../../engine/kernel/merchant-scope.ts";
import type { LinkRecord } from "../../../engine/links/link.ts";
import type { LinkCompanion } from "../../../engine/links/link-companion.ts";
import { createLinkStore } from "../../../engine/links/link-store.ts";
import type { MerchantAccounts } from "../../../engine/links/merchant-accounts.ts";
import { createRefundRows } from "../../../engine/links/refund-rows.ts";
import { createShardLinks, type ShardLinks } from "../../../engine/links/shard-links.ts";
import { createMailStore, mailText } from "../../../engine/mails/mail-store.ts";
import { createPortalLinks } from "../../../engine/portal-links/create-portal-links.ts";
import type { PortalLinkCreator, PortalLinkOrder, PortalLinkRecord } from "../../../engine/portal-links/portal-link.ts";
import { createPortalLinkCompanion } from "../../../engine/portal-links/portal-link-companion.ts";
import type { PortalLinkKeeper } from "../../../engine/portal-links/portal-link-keeper.ts";
import { createPortalLinkMails, type PortalLinkMails } from "../../../engine/portal-links/portal-link-mails.ts";
import { createPortalLinkQueries, type PortalLinkQueries } from "../../../engine/portal-links/portal-link-queries.ts";
import type { PortalLinkQuery, PortalLinks } from "../../../engine/portal-links/portal-links.ts";
import { PORTAL_LINK_HOURS_DEFAULT } from "../../../engine/portal-links/words.ts";
import { type PortalLinkWorkflow, portalLinkWorkflow } from "../../../engine/portal-links/workflow.ts";
import { createRendezvousHomes } from "../../../engine/routing/rendezvous.ts";
import type { WebhookEvent } from "../../../engine/webhooks/webhook-event.ts";
import { createWorkflow } from "../../../engine/workflow/run-workflow.ts";
import type { RequestContext } from "../../../engine/workflow/workflow.ts";
import { createWorkflowDeadlines } from "../../../engine/workflow/workflow-deadlines.ts";
import { createWorkflowStore } from "../../../engine/workflow/workflow-store.ts";
import { digest, eventOperations } from "../intents/world.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { FakeGateway } from "../links/world.ts";
import { ManualClock, settle } from "../world.ts";

export const RETENTION_MS = 400 * 86_400_000;
export const HOUR_MS = 3_600_000;
export const OWNER: MerchantParty = { merchantId: "M1", partnerId: 1, livemode: false };
const ACCOUNT = { terminalId: "TML1", merchantId: "G1", secret: "s" };
const BOX = { seal: (text: string) => text, open: (text: string) => text };

export const QUERY: PortalLinkQuery = {
  ...{ limit: 50, cursor: null, state: null, fromMs: null, beforeMs: null, customerEmail: null, q: null },
};

export function operation(id: string): RequestContext {
  return { id, requestId: `req_${id}` };
}

export function member(n: number, changes: Partial<MemberRecord> = {}): MemberRecord {
  return {
    ...{ userId: `usr_${n}`, email: `user${n}@shop.example`, role: "OWNER", state: "ACTIVE", accountId: `acc_${n}`, locale: "en" },
    ...{ invitedAtMs: 1, invitation: null, joinedAtMs: 1 },
    ...changes,
  };
}

export function storeOn(kv: Kv, retentionMs = RETENTION_MS) {
  const digests = { digest, keyedDigest: (text: string) => digest(`a key ${text}`) };
  const definition = portalLinkWorkflow(digests);
  const store = createWorkflowStore(kv, definition, retentionMs);
  return { definition, store, queries: createPortalLinkQueries(store, digests) };
}

/** Makes the workflow of portal links on a store. It reports to `heard`. */
export function portalLinkWorkflowOn(
  kv: Kv,
  clock: Clock,
  {
    heard = { became: [], workflow: [] },
    ...options
  }: { heard?: Pick<Heard, "became" | "workflow">; guard?: PortalLinkKeeper; mailOf?: PortalLinkMails["paid"] } = {},
): PortalLinkWorkflow {
  const { definition, store } = storeOn(kv);
  return createWorkflow(definition, {
    ...{ store, clock, digest, eventOperations, ...options },
    objectOf: ({ id, state, late }) => ({ id, state, late }),
    activity: { workflow: (entry) => void heard.workflow.push(entry) },
    count: (outcome) => void heard.became.push(outcome),
  });
}

/** Conditions that a test may change at any time. */
export interface Circumstances {
  /** The merchant's partner has an account at the gateway. */
  hasAccount: boolean;
  isInactive: boolean;
  hasRoom: boolean;
  team: readonly MemberRecord[] | "away";
}

export interface Shard extends Omit<ShardLinks, "counts"> {
  portalLinks: PortalLinks;
  queries: PortalLinkQueries;
  companion: LinkCompanion;
}

/** The reports of a shard about its links. */
export interface Heard {
  became: string[];
  workflow: WorkflowEntry[];
  leftOut: number;
}

/** Makes the links and portal links of one node, wired as in the product. */
export function openShard({
  kv,
  gateway,
  clock,
  circumstances,
  heard,
  self = "shard-0",
  addresses = [self],
  keeper,
  newToken = () => crypto.randomUUID().replaceAll("-", "").slice(0, 22),
  failed,
}: {
  kv: Kv;
  gateway: CardGateway;
  clock: Clock;
  circumstances: Circumstances;
  heard: Heard;
  self?: string;
  addresses?: string[];
  keeper?: PortalLinkKeeper;
  newToken?(): string;
  failed(what: string, error: unknown): void;
}): Shard {
  const { definition, queries } = storeOn(kv);
  const homes = createRendezvousHomes(addresses);
  const accounts = {
    ofPartner: () => (circumstances.hasAccount ? ACCOUNT : null),
    ofTerminal: () => null,
    isMerchantInactive: () => false,
    ofPayment: () => ACCOUNT,
  };
  const merchantAccounts: Pick<MerchantAccounts, "ofMerchant"> = {
    ofMerchant: async () => (circumstances.hasAccount ? { type: "account", credentials: ACCOUNT, apart: false } : { type: "no_account" }),
  };
  const mails = createPortalLinkMails({
    ...{ box: BOX, digest, clock },
    store: { room: async (_kind, _share, atMs) => (circumstances.hasRoom ? atMs : null) },
    teams: {
      load: async (merchantId) => {
        if (circumstances.team === "away") throw new Error("the store is away");
        return { record: { schema: 1, merchantId, members: circumstances.team, updatedAtMs: 1 }, version: 1 };
      },
    },
    shops: { of: async (merchantId) => ({ name: merchantId, color: null, logo: null }) },
    texts: {
      link: (locale, { merchantName, link }) => ({ subject: `${locale} ${merchantName}`, text: `pay ${link.token}` }),
      paid: (locale, { merchantName, link }) => ({ subject: `${locale} ${merchantName}`, text: `paid ${link.id}` }),
    },
    leftOut: (count) => {
      heard.leftOut += count;
    },
  });
  const workflow = portalLinkWorkflowOn(kv, clock, { heard, mailOf: mails.paid, ...(keeper === undefined ? {} : { guard: keeper }) });
  const companion = createPortalLinkCompanion(workflow);
  const shard = createShardLinks({
    store: createLinkStore({ kv, retentionMs: RETENTION_MS, writer: `${self}-${clock.nowMs()}` }),
    ...{ gateway, accounts, clock, homes, self, failed },
    signature: { matches: () => true },
    notifyUrl: () => "https://relay.example/api/v1/gw/notify",
    companions: [companion, createRefundRows({ isLive: async () => false })],
  });
  const portalLinks = createPortalLinks({
    ...{ workflow, queries, digest, accounts: merchantAccounts, mails, clock, newToken },
    links: shard.links,
    isInactive: () => circumstances.isInactive,
    returnUrl: (token) => `https://relay.example/l/${token}/return`,
  });
  const deadlines = createWorkflowDeadlines(definition, {
    ...{ store: workflow.store, clock, homes, self, failed },
    fire: (id) => workflow.apply(id, (_, atMs) => ({ type: "deadline.passed", atMs }), null),
  });
  return {
    links: shard.links,
    portalLinks,
    queries,
    companion,
    tick: () => {
      shard.tick();
      deadlines.tick();
    },
    stop: async () => {
      await Promise.all([shard.stop(), deadlines.stop()]);
    },
  };
}

export class PortalLinkWorld {
  readonly kv: MemoryKv;
  readonly clock: ManualClock;
  readonly gateway: FakeGateway;
  readonly circumstances: Circumstances;
  readonly heard: Heard = { became: [], workflow: [], leftOut: 0 };
  readonly failures: { what: string; error: unknown }[] = [];
  readonly shards: Shard[];
  #operations = 0;

  constructor(
    shards = 1,
    {
      kv = new MemoryKv(),
      clock = new ManualClock(),
      gateway = new FakeGateway(clock.nowMs),
      circumstances = { hasAccount: true, isInactive: false, hasRoom: true, team: [member(1)] },
      newToken,
    }: Partial<Pick<PortalLinkWorld, "kv" | "clock" | "gateway" | "circumstances">> & { newToken?(): string } = {},
  ) {
    this.kv = kv;
    this.clock = clock;
    this.gateway = gateway;
    this.circumstances = circumstances;
    const addresses = Array.from({ length: shards }, (_, index) => `shard-${index}`);
    const failed = (what: string, error: unknown) => this.failures.push({ what, error });
    const { heard } = this;
    const parts = { kv, gateway, clock, circumstances, heard, addresses, failed, ...(newToken === undefined ? {} : { newToken }) };
    this.shards = addresses.map((self) => openShard({ ...parts, self }));
  }

  /** The same store and gateway after a restart. */
  restarted(): PortalLinkWorld {
    for (const { stop } of this.shards) void stop();
    return new PortalLinkWorld(this.shards.length, this);
  }

  get portalLinks(): PortalLinks {
    return this.shard(0).portalLinks;
  }

  shard(index: number): Shard {
    const shard = this.shards[index];
    if (shard === undefined) throw new Error(`no shard ${index}`);
    return shard;
  }

  next(): RequestContext {
    this.#operations += 1;
    return operation(`o${this.#operations}`);
  }

  order(changes: Partial<PortalLinkOrder> = {}): PortalLinkOrder {
    return {
      amountMinor: 1_234,
      currency: "EUR",
      description: "Two nights",
      reference: "R-7",
      customerEmail: "ada@example.org",
      expiresAtMs: this.clock.nowMs() + PORTAL_LINK_HOURS_DEFAULT * HOUR_MS,
      ...changes,
    };
  }

  async create(changes: Partial<PortalLinkOrder> = {}, createdBy: PortalLinkCreator = { type: "key" }): Promise<PortalLinkRecord> {
    const created = await this.portalLinks.create(OWNER, this.order(changes), createdBy, this.next());
    if (created.type !== "created") throw new Error(created.type);
    return created.link;
  }

  /** Makes a link whose first attempt is open. */
  async open(changes: Partial<PortalLinkOrder> = {}): Promise<{ id: string; token: string; txId: string }> {
    const { id, token } = await this.create(changes);
    const paying = await this.portalLinks.pay(token);
    if (paying?.type !== "payable") throw new Error(`${paying?.type}`);
    return { id, token, txId: `${id}.1` };
  }

  async paid(changes: Partial<PortalLinkOrder> = {}): Promise<{ id: string; token: string; txId: string }> {
    const opened = await this.open(changes);
    this.gateway.pay(opened.txId);
    await this.verified(opened.txId);
    return opened;
  }

  /** The gateway reports the current state of an attempt's link. */
  async verified(txId: string): Promise<LinkRecord> {
    const found = await this.shard(0).links.verifyNow(txId);
    if (found === null) throw new Error(`no link ${txId}`);
    return found.record;
  }

  fail(txId: string, resultCode = "GW_10001"): void {
    this.gateway.set(txId, { type: "failed", paymentId: `g-${txId}`, resultCode, description: "no" });
  }

  async link(id: string): Promise<PortalLinkRecord> {
    const found = await this.portalLinks.find(OWNER, id);
    if (found === null) throw new Error(`no link ${id}`);
    return found;
  }

  async state(id: string): Promise<string> {
    const { state, late } = await this.link(id);
    return late ? `${state} late` : state;
  }

  async events(id: string): Promise<WebhookEvent[]> {
    const entries = await this.kv.scan({ from: `event/${id}/`, to: `event/${id}/~`, limit: 100 });
    return entries.map(({ value }): WebhookEvent => JSON.parse(value));
  }

  async told(id: string): Promise<string[]> {
    return (await this.events(id)).map(({ type }) => type);
  }

  /** Returns the attention items of operators: kind and uuid. */
  attention(): string[] {
    return this.kv.keys("a/").map((key) => key.replace("a/", "").replace("/TML1/", " "));
  }

  async mails(): Promise<{ kind: string; to: string; text: string }[]> {
    const page = await createMailStore(this.kv).page(null, 100);
    return page.map((record) => ({ kind: record.kind, to: record.to, text: mailText(BOX, record)?.text ?? "" })).reverse();
  }

  async pass(ms: number, stepMs = 1_000): Promise<void> {
    for (let left = ms; left > 0; left -= Math.min(left, stepMs)) {
      this.clock.advance(Math.min(left, stepMs));
      for (const { tick } of this.shards) tick();
      await settle();
    }
  }
}
