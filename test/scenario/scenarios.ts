import { createRequire } from "node:module";
import { after, afterEach, before, describe } from "node:test";
import { Relay } from "../support/relay.ts";
import { access } from "./access.ts";
import { badInput } from "./bad-input.ts";
import { cancellation } from "./cancel.ts";
import { delivery } from "./delivery.ts";
import { livesAndPresence } from "./life.ts";
import { operation, production } from "./operation.ts";
import { payments } from "./payment.ts";
import { results } from "./results.ts";
import { transactions, withoutClickHouse } from "./transactions.ts";
import { utilityCommands } from "./utility.ts";

const SCENARIOS: { about: string; define: (relay: Relay) => void; skip?: string | false }[] = [
  { about: "payments", define: payments },
  { about: "lives and presence", define: livesAndPresence },
  { about: "scan, print, commands and tags", define: utilityCommands },
  { about: "cancellation", define: cancellation },
  { about: "delivery", define: delivery },
  { about: "access", define: access },
  { about: "results", define: results },
  { about: "transactions", define: transactions, skip: isInstalled("chdb") ? false : "chdb, an optional dependency, is not installed" },
  { about: "bad input", define: badInput },
  { about: "operation", define: operation },
];

/**
 * Registers every scenario for a node with so many shards. They share the node, whose start takes longer than most of them: each has its
 * own terminals, uuids and client addresses in it, and moves its clock only forwards.
 */
export function runScenarios(shards: number): void {
  const relay = new Relay(shards, { RELAY_SERVICE_PREFIX: "till" });
  before(() => relay.start());
  after(() => relay.stop());
  for (const { about, define, skip = false } of SCENARIOS) {
    describe(about, { skip }, () => {
      afterEach(() => relay.leaveAll());
      define(relay);
    });
  }
  describe("production", () => production(shards));
  describe("without ClickHouse", () => withoutClickHouse(shards));
}

function isInstalled(name: string): boolean {
  try {
    return createRequire(import.meta.url).resolve(name) !== "";
  } catch {
    return false;
  }
}
