import { RelayError } from "../../../engine/kernel/errors.ts";
import { type ClosingDays, createClosingDays } from "../../../engine/reconciliation/close-days.ts";
import { createReconciliation } from "../../../engine/reconciliation/create-reconciliation.ts";
import type {
  DayFigures,
  NamedPayment,
  PaymentLine,
  ReconciledDay,
  Reconciliation,
} from "../../../engine/reconciliation/reconciliation.ts";
import type { ReconciliationRows } from "../../../engine/reconciliation/reconciliation-rows.ts";
import { createReconciliationStore } from "../../../engine/reconciliation/reconciliation-store.ts";
import { createRendezvousHomes } from "../../../engine/routing/rendezvous.ts";
import { dayCalendar } from "../../../infra/node/wiring/merchants/reconciliation.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { ManualClock, settle } from "../world.ts";

export const MERCHANT = "SHOP-001";
export const OWNER = { merchantId: MERCHANT, partnerId: 7, livemode: false };

export const line = (count: number, amountMinor: number, change: Partial<PaymentLine> = {}): PaymentLine => ({
  ...{ terminalId: "T1", method: "CARD", status: "OK", currency: "EUR", count, amountMinor },
  ...change,
});

export const named = (...uuids: string[]) => ({
  count: uuids.length,
  items: uuids.map((uuid): NamedPayment => ({ uuid, terminalId: "T1" })),
});

export const figures = (change: Partial<DayFigures> = {}): DayFigures => ({
  ...{ payments: [], refunded: [], links: [], refunds: [], unknown: named(), conflicting: named() },
  ...change,
});

/** What ClickHouse would say: figures by merchant and day, which a test writes by hand. */
export class FakeRows implements ReconciliationRows {
  readonly byMerchant = new Map<string, Map<string, DayFigures>>();
  there: "all" | "some wait" | "some were refused" = "all";
  /** When a row was written that waits in the outbox. */
  waitsSinceMs: number | null = null;
  isAway = false;
  /** Called before figures are given. */
  before: () => void = () => undefined;
  /** Called when they are read, before whoever asked has them. */
  after: () => Promise<void> = async () => undefined;
  asked: string[] = [];
  /** When payments of earlier days were made that were given back since. */
  refundedAtMs: readonly number[] = [];

  set(day: string, of: DayFigures, merchantId = MERCHANT): void {
    const days = this.byMerchant.get(merchantId) ?? new Map<string, DayFigures>();
    this.byMerchant.set(merchantId, days.set(day, of));
  }

  async areThere(untilMs: number): Promise<"all" | "some wait" | "some were refused"> {
    this.#answer();
    return this.waitsSinceMs !== null && this.waitsSinceMs < untilMs ? "some wait" : this.there;
  }

  async merchants(_range: unknown, after: string | null, limit: number): Promise<readonly string[]> {
    this.#answer();
    return [...this.byMerchant.keys()]
      .sort()
      .filter((one) => after === null || one > after)
      .slice(0, limit);
  }

  async refundedSince(_merchantId: string, fromMs: number): Promise<readonly number[]> {
    this.#answer();
    return this.refundedAtMs.filter((atMs) => atMs < fromMs);
  }

  async figures(merchantId: string, days: readonly { day: string }[]): Promise<ReadonlyMap<string, DayFigures>> {
    this.before();
    this.#answer();
    this.asked.push(`${merchantId} ${days.at(-1)?.day} of ${days.length}`);
    const all = this.byMerchant.get(merchantId) ?? new Map<string, DayFigures>();
    const found = new Map(days.flatMap(({ day }) => (all.has(day) ? [[day, all.get(day) ?? figures()] as const] : [])));
    await this.after();
    return found;
  }

  #answer(): void {
    if (this.isAway) throw new RelayError("unavailable", "away");
  }
}

/** Nodes over one store, in Rome. */
export class DaysWorld {
  readonly kv = new MemoryKv();
  readonly clock = new ManualClock();
  readonly rows = new FakeRows();
  readonly calendar = dayCalendar("Europe/Rome");
  readonly store = createReconciliationStore(this.kv);
  readonly reconciliation: Reconciliation = createReconciliation({ store: this.store, calendar: this.calendar, clock: this.clock });
  readonly failures: string[] = [];
  readonly counts = { closed: 0, corrections: 0 };
  nodes: ClosingDays[] = [];

  constructor(now: string) {
    this.clock.wallMs = Date.parse(now);
  }

  async start(nodes = 1): Promise<void> {
    const addresses = ["node-0"];
    this.nodes = Array.from({ length: nodes }, () =>
      createClosingDays({
        ...{ store: this.store, rows: this.rows, calendar: this.calendar, clock: this.clock },
        // Each believes to be home, as two do for a moment where homes change.
        ...{ homes: createRendezvousHomes(addresses), self: "node-0" },
        ownerOf: async (merchantId) => (merchantId.startsWith("nobody") ? null : { partnerId: 7, livemode: false }),
        counted: (what, count) => {
          this.counts[what] += count;
        },
        failed: (what, error) => void this.failures.push(`${what} ${String(error)}`),
      }),
    );
    for (const node of this.nodes) await node.begin();
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) await node.stop();
    this.nodes = [];
  }

  /** Moves the clock to a time, and lets what is due then happen. */
  async at(time: string): Promise<void> {
    this.clock.advance(Date.parse(time) - this.clock.wallMs);
    await this.turn();
  }

  async turn(): Promise<void> {
    // The index is read every second, and from its start every fifteen.
    for (let second = 0; second < 20; second += 1) {
      this.clock.advance(1_000);
      for (const node of this.nodes) node.tick();
      await settle();
      for (const node of this.nodes) node.tick();
      await settle();
    }
  }

  async day(day: string): Promise<ReconciledDay | null> {
    const found = await this.reconciliation.day(OWNER, day);
    return found === null || "type" in found ? null : found;
  }
}
