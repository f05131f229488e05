import type { Delivery, Witness } from "../witness.ts";
import { byUuid, type Evidence, isBeforeRestore, isForgotten, isOfLostStore, restoredHow, type Violation } from "./judge.ts";

/** A node that is stopped for 20 s has lost its membership long before it can close a socket. */
const HEARS_WITHIN_MS = 40_000;

/**
 * A command reaches at most one device, at most once; but a NACK gives it back, and what a declared session of the terminal's own login had not
 * acknowledged may come to such a session again.
 */
export function judgeDeliveries({ witness }: Evidence): Violation[] {
  const violations: Violation[] = [];
  for (const [uuid, arrived] of byUuid(witness.deliveries)) {
    if (isForgotten(witness, uuid)) continue;
    // In the order in which they were sent: a slow network may bring the earlier one later. A store that was taken back counts its attempts anew.
    const deliveries = [...arrived].sort(
      (one, other) => restoresBefore(witness, one) - restoresBefore(witness, other) || one.attempt - other.attempt,
    );
    for (const [index, delivery] of deliveries.entries()) {
      const held = deliveries.slice(0, index).filter(({ nackedAtMs }) => nackedAtMs === null || nackedAtMs > delivery.atMs);
      if (held.length === 0 || (delivery.declared && held.every((before) => before.declared && hasEnded(before, delivery.atMs)))) continue;
      const before = held.map(nameOf).join(" and ");
      const what = `${before} had it, and ${nameOf(delivery)} got it too`;
      if (isOfLostStore(witness, uuid) || isAcrossRestore(witness, [...held, delivery])) {
        violations.push({ invariant: "restored: handed out once", uuid, what: what + restoredHow(witness) });
        continue;
      }
      const isRedelivery = held.every(({ flagged }) => flagged);
      violations.push({ invariant: isRedelivery ? "redelivered to whoever declared it" : "handed out once", uuid, what });
    }
  }
  return violations;
}

/** A session that the relay ended, or whose node's membership expired, the device may hear of only some time later. */
function hasEnded({ endedAtMs }: Delivery, atMs: number): boolean {
  return endedAtMs !== null && endedAtMs <= atMs + HEARS_WITHIN_MS;
}

function isAcrossRestore(witness: Witness, deliveries: readonly Delivery[]): boolean {
  const before = deliveries.filter(({ atMs }) => isBeforeRestore(witness, atMs));
  return before.length > 0 && before.length < deliveries.length;
}

function restoresBefore({ restores }: Witness, { atMs }: Delivery): number {
  return restores.filter((restore) => restore.atMs < atMs).length;
}

function nameOf({ device, session, declared, flagged }: Delivery): string {
  const over = session === null ? "by poll" : `over ${session}`;
  return `${device} (${over}${declared ? ", declared" : flagged ? ", flagged, not its own" : ""})`;
}
