import { createHash } from "node:crypto";
import type { CardGateway } from "../../../engine/gateway/card-gateway.ts";
import { createIntents } from "../../../engine/intents/create-intents.ts";
import { type IntentOrder, type IntentRecord, statusOf } from "../../../engine/intents/intent.ts";
import { createIntentCompanion } from "../../../engine/intents/intent-companion.ts";
import { createIntentIndexStore } from "../../../engine/intents/intent-index-store.ts";
import type { IntentObjects, Intents, IsUnderDispute, Operation } from "../../../engine/intents/intents.ts";
import { intentWorkflow } from "../../../engine/intents/workflow.ts";
import { type ActivityLog, NO_ACTIVITY } from "../../../engine/kernel/activity-log.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { MerchantParty } from "../../../engine/kernel/merchant-scope.ts";
import type { LinkRecord } from "../../../engine/links/link.ts";
import type { LinkCompanion } from "../../../engine/links/link-companion.ts";
import { createLinkStore } from "../../../engine/links/link-store.ts";
import type { MerchantAccounts } from "../../../engine/links/merchant-accounts.ts";
import { createShardLinks, type ShardLinks } from "../../../engine/links/shard-links.ts";
import { createRendezvousHomes } from "../../../engine/routing/rendezvous.ts";
import type { WebhookEvent } from "../../../engine/webhooks/webhook-event.ts";
import { createWorkflow } from "../../../engine/workflow/run-workflow.ts";
import { createWorkflowStore } from "../../../engine/workflow/workflow-store.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { FakeGateway } from "../links/world.ts";
import { ManualClock, settle } from "../world.ts";

export const RETENTION_MS = 400 * 86_400_000;
export const OWNER: MerchantParty = { merchantId: "M1", partnerId: 1, livemode: false };
const ACCOUNT = { terminalId: "TML1", merchantId: "G1", secret: "s" };

export const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The objects of events: the id and the status at that time. */
export const OBJECTS: IntentObjects = {
  intent: (record) => ({ id: record.id, status: statusOf(record) }),
  charge: ({ attempt, isDisputed }) => ({ id: attempt.chargeId, state: attempt.state, unwanted: attempt.unwanted, isDisputed }),
  refund: ({ attempt, refund }) => ({ id: refund.id, state: attempt.followUps.find(({ id }) => id === refund.id)?.state }),
};

export function intentOrder(changes: Partial<IntentOrder> = {}): IntentOrder {
  return {
    amountMinor: 1_234,
    currency: "EUR",
    captureMethod: "automatic",
    confirmationMethod: "automatic",
    description: "Order 7",
    metadata: {},
    receiptEmail: "ada@example.org",
    returnUrl: "https://shop.example/done",
    shipping: null,
    customer: null,
    statementDescriptor: null,
    statementDescriptorSuffix: null,
    paymentMethodTypes: ["card"],
    automaticPaymentMethods: null,
    ...changes,
  };
}

/** Returns a request with its own key. */
export function operation(id: string): Operation {
  return { id, requestId: `req_${id}`, idempotencyKey: `key-${id}` };
}

export function storeOn(kv: Kv, retentionMs = RETENTION_MS) {
  const definition = intentWorkflow(OBJECTS);
  const store = createWorkflowStore(kv, definition, retentionMs);
  return { definition, store, indexes: createIntentIndexStore(kv, store) };
}

/** Events are stored as `event/<object>/<sequence>`. */
export const eventOperations: Parameters<typeof createWorkflow>[1]["eventOperations"] = (events) =>
  events.map((event) => ({
    type: "put",
    key: `event/${event.objectId}/${String(event.sequence).padStart(4, "0")}`,
    value: JSON.stringify(event),
  }));

export interface Shard extends ShardLinks {
  intents: Intents;
  companion: LinkCompanion;
}

/** Opens the links and intents of one node, wired as in the node. */
export function openShard({
  kv,
  gateway,
  clock,
  self = "shard-0",
  addresses = [self],
  hasAccount = () => true,
  disputed = new Set<string>(),
  activity = NO_ACTIVITY,
  uuid = () => crypto.randomUUID(),
  failed,
}: {
  kv: Kv;
  gateway: CardGateway;
  clock: Clock;
  self?: string;
  addresses?: string[];
  hasAccount?(): boolean;
  /** The txIds of payments under dispute. */
  disputed?: ReadonlySet<string>;
  activity?: ActivityLog;
  uuid?(): string;
  failed(what: string, error: unknown): void;
}): Shard {
  const { definition, store, indexes } = storeOn(kv);
  const workflow = createWorkflow(definition, {
    ...{ store, clock, digest, eventOperations, activity },
    ...{ objectOf: OBJECTS.intent, count: () => undefined },
  });
  const accounts = {
    ofPartner: () => (hasAccount() ? ACCOUNT : null),
    ofTerminal: () => null,
    isMerchantInactive: () => false,
    ofPayment: () => ACCOUNT,
  };
  const merchantAccounts: MerchantAccounts = {
    ofMerchant: async () => (hasAccount() ? { type: "account", credentials: ACCOUNT, apart: false } : { type: "no_account" }),
    isKeptForTest: () => false,
  };
  const isUnderDispute: IsUnderDispute = async (payment) => disputed.has(payment.uuid);
  const companion = createIntentCompanion({ workflow, isUnderDispute, digest });
  const shard = createShardLinks({
    store: createLinkStore({ kv, retentionMs: RETENTION_MS, writer: `${self}-${clock.nowMs()}` }),
    gateway,
    accounts,
    signature: { matches: () => true },
    clock,
    homes: createRendezvousHomes(addresses),
    self,
    notifyUrl: () => "https://relay.example/api/v1/gw/notify",
    companions: [companion],
    failed,
  });
  const intents = createIntents({
    ...{ workflow, indexes, accounts: merchantAccounts, clock, digest },
    links: shard.links,
    ids: { uuid },
    returnUrl: (token) => `https://relay.example/pay/return/${token}`,
  });
  return { ...shard, intents, companion };
}

export class IntentWorld {
  readonly kv: MemoryKv;
  readonly clock: ManualClock;
  readonly gateway: FakeGateway;
  readonly failures: { what: string; error: unknown }[] = [];
  readonly shards: Shard[];
  /** Whether the merchant's partner has an account at the gateway. */
  hasAccount = true;
  readonly disputed = new Set<string>();
  #operations = 0;

  constructor(
    shards = 1,
    {
      kv = new MemoryKv(),
      clock = new ManualClock(),
      gateway = new FakeGateway(clock.nowMs),
      ...others
    }: Partial<Pick<IntentWorld, "kv" | "clock" | "gateway"> & Pick<Parameters<typeof openShard>[0], "activity" | "uuid">> = {},
  ) {
    this.kv = kv;
    this.clock = clock;
    this.gateway = gateway;
    const addresses = Array.from({ length: shards }, (_, index) => `shard-${index}`);
    const failed = (what: string, error: unknown) => this.failures.push({ what, error });
    const { disputed } = this;
    this.shards = addresses.map((self) =>
      openShard({ kv, gateway, clock, self, addresses, hasAccount: () => this.hasAccount, disputed, failed, ...others }),
    );
  }

  /** Returns the world after a restart, with the same store and gateway. */
  restarted(): IntentWorld {
    for (const { stop } of this.shards) void stop();
    return new IntentWorld(this.shards.length, this);
  }

  get intents(): Intents {
    return this.shard(0).intents;
  }

  shard(index: number): Shard {
    const shard = this.shards[index];
    if (shard === undefined) throw new Error(`no shard ${index}`);
    return shard;
  }

  next(): Operation {
    this.#operations += 1;
    return operation(`o${this.#operations}`);
  }

  async create(changes: Partial<IntentOrder> = {}): Promise<IntentRecord> {
    return this.intents.create(OWNER, intentOrder(changes), this.next());
  }

  /** Creates an intent whose first attempt is open, and returns the link of that attempt. */
  async open(changes: Partial<IntentOrder> = {}): Promise<{ id: string; txId: string }> {
    const { id } = await this.create(changes);
    const confirmed = await this.intents.confirm(OWNER, id, {}, this.next());
    if (confirmed?.type !== "confirmed") throw new Error(`confirmed as ${confirmed?.type}`);
    return { id, txId: `${id}.1` };
  }

  async paid(changes: Partial<IntentOrder> = {}): Promise<{ id: string; txId: string }> {
    const opened = await this.open(changes);
    this.gateway.pay(opened.txId);
    await this.verified(opened.txId);
    return opened;
  }

  /** Asks the gateway for the current state of a link. */
  async verified(txId: string): Promise<LinkRecord> {
    const found = await this.shard(0).links.verifyNow(txId);
    if (found === null) throw new Error(`no link ${txId}`);
    return found.record;
  }

  fail(txId: string, resultCode = "GW_10001"): void {
    this.gateway.set(txId, { type: "failed", paymentId: `g-${txId}`, resultCode, description: "no" });
  }

  async intent(id: string): Promise<IntentRecord> {
    const found = await this.intents.find(OWNER, id);
    if (found === null) throw new Error(`no intent ${id}`);
    return found;
  }

  async status(id: string): Promise<string> {
    return statusOf(await this.intent(id));
  }

  async link(txId: string): Promise<LinkRecord> {
    const record = await this.shard(0).links.byTxId(txId);
    if (record === null) throw new Error(`no link ${txId}`);
    return record;
  }

  async events(id: string): Promise<WebhookEvent[]> {
    const entries = await this.kv.scan({ from: `event/${id}/`, to: `event/${id}/~`, limit: 10_000 });
    return entries.map(({ value }): WebhookEvent => JSON.parse(value));
  }

  async told(id: string): Promise<string[]> {
    return (await this.events(id)).map(({ type }) => type);
  }

  /** Moves the clocks in steps of a second, or of 20 s for more than ten minutes. */
  async pass(ms: number, stepMs = ms > 600_000 ? 20_000 : 1_000): Promise<void> {
    for (let left = ms; left > 0; left -= Math.min(left, stepMs)) {
      this.clock.advance(Math.min(left, stepMs));
      for (const { tick } of this.shards) tick();
      await settle();
    }
  }

  /** Returns the amount that the gateway has kept of each payment, in minor units. */
  kept(): Map<string, number> {
    return keptOf(this.gateway);
  }
}

/** Returns the amount of each payment that was paid, and neither reversed nor refunded. */
export function keptOf(gateway: FakeGateway): Map<string, number> {
  const kept = new Map<string, number>();
  for (const [txId, { state }] of gateway.payments) {
    if (state.type !== "paid") continue;
    const { tranId } = state.payment;
    // A refund names the movement of the capture if there was one.
    const captures = [...gateway.executed.values()].filter(
      ({ origTranId, operation: kind }) => origTranId === tranId && kind === "capture",
    );
    const movements = [tranId, ...captures.map(({ txId: captureId }) => `m-${captureId}`)];
    const undone = [...gateway.executed.values()].some(
      ({ origTranId, operation: kind }) => movements.includes(origTranId) && kind !== "capture",
    );
    kept.set(txId, undone ? 0 : 1);
  }
  return kept;
}
