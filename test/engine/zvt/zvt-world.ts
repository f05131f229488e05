import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import type { Caller } from "../../../engine/access/caller.ts";
import type { Timer, Timers } from "../../../engine/kernel/timers.ts";
import { createClaimCancelled } from "../../../engine/terminals/claim-cancelled.ts";
import { createSendPayment } from "../../../engine/terminals/send-payment.ts";
import { createTerminalStore } from "../../../engine/terminals/terminal-store.ts";
import type { RelayForZvt } from "../../../engine/zvt/payment-run.ts";
import { createZvtPayments, type RunningZvtPayments } from "../../../engine/zvt/payments.ts";
import { createZvtRouteStore, type ZvtRouteStore } from "../../../engine/zvt/route-store.ts";
import { ZVT_DEFAULT, type ZvtConfig } from "../../../engine/zvt/zvt-config.ts";
import type { ZvtBegun, ZvtFollowing, ZvtOutcome, ZvtPayment } from "../../../engine/zvt/zvt-payments.ts";
import { type ManualClock, openSocket, openWorld, posting, type Socket, settle, type World } from "../world.ts";

const STEP_MS = 250;

/** Timers that fire when the world's time passes. */
class WorldTimers implements Timers {
  readonly #clock: ManualClock;
  readonly #set = new Set<{ atMs: number; work: () => void }>();

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  set(ms: number, work: () => void): Timer {
    const timer = { atMs: this.#clock.monotonicMs() + ms, work };
    this.#set.add(timer);
    return { clear: () => void this.#set.delete(timer) };
  }

  every(): Timer {
    throw new Error("nothing here is repeated");
  }

  soon(work: () => void): void {
    setImmediate(work);
  }

  fire(): void {
    for (const timer of this.#set) {
      if (timer.atMs > this.#clock.monotonicMs()) continue;
      this.#set.delete(timer);
      timer.work();
    }
  }
}

/** What a connection was told, in order. */
export class Told {
  readonly progress: string[] = [];
  outcome: ZvtOutcome | null = null;
  replaced = false;
  following: ZvtFollowing | null = null;

  /** In short: `paid`, `unknown`, or the code of what was not paid. */
  get end(): string | null {
    if (this.outcome === null) return null;
    return this.outcome.type === "notPaid" ? this.outcome.code.toString(16).padStart(2, "0") : this.outcome.type;
  }
}

export interface ZvtNode {
  payments: RunningZvtPayments;
  outcomes: string[];
  failures: unknown[];
  begin(amountCents: number, changes?: { connection?: string; address?: string; intermediateStatus?: boolean }): Promise<ZvtBegun>;
  follow(payment: ZvtPayment): Told;
  /** Begins and follows; fails where it was not begun or reattached. */
  pay(amountCents: number, changes?: Parameters<ZvtNode["begin"]>[1]): Promise<{ payment: ZvtPayment; told: Told }>;
}

export interface ZvtWorld extends World {
  store: ZvtRouteStore;
  relay: RelayForZvt;
  /** Names of nodes that live; others' connections are gone. */
  live: Set<string>;
  partner: { enabled: boolean };
  /** What is administered of the terminal. */
  configured: { terminal?: { family: null; currency: string } };
  /** What was written up to this version is older than what the store lost. */
  lost: { version: number };
  /** The terminal's session, which gets what is pushed. */
  terminal: Socket;
  node(name: string, config?: Partial<ZvtConfig>): ZvtNode;
  /** The terminal posts a result. */
  result(uuid: string, members?: Record<string, unknown>): Promise<void>;
  attention(): Promise<string[]>;
}

export const PARTNER: Caller = {
  type: "partner",
  partnerId: 1,
  username: "shop",
  terminals: { names: true, matches: (id) => id === "T1" },
};

/** Payments of registers of some nodes over one store and one shard with the terminal T1. */
export async function openZvtWorld(): Promise<ZvtWorld> {
  const world = await openWorld();
  const { kv, clock, shard } = world;
  const timers = new WorldTimers(clock);
  const ids = { uuid: () => randomUUID() };
  const lost = { version: 0 };
  const store = createZvtRouteStore({ kv, lostVersion: () => lost.version });
  const terminalStore = createTerminalStore({ kv, nowMs: clock.nowMs, retentionMs: 400 * 86_400_000, writer: "zvt" });
  const { terminals } = shard;
  const configured: ZvtWorld["configured"] = {};
  const relay: RelayForZvt = {
    sendPayment: createSendPayment({ terminals, clock, ids, configured: () => configured.terminal }),
    terminals,
    claimCancelled: createClaimCancelled({ store: terminalStore, clock, shopOf: () => null }),
  };
  const live = new Set<string>();
  const partner = { enabled: true };
  const terminal = openSocket(shard, "s1");
  await settle();
  let connections = 0;

  function node(name: string, config: Partial<ZvtConfig> = {}): ZvtNode {
    live.add(name);
    const failures: unknown[] = [];
    const outcomes: string[] = [];
    const route = { id: "till-1", terminalId: "T1", partnerUsername: "shop", service: "PAYCC", port: null, clients: [] } as const;
    const payments = createZvtPayments({
      config: { ...ZVT_DEFAULT, routes: [{ ...route, sealedPassword: null, tid: "12345678" }], ...config },
      selectors: [],
      ...{ store, relay, clock, timers, ids },
      partnerCaller: () => (partner.enabled ? PARTNER : null),
      self: { shard: name, writer: name },
      isLive: async ({ shard: other }) => live.has(other),
      sha1: (bytes) => createHash("sha1").update(bytes).digest(),
      observe: {
        paymentEnded: (outcome) => outcomes.push(outcome),
        reattached: () => {},
        failed: (_, error) => failures.push(error),
      },
    });
    const self: ZvtNode = {
      payments,
      outcomes,
      failures,
      begin: (amountCents, { connection, address = "10.0.0.1", intermediateStatus = true } = {}) => {
        connections += 1;
        const id = connection ?? `c${connections}`;
        return payments.begin({
          ...{ routeId: "till-1", amountCents, currency: "0978", intermediateStatus },
          connection: { id, port: 40_007, address },
        });
      },
      follow: (payment) => {
        const told = new Told();
        told.following = payments.follow(payment, {
          progress: (progress) => told.progress.push(progress),
          ended: (outcome) => {
            assert.equal(told.outcome, null, "told twice");
            told.outcome = outcome;
          },
          replaced: () => {
            told.replaced = true;
          },
        });
        return told;
      },
      pay: async (amountCents, changes) => {
        const begun = await self.begin(amountCents, changes);
        assert.ok(begun.type === "begun" || begun.type === "reattached", JSON.stringify(begun));
        const told = self.follow(begun.payment);
        await settle();
        return { payment: begun.payment, told };
      },
    };
    return self;
  }

  return {
    ...world,
    ...{ store, relay, live, partner, configured, lost, terminal, node },
    pass: async (ms) => {
      for (let left = ms; left > 0; left -= Math.min(left, STEP_MS)) {
        clock.advance(Math.min(left, STEP_MS));
        shard.tick();
        timers.fire();
        // The terminal's frames keep it online.
        shard.sessions.active("T1", "s1");
        await settle();
      }
    },
    result: async (uuid, members = {}) => {
      await terminals.recordResult(posting(uuid, { amount: 1_000, ...members }));
      await settle();
    },
    attention: async () => (await terminals.attention({ after: "", limit: 100 })).map(({ item }) => item.kind),
  };
}
