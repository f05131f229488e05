import type { Seed } from "./draw-plan.ts";
import type { Outcome } from "./history.ts";
import type { Invariant, Violation } from "./invariants/judge.ts";
import { SESSION_OF_A_NODE_THAT_LEFT } from "./kept-plans.ts";
import type { Plan } from "./plan.ts";

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
  /** A history that shows it, where no seed of today draws one; on some network or other. */
  plan?: Plan;
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
    seeds: [5290, 1205, 2636, 5912, 3224, 1269],
  },
  {
    name: "the same, where nobody looks long enough to see it end: done, and sent 0 times",
    part: 2,
    invariants: ["what left is told as sent"],
    seeds: [5290, 4110, 808, 2107, 1205],
  },
  {
    name: "a home with an old actor shows as queued what has left",
    part: 2,
    invariants: ["lives move forward"],
    told: /was told sent, and after that \S+ queued$/,
    seeds: [8235, 584057951, 584058266],
  },
  {
    name: "what a declared session left unacknowledged goes to whoever comes next",
    part: 3,
    invariants: ["redelivered to whoever declared it"],
    seeds: [2549, 8313, 5304, 9573, 5677],
  },
  {
    name: "what a declared session left unacknowledged is queued again, and shown so",
    part: 3,
    invariants: ["what is unacknowledged stays sent"],
    seeds: [3529, 2697, 486, 5701, 6860],
  },
  {
    name: "a store that was taken back hands out again what had left",
    part: 4,
    invariants: ["restored: handed out once"],
    seeds: [6240, 2065, 9165, 4581],
  },
  {
    name: "a store that was taken back ends as expired what had left",
    part: 4,
    invariants: ["restored: never called expired"],
    seeds: [8757, 4827, 2562],
  },
  {
    name: "a store that was taken back knows nothing of results that the feed holds",
    part: 4,
    invariants: ["restored: what the feed held is found"],
    seeds: [6821, 6350, 9165, 3610],
  },
  {
    name: "a poll whose asker has gone takes a command, which then ends as unknown",
    part: 7,
    invariants: ["taken is not for nobody"],
    seeds: [464, 107, 363, 393, 605],
  },
  {
    name: "a result with the uuid in capitals is another uuid's",
    part: 9,
    invariants: ["capitals are the same uuid"],
    seeds: [10474, 8091, 8943],
  },
  {
    name: "a cancel at a home with an old actor is answered 500",
    part: null,
    invariants: ["no defects"],
    told: /cancel of [0-9a-zA-Z-]+ changed nothing$/,
    seeds: [4110, 10192, 9708, 3144, 3640],
  },
  {
    name: "a home in whose stead a step was made shows, as status, a state that has passed",
    part: null,
    invariants: ["status is not behind"],
    seeds: [9986, 8235, 625, 10733],
  },
  {
    name: "a home in whose stead a step was made shows, as status, an older command",
    part: null,
    invariants: ["status is of the latest command"],
    seeds: [4110, 808, 2057, 1205],
  },
  {
    name: "a session that its home is told of after its node has left is put payments to that reach nobody",
    part: null,
    invariants: ["sent reaches a device"],
    seeds: [],
    plan: SESSION_OF_A_NODE_THAT_LEFT,
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
