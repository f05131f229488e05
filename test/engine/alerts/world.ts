import type { AlertNotice, AlertRecord } from "../../../engine/alerts/alert.ts";
import { type AlertWorkflow, createAlertRefunder } from "../../../engine/alerts/alert-refunder.ts";
import type { AlertRefunds, RefundOrder, RefundState } from "../../../engine/alerts/alert-refunds.ts";
import type { AlertRuleSet } from "../../../engine/alerts/alert-rules.ts";
import { createAlertRulesStore } from "../../../engine/alerts/alert-rules-store.ts";
import type { AlertFeed, AlertQuery, Alerts } from "../../../engine/alerts/alerts.ts";
import { createAlerts } from "../../../engine/alerts/create-alerts.ts";
import { ALERT_WORKFLOW } from "../../../engine/alerts/workflow.ts";
import { createDisputeHoldStore } from "../../../engine/disputes/dispute-hold-store.ts";
import type { WorkflowEntry } from "../../../engine/kernel/activity-log.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { DeadlineRunner } from "../../../engine/kernel/deadline-runner.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import { createRendezvousHomes } from "../../../engine/routing/rendezvous.ts";
import { createWorkflow } from "../../../engine/workflow/run-workflow.ts";
import { createWorkflowDeadlines } from "../../../engine/workflow/workflow-deadlines.ts";
import { createWorkflowStore } from "../../../engine/workflow/workflow-store.ts";
import { DisputeWorld, OWNER, operation, PARTY, RETENTION_MS } from "../disputes/world.ts";
import { digest, eventOperations } from "../intents/world.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { ManualClock, settle } from "../world.ts";

export { OWNER, operation, PARTY };

export const QUERY: AlertQuery = { limit: 50, cursor: null, order: "newest", fromMs: null, beforeMs: null, state: null, source: null };

export const RULES: AlertRuleSet = {
  ...{ enabled: true, currency: "EUR", dailyCountMax: 2, dailyAmountMaxMinor: 10_000 },
  rules: [{ id: "small", amountMaxMinor: 2_000, sources: null, categories: null, methods: null }],
};

/** Makes the workflow of alerts on a store. It reports to `heard`. */
export function alertWorkflowOn(kv: Kv, clock: Clock, heard: AlertWorld["heard"] = { became: [], workflow: [] }): AlertWorkflow {
  return createWorkflow(ALERT_WORKFLOW, {
    store: createWorkflowStore(kv, ALERT_WORKFLOW, RETENTION_MS),
    ...{ clock, digest, eventOperations },
    objectOf: ({ id, state }) => ({ id, state }),
    activity: { workflow: (entry) => void heard.workflow.push(entry) },
    count: (outcome) => void heard.became.push(outcome),
  });
}

/** Payments, and what moved of them. It executes an id once, like the gateway. */
export class FakeRefunds implements AlertRefunds {
  /** The id of the refund by the uuid of the payment; `other`: another caller refunded it. */
  readonly moved = new Map<string, string>();
  readonly asked: string[] = [];
  readonly limits: RefundOrder["limit"][] = [];
  /**
   * `lost`: it happens, and the answer does not arrive; `away`: it does not happen, and the outcome
   * is unknown; `dead`: the caller dies before; `unfinished`: it is requested and never executed.
   */
  mode: "there" | "away" | "lost" | "dead" | "unfinished" = "there";
  refuses: string | null = null;

  async refund(order: RefundOrder): Promise<RefundState> {
    this.asked.push(`refund ${order.uuid}`);
    this.limits.push(order.limit);
    if (this.mode === "away" || this.mode === "unfinished") return { type: "unknown" };
    if (this.mode === "dead") return new Promise(() => undefined);
    const by = this.moved.get(order.uuid);
    if (by !== undefined && by !== order.id) return { type: "already_refunded" };
    if (this.refuses !== null) return { type: "refused", reason: this.refuses };
    this.moved.set(order.uuid, order.id);
    return this.mode === "lost" ? { type: "unknown" } : { type: "done" };
  }

  async verify({ id, uuid }: RefundOrder): Promise<RefundState> {
    this.asked.push(`verify ${uuid}`);
    if (this.mode === "away" || this.mode === "lost") return { type: "unknown" };
    if (this.mode === "unfinished") return { type: "unfinished" };
    return this.moved.get(uuid) === id ? { type: "done" } : { type: "absent" };
  }
}

export interface AlertShard {
  alerts: Alerts;
  feed: AlertFeed;
  deadlines: DeadlineRunner;
}

export function openAlerts({
  kv,
  refunds,
  clock,
  heard,
  self = "shard-0",
  addresses = [self],
  failed,
}: {
  kv: Kv;
  refunds: AlertRefunds;
  clock: Clock;
  heard: { became: string[]; workflow: WorkflowEntry[] };
  self?: string;
  addresses?: string[];
  failed(what: string, error: unknown): void;
}): AlertShard {
  const workflow = alertWorkflowOn(kv, clock, heard);
  const refunder = createAlertRefunder({ workflow, refunds, clock });
  const dayOf = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);
  const { alerts, feed } = createAlerts({
    ...{ workflow, refunder, clock, digest, dayOf, failed },
    rules: createAlertRulesStore(kv),
    holds: createDisputeHoldStore(kv),
  });
  const deadlines = createWorkflowDeadlines(ALERT_WORKFLOW, {
    ...{ store: workflow.store, clock, self, failed, fire: refunder.due },
    homes: createRendezvousHomes(addresses),
  });
  return { alerts, feed, deadlines };
}

export class AlertWorld {
  readonly kv: MemoryKv;
  readonly clock: ManualClock;
  readonly refunds: FakeRefunds;
  readonly heard: { became: string[]; workflow: WorkflowEntry[] } = { became: [], workflow: [] };
  readonly failures: { what: string; error: unknown }[] = [];
  readonly shards: AlertShard[];
  readonly disputes: DisputeWorld;
  #operations = 0;

  constructor(
    shards = 1,
    {
      kv = new MemoryKv(),
      clock = new ManualClock(),
      refunds = new FakeRefunds(),
    }: Partial<Pick<AlertWorld, "kv" | "clock" | "refunds">> = {},
  ) {
    this.kv = kv;
    this.clock = clock;
    this.refunds = refunds;
    const addresses = Array.from({ length: shards }, (_, index) => `shard-${index}`);
    const failed = (what: string, error: unknown) => this.failures.push({ what, error });
    const { heard } = this;
    this.shards = addresses.map((self) => openAlerts({ kv, refunds, clock, heard, self, addresses, failed }));
    this.disputes = new DisputeWorld(1, { kv, clock });
  }

  restarted(): AlertWorld {
    for (const { deadlines } of this.shards) void deadlines.stop();
    return new AlertWorld(this.shards.length, this);
  }

  get shard(): AlertShard {
    const [shard] = this.shards;
    if (shard === undefined) throw new Error("no shard");
    return shard;
  }

  get alerts(): Alerts {
    return this.shard.alerts;
  }

  get feed(): AlertFeed {
    return this.shard.feed;
  }

  next() {
    this.#operations += 1;
    return operation(`a${this.#operations}`);
  }

  notice(changes: Partial<AlertNotice> = {}): Omit<AlertNotice, "respondByMs"> & { respondByMs: number | null } {
    return {
      ...{ source: "ETHOCA", networkRef: "R-1", uuid: "pl_1.1", terminalId: "TML1", method: "PAYBYLINK", category: "FRAUD" },
      ...{ amountMinor: 1_234, currency: "EUR", respondByMs: null },
      ...changes,
    };
  }

  /** Receives an alert and waits for the end of what it begins. */
  async receive(changes: Partial<AlertNotice> = {}, party = PARTY): Promise<AlertRecord> {
    const { id } = await this.feed.received(party, this.notice(changes), this.next());
    await settle();
    return this.alert(id);
  }

  async alert(id: string): Promise<AlertRecord> {
    const found = await this.feed.byId(id);
    if (found === null) throw new Error(`no alert ${id}`);
    return found;
  }

  async state(id: string): Promise<string> {
    const { state, refund } = await this.alert(id);
    return refund === null ? state : `${state} ${refund.state}`;
  }

  refund(id: string) {
    return this.alerts.refund(OWNER, id, { type: "key" }, this.next());
  }

  async ruled(changes: Partial<AlertRuleSet> = {}): Promise<void> {
    const { version } = await this.alerts.rules(OWNER);
    const saved = await this.alerts.saveRules(OWNER, { ...RULES, ...changes }, version, { type: "key" });
    if (saved.type !== "saved") throw new Error(saved.type);
  }

  async told(id: string): Promise<string[]> {
    const entries = await this.kv.scan({ from: `event/${id}/`, to: `event/${id}/~`, limit: 100 });
    return entries.map(({ value }) => JSON.parse(value)).map(({ type, data }) => `${type.replace("alert.", "")} ${data.object.state}`);
  }

  attention(): string[] {
    return this.kv.keys("a/").map((key) => key.replace("a/", ""));
  }

  async pass(ms: number, stepMs = 1_000): Promise<void> {
    for (let left = ms; left > 0; left -= Math.min(left, stepMs)) {
      this.clock.advance(Math.min(left, stepMs));
      for (const { deadlines } of this.shards) deadlines.tick();
      await settle();
    }
  }

  /** Time passes while no node runs. Then a new node starts and catches up. */
  async down(ms: number): Promise<AlertWorld> {
    const again = this.restarted();
    again.clock.advance(ms);
    await again.pass(10_000);
    return again;
  }
}
