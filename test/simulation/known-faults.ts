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
  /** Seeds that show it, the one that is easiest to read first. Each change of the relay moves what a seed does, so there are some. */
  seeds: readonly number[];
}

/**
 * What the simulation is known to find. Fresh seeds may break these invariants and no others; and each fault has to be found by one of its seeds: when
 * it is not any more, it was mended, and goes from this table (its seeds stay in seeds.ts).
 */
export const KNOWN_FAULTS: readonly KnownFault[] = [
  {
    name: "a home with an old actor stores a result without taking the command from what was sent, and ends it as unknown later",
    part: 2,
    invariants: ["done stays done", "what left is told as sent"],
    seeds: [689, 97, 512, 1468, 3697],
  },
  {
    name: "what a declared session left unacknowledged goes to whoever comes next",
    part: 3,
    invariants: ["redelivered to whoever declared it"],
    seeds: [349, 2857, 3285, 1555, 871],
  },
  {
    name: "what a declared session left unacknowledged is queued again, and shown so",
    part: 3,
    invariants: ["what is unacknowledged stays sent"],
    seeds: [953, 2331, 490, 2634],
  },
  {
    name: "a store that was taken back hands out again what had left",
    part: 4,
    invariants: ["restored: handed out once"],
    seeds: [1302, 2742, 3311, 3302],
  },
  {
    name: "a store that was taken back ends as expired what had left",
    part: 4,
    invariants: ["restored: never called expired"],
    seeds: [2264, 2775],
  },
  {
    name: "a store that was taken back knows nothing of results that the feed holds",
    part: 4,
    invariants: ["restored: what the feed held is found"],
    seeds: [6, 321, 438, 3386],
  },
  {
    name: "a poll whose asker has gone takes a command, which then ends as unknown",
    part: 7,
    invariants: ["taken is not for nobody"],
    seeds: [827, 642, 1258, 2424],
  },
  {
    name: "a result with the uuid in capitals is another uuid's",
    part: 9,
    invariants: ["capitals are the same uuid"],
    seeds: [1670, 785, 722],
  },
  {
    name: "a cancel at a home with an old actor is answered 500",
    part: null,
    invariants: ["no defects"],
    told: /cancel of [0-9a-zA-Z-]+ changed nothing$/,
    seeds: [419, 305, 562, 654, 2335],
  },
  {
    name: "a home in whose stead a step was made answers status from what it remembers, until it hears of it",
    part: null,
    invariants: ["status is not behind"],
    seeds: [3667, 1481, 2588, 951],
  },
];

/** The known fault that explains a violation; null for one that nothing explains. */
export function knownFaultOf({ invariant, what }: Violation): KnownFault | null {
  return KNOWN_FAULTS.find(({ invariants, told }) => invariants.includes(invariant) && (told === undefined || told.test(what))) ?? null;
}

/** Whether a history shows this fault. */
export function shows({ violations }: Pick<Outcome, "violations">, fault: KnownFault): boolean {
  return violations.some((violation) => knownFaultOf(violation) === fault);
}
