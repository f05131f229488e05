import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type AskedChild, forkChild } from "../load/child.ts";
import { type RunningRelay, startRelay } from "../load/relay.ts";
import { LIFE_STEPS, type LoadAnswer, type LoadTask, type StepsAnswer, type StepsTask } from "../load/task.ts";
import { untilRowsAreStored } from "../peers/rows.ts";

const LIVES = 120;

describe("whole lives as a load", () => {
  let directory: string;
  let relay: RunningRelay;
  let generator: AskedChild<LoadTask, LoadAnswer>;
  let stepsGenerator: AskedChild<StepsTask, StepsAnswer>;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "relay-lives-"));
    relay = await startRelay(directory);
    generator = forkChild("load/generator.ts");
    stepsGenerator = forkChild("load/steps-generator.ts");
  });
  after(async () => {
    await Promise.all([relay?.stop(), generator?.stop(), stepsGenerator?.stop()]);
    await rm(directory, { recursive: true, force: true });
  });

  for (const [phase, channel, ratePerSecond] of [
    [1, "poll", null],
    [2, "push", null],
    [3, "poll", 100],
    [4, "push", 100],
  ] as const) {
    it(`are taken by ${channel}, ${ratePerSecond === null ? "as fast as they go" : "at a rate"}, with no odd answer`, async () => {
      const answer = await generator.ask({
        kind: "life",
        channel,
        port: relay.port,
        serverPid: relay.pid,
        servingThread: null,
        connections: 8,
        sessions: channel === "push" ? 20 : 0,
        ratePerSecond,
        warmUpMs: 100,
        measureMs: 500,
        phase,
      });
      assert.ok(answer.type === "measured", JSON.stringify(answer));
      const { requests, steps = {}, unexpected, missingPushes } = answer.result;
      assert.deepEqual({ unexpected, missingPushes }, { unexpected: {}, missingPushes: 0 });
      // A busy machine measures few.
      assert.ok(requests > 0, "no life was measured");
      assert.deepEqual(Object.keys(steps), LIFE_STEPS[channel]);
      // Those under way at either end have not taken all of their steps within the measurement.
      for (const [step, { count }] of Object.entries(steps))
        assert.ok(Math.abs(count - requests) <= 40, `${count} of ${requests}: ${step}`);
    });
  }

  it("are taken step by step, each of all of them, and every row comes to ClickHouse", async () => {
    const trees = [{ name: "node", pid: relay.pid, children: "clickhouse" }];
    const answer = await stepsGenerator.ask({ port: relay.port, connections: 8, lives: LIVES, ratePerSecond: null, restMs: 100, trees });
    assert.ok(answer.type === "steps", JSON.stringify(answer));
    assert.deepEqual(
      answer.steps.map(({ step, requests, unexpected, answer: { count } }) => ({ step, requests, unexpected, count })),
      LIFE_STEPS.poll.map((step) => ({ step, requests: LIVES, unexpected: 0, count: LIVES })),
    );
    await untilRowsAreStored(relay.port);
    const metrics = await (await fetch(`http://127.0.0.1:${relay.port}/metrics`)).text();
    assert.ok(Number(/^relay_feed_inserted_rows_total (\d+)$/m.exec(metrics)?.[1]) >= LIVES);
  });
});
