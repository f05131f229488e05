import type { Campaign } from "./campaign.ts";
import type { Outcome } from "./history.ts";

/** A history for a person to read: its trace, and what it breaks. */
export function historyText({ plan, trace, violations, hash, events, steps }: Outcome): string {
  const { seed, salt, isCluster, nodes, shards } = plan.shape;
  const where = `${nodes} ${isCluster ? "nodes on a store of their own" : "node with files"}, ${shards} shards each`;
  return [
    ...trace,
    `seed ${seed}${salt === 0 ? "" : ` with salt ${salt}`}: ${where}; ${events} lines, ${steps} steps, trace ${hash}`,
    ...violations.map(({ invariant, uuid, what }) => `BROKEN ${invariant}: ${uuid === null ? "" : `${uuid}: `}${what}`),
  ].join("\n");
}

/** What a campaign was like, with how often each kind of thing happened. */
export function campaignText({ histories, durationMs, medianEvents, medianFaults, counts }: Campaign): string {
  const perMinute = Math.round((histories / durationMs) * 60_000);
  return [
    `${histories} histories, ${perMinute} a minute; at the median ${medianEvents} events and ${medianFaults} faults`,
    ...Object.entries(counts)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([what, count]) => `${String(count).padStart(8)} ${what}`),
  ].join("\n");
}
