import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MessagePort } from "node:worker_threads";
import type { Address } from "../../../engine/kernel/bus.ts";
import { type Commit, type CommitResult, CommitTooLate, type Kv, StorageUnavailable } from "../../../engine/kernel/kv.ts";
import { backgroundTimers } from "../../../infra/node/boot/machine-timers.ts";
import { createMesh } from "../../../storage/bus/mesh.ts";
import { createThreadBus, type ThreadBus } from "../../../storage/bus/thread-bus.ts";
import { openEmbeddedKv } from "../../../storage/kv/embedded.ts";
import { createRemoteKv, handleKvMessages, type KvProtocol } from "../../../storage/kv/remote.ts";
import { testKv } from "../../contract/kv.ts";
import { ManualTime, temporaryDirectory } from "./world.ts";

/** A node's bus carries more than the store; it must fit where only the store's part is wanted. */
type NodeProtocol = KvProtocol & { ping: { request: string; response: number } };

function busPair(): { owner: ThreadBus<NodeProtocol>; requester: ThreadBus<NodeProtocol>; close(): void } {
  const mesh = createMesh(["shard-0", "shard-1"]);
  const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
  const make = (self: Address): ThreadBus<NodeProtocol> =>
    createThreadBus({
      self,
      shards: ["shard-0", "shard-1"],
      ports: mesh.get(self) ?? new Map<Address, MessagePort>(),
      clock,
      timers: backgroundTimers,
      outstandingMax: 1_000,
    });
  const owner = make("shard-0");
  const requester = make("shard-1");
  const close = () => {
    requester.close();
    owner.close();
  };
  return { owner, requester, close };
}

testKv("the store of another thread", async () => {
  const directory = await temporaryDirectory();
  const time = new ManualTime();
  const embedded = await openEmbeddedKv({ directory: directory.path, nowMs: time.nowMs });
  const bus = busPair();
  handleKvMessages(embedded, bus.owner);
  const close = async () => {
    bus.close();
    await embedded.close();
    await directory.remove();
  };
  return { kv: createRemoteKv(bus.requester, "shard-0"), advance: (ms) => time.advance(ms), nowMs: time.nowMs, close };
});

describe("the store of another thread", () => {
  it("is unavailable when that store is, and when its thread is gone", async (test) => {
    const bus = busPair();
    test.after(() => bus.close());
    const down = () => Promise.reject(new StorageUnavailable("disk full"));
    const store: Kv = { get: down, getMany: down, scan: down, count: down, commit: down, close: async () => {} };
    handleKvMessages(store, bus.owner);
    const kv = createRemoteKv(bus.requester, "shard-0");
    const full = { name: "StorageUnavailable", message: "disk full" };
    await assert.rejects(kv.get("a"), full);
    await assert.rejects(kv.getMany(["a"]), full);
    await assert.rejects(kv.scan({ from: "a", to: "b", limit: 1 }), full);
    await assert.rejects(kv.count({ from: "a", to: "b", limit: 1 }), full);
    await assert.rejects(kv.commit({ checks: [], operations: [] }), full);
    bus.owner.close();
    await assert.rejects(kv.commit({ checks: [], operations: [] }), { name: "StorageUnavailable" });
  });

  it("is not given a commit that waited for its thread longer than its caller does", async (test) => {
    const bus = busPair();
    test.after(() => bus.close());
    const made: Commit[] = [];
    const unused = () => Promise.reject(new Error("nobody reads"));
    const commit = async (given: Commit): Promise<CommitResult> => {
      made.push(given);
      return { type: "committed", version: 1 };
    };
    handleKvMessages({ get: unused, getMany: unused, scan: unused, count: unused, commit, close: async () => {} }, bus.owner);
    const kv = createRemoteKv(bus.requester, "shard-0");
    const empty = { checks: [], operations: [] };
    const answers = [kv.commit({ ...empty, withinMs: 20 }), kv.commit({ ...empty, withinMs: 60_000 }), kv.commit(empty)];
    const settled = Promise.allSettled(answers);
    // Both threads of this test are one, which is busy now.
    const until = performance.now() + 50;
    while (performance.now() < until);
    const [late, timely, plain] = await settled;
    assert.ok(late?.status === "rejected" && late.reason instanceof CommitTooLate, JSON.stringify(late));
    assert.deepEqual([timely?.status, plain?.status, made.length], ["fulfilled", "fulfilled", 2]);
    const [first] = made;
    assert.ok((first?.withinMs ?? 0) <= 59_950 && (first?.withinMs ?? 0) > 0, "of its time so much is left");
  });
});
