import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { atEnd } from "../storage/kv/world.ts";
import { SHARD_COUNTS } from "../support/node/node.ts";
import { NO_CLICKHOUSE, type NodeProcess, type NodeProcessOptions, placeOf, startNodeProcess } from "./node-process.ts";
import { member, RelayCaller } from "./relay-caller.ts";

const CONNECTIONS = 24;

for (const shards of SHARD_COUNTS) {
  describe(`a second node beside one with ${shards} shard(s)`, () => {
    const environment = { ...NO_CLICKHOUSE, RELAY_SHARDS: String(shards) };

    it("is refused on the same data directory, and leaves the first as it is", async (test) => {
      const first = await firstNode(test, environment);
      const { port } = await placeOf(test);
      const second = startNodeProcess(test, { dataDirectory: first.dataDirectory, port, environment });
      await assertRefused(second, [first.dataDirectory, "in use by another process"]);
      await assertUnharmed(test, first.node);
    });

    it("is refused on the same port, and leaves the first as it is", async (test) => {
      const first = await firstNode(test, environment);
      for (const count of SHARD_COUNTS) {
        const { dataDirectory } = await placeOf(test);
        const place = { dataDirectory, port: first.port, environment: { ...environment, RELAY_SHARDS: String(count) } };
        await assertRefused(startNodeProcess(test, place), [`port ${first.port}`, "in use"]);
      }
      await assertUnharmed(test, first.node);
    });
  });
}

/** A node that runs and holds a command, `before`, which waits. */
async function firstNode(test: TestContext, environment: { [name: string]: string }): Promise<NodeProcessOptions & { node: NodeProcess }> {
  const place = await placeOf(test);
  const node = startNodeProcess(test, { ...place, environment });
  await node.ready();
  const caller = new RelayCaller(node.url);
  assert.equal((await caller.pay("T1", "before"))?.status, 200);
  await caller.close();
  return { ...place, node };
}

async function assertRefused(second: NodeProcess, words: readonly string[]): Promise<void> {
  assert.deepEqual(await second.exited, { code: 1, signal: null }, second.output());
  for (const word of words) assert.ok(second.output().includes(word), `does not name ${word}: ${second.output()}`);
  // What an operator can mend is told without a stack.
  assert.ok(!/^ +at /m.test(second.output()), second.output());
}

async function assertUnharmed(test: TestContext, node: NodeProcess): Promise<void> {
  const caller = new RelayCaller(node.url);
  atEnd(test, () => caller.close());
  const lives = await Promise.all(Array.from({ length: CONNECTIONS }, () => caller.life("before")));
  for (const life of lives) assert.equal(member(life?.body, "data", "state"), "queued");
  assert.equal(member((await caller.poll("T1"))?.body, "uuid"), "before");
  assert.equal((await caller.receipt("T1", "before", "OK"))?.status, 200);
  assert.equal((await caller.pay("T1", "after"))?.status, 200);
}
