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
  /** The shards of all nodes that are live now, asked anew; what has changed of them is known here by then. */
  liveShards(): Promise<readonly Address[]>;
  clock: Clock;
  /** This machine's clock, which tests do not move. */
  machineClock: Clock;
  /** Unique among all writers. */
  writer: string;
  retentionMs: number;
  metrics: Pick<ShardMetrics, "gauge" | "gaugeByState" | "commandFinished" | "commitConflict" | "pushed">;
  dayCounts: Pick<DayCounts, "recorded" | "commandFinished">;
  /** A row was written to the outbox. */
  onOutboxWrite(): void;
  /** The merchant configured for a terminal; null for none. */
  merchantOf(terminalId: string): string | null;
  /** That merchant where there is one of this id, deactivated or not: whose the terminal's payments are. */
  shopOf(terminalId: string): string | null;
  /** The currency that is configured for a terminal; null for none. */
  currencyOf(terminalId: string): string | null;
  failed(what: string, error: unknown): void;
}

export interface ComposedTerminals extends Lifecycle {
  terminals: Terminals;
  claimCancelled: ClaimCancelled;
  /** Results under a uuid that nobody asked for, of all terminals. */
  unsolicited: TerminalStore["loadUnsolicited"];
  sessions: TerminalSessions;
  presences: PresenceStore;
  /** Lookups that wait for a result, until the node stops. */
  lookups: DrainableLookups["lookups"];
  /** Re-arms deadlines; has to finish before any request. */
  start(): Promise<void>;
  membershipExpired(): Promise<void>;
  historyLost(): Promise<void>;
  left(shards: readonly Address[]): void;
  counts(): ShardCounts;
  report(): ShardReport;
}

/** Long enough for every node to have seen a change of members, and for a node whose membership has expired to know it. */
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
  metrics.gaugeByState("relay_commands", "Commands that wait for their terminal (queued) and that await their result (sent), now.", () => {
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
