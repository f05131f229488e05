import type { Seed } from "./draw-plan.ts";
import type { Outcome } from "./history.ts";
import type { Invariant, Violation } from "./invariants/judge.ts";

/** A fault of the relay that is known and not mended yet. */
export interface KnownFault {
  name: string;
  /** The part of the issue "Never twice, never lost" that it belongs to; null for one that was found here first. */
  part: number | null;
  invariants: readonly Invariant[];
  /** Where an invariant alone would say too much: what its violation is told as. */
  told?: RegExp;
  /** Seeds that show it, the one that shows it soonest first. Each change of the relay moves what a seed does, so there are some. */
  seeds: readonly Seed[];
}

/**
 * What the simulation is known to find. Fresh seeds may break these invariants and no others; and each fault has to be found by one of its seeds: when
 * it is not any more, it was mended, and goes from this table (its seeds stay in seeds.ts).
 */
export const KNOWN_FAULTS: readonly KnownFault[] = [
  {
    name: "a store that is taken back while nodes live gets nothing back of what the feed holds, so that a retry of it is a new command",
    part: 4,
    invariants: ["restored: what the feed held is found", "restored: handed out once", "restored: never called expired"],
    told: /; the nodes lived on$/,
    seeds: [50070, 50395, 50695, 50945, 614338062],
  },
  {
    name: "the answer to a poll is lost with the membership of the node that took for it, and its command ends as unknown",
    part: 7,
    invariants: ["taken is not for nobody"],
    seeds: [393, 700116, 701757, 701843, 702200],
  },
  {
    name: "an acknowledgement that is lost on its way, and its command comes again to a session that remembers uuids",
    part: null,
    invariants: ["redelivered to whoever declared it"],
    told: /^\S+ \(over \S+, declared\) had it, and \S+ \(over \S+, declared\) got it too$/,
    seeds: ["914040/5"],
  },
];

/** The known fault that explains a violation; null for one that nothing explains. */
export function knownFaultOf({ invariant, what }: Violation): KnownFault | null {
  return KNOWN_FAULTS.find(({ invariants, told }) => invariants.includes(invariant) && (told === undefined || told.test(what))) ?? null;
}

/** What a history breaks that nothing explains. */
export function unknownIn({ violations }: Pick<Outcome, "violations">): Violation[] {
  return violations.filter((violation) => knownFaultOf(violation) === null);
}

/** Whether a history shows this fault. */
export function shows({ violations }: Pick<Outcome, "violations">, fault: KnownFault): boolean {
  return violations.some((violation) => knownFaultOf(violation) === fault);
}
