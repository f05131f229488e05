import { describe as registerGroup, test as registerTest } from "node:test";

/**
 * `TEST_LAYOUTS=every` runs all scenarios on all layouts, as the nightly run does, and
 * `TEST_LAYOUTS=tour` only the few that take a payment through its whole life, as the run on the
 * other HTTP library does.
 */
const ASKED = process.env["TEST_LAYOUTS"];
const EVERY_LAYOUT = ASKED === "every";

const leaveOut = async (): Promise<void> => undefined;
const noTest: typeof registerTest = Object.assign(leaveOut, registerTest);
const noGroup: typeof registerGroup = Object.assign(leaveOut, registerGroup);

// Bindings that change, and no functions around those of Node: a failure names the scenario's file.

/** A scenario that several nodes do not change: validation, forms, pages, what one home decides. */
export let test = registerTest;

/**
 * A scenario whose way differs with several nodes: a home or a session on another node, tables that
 * every node has, claims and counters in Redis, the feed through Kafka, a start from Redis. It runs
 * on three nodes as well.
 */
export let testOnNodes = registerTest;

/** Such a scenario that is also a part of the tour. */
export const testEverywhere = registerTest;

/** Groups that start nodes of their own: they are registered where one of their scenarios is. */
export let describe = registerGroup;
export let describeOnNodes = registerGroup;
export const describeEverywhere = registerGroup;

/**
 * Registers the scenarios of `define`: for the shards of one node all of them, for several nodes
 * those that several nodes change; the others are not registered there at all. By default the node
 * has two shards: some terminals are at home on the shard that is asked and some on the other, so
 * that each way is taken that a node of one shard has, and those over the bus.
 */
export function registerOn(layout: "shards" | "nodes", define: () => void): void {
  if (ASKED === "tour") [testOnNodes, describeOnNodes] = [noTest, noGroup];
  if (ASKED === "tour" || (layout === "nodes" && !EVERY_LAYOUT)) [test, describe] = [noTest, noGroup];
  define();
  [test, testOnNodes] = [registerTest, registerTest];
  [describe, describeOnNodes] = [registerGroup, registerGroup];
}
