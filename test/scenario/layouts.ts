import { describe as registerGroup, test as registerTest } from "node:test";

/**
 * `TEST_LAYOUTS=every` runs all scenarios on all layouts, as the nightly run does, and
 * `TEST_LAYOUTS=tour` only the few that take a payment through its whole life, as the run on the
 * other HTTP library does.
 */
const ASKED = process.env["TEST_LAYOUTS"];

/** What only some scenarios are registered for. */
type Place = "nodes" | "tour";

let place: Place | null = null;

/**
 * Registers the scenarios of `define`: for the shards of one node all of them, for several nodes
 * those that several nodes change; the others are not registered there at all. By default the node
 * has two shards: some terminals are at home on the shard that is asked and some on the other, so
 * that each way is taken that a node of one shard has, and those over the bus.
 */
export function registerOn(layout: "shards" | "nodes", define: () => void): void {
  if (ASKED === "tour") place = "tour";
  else place = layout === "shards" || ASKED === "every" ? null : layout;
  try {
    define();
  } finally {
    place = null;
  }
}

function alsoFor<Register extends (...scenario: never[]) => Promise<void>>(places: readonly Place[], register: Register): Register {
  const registered = (...scenario: unknown[]): Promise<void> =>
    place === null || places.includes(place) ? Reflect.apply(register, undefined, scenario) : Promise.resolve();
  return Object.assign(registered, register);
}

/** A scenario that several nodes do not change: validation, forms, pages, what one home decides. */
export const test = alsoFor([], registerTest);

/**
 * A scenario whose way differs with several nodes: a home or a session on another node, tables that
 * every node has, claims and counters in Redis, the feed through Kafka, a start from Redis. It runs
 * on three nodes as well.
 */
export const testOnNodes = alsoFor(["nodes"], registerTest);

/** Such a scenario that is also a part of the tour. */
export const testEverywhere = alsoFor(["nodes", "tour"], registerTest);

/** Groups that start nodes of their own: they are registered where one of their scenarios is. */
export const describe = alsoFor([], registerGroup);
export const describeOnNodes = alsoFor(["nodes"], registerGroup);
export const describeEverywhere = alsoFor(["nodes", "tour"], registerGroup);
