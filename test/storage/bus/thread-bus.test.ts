import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { type MessagePort, Worker } from "node:worker_threads";
import type { Address } from "../../../engine/kernel/bus.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { backgroundTimers } from "../../../infra/node/boot/machine-timers.ts";
import { createMesh } from "../../../storage/bus/mesh.ts";
import { createThreadBus, type ThreadBus } from "../../../storage/bus/thread-bus.ts";

type TestProtocol = {
  double: { request: number; response: number };
  fail: { request: string; response: never };
  hang: { request: null; response: null };
  note: { request: unknown; response: unknown };
  wait: { request: null; response: null };
};

class ManualClock {
  ms = 0;
  nowMs = () => this.ms;
  monotonicMs = () => this.ms;
}

interface World {
  main: ThreadBus<TestProtocol>;
  shard: ThreadBus<TestProtocol>;
  clock: ManualClock;
  errors: { error: unknown; kind: string; from: Address }[];
}

/** Both ends in one thread: the ports are real ones, only the thread is not. */
function world(test: TestContext, outstandingMax = 100): World {
  const mesh = createMesh(["main", "shard-0"]);
  const clock = new ManualClock();
  const errors: World["errors"] = [];
  const bus = (self: Address): ThreadBus<TestProtocol> => {
    const made = createThreadBus<TestProtocol>({
      self,
      shards: ["shard-0"],
      ports: mesh.get(self) ?? new Map<Address, MessagePort>(),
      clock,
      timers: backgroundTimers,
      outstandingMax,
      onError: (error, { kind, from }) => errors.push({ error, kind, from }),
    });
    test.after(() => made.close());
    return made;
  };
  const main = bus("main");
  const shard = bus("shard-0");
  shard.handle("double", (number) => 2 * number);
  shard.handle("hang", () => new Promise(() => {}));
  shard.handle("fail", (how) => {
    if (how === "relay") throw new RelayError("rate_limited", "Slow down", { retryAfterSeconds: 7, cause: new Error("secret detail") });
    throw new Error("secret detail");
  });
  return { main, shard, clock, errors };
}

describe("the bus between threads", () => {
  it("answers each ask with its own answer", async (test) => {
    const { main } = world(test, 1_000);
    const answers = await Promise.all(Array.from({ length: 500 }, (_, n) => main.request("shard-0", "double", n, 1_000)));
    assert.deepEqual(
      answers,
      Array.from({ length: 500 }, (_, n) => 2 * n),
    );
    assert.equal(main.stats().outstanding, 0);
  });

  it("ends a request whose requester has gone, tells its handler, and calls that no failure", async (test) => {
    const { main, shard, errors } = world(test);
    let told = 0;
    shard.handle("wait", (_request, _from, gone) => {
      assert.ok(gone !== undefined);
      return new Promise((_, reject) =>
        gone.addEventListener("abort", () => {
          told += 1;
          reject(new Error("ended"));
        }),
      );
    });
    for (const bus of [main, shard]) {
      const leaving = new AbortController();
      const waiting = bus.request("shard-0", "wait", null, 60_000, leaving.signal);
      // The port keeps the order: the handler runs when this is answered.
      assert.equal(await bus.request("shard-0", "double", 2, 1_000), 4);
      leaving.abort(new RelayError("request_timeout", "gone"));
      await assert.rejects(waiting, { code: "request_timeout", message: "gone" });
      assert.equal(await bus.request("shard-0", "double", 2, 1_000), 4);
      await assert.rejects(bus.request("shard-0", "wait", null, 60_000, leaving.signal), { message: "gone" });
      assert.equal(bus.stats().outstanding, 0);
    }
    assert.deepEqual([told, errors], [2, []]);
  });

  it("does not tell the handler of a request that was answered before its requester went", async (test) => {
    const { main } = world(test);
    const leaving = new AbortController();
    assert.equal(await main.request("shard-0", "double", 3, 1_000, leaving.signal), 6);
    leaving.abort();
    assert.equal(await main.request("shard-0", "double", 4, 1_000), 8);
  });

  it("sends itself a request without a port, in a later turn of the microtask queue, with the same errors", async (test) => {
    const { shard, errors } = world(test);
    let answered = false;
    const requesting = shard.request("shard-0", "double", 4, 1_000).then((answer) => {
      answered = true;
      return answer;
    });
    assert.equal(answered, false);
    assert.equal(await requesting, 8);
    await assert.rejects(shard.request("shard-0", "fail", "relay", 1_000), { code: "rate_limited" });
    await assert.rejects(shard.request("shard-0", "fail", "other", 1_000), { code: "internal", message: "Internal error" });
    assert.equal(errors.length, 1);
  });

  it("sends what is told in one turn as one message, in order", async (test) => {
    const mesh = createMesh(["main", "shard-0"]);
    const clock = new ManualClock();
    const main = createThreadBus<TestProtocol>({
      self: "main",
      shards: ["shard-0"],
      ports: mesh.get("main") ?? new Map<Address, MessagePort>(),
      clock,
      timers: backgroundTimers,
      outstandingMax: 10,
    });
    test.after(() => main.close());
    const port = mesh.get("shard-0")?.get("main");
    assert.ok(port !== undefined);
    const batch = new Promise<{ messages: { body: unknown }[] }>((resolve) => port.once("message", resolve));
    for (let n = 0; n < 100; n++) main.send("shard-0", "note", n);
    assert.deepEqual(
      (await batch).messages.map((message) => message.body),
      Array.from({ length: 100 }, (_, n) => n),
    );
  });

  it("carries an error's code, message and delay, and no detail of others", async (test) => {
    const { main, errors } = world(test);
    await assert.rejects(main.request("shard-0", "fail", "relay", 1_000), (error: unknown) => {
      assert.ok(error instanceof RelayError);
      assert.deepEqual([error.code, error.message, error.retryAfterSeconds, error.cause], ["rate_limited", "Slow down", 7, undefined]);
      return true;
    });
    await assert.rejects(main.request("shard-0", "fail", "other", 1_000), (error: unknown) => {
      assert.ok(error instanceof RelayError);
      assert.deepEqual([error.code, error.message], ["internal", "Internal error"]);
      return true;
    });
    assert.deepEqual(
      errors.map(({ error, kind, from }) => [error instanceof Error && error.message, kind, from]),
      [["secret detail", "fail", "main"]],
    );
  });

  it("ends an ask at its deadline, and not before", async (test) => {
    const { main, clock } = world(test);
    const short = main.request("shard-0", "hang", null, 1_000);
    const long = main.request("shard-0", "hang", null, 2_000);
    let longEnded = false;
    long.catch(() => {
      longEnded = true;
    });
    clock.ms = 1_100;
    await assert.rejects(short, { code: "unavailable" });
    assert.equal(longEnded, false);
    assert.equal(await main.request("shard-0", "double", 1, 1_000), 2);
    clock.ms = 2_100;
    await assert.rejects(long, { code: "unavailable" });
    assert.equal(main.stats().outstanding, 0);
  });

  it("ends an ask of itself at its deadline", async (test) => {
    const { shard, clock } = world(test);
    const requesting = shard.request("shard-0", "hang", null, 1_000);
    clock.ms = 1_100;
    await assert.rejects(requesting, { code: "unavailable" });
  });

  it("refuses more requests than may be outstanding", async (test) => {
    const { main } = world(test, 2);
    const hanging = [main.request("shard-0", "hang", null, 1_000), main.request("shard-0", "hang", null, 1_000)];
    await assert.rejects(main.request("shard-0", "double", 1, 1_000), { code: "too_busy" });
    main.close();
    for (const request of hanging) await assert.rejects(request, { code: "unavailable" });
  });

  it("refuses and drops rather than fill the memory of a thread that does not take anything in", async (test) => {
    const { main, shard } = world(test);
    let noted = 0;
    const caughtUp = new Promise<void>((resolve) => {
      shard.handle("note", () => {
        noted++;
        if (noted === 50_000) resolve();
      });
    });
    for (let n = 0; n < 60_000; n++) main.send("shard-0", "note", n);
    await assert.rejects(main.request("shard-0", "double", 1, 1_000), { code: "too_busy" });
    assert.equal(main.stats().dropped, 10_000);
    await caughtUp;
    const again = async (): Promise<number> => {
      try {
        return await main.request("shard-0", "double", 1, 1_000);
      } catch {
        // What was taken in is told back with the next batch, some turns later.
        await new Promise((resolve) => setImmediate(resolve));
        return again();
      }
    };
    assert.equal(await again(), 2);
  });

  it("is told at once of what nobody handles, and of addresses that do not exist", async (test) => {
    const { main } = world(test);
    await assert.rejects(main.request("shard-0", "note", 1, 1_000), { code: "unavailable" });
    await assert.rejects(main.request("shard-9", "double", 1, 1_000), { code: "unavailable" });
    await assert.rejects(main.request("main", "double", 1, 1_000), { code: "unavailable" });
  });

  it("loses only the message that cannot be cloned", async (test) => {
    const { main, shard, errors } = world(test);
    shard.handle("note", () => () => {});
    const bad = main.request("shard-0", "note", () => {}, 1_000);
    const badAnswer = main.request("shard-0", "note", 1, 1_000);
    const good = main.request("shard-0", "double", 3, 1_000);
    await assert.rejects(bad, { code: "internal" });
    await assert.rejects(badAnswer, { code: "internal" });
    assert.equal(await good, 6);
    assert.equal(errors.length, 2);
  });

  it("ends the requests to a thread that ends", async (test) => {
    const mesh = createMesh(["main", "shard-0", "shard-1"]);
    const ports = mesh.get("shard-0");
    assert.ok(ports !== undefined);
    const main = createThreadBus<TestProtocol>({
      self: "main",
      shards: ["shard-0", "shard-1"],
      ports: mesh.get("main") ?? new Map<Address, MessagePort>(),
      clock: new ManualClock(),
      timers: backgroundTimers,
      outstandingMax: 10,
    });
    test.after(() => main.close());
    const source = `const { workerData } = require("node:worker_threads");
      workerData.get("main").on("message", (batch) => {
        const [ask] = batch.messages;
        if (ask.kind === "hang") process.exit(0);
        workerData.get("main").postMessage({ consumed: 1, messages: [{ type: "response", id: ask.id, body: 2 * ask.body }] });
      });`;
    const worker = new Worker(source, { eval: true, workerData: ports, transferList: [...ports.values()] });
    test.after(() => worker.terminate());
    assert.equal(await main.request("shard-0", "double", 21, 1_000), 42);
    await assert.rejects(main.request("shard-0", "hang", null, 1_000), { code: "unavailable", message: "shard-0 is gone" });
    await assert.rejects(main.request("shard-0", "double", 1, 1_000), { code: "unavailable" });
  });
});
