import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { describeTrials, prepareTrials, runTrial } from "./run-trials.ts";
import { shared, stopShared } from "./shared.ts";
import type { ClientTrial } from "./trial.ts";

function trial(changes: Partial<ClientTrial>): ClientTrial {
  return {
    group: "HTTP",
    client: "a client",
    version: "1.0",
    tried: "a call",
    result: "works",
    prepare: async () => null,
    run: async () => undefined,
    ...changes,
  };
}

function inCi(test: TestContext, value: string | undefined): void {
  const before = process.env["CI"];
  const set = (to: string | undefined) => (to === undefined ? delete process.env["CI"] : Object.assign(process.env, { CI: to }));
  set(value);
  test.after(() => set(before));
}

async function outcomeOf(changes: Partial<ClientTrial>): Promise<string | false> {
  const [prepared] = await prepareTrials([trial(changes)]);
  assert.ok(prepared);
  return runTrial(prepared);
}

describe("the trials of clients", () => {
  it("fail where the client is not as its row says", async () => {
    await assert.rejects(
      outcomeOf({
        run: async () => {
          throw new Error("the client says no");
        },
      }),
      /the client says no/,
    );
  });

  it("fail where the preparation has a fault, instead of being skipped", async () => {
    await assert.rejects(
      outcomeOf({
        prepare: async () => {
          throw new Error("a fault of the trial");
        },
      }),
      /a fault of the trial/,
    );
  });

  it("are skipped with the reason where the machine lacks something", async (test) => {
    inCi(test, undefined);
    let ran = false;
    const skip = await outcomeOf({
      prepare: async () => "no such toolchain",
      run: async () => {
        ran = true;
      },
    });
    assert.equal(skip, "a client 1.0: no such toolchain");
    assert.equal(ran, false);
  });

  it("fail in CI where the machine lacks something", async (test) => {
    inCi(test, "true");
    await assert.rejects(outcomeOf({ prepare: async () => "no such toolchain" }), /no such toolchain/);
  });

  it("are prepared side by side, a few at once, and keep their order", async () => {
    let now = 0;
    let most = 0;
    const trials = Array.from({ length: 12 }, (_, index) =>
      trial({
        client: `client ${index}`,
        prepare: async () => {
          now += 1;
          most = Math.max(most, now);
          await new Promise(setImmediate);
          now -= 1;
          return null;
        },
      }),
    );
    const prepared = await prepareTrials(trials);
    assert.deepEqual(
      prepared.map((each) => each.trial),
      trials,
    );
    assert.ok(most > 1 && most < trials.length, `${most} at once`);
  });

  it("share what the first of them started, which is stopped at the end", async () => {
    let starts = 0;
    let stops = 0;
    const world = shared(async () => {
      starts += 1;
      return {
        stop: async () => {
          stops += 1;
        },
      };
    });
    shared(() => assert.fail("nobody asked for it"));
    assert.equal(await world(), await world());
    await stopShared();
    assert.deepEqual({ starts, stops }, { starts: 1, stops: 1 });
  });
});

const atOnce = { HTTP: 0, ClickHouse: 0, all: 0 };
const most = { ...atOnce };

function count(group: "HTTP" | "ClickHouse", change: 1 | -1): void {
  for (const name of [group, "all"] as const) {
    atOnce[name] += change;
    most[name] = Math.max(most[name], atOnce[name]);
  }
}

const counted = (["HTTP", "ClickHouse"] as const).flatMap((group) =>
  ["first", "second", "third"].map((client) =>
    trial({
      group,
      client,
      run: async () => {
        count(group, 1);
        await delay(50);
        count(group, -1);
      },
    }),
  ),
);
describeTrials(await prepareTrials(counted));

it("trials that share what their relay allows one address run one after the other, beside those of another group", () => {
  assert.deepEqual(most, { HTTP: 1, ClickHouse: 1, all: 2 });
});
