import type { Address, Bus, Homes } from "../../../../engine/kernel/bus.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import { createShardTerminals } from "../../../../engine/routing/shard-terminals.ts";
import { createPresenceStore, type PresenceStore } from "../../../../engine/sessions/presence-store.ts";
import { createPresenceTable } from "../../../../engine/sessions/presence-table.ts";
import type { TerminalSessions } from "../../../../engine/sessions/terminal-sessions.ts";
import { type ClaimCancelled, createClaimCancelled } from "../../../../engine/terminals/claim-cancelled.ts";
import { createTerminalStore, type TerminalStore } from "../../../../engine/terminals/terminal-store.ts";
import type { Terminals } from "../../../../engine/terminals/terminals.ts";
import { createWaitingCounters } from "../../../../engine/terminals/waiting-counters.ts";
import { incarnationOf } from "../../../../storage/bus/cluster/cluster-bus.ts";
import type { Config } from "../../boot/config.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";
import type { NodeProtocol, ShardCounts, ShardReport } from "../../boot/node-protocol.ts";
import type { ConnectedStore, ShardBoot } from "../../boot/shard-boot.ts";
import { nodeIdOf } from "../../cluster/address-names.ts";
import { holdsLease } from "../../cluster/lease.ts";
import type { ShardMetrics } from "../../observability/metrics.ts";
import type { DayCounts } from "./day-counts.ts";
import { createDrainableLookups, type DrainableLookups } from "./drainable-lookups.ts";

export interface TerminalParts {
  boot: Pick<ShardBoot, "waiting" | "cluster"> & { config: Pick<Config, "nodeId"> };
  store: Pick<ConnectedStore, "kv" | "lostVersion">;
  bus: Bus<NodeProtocol>;
  homes: Homes;
  /** Reads the live shards of all nodes. Changes are known here when it resolves. */
  liveShards(): Promise<readonly Address[]>;
  clock: Clock;
  /** The clock of this machine, which tests do not move. */
  machineClock: Clock;
  /** Unique among all writers. */
  writer: string;
  retentionMs: number;
  metrics: Pick<ShardMetrics, "gauge" | "gaugeByState" | "commandFinished" | "commitConflict" | "pushed">;
  dayCounts: Pick<DayCounts, "recorded" | "commandFinished">;
  /** Called after a row was written to the outbox. */
  onOutboxWrite(): void;
  /** Returns the merchant that is configured for a terminal, or null. */
  merchantOf(terminalId: string): string | null;
  /**
   * Returns that merchant if it exists, deactivated or not. The terminal's payments belong to it.
   */
  shopOf(terminalId: string): string | null;
  /** Returns the currency that is configured for a terminal, or null. */
  currencyOf(terminalId: string): string | null;
  failed(what: string, error: unknown): void;
}

export interface ComposedTerminals extends Lifecycle {
  terminals: Terminals;
  claimCancelled: ClaimCancelled;
  /** Loads unsolicited results by uuid, of all terminals. */
  unsolicited: TerminalStore["loadUnsolicited"];
  sessions: TerminalSessions;
  presences: PresenceStore;
  /** Lookups that wait for a result, until the node stops. */
  lookups: DrainableLookups["lookups"];
  /** Sets the deadlines again. It must finish before any request. */
  start(): Promise<void>;
  membershipExpired(): Promise<void>;
  historyLost(): Promise<void>;
  left(shards: readonly Address[]): void;
  counts(): ShardCounts;
  report(): ShardReport;
}

/**
 * Long enough for every node to have seen a change of members, and for a node to notice its expired
 * membership.
 */
const HOMES_SETTLE_MS = 5_000;

/** A shard's own terminals, and its access to all others. */
export function composeTerminals(parts: TerminalParts): ComposedTerminals {
  const { boot, store, bus, homes, liveShards, clock, machineClock, writer, retentionMs, metrics, dayCounts, onOutboxWrite } = parts;
  const { merchantOf, shopOf, currencyOf, failed } = parts;
  const { kv, lostVersion } = store;
  const { nodeId } = boot.config;
  const lease = boot.cluster?.lease ?? null;
  let conflicts = 0;
  const table = createPresenceTable(clock);
  const presences = createPresenceStore(kv);
  const terminalStore = createTerminalStore({
    kv,
    nowMs: clock.nowMs,
    retentionMs,
    lostVersion,
    writer,
    onOutboxWrite,
    conflicted: () => {
      conflicts += 1;
      metrics.commitConflict();
    },
  });
  const { terminals, sessions, home, tick, start, membershipExpired, historyLost } = createShardTerminals({
    nodeId,
    store: terminalStore,
    presences,
    table,
    waiting: createWaitingCounters(boot.waiting),
    clock,
    bus,
    homes,
    ...(boot.cluster === null ? {} : { nodeOf: nodeIdOf, homesSettleMs: HOMES_SETTLE_MS, isStoreShared: true, lookAtMembers: liveShards }),
    isOwnNode: (candidate) => incarnationOf(candidate) === incarnationOf(bus.self),
    isMember: () => lease === null || holdsLease(lease, machineClock.monotonicMs),
    failed,
    recorded: ({ method, status, createdAtMs }) => dayCounts.recorded(method, status, createdAtMs),
    merchantOf,
    shopOf,
    currencyOf,
    finished: (state, kind) => {
      metrics.commandFinished(state, kind);
      dayCounts.commandFinished(state);
    },
    pushed: metrics.pushed,
  });
  const drainableLookups = createDrainableLookups(terminals);
  metrics.gauge("relay_actors", "Terminal actors in memory.", () => home.counts().actors);
  metrics.gauge("relay_waiting_lookups", "Lookups that wait for a result.", () => home.counts().waiters);
  metrics.gaugeByState("relay_commands", "Commands that currently wait for their terminal (queued) or for their result (sent).", () => {
    const { queued, sent } = home.counts();
    return { queued, sent };
  });

  return {
    terminals,
    unsolicited: terminalStore.loadUnsolicited,
    claimCancelled: createClaimCancelled({ store: terminalStore, clock, shopOf }),
    sessions,
    presences,
    lookups: drainableLookups.lookups,
    start,
    membershipExpired,
    historyLost,
    left: home.leave,
    tick,
    drain: drainableLookups.drain,
    close: home.flush,
    counts: () => {
      const { queued, sent } = home.counts();
      return { ...table.counts(), queued, sent };
    },
    report: () => {
      const { actors, sessions: open, queued, sent } = home.counts();
      return { terminals: actors, sessions: open, commandsQueued: queued, commandsSent: sent, conflicts };
    },
  };
}
