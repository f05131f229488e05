import type { CardGateway } from "../../../engine/gateway/card-gateway.ts";
import type {
  GatewayAnswer,
  GatewayCredentials,
  GatewayFollowedUp,
  GatewayFollowUp,
  GatewayOrder,
  GatewayPaymentState,
  GatewayTotals,
  MinorAmount,
} from "../../../engine/gateway/gateway.ts";
import { toMinorUnits } from "../../../engine/kernel/money.ts";
import type { LinkOrder, LinkRecord } from "../../../engine/links/link.ts";
import type { LinkCompanion } from "../../../engine/links/link-companion.ts";
import type { LinkObserver } from "../../../engine/links/link-observer.ts";
import { createLinkStore } from "../../../engine/links/link-store.ts";
import { createShardLinks, type ShardLinks } from "../../../engine/links/shard-links.ts";
import { createRendezvousHomes } from "../../../engine/routing/rendezvous.ts";
import { outboxRows } from "../../support/outbox.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { ManualClock, settle } from "../world.ts";
import { order, PAYMENT } from "./machine-world.ts";

const CREDENTIALS: GatewayCredentials = { terminalId: "TML1", merchantId: "M1", secret: "s" };
const AWAY = { type: "unavailable", reason: "away" } as const;

/** A gateway in memory: what it was asked, and what it says. */
export class FakeGateway implements CardGateway {
  readonly payments = new Map<string, { order: GatewayOrder; state: GatewayPaymentState }>();
  readonly verifies: { txId: string; atMs: number }[] = [];
  readonly executed = new Map<string, GatewayFollowUp & { operation: string }>();
  inits = 0;
  /** `lost`: it happens, and the answer does not arrive. */
  mode: "there" | "away" | "lost" = "there";
  refuses: { resultCode: string; description: string } | null = null;
  /** Awaited before a verify is answered. */
  hold: Promise<void> | null = null;
  /** Whether a verify tells what was captured, reversed and refunded. */
  tellsTotals = true;
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  set(txId: string, state: GatewayPaymentState): void {
    const payment = this.payments.get(txId);
    if (payment === undefined) throw new Error(`the gateway has no ${txId}`);
    payment.state = state;
  }

  pay(txId: string, amount?: MinorAmount): void {
    const said = amount === undefined ? {} : { amount };
    this.set(txId, { type: "paid", paymentId: `g-${txId}`, payment: { ...PAYMENT, tranId: `m-${txId}`, ...said } });
  }

  async init(_credentials: GatewayCredentials, given: GatewayOrder) {
    this.inits += 1;
    if (this.mode === "away") return AWAY;
    if (this.refuses !== null) return { type: "refused" as const, ...this.refuses };
    const paymentId = `g-${given.txId}`;
    const redirectUrl = `https://pay.example/${given.txId}`;
    if (!this.payments.has(given.txId)) this.payments.set(given.txId, { order: given, state: { type: "pending", paymentId, redirectUrl } });
    return this.mode === "lost" ? AWAY : { type: "done" as const, value: { paymentId, redirectUrl } };
  }

  async verify(_credentials: GatewayCredentials, { txId }: { txId: string }): Promise<GatewayAnswer<GatewayPaymentState>> {
    this.verifies.push({ txId, atMs: this.#nowMs() });
    const known: GatewayPaymentState = this.payments.get(txId)?.state ?? { type: "absent" };
    const state = known.type === "paid" && this.tellsTotals ? { ...known, totals: this.#totalsOf(known.payment.tranId) } : known;
    await this.hold;
    return this.mode === "there" ? { type: "done", value: state } : AWAY;
  }

  #totalsOf(tranId: string): GatewayTotals {
    const sum = (wanted: string) =>
      [...this.executed.values()]
        .filter(({ origTranId, operation }) => origTranId === tranId && operation === wanted)
        .reduce((total, { amount, currency }) => total + toMinorUnits(amount, currency), 0);
    return { captured: sum("capture") > 0, reversedMinor: sum("reversal"), refundedMinor: sum("refund") };
  }

  readonly capture = (_credentials: GatewayCredentials, followUp: GatewayFollowUp) => this.#execute("capture", followUp);
  readonly reversal = (_credentials: GatewayCredentials, followUp: GatewayFollowUp) => this.#execute("reversal", followUp);
  readonly refund = (_credentials: GatewayCredentials, followUp: GatewayFollowUp) => this.#execute("refund", followUp);

  async #execute(operation: string, followUp: GatewayFollowUp): Promise<GatewayAnswer<GatewayFollowedUp>> {
    if (this.mode === "away") return AWAY;
    if (this.refuses !== null) return { type: "refused", ...this.refuses };
    this.executed.set(followUp.txId, { ...followUp, operation });
    if (this.mode === "lost") return AWAY;
    return { type: "done", value: { tranId: `m-${followUp.txId}`, resultCode: "GW_000", description: "done" } };
  }
}

export interface LinkWorld {
  kv: MemoryKv;
  clock: ManualClock;
  gateway: FakeGateway;
  shards: ShardLinks[];
  shard: ShardLinks;
  failures: { what: string; error: unknown }[];
  /** Creates a link through the first shard. */
  create(txId: string, changes?: Partial<LinkOrder>): ReturnType<ShardLinks["links"]["create"]>;
  link(txId: string): Promise<LinkRecord>;
  /** Moves the clocks in steps of a second, or of 20 s where more than ten minutes pass, and lets what fires come to its end. */
  pass(ms: number, stepMs?: number): Promise<void>;
  /** New shards over the same store and gateway: what a restart is. */
  restart(): LinkWorld;
  rows(): Promise<{ uuid: string; status: string; version: number }[]>;
}

export function openLinkWorld({
  shards: count = 1,
  kv = new MemoryKv(),
  clock = new ManualClock(),
  gateway = new FakeGateway(clock.nowMs),
  observer,
  companions = [],
}: {
  shards?: number;
  kv?: MemoryKv;
  clock?: ManualClock;
  gateway?: FakeGateway;
  observer?: LinkObserver;
  companions?: readonly LinkCompanion[];
} = {}): LinkWorld {
  const failures: LinkWorld["failures"] = [];
  const addresses = Array.from({ length: count }, (_, index) => `shard-${index}`);
  const shards = addresses.map((self) =>
    createShardLinks({
      store: createLinkStore({ kv, retentionMs: 400 * 86_400_000, writer: `${self}-${clock.wallMs}` }),
      gateway,
      accounts: { ofPartner: () => CREDENTIALS, ofTerminal: () => null, isMerchantInactive: () => false, ofPayment: () => CREDENTIALS },
      signature: { matches: (_credentials, _notification, signature) => signature === "right" },
      clock,
      homes: createRendezvousHomes(addresses),
      self,
      notifyUrl: () => "https://relay.example/api/v1/gw/notify",
      companions,
      ...(observer === undefined ? {} : { observer }),
      failed: (what, error) => failures.push({ what, error }),
    }),
  );
  const [shard] = shards;
  if (shard === undefined) throw new Error("a world has a shard");
  return {
    kv,
    clock,
    gateway,
    shards,
    shard,
    failures,
    create: (txId, changes = {}) =>
      shard.links.create(order({ txId, createdAtMs: clock.nowMs(), expiresAtMs: clock.nowMs() + 3_600_000, ...changes })),
    link: async (txId) => {
      const record = await shard.links.byTxId(txId);
      if (record === null) throw new Error(`there is no ${txId}`);
      return record;
    },
    pass: async (ms, stepMs = ms > 600_000 ? 20_000 : 1_000) => {
      for (let left = ms; left > 0; left -= Math.min(left, stepMs)) {
        clock.advance(Math.min(left, stepMs));
        for (const { tick } of shards) tick();
        await settle();
      }
    },
    restart: () => {
      for (const { stop } of shards) void stop();
      return openLinkWorld({ shards: count, kv, clock, gateway });
    },
    rows: async () => {
      const rows: { uuid: string; status: string; version: number }[] = [];
      for await (const { row } of outboxRows(kv)) {
        if (row?.type === "transaction") rows.push({ uuid: row.transaction.uuid, status: row.transaction.status, version: row.version });
      }
      return rows;
    },
  };
}
