import type { Bus, Homes } from "../../../../engine/kernel/bus.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import { available, type Kv } from "../../../../engine/kernel/kv.ts";
import { countOpenLinks } from "../../../../engine/links/link-store.ts";
import { type Overview, SET_ASIDE_COUNTED_MAX } from "../../../../engine/operators/overview.ts";
import type { PresenceStore } from "../../../../engine/sessions/presence-store.ts";
import { countSetAside } from "../../../../storage/feed/set-aside.ts";
import type { NodeProtocol, ShardCounts } from "../../boot/node-protocol.ts";
import { MAIN } from "../../boot/shard-boot.ts";
import type { DayCounts } from "../terminals/day-counts.ts";

const REQUEST_TIMEOUT_MS = 5_000;

/** The maximum age of counts that are read from the store. Many open dashboards cause one read. */
const LOOK_AGAIN_MS = 60_000;

export interface OverviewParts {
  kv: Kv;
  bus: Bus<NodeProtocol>;
  homes: Homes;
  clock: Clock;
  presences: PresenceStore;
  dayCounts: DayCounts;
  counts(): ShardCounts;
  deployments(): readonly { state: string }[];
}

/**
 * Returns the figures of the dashboard. Each shard counts its own events, and the shard that serves
 * the request adds them up.
 */
export function composeOverview(parts: OverviewParts): () => Promise<Overview> {
  const { kv, bus, homes, clock, presences, dayCounts } = parts;
  const known = lookedUp(clock, () => presences.count());

  bus.handle("overview.counts", async () => {
    await dayCounts.flush();
    return parts.counts();
  });

  const links = lookedUp(clock, () => countOpenLinks(kv, clock.nowMs()), 5_000);
  const aside = lookedUp(clock, () => available(() => countSetAside(kv, SET_ASIDE_COUNTED_MAX)), 5_000);
  return async () => {
    const atMs = clock.nowMs();
    const day = dayCounts.dayOf(atMs);
    const asked = homes.shards().map((address) => bus.request(address, "overview.counts", undefined, REQUEST_TIMEOUT_MS));
    const [shards, node, seen, pending, setAside] = await Promise.all([
      Promise.all(asked),
      bus.request(MAIN, "node.overview", undefined, REQUEST_TIMEOUT_MS),
      known(),
      links(),
      aside(),
    ]);
    // The shards have stored their counts by now.
    const today = await dayCounts.total(day);
    const sum = (member: keyof ShardCounts) => shards.reduce((total, counts) => total + counts[member], 0);
    return {
      atMs,
      day,
      terminals: { websocket: sum("websocket"), polling: sum("polling"), known: seen },
      commands: { queued: sum("queued"), sent: sum("sent") },
      commandsToday: today.commands,
      resultsToday: today.results,
      links: { pending, today: today.links },
      deployments: countStates(parts.deployments()),
      setAside,
      ...node,
    };
  };
}

/** Reads the value again if it is too old. Concurrent callers share one read. */
export function lookedUp<T>(clock: Pick<Clock, "monotonicMs">, look: () => Promise<T>, againMs = LOOK_AGAIN_MS): () => Promise<T> {
  let last: { atMs: number; found: Promise<T> } | null = null;
  return () => {
    if (last !== null && clock.monotonicMs() - last.atMs < againMs) return last.found;
    const found = look();
    const begun = { atMs: clock.monotonicMs(), found };
    last = begun;
    found.catch(() => {
      if (last === begun) last = null;
    });
    return found;
  };
}

/** Counts the items by state. */
function countStates(things: readonly { state: string }[]): { [state: string]: number } {
  const counts: { [state: string]: number } = {};
  for (const { state } of things) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
