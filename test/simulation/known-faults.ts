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
  /** Seeds that show it, the one that is easiest to read first. Each change of the relay moves what a seed does, so there are some. */
  seeds: readonly Seed[];
}

/**
 * What the simulation is known to find. Fresh seeds may break these invariants and no others; and each fault has to be found by one of its seeds: when
 * it is not any more, it was mended, and goes from this table (its seeds stay in seeds.ts).
 */
export const KNOWN_FAULTS: readonly KnownFault[] = [
  {
    name: "a home with an old actor stores a result without taking the command from what was sent, and ends it as unknown later",
    part: 2,
    invariants: ["done stays done"],
    seeds: [106819, 107447, 102286, 100843, 689, 97],
  },
  {
    name: "the same, where nobody looks long enough to see it end: done, and sent 0 times",
    part: 2,
    invariants: ["what left is told as sent"],
    seeds: [105131, 103290, 689, 106819, 107447],
  },
  {
    name: "what a declared session left unacknowledged goes to whoever comes next",
    part: 3,
    invariants: ["redelivered to whoever declared it"],
    seeds: [106804, 100524, 103441, 101380, 101778],
  },
  {
    name: "what a declared session left unacknowledged is queued again, and shown so",
    part: 3,
    invariants: ["what is unacknowledged stays sent"],
    seeds: [107734, 106253, 100067, 100440, 104780],
  },
  {
    name: "a store that was taken back hands out again what had left",
    part: 4,
    invariants: ["restored: handed out once"],
    seeds: [105108, 105296, 105369, 102593],
  },
  {
    name: "a store that was taken back ends as expired what had left",
    part: 4,
    invariants: ["restored: never called expired"],
    seeds: [105108, 107199, 105595, 102339],
  },
  {
    name: "a store that was taken back knows nothing of results that the feed holds",
    part: 4,
    invariants: ["restored: what the feed held is found"],
    seeds: [102002, 106826, 101193, 103096],
  },
  {
    name: "a poll whose asker has gone takes a command, which then ends as unknown",
    part: 7,
    invariants: ["taken is not for nobody"],
    seeds: [103182, 107977, 100623, 106171],
  },
  {
    name: "a result with the uuid in capitals is another uuid's",
    part: 9,
    invariants: ["capitals are the same uuid"],
    seeds: [101797, 103723, 103288],
  },
  {
    name: "a cancel at a home with an old actor is answered 500",
    part: null,
    invariants: ["no defects"],
    told: /cancel of [0-9a-zA-Z-]+ changed nothing$/,
    seeds: [105131, 104791, 101913, 105216, 419],
  },
  {
    name: "a home in whose stead a step was made shows, as status, a state that has passed",
    part: null,
    invariants: ["status is not behind"],
    seeds: [105107, 103603, 107295],
  },
  {
    name: "a home in whose stead a step was made shows, as status, an older command",
    part: null,
    invariants: ["status is of the latest command"],
    seeds: [105131, 100516, 105047, 106024],
  },
  {
    name: "a session that its home is told of after its node has left is put payments to that reach nobody",
    part: null,
    invariants: ["sent reaches a device"],
    seeds: [103741, "103741/4", "103741/87", "103741/128"],
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
