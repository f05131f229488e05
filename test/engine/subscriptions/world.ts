import { IANAZone } from "luxon";
import type { WorkflowEntry } from "../../../engine/kernel/activity-log.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { DeadlineRunner } from "../../../engine/kernel/deadline-runner.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { MerchantParty } from "../../../engine/kernel/merchant-scope.ts";
import { createMailStore, mailText } from "../../../engine/mails/mail-store.ts";
import { createRendezvousHomes } from "../../../engine/routing/rendezvous.ts";
import { createBillingCalendar, type ZoneOffset } from "../../../engine/subscriptions/calendar.ts";
import { createCollector } from "../../../engine/subscriptions/collect.ts";
import { createSubscriptions } from "../../../engine/subscriptions/create-subscriptions.ts";
import { createCycleChargeStore } from "../../../engine/subscriptions/cycle-charge-store.ts";
import type { CycleLink, CycleLinkOrder, CycleLinkState, CycleLinks } from "../../../engine/subscriptions/cycle-links.ts";
import { createDunningPolicyStore } from "../../../engine/subscriptions/dunning-policy-store.ts";
import type { PlanRecord, PlanTerms } from "../../../engine/subscriptions/plan.ts";
import { createPlanStore } from "../../../engine/subscriptions/plan-store.ts";
import { createPlans, type Plans } from "../../../engine/subscriptions/plans.ts";
import type { RecurringChargeAnswer, RecurringChargeOrder, RecurringCharges } from "../../../engine/subscriptions/recurring-charges.ts";
import { SPREAD_MS, type SubscriptionRecord } from "../../../engine/subscriptions/subscription.ts";
import { createSubscriptionDeadlines } from "../../../engine/subscriptions/subscription-deadlines.ts";
import { createSubscriptionMails, type SubscriptionMails, subscriptionMailOf } from "../../../engine/subscriptions/subscription-mails.ts";
import { createSubscriptionQueries } from "../../../engine/subscriptions/subscription-queries.ts";
import type { SubscriptionOrder, SubscriptionQuery, Subscriptions } from "../../../engine/subscriptions/subscriptions.ts";
import type { takeStep } from "../../../engine/subscriptions/take-step.ts";
import { type SubscriptionWorkflow, subscriptionWorkflow } from "../../../engine/subscriptions/workflow.ts";
import type { WebhookEvent } from "../../../engine/webhooks/webhook-event.ts";
import { createWorkflow } from "../../../engine/workflow/run-workflow.ts";
import type { RequestContext } from "../../../engine/workflow/workflow.ts";
import { createWorkflowStore } from "../../../engine/workflow/workflow-store.ts";
import { digest, eventOperations } from "../intents/world.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { ManualClock, settle } from "../world.ts";

export const RETENTION_MS = 400 * 86_400_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const OWNER: MerchantParty = { merchantId: "M1", partnerId: 1, livemode: false };
const BOX = { seal: (text: string) => text, open: (text: string) => text };

/** Returns the zone's rules as the relay has them. */
export function zoneOffset(zone: string): ZoneOffset {
  const rules = IANAZone.create(zone);
  return (atMs) => rules.offset(atMs) * MINUTE_MS;
}

export const QUERY: SubscriptionQuery = {
  ...{ limit: 50, cursor: null, state: null, planId: null, fromMs: null, beforeMs: null, customerEmail: null },
};

export function operation(id: string): RequestContext {
  return { id, requestId: `req_${id}` };
}

/** Opens the store of subscriptions and its queries. */
export function storeOn(kv: Kv, retentionMs = RETENTION_MS) {
  const digests = { digest, keyedDigest: (text: string) => digest(`a key ${text}`) };
  const definition = subscriptionWorkflow(digests, () => "TML1");
  const store = createWorkflowStore(kv, definition, retentionMs);
  return { definition, store, queries: createSubscriptionQueries(store, digests), cycleCharges: createCycleChargeStore(kv) };
}

/** Opens the workflow of subscriptions on a store. It reports outcomes to `heard`. */
export function subscriptionWorkflowOn(
  kv: Kv,
  clock: Clock,
  mails: SubscriptionMails,
  heard: Pick<Heard, "became" | "workflow"> = { became: [], workflow: [] },
): SubscriptionWorkflow {
  const { definition, store } = storeOn(kv);
  return createWorkflow(definition, {
    ...{ store, clock, digest, eventOperations },
    objectOf: ({ id, state, cycle }) => ({ id, state, cycle }),
    activity: { workflow: (entry) => void heard.workflow.push(entry) },
    count: (outcome) => void heard.became.push(outcome),
    mailOf: subscriptionMailOf(mails),
  });
}

/** Cards on file. Each id is charged at most once, and an id that was reported absent never. */
export class FakeCharges implements RecurringCharges {
  /** The outcomes of the received charges, by id. */
  readonly charges = new Map<string, { order: RecurringChargeOrder; answer: RecurringChargeAnswer }>();
  readonly #refused = new Set<string>();
  offered = true;
  /** The next result of the card. */
  card: "good" | "soft" | "hard" = "good";
  /** `lost`: the charge succeeds, and the response is lost. `undelivered`: the request is lost. */
  line: "well" | "lost" | "undelivered" = "well";
  /** Whether outcomes of charges are withheld. */
  isMute = false;
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  isOffered(): boolean {
    return this.offered;
  }

  async charge(order: RecurringChargeOrder): Promise<RecurringChargeAnswer> {
    if (this.line === "undelivered") throw new RelayError("unavailable", "away");
    const answer = this.receive(order);
    if (this.line === "lost") throw new RelayError("unavailable", "away");
    return answer;
  }

  async verify({ id }: RecurringChargeOrder): Promise<RecurringChargeAnswer | { type: "absent" }> {
    if (this.isMute) return { type: "unknown" };
    const found = this.charges.get(id);
    if (found !== undefined) return found.answer;
    this.#refused.add(id);
    return { type: "absent" };
  }

  receive(order: RecurringChargeOrder): RecurringChargeAnswer {
    if (this.#refused.has(order.id)) return { type: "failed", hard: false, code: "too_late", description: null };
    const known = this.charges.get(order.id);
    if (known !== undefined) return known.answer;
    const answer: RecurringChargeAnswer =
      this.card === "good"
        ? { type: "done", atMs: this.#nowMs() }
        : { type: "failed", hard: this.card === "hard", code: `declined_${this.card}`, description: "no" };
    this.charges.set(order.id, { order, answer });
    return answer;
  }

  done(): string[] {
    return [...this.charges].flatMap(([id, { answer }]) => (answer.type === "done" ? [id] : []));
  }
}

/** Payment links, one per id. */
export class FakeLinks implements CycleLinks {
  readonly links = new Map<string, { order: CycleLinkOrder; state: CycleLinkState; isClosed: boolean }>();
  /** Somebody is paying, so a closed link has not ended yet. */
  isBusy = false;
  isAway = false;
  refuses = false;

  async create(order: CycleLinkOrder): Promise<{ type: "created"; link: CycleLink } | { type: "refused"; code: string }> {
    this.#answer();
    if (this.refuses) return { type: "refused", code: "no_account" };
    if (!this.links.has(order.id)) this.links.set(order.id, { order, state: { type: "open" }, isClosed: false });
    return { type: "created", link: { id: order.id, token: `token-${order.id}` } };
  }

  async look(_: unknown, { id }: CycleLink): Promise<CycleLinkState> {
    this.#answer();
    return this.#of(id).state;
  }

  async close(_: unknown, { id }: CycleLink): Promise<CycleLinkState> {
    this.#answer();
    const link = this.#of(id);
    link.isClosed = true;
    if (link.state.type === "open" && !this.isBusy) link.state = { type: "ended", code: "link_cancelled" };
    return link.state;
  }

  pay(id: string, atMs: number): void {
    this.#of(id).state = { type: "paid", atMs, uuid: `${id}.1` };
  }

  expire(id: string): void {
    this.#of(id).state = { type: "ended", code: "link_expired" };
  }

  #of(id: string) {
    const link = this.links.get(id);
    if (link === undefined) throw new Error(`no link ${id}`);
    return link;
  }

  #answer(): void {
    if (this.isAway) throw new RelayError("unavailable", "away");
  }
}

/** Conditions that may change at any moment. */
export interface Circumstances {
  isInactive: boolean;
  hasRoom: boolean;
}

export interface Heard {
  became: string[];
  workflow: WorkflowEntry[];
  postponed: number;
}

export interface Shard {
  subscriptions: Subscriptions;
  plans: Plans;
  deadlines: DeadlineRunner;
  /** The dependencies of a stored transition. */
  parts: Parameters<typeof takeStep>[3];
}

/** Opens the subscriptions of one node, wired as in the node. */
export function openShard(parts: {
  kv: Kv;
  clock: Clock;
  charges: RecurringCharges;
  links: CycleLinks;
  circumstances: Circumstances;
  heard: Heard;
  zone?: string;
  self?: string;
  addresses?: string[];
  newToken?(): string;
  failed(what: string, error: unknown): void;
}): Shard {
  const { kv, clock, charges, links, circumstances, heard, zone = "Europe/Rome", self = "shard-0", addresses = [self], failed } = parts;
  const { newToken = () => crypto.randomUUID().replaceAll("-", "").slice(0, 22) } = parts;
  const policies = createDunningPolicyStore(kv);
  const plans = createPlanStore(kv);
  const text =
    (kind: string) =>
    (locale: string, { merchantName, record }: { merchantName: string; record: SubscriptionRecord }) => ({
      subject: `${locale} ${merchantName}`,
      text: `${kind} ${record.charge?.cycle ?? 0}`,
    });
  const mails = createSubscriptionMails({
    ...{ box: BOX, digest, clock },
    store: { room: async (_kind, _share, atMs) => (circumstances.hasRoom ? atMs : null) },
    shops: { of: async (merchantId) => ({ name: merchantId, color: null, logo: null }) },
    texts: {
      payment: text("payment"),
      failed: text("failed"),
      step: text("step"),
      recovered: text("recovered"),
      cancelled: text("cancelled"),
    },
    postponed: () => {
      heard.postponed += 1;
    },
  });
  const { definition, queries, cycleCharges } = storeOn(kv);
  const common = {
    workflow: subscriptionWorkflowOn(kv, clock, mails, heard),
    ...{ policies, calendar: createBillingCalendar(zoneOffset(zone)), clock },
    isInactive: () => circumstances.isInactive,
  };
  const collector = createCollector({ ...common, charges, links, failed });
  return {
    subscriptions: createSubscriptions({ ...common, digest, queries, cycleCharges, plans, collector, charges, newToken }),
    plans: createPlans({ store: plans, policies, clock, digest }),
    parts: common,
    deadlines: createSubscriptionDeadlines({ ...common, definition, collector, homes: createRendezvousHomes(addresses), self, failed }),
  };
}

export class SubscriptionWorld {
  readonly kv: MemoryKv;
  readonly clock: ManualClock;
  readonly charges: FakeCharges;
  readonly links: FakeLinks;
  readonly circumstances: Circumstances = { isInactive: false, hasRoom: true };
  readonly heard: Heard = { became: [], workflow: [], postponed: 0 };
  readonly failures: { what: string; error: unknown }[] = [];
  readonly shards: Shard[];
  #operations = 0;

  constructor(
    shards = 1,
    {
      kv = new MemoryKv(),
      clock = new ManualClock(),
      charges = new FakeCharges(clock.nowMs),
      links = new FakeLinks(),
      newToken,
    }: Partial<Pick<SubscriptionWorld, "kv" | "clock" | "charges" | "links">> & { newToken?(): string } = {},
  ) {
    this.kv = kv;
    this.clock = clock;
    this.charges = charges;
    this.links = links;
    const addresses = Array.from({ length: shards }, (_, index) => `shard-${index}`);
    const failed = (what: string, error: unknown) => this.failures.push({ what, error });
    const { heard, circumstances } = this;
    const parts = { kv, clock, charges, links, circumstances, heard, addresses, failed, ...(newToken === undefined ? {} : { newToken }) };
    this.shards = addresses.map((self) => openShard({ ...parts, self }));
  }

  /** Returns the world after a restart, with the same store. */
  restarted(): SubscriptionWorld {
    for (const { deadlines } of this.shards) void deadlines.stop();
    return new SubscriptionWorld(this.shards.length, this);
  }

  get subscriptions(): Subscriptions {
    return this.shard(0).subscriptions;
  }

  get plans(): Plans {
    return this.shard(0).plans;
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

  async plan(changes: Partial<PlanTerms> = {}): Promise<PlanRecord> {
    const terms: PlanTerms = { name: "Gym", amountMinor: 2_900, currency: "EUR", interval: "MONTH", count: 1, trialDays: 0, ...changes };
    return this.plans.create(OWNER, terms, this.next());
  }

  order(planId: string, changes: Partial<SubscriptionOrder> = {}): SubscriptionOrder {
    const customer = { name: "Ada", email: "ada@example.org", locale: "en" } as const;
    return { planId, customer, collection: "CARD", methodId: "card_1", ...changes };
  }

  async create(terms: Partial<PlanTerms> = {}, changes: Partial<SubscriptionOrder> = {}): Promise<SubscriptionRecord> {
    const { id } = await this.plan(terms);
    const order = this.order(id, changes.collection === "LINK" ? { methodId: null, ...changes } : changes);
    const created = await this.subscriptions.create(OWNER, order, { type: "key" }, this.next());
    if (created.type !== "created") throw new Error(created.type);
    return created.subscription;
  }

  async of(id: string): Promise<SubscriptionRecord> {
    const found = await this.subscriptions.find(OWNER, id);
    if (found === null) throw new Error(`no subscription ${id}`);
    return found;
  }

  async events(id: string): Promise<WebhookEvent[]> {
    const entries = await this.kv.scan({ from: `event/${id}/`, to: `event/${id}/~`, limit: 1_000 });
    return entries.map(({ value }): WebhookEvent => JSON.parse(value));
  }

  async told(id: string): Promise<string[]> {
    return (await this.events(id)).map(({ type }) => type.replace("subscription.", ""));
  }

  /** Returns the items for operators: kind and attempt. */
  attention(): string[] {
    return this.kv.keys("a/").map((key) => key.replace("a/", "").replace("/TML1/", " "));
  }

  async mails(): Promise<string[]> {
    const page = await createMailStore(this.kv).page(null, 200);
    return page.map((record) => mailText(BOX, record)?.text ?? "").reverse();
  }

  async pass(ms: number, stepMs = 1_000): Promise<void> {
    for (let left = ms; left > 0; left -= Math.min(left, stepMs)) {
      this.clock.advance(Math.min(left, stepMs));
      for (const { deadlines } of this.shards) deadlines.tick();
      await settle();
    }
  }

  /** Moves the time to a moment, and slightly past the spread that follows it. */
  async until(atMs: number): Promise<void> {
    this.clock.advance(Math.max(0, atMs - 10_000 - this.clock.nowMs()));
    await this.pass(Math.max(0, atMs + SPREAD_MS + 30_000 - this.clock.nowMs()), 10_000);
  }
}
