import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { freePort } from "../../infra/local/free-port.ts";
import { atEnd } from "../storage/kv/world.ts";
import { SHARD_COUNTS } from "../support/node/node.ts";
import { eventually } from "../support/within.ts";
import { NO_CLICKHOUSE, startNodeProcess } from "./node-process.ts";
import { type Answer, member, RelayCaller } from "./relay-caller.ts";
import { type SmallDisk, smallDisk } from "./small-disk.ts";

const FIRST = 8;
const SQUEEZED_MAX = 100;
const CONNECTIONS = 24;

for (const shards of SHARD_COUNTS) {
  describe(`a full disk under a node with ${shards} shard(s)`, () => {
    it("answers 503, says that it is not ready, and goes on by itself when there is room, with all that it acknowledged", async (test) => {
      const disk = await diskOr(test);
      if (disk === null) return;
      const port = await freePort();
      const place = { port, dataDirectory: join(disk.path, "data"), environment: { ...NO_CLICKHOUSE, RELAY_SHARDS: String(shards) } };
      const node = startNodeProcess(test, place);
      await node.ready();
      const caller = new RelayCaller(node.url);
      atEnd(test, () => caller.close());
      // On many terminals, so that with two shards both are asked.
      const terminals = Array.from({ length: FIRST }, (_, n) => `T${n}`);
      for (const id of terminals) {
        assertStatus(200, await caller.pay(id, `done-${id}`));
        assertStatus(200, await caller.poll(id));
        assertStatus(200, await caller.pay(id, `waiting-${id}`));
      }

      await disk.fill(node.pid);
      // The last page of the log still takes something.
      const squeezed: string[] = [];
      for (let n = 0; (await caller.pay(`S${n}`, `squeezed-${n}`))?.status === 200; n++) {
        squeezed.push(`squeezed-${n}`);
        assert.ok(n < SQUEEZED_MAX, "a full disk takes everything");
      }
      await eventually(() => assertReadiness(503, caller));
      for (const id of terminals) {
        assertStatus(503, await caller.pay(id, `refused-${id}`));
        assertStatus(503, await caller.receipt(id, `done-${id}`, "OK"));
        assertStatus(200, await caller.get("/health/live"));
        const poll = await caller.poll(id);
        assert.ok(poll?.status === 503 || poll?.status === 204, `a poll was answered ${poll?.status} ${poll?.text}`);
        for (const path of [`commands/done-${id}`, `done-${id}/uuid`, `${id}/status`, `${id}/connection`]) {
          const read = await caller.get(`/api/v1/${path}`);
          assert.ok(read?.status === 503 || read?.status === 200, `${path} was answered ${read?.status} ${read?.text}`);
          if (read.status === 503) assert.equal(typeof member(read.body, "error"), "string");
        }
      }

      await disk.free(node.pid);
      await eventually(() => assertReadiness(200, caller));
      for (const id of terminals) {
        assertStatus(200, await caller.receipt(id, `done-${id}`, "OK"));
        assertStatus(200, await caller.pay(id, `refused-${id}`), "Duplicate");
      }
      await assertAllThere(caller, terminals, squeezed);

      await node.kill();
      const next = startNodeProcess(test, place);
      await next.ready();
      await assertAllThere(caller, terminals, squeezed);
      for (const id of terminals) {
        // Not handed out while the disk was full, and still there.
        assert.equal(member((await caller.poll(id))?.body, "uuid"), `waiting-${id}`);
      }
    });
  });
}

/** Asked over many connections at once, so that every shard is asked. */
async function assertReadiness(status: number, caller: RelayCaller): Promise<void> {
  const answers = await Promise.all(Array.from({ length: CONNECTIONS }, () => caller.get("/health/ready")));
  for (const answer of answers) assertStatus(status, answer);
}

async function assertAllThere(caller: RelayCaller, terminals: readonly string[], queued: readonly string[]): Promise<void> {
  for (const uuid of queued) assert.equal(member((await caller.life(uuid))?.body, "data", "state"), "queued");
  for (const id of terminals) {
    assert.equal(member((await caller.life(`done-${id}`))?.body, "data", "state"), "done");
    assert.equal(member((await caller.result(`done-${id}`))?.body, "data", "status"), "OK");
    assert.equal(member((await caller.life(`waiting-${id}`))?.body, "data", "state"), "queued");
    assert.equal(member((await caller.life(`refused-${id}`))?.body, "data", "state"), "queued");
  }
}

/** `or`: a word of the body with which another status is as good. */
function assertStatus(status: number, answer: Answer | null, or?: string): void {
  if (or !== undefined && answer?.text.includes(or)) return;
  assert.equal(answer?.status, status, answer?.text ?? "no answer");
}

async function diskOr(test: TestContext): Promise<SmallDisk | null> {
  const disk = await smallDisk(test);
  if (disk !== null) return disk;
  const reason = "neither a small file system can be mounted nor file sizes be limited here";
  assert.ok(process.env["CI"] === undefined || process.getuid?.() !== 0, reason);
  test.skip(reason);
  return null;
}
