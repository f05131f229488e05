import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { choicesOf, createFleet, type FleetFilter } from "../../../engine/fleet/fleet.ts";
import type { CloudConfig } from "../../../engine/settings/cloud-config.ts";
import { DAY_MS, fleetClock, NOW_MS, viewOf } from "./fleet-world.ts";

const VIEWS = [
  viewOf("A1", { appVersion: "4.2", deviceModel: "P2" }),
  viewOf("A2", { appVersion: "4.1", deviceModel: "P2" }, { connectionType: "POLLING", sessions: 0, queued: 1 }),
  viewOf("B1", { appVersion: "4.1" }, { connectionStatus: "OFFLINE", lastSeenMs: NOW_MS - 2 * DAY_MS }),
  viewOf("B2", {}, { connectionStatus: "NEVER_CONNECTED" }),
];

const CONFIGS: { [terminalId: string]: Partial<CloudConfig> } = {
  A1: { merchantId: "SHOP-1", group: "pilot" },
  B1: { merchantId: "SHOP-1" },
};

function fleetOf(options: { terminalsMax?: number } = {}) {
  let lists = 0;
  const clock = fleetClock();
  const fleet = createFleet({
    terminals: {
      list: async ({ after, limit }) => {
        lists += 1;
        return VIEWS.filter(({ terminalId }) => terminalId > after).slice(0, limit);
      },
      connection: async (terminalId) => VIEWS.find((view) => view.terminalId === terminalId) ?? viewOf(terminalId),
    },
    configOf: (terminalId) => {
      const config = CONFIGS[terminalId];
      return config === undefined
        ? undefined
        : { schema: 1, terminalId, merchantId: null, group: null, family: null, settings: {}, updatedAtMs: 0, ...config };
    },
    isDenied: (terminalId) => terminalId === "A2",
    clock,
    ...options,
  });
  return { fleet, clock, lists: () => lists };
}

const CASES: { filter: FleetFilter; expected: string[] }[] = [
  { filter: {}, expected: ["A1", "A2", "B1", "B2"] },
  { filter: { q: "A" }, expected: ["A1", "A2"] },
  { filter: { q: "1" }, expected: [] },
  { filter: { version: "4.1" }, expected: ["A2", "B1"] },
  { filter: { version: "4.1", model: "P2" }, expected: ["A2"] },
  { filter: { merchantId: "SHOP-1" }, expected: ["A1", "B1"] },
  { filter: { group: "pilot" }, expected: ["A1"] },
  { filter: { connection: "ONLINE" }, expected: ["A1", "A2"] },
  { filter: { connection: "WEBSOCKET" }, expected: ["A1"] },
  { filter: { connection: "POLLING" }, expected: ["A2"] },
  { filter: { connection: "OFFLINE" }, expected: ["B1"] },
  { filter: { connection: "NEVER_CONNECTED" }, expected: ["B2"] },
  { filter: { connection: "DENIED" }, expected: ["A2"] },
  { filter: { connection: "WAITING" }, expected: ["A2"] },
  { filter: { seen: "HOUR" }, expected: ["A1", "A2"] },
  { filter: { seen: "WEEK" }, expected: ["A1", "A2", "B1"] },
  { filter: { seen: "OVER_DAY" }, expected: ["B1", "B2"] },
  { filter: { seen: "OVER_WEEK" }, expected: ["B2"] },
];

describe("the fleet", () => {
  for (const { filter, expected } of CASES) {
    it(`is filtered by ${JSON.stringify(filter)}`, async () => {
      const { terminals, isComplete } = await fleetOf().fleet.matching(filter);
      assert.deepEqual(
        terminals.map(({ view }) => view.terminalId),
        expected,
      );
      assert.equal(isComplete, true);
    });
  }

  it("looks through no more terminals than its limit, and says so", async () => {
    const { terminals, isComplete } = await fleetOf({ terminalsMax: 3 }).fleet.all();
    assert.deepEqual([terminals.length, isComplete], [3, false]);
    assert.equal((await fleetOf({ terminalsMax: 4 }).fleet.all()).isComplete, true);
  });

  it("shares a look for some seconds", async () => {
    const { fleet, clock, lists } = fleetOf();
    await Promise.all([fleet.all(), fleet.matching({ q: "A" })]);
    assert.equal(lists(), 1);
    clock.advance(5_000);
    await fleet.all();
    assert.equal(lists(), 2);
  });

  it("counts the values of a filter, the most frequent first", async () => {
    const { terminals } = await fleetOf().fleet.all();
    assert.deepEqual(
      choicesOf(terminals, ({ view }) => view.device.appVersion),
      [
        { value: "4.1", terminals: 2 },
        { value: "4.2", terminals: 1 },
      ],
    );
    assert.deepEqual(
      choicesOf(terminals, ({ group }) => group),
      [{ value: "pilot", terminals: 1 }],
    );
  });
});
