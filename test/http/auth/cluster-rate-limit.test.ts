import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { createClusterRateLimit, type WindowsOfAll } from "../../../http/auth/cluster-rate-limit.ts";
import { createRateLimitMemory, openRateLimit, type RateLimitBucket } from "../../../http/auth/rate-limiter.ts";

interface World {
  /** Moves the clock and the timers, and lets what that brings come to its end. */
  pass(ms: number): Promise<void>;
  nodes: RateLimitBucket[];
  /** Questions so far. */
  asked: () => { tells: number; asks: number };
  /** True: nobody can tell. */
  away: boolean;
}

/** Nodes with a limiter each, over windows that are exact and answer in the next turn. */
function world(test: TestContext, perSecond: number, count = 3): World {
  test.mock.timers.reset();
  test.mock.timers.enable({ apis: ["setTimeout"] });
  const clock = { nowMs: 5_000 };
  const times = new Map<string, number[]>();
  const asked = { tells: 0, asks: 0 };
  const state = { away: false };
  const all: WindowsOfAll = {
    ask: async ({ client, perSecond: limit, noted, asks }) => {
      if (asks) asked.asks += 1;
      else asked.tells += 1;
      if (state.away) throw new Error("away");
      const own = times.get(client) ?? [];
      times.set(client, own);
      for (let index = 0; index < noted; index += 1) own.push(clock.nowMs);
      const oldest = own.at(-limit);
      const waitMs = oldest === undefined ? 0 : Math.max(0, oldest + 1_001 - clock.nowMs);
      const admitted = asks && waitMs === 0;
      if (admitted) own.push(clock.nowMs);
      return { count: own.filter((at) => clock.nowMs - at <= 1_000).length, admitted, waitMs };
    },
  };
  const monotonicMs = () => clock.nowMs;
  const nodes = Array.from({ length: count }, (_, index) =>
    createClusterRateLimit({
      bucket: "test",
      local: openRateLimit(createRateLimitMemory(`test-${index}`, perSecond, 1, 65_536), monotonicMs),
      all,
      nodes: () => count,
      monotonicMs,
    }),
  );
  return {
    pass: async (ms) => {
      for (let left = ms; left > 0; left -= 10) {
        clock.nowMs += Math.min(left, 10);
        test.mock.timers.tick(Math.min(left, 10));
        for (let turn = 0; turn < 5; turn += 1) await null;
      }
    },
    nodes,
    asked: () => asked,
    get away() {
      return state.away;
    },
    set away(away) {
      state.away = away;
    },
  };
}

/** Requests of one address, one after the other, over the nodes; answers how many were admitted. */
async function send({ nodes }: World, requests: number, nodeOf: (request: number) => number): Promise<number> {
  let admitted = 0;
  for (let request = 0; request < requests; request += 1) {
    if (typeof (await nodes[nodeOf(request)]?.take(-1, 1)) === "number") admitted += 1;
  }
  return admitted;
}

describe("a limit over three nodes", () => {
  it("holds when a client spreads its requests", async (test) => {
    for (const perSecond of [10, 100]) {
      const three = world(test, perSecond);
      let admitted = 0;
      for (let slice = 0; slice < 50; slice += 1) {
        admitted += await send(three, perSecond, (request) => request % 3);
        await three.pass(100);
      }
      assert.ok(Math.abs(admitted / 5 / perSecond - 1) <= 0.1, `${admitted} in 5 s at a limit of ${perSecond}`);
    }
  });

  it("holds for bursts, and for a client that prefers one node", async (test) => {
    for (const nodeOf of [(request: number) => request % 3, (request: number) => (request % 10 === 0 ? 1 : 0)]) {
      const three = world(test, 100);
      for (let burst = 0; burst < 3; burst += 1) {
        const admitted = await send(three, 300, nodeOf);
        assert.ok(Math.abs(admitted - 100) <= 10, `${admitted} of a burst`);
        await three.pass(3_000);
      }
    }
  });

  it("lets a client that sends no more than its limit have all of it", async (test) => {
    const three = world(test, 100);
    let admitted = 0;
    for (let request = 0; request < 270; request += 1) {
      admitted += await send(three, 1, () => request % 3);
      await three.pass(11);
    }
    assert.equal(admitted, 270);
  });

  it("holds for each client's own limit, beside others of the same bucket", async (test) => {
    const three = world(test, 1_000);
    const limits = [40, 100, 600];
    const admitted = limits.map(() => 0);
    for (let slice = 0; slice < 50; slice += 1) {
      for (const [index, limit] of limits.entries()) {
        for (let request = 0; request < limit / 5; request += 1) {
          if (typeof (await three.nodes[request % 3]?.take(0, index, limit)) === "number") admitted[index] = (admitted[index] ?? 0) + 1;
        }
      }
      await three.pass(100);
    }
    for (const [index, limit] of limits.entries()) {
      assert.ok(Math.abs((admitted[index] ?? 0) / 5 / limit - 1) <= 0.1, `${admitted[index]} in 5 s at a limit of ${limit}`);
    }
  });

  it("asks nobody for clients that are far from it", async (test) => {
    const three = world(test, 100);
    for (let second = 0; second < 5; second += 1) {
      for (let address = 0; address < 50; address += 1) {
        for (let request = 0; request < 6; request += 1) assert.equal(typeof three.nodes[request % 3]?.take(-1, address), "number");
      }
      await three.pass(1_100);
    }
    assert.deepEqual(three.asked(), { tells: 0, asks: 0 });
  });

  it("does not wait for an answer at less than half of the limit, and tells the others soon", async (test) => {
    const three = world(test, 10);
    assert.equal(three.nodes[0]?.take(-1, 1), 9, "at once");
    await three.pass(30);
    assert.deepEqual(three.asked(), { tells: 1, asks: 0 });
  });

  it("does not ask for a client again that has no room", async (test) => {
    const three = world(test, 10);
    await send(three, 60, (request) => request % 3);
    const { asks } = three.asked();
    assert.equal(await send(three, 600, (request) => request % 3), 0);
    assert.equal(three.asked().asks, asks);
  });

  it("is divided among the nodes when nobody can tell", async (test) => {
    const three = world(test, 10);
    three.away = true;
    assert.equal(await send(three, 60, (request) => request % 3), 12, "a third of it each, rounded up");
  });

  it("costs a node by itself nothing", async (test) => {
    const three = world(test, 10, 1);
    assert.equal(await send(three, 60, () => 0), 10);
    assert.deepEqual(three.asked(), { tells: 0, asks: 0 });
  });
});
