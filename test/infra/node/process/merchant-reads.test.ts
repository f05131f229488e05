import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { MessagePort } from "node:worker_threads";
import type { Address } from "../../../../engine/kernel/bus.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { Timers } from "../../../../engine/kernel/timers.ts";
import type { MerchantTransaction } from "../../../../engine/payments/merchant-transactions.ts";
import { backgroundTimers } from "../../../../infra/node/boot/machine-timers.ts";
import type { NodeProtocol } from "../../../../infra/node/boot/node-protocol.ts";
import { MAIN } from "../../../../infra/node/boot/shard-boot.ts";
import { handleMerchantReads } from "../../../../infra/node/process/merchant-reads.ts";
import { composeMerchantTransactions } from "../../../../infra/node/wiring/merchants/merchant-transactions.ts";
import { createMesh } from "../../../../storage/bus/mesh.ts";
import { createThreadBus } from "../../../../storage/bus/thread-bus.ts";
import { missingMerchantTransactions } from "../../../../storage/transactions/merchant-transactions.ts";
import { eventually } from "../../../support/within.ts";

const transactionOf = (uuid: string, terminalId = "T1"): MerchantTransaction => ({
  transaction: { uuid, terminalId, createdAtMs: 1_000, method: "CARD", status: "OK", amountCents: 100, currency: "EUR" },
  amountDiffers: true,
  unsolicited: false,
  isPayment: true,
  refundedMinor: 50,
});
const lineOf = (uuid: string) => `10150${JSON.stringify(transactionOf(uuid).transaction)}`;

/** A query that runs until its asker has gone, and then fails as ClickHouse's client does. */
function untilGone(gone: AbortSignal | undefined): Promise<never> {
  assert.ok(gone !== undefined);
  return new Promise((_, reject) => {
    gone.addEventListener("abort", () => reject(new Error("ended", { cause: new Error("The user aborted a request.") })));
  });
}

/** A shard and the main thread, whose ports are real ones; the files that it reads are `batches`. */
function world(test: TestContext, batches: readonly (readonly string[])[] = []) {
  const mesh = createMesh([MAIN, "shard-0"]);
  const bus = (self: Address) => {
    const made = createThreadBus<NodeProtocol>({
      self,
      shards: ["shard-0"],
      ports: mesh.get(self) ?? new Map<Address, MessagePort>(),
      clock: { nowMs: Date.now, monotonicMs: () => performance.now() },
      timers: backgroundTimers,
      outstandingMax: 100,
    });
    test.after(() => made.close());
    return made;
  };
  const asked: unknown[] = [];
  const ask = (question: readonly unknown[]) => asked.push(question.filter((part) => part !== undefined && !(part instanceof AbortSignal)));
  const causes: unknown[] = [];
  const ends: (() => void)[] = [];
  const idle = new Set<() => void>();
  const timers: Timers = {
    ...backgroundTimers,
    set: (_, work) => {
      idle.add(work);
      return { clear: () => void idle.delete(work) };
    },
  };
  const state = { read: 0, open: 0 };
  handleMerchantReads({
    bus: bus(MAIN),
    timers,
    failed: (cause) => causes.push(cause),
    reports: {
      text: async (...question) => {
        ask(question);
        if (question[0] !== "links") throw new RelayError("unavailable", "late", { cause: new Error("too slow"), retryAfterSeconds: 5 });
        return JSON.stringify({ asOfMs: 7, buckets: [], totals: [], creators: [] });
      },
    },
    merchants: {
      ...missingMerchantTransactions("not of this test"),
      page: async (...question) => {
        ask(question);
        if (question[0] === "SLOW") return untilGone(question[2]);
        return { items: [transactionOf("a")], next: { createdAtMs: 1, uuid: "a", terminalId: "T1" } };
      },
      find: () => Promise.reject(new RelayError("unavailable", "away", { cause: new Error("refused"), retryAfterSeconds: 5 })),
      sums: async (...question) => {
        ask(question);
        return { sums: [{ currency: "EUR", volumeMinor: 1, approved: 1, declined: 0 }], hours: [], byMethod: [], byTerminal: [] };
      },
      latestByTerminal: async () => new Map([["T2", transactionOf("b", "T2")]]),
      lines: async function* (...question) {
        ask(question);
        state.open += 1;
        try {
          if (question[0] === "SLOW") await untilGone(question[2]);
          for (const batch of batches) {
            state.read += 1;
            yield batch;
          }
        } finally {
          state.open -= 1;
          for (const end of ends.splice(0)) end();
        }
      },
    },
  });
  const { merchantTransactions, merchantReports } = composeMerchantTransactions(bus("shard-0"));
  const ended = () => new Promise<void>((resolve) => ends.push(resolve));
  const passTime = () => [...idle].forEach((work) => void work());
  return { merchantTransactions, merchantReports, asked, causes, state, ended, passTime };
}

describe("transactions of merchants, asked for by a shard", () => {
  it("come as the main thread reads them, and so do its errors, whose cause is only logged", async (test) => {
    const { merchantTransactions, asked, causes } = world(test);
    const query = { filter: { status: "OK" as const }, after: null, limit: 5 };
    assert.deepEqual(await merchantTransactions.page("M1", query), {
      items: [transactionOf("a")],
      next: { createdAtMs: 1, uuid: "a", terminalId: "T1" },
    });
    assert.equal((await merchantTransactions.sums("M1", { fromMs: 1, untilMs: 2 })).sums[0]?.volumeMinor, 1);
    assert.deepEqual(asked, [
      ["M1", query],
      ["M1", { fromMs: 1, untilMs: 2 }],
    ]);
    assert.deepEqual(await merchantTransactions.latestByTerminal("M1"), new Map([["T2", transactionOf("b", "T2")]]));
    await assert.rejects(merchantTransactions.find("M1", "a"), { code: "unavailable", message: "away", retryAfterSeconds: 5 });
    assert.match(String(causes[0]), /refused/);
  });

  it("are counted by the main thread, whose report comes as text", async (test) => {
    const { merchantReports, asked, causes } = world(test);
    const [owner, query] = [
      { merchantId: "M1", livemode: true },
      { edges: [1, 2], currency: "EUR" },
    ];
    assert.deepEqual(await merchantReports.report("links", owner, query), { asOfMs: 7, buckets: [], totals: [], creators: [] });
    assert.deepEqual(asked, [["links", owner, query]]);
    await assert.rejects(merchantReports.report("payments", owner, query), { code: "unavailable", message: "late", retryAfterSeconds: 5 });
    assert.match(String(causes[0]), /too slow/);
  });

  it("come as a file, a batch for each that is asked for", async (test) => {
    const { merchantTransactions, state } = world(test, [[lineOf("a"), lineOf("b")], [lineOf("c")]]);
    const found: MerchantTransaction[] = [];
    for await (const batch of merchantTransactions.stream("M1", {})) {
      found.push(...batch);
      assert.equal(state.read, found.length < 3 ? 1 : 2);
    }
    assert.deepEqual(
      found,
      ["a", "b", "c"].map((uuid) => transactionOf(uuid)),
    );
    assert.equal(state.open, 0);
    for await (const _ of world(test).merchantTransactions.stream("M1", {})) assert.fail("there is none");
  });

  it("end in the main thread as soon as their asker has gone, which is no failure of ClickHouse", async (test) => {
    const { merchantTransactions, asked, causes, state, ended } = world(test, [[lineOf("a")]]);
    const leaving = new AbortController();
    const reason = new RelayError("request_timeout", "gone");
    const query = { filter: {}, after: null, limit: 5 };
    const page = merchantTransactions.page("SLOW", query, leaving.signal);
    const file = merchantTransactions.stream("SLOW", {}, leaving.signal)[Symbol.asyncIterator]().next();
    await eventually(() => assert.deepEqual([asked.length, state.open], [2, 1]));
    const left = ended();
    leaving.abort(reason);
    for (const answer of [page, file]) await assert.rejects(answer, reason);
    await left;
    assert.equal(state.open, 0);
    await assert.rejects(merchantTransactions.page("M1", query, leaving.signal), reason);
    assert.deepEqual([causes, asked.length], [[], 2]);
  });

  it("end in the main thread when the shard reads no more, whether it says so or not", async (test) => {
    const { merchantTransactions, state, ended, passTime } = world(test, [[lineOf("a")], [lineOf("b")]]);
    const left = ended();
    for await (const _ of merchantTransactions.stream("M1", {})) break;
    await left;
    assert.equal(state.open, 0);
    const silent = merchantTransactions.stream("M1", {})[Symbol.asyncIterator]();
    await silent.next();
    assert.equal(state.open, 1);
    const forgotten = ended();
    passTime();
    await forgotten;
    assert.equal(state.open, 0);
    await assert.rejects(silent.next(), { code: "unavailable" });
  });
});
