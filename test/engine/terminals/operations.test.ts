import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Caller } from "../../../engine/access/caller.ts";
import type { Transaction } from "../../../engine/payments/transaction.ts";
import type { TransactionQuery } from "../../../engine/payments/transaction-list.ts";
import { createCommandLife, createFindTransaction } from "../../../engine/terminals/find-transaction.ts";
import { createRecordResult } from "../../../engine/terminals/record-result.ts";
import { createSendPayment, createSendUtility } from "../../../engine/terminals/send-payment.ts";
import { command, openSocket, openWorld, pollUuid, settle, type World } from "../world.ts";

const administrator: Caller = { type: "administrator", username: "admin", role: "owner" };
const fleet: Caller = { type: "fleet" };
const terminal: Caller = { type: "terminal", terminalId: "T1" };

/** A partner whose rule matches `ids` (null: every terminal) and, where `names`, shows it everything of them. */
function partner(partnerId: number, ids: readonly string[] | null, names = false): Caller {
  return { type: "partner", partnerId, username: `p${partnerId}`, terminals: { names, matches: (id) => ids === null || ids.includes(id) } };
}

const any1 = partner(1, null);
const any2 = partner(2, null);
const named = partner(3, ["T1"], true);
const elsewhere = partner(4, ["T9"], true);

async function open() {
  const world = await openWorld();
  const { terminals } = world.shard;
  const queries: TransactionQuery[] = [];
  const list = {
    page: async (query: TransactionQuery): Promise<Transaction[]> => {
      queries.push(query);
      return [];
    },
  };
  /** Currencies by terminal. */
  const configured = new Map<string, string>();
  const configurationOf = (terminalId: string) => {
    const currency = configured.get(terminalId);
    return currency === undefined ? undefined : { family: null, currency };
  };
  let ids = 0;
  const generated = {
    uuid: () => {
      ids += 1;
      return `generated-${ids}`;
    },
  };
  return {
    world,
    queries,
    configured,
    sendPayment: createSendPayment({ terminals, clock: world.clock, ids: generated, configured: configurationOf }),
    sendUtility: createSendUtility({ terminals, clock: world.clock, ids: generated }),
    recordResult: createRecordResult({ terminals }),
    commandLife: createCommandLife({ terminals, ids: generated }),
    findTransaction: createFindTransaction({ terminals, list, waits: { take: () => true, giveBack: () => {} } }),
  };
}

const payment = (uuid: string, members: Record<string, unknown> = {}) => ({
  uuid,
  service: "PAYCC",
  type: "CARD",
  amount: 1_050,
  ...members,
});
const approval = (uuid: string) => ({ uuid, result: "OK", amount: 1_050 });

async function takenBy({ shard }: World, terminalId = "T1"): Promise<Record<string, unknown>> {
  return JSON.parse((await shard.terminals.poll(terminalId, {}))?.text ?? "null");
}

describe("sending a payment", () => {
  it("answers with the terminal, the uuid and what became of it", async () => {
    const { world, sendPayment } = await open();
    assert.deepEqual(await sendPayment(any1, "T1", payment("a")), {
      terminalId: "T1",
      uuid: "a",
      outcome: { type: "accepted", state: "queued", neverSeen: true },
    });
    assert.deepEqual((await sendPayment(any1, null, payment("b", { terminalId: "T2" }))).terminalId, "T2");
    assert.deepEqual((await sendPayment(any2, "T1", payment("a"))).outcome, { type: "duplicate", state: "queued", sender: "partner:1" });
    assert.equal(await pollUuid(world.shard), "a");
  });

  it("is refused where the caller may not send, and where the request is none; nothing is stored", async () => {
    const { world, sendPayment } = await open();
    await assert.rejects(sendPayment(elsewhere, "T1", payment("a")), { code: "forbidden" });
    await assert.rejects(sendPayment({ type: "anonymous" }, "T1", payment("a")), { code: "forbidden" });
    await assert.rejects(sendPayment(any1, "T1", payment("a", { amount: -1 })), { code: "invalid_request" });
    await assert.rejects(sendPayment(any1, "T1", payment("a", { terminalId: "T2" })), { code: "invalid_request" });
    assert.deepEqual(world.kv.keys(""), []);
  });

  it("is in the currency that it names or that is configured, which is stored and sent to the terminal", async () => {
    const { world, sendPayment, configured } = await open();
    const sent = async (uuid: string, members: Record<string, unknown>) => {
      await sendPayment(any1, "T1", payment(uuid, members));
      const { currency } = await takenBy(world);
      return [currency, (await world.shard.terminals.command(uuid, 0))?.command?.currency];
    };
    assert.deepEqual(await sent("none", {}), [undefined, undefined]);
    assert.deepEqual(await sent("named", { currency: "USD" }), ["USD", "USD"]);
    assert.deepEqual(await sent("number", { currency: "840" }), ["USD", "USD"]);
    configured.set("T1", "CHF");
    assert.deepEqual(await sent("configured", {}), ["CHF", "CHF"]);
    assert.deepEqual(await sent("both", { currency: "chf" }), ["CHF", "CHF"]);
    const other = sendPayment(any1, "T1", payment("other", { currency: "EUR" }));
    await assert.rejects(other, { code: "invalid_request", message: "currency: must be CHF, for which the terminal is configured" });
    assert.equal(await world.shard.terminals.command("other", 0), null);
    // Who may not send to a terminal does not learn what is configured for it.
    await assert.rejects(sendPayment(elsewhere, "T1", payment("other", { currency: "EUR" })), { code: "forbidden" });
  });

  it("says that it waits for a terminal that was never seen, and no more once it was", async () => {
    const { world, sendPayment } = await open();
    assert.deepEqual((await sendPayment(any1, "T1", payment("a"))).outcome, { type: "accepted", state: "queued", neverSeen: true });
    assert.equal(await pollUuid(world.shard), "a");
    assert.deepEqual((await sendPayment(any1, "T1", payment("b"))).outcome, { type: "accepted", state: "queued" });
    await world.pass(10_000);
    // By what is stored, of which the memory of a new home has nothing.
    const again = await world.restart();
    const accepted = await again.shard.terminals.accept(command(again, "c"));
    assert.deepEqual(accepted, { type: "accepted", state: "queued" });
  });

  it("carries tags as the terminal's family wants them, both ways where it is unknown", async () => {
    const { world, sendPayment } = await open();
    const tagged = (uuid: string, terminalId: string) =>
      sendPayment(any1, terminalId, payment(uuid, { service: "PAYTAG", tagDF8102: "0102" }));
    openSocket(world.shard, "s1", { terminalId: "T7", device: { family: "field-47" } });
    await world.shard.terminals.disconnect("T7");
    await tagged("known", "T7");
    await tagged("unknown", "T1");
    const known = await takenBy(world, "T7");
    const unknown = await takenBy(world);
    assert.ok("additionalField47data" in known && !("privativeTags" in known));
    assert.ok("additionalField47data" in unknown && "privativeTags" in unknown);
  });
});

describe("sending a SCAN, PRINT or administrator's command", () => {
  it("gives it a uuid where it has none", async () => {
    const { world, sendUtility } = await open();
    const { command, outcome } = await sendUtility("scan", any1, "T1", {});
    assert.match(command.uuid, /^generated-/);
    assert.deepEqual([command.service, outcome.type], ["SCAN", "accepted"]);
    assert.equal((await takenBy(world))["uuid"], command.uuid);
    await assert.rejects(sendUtility("print", elsewhere, "T1", { text: "x" }), { code: "forbidden" });
  });
});

describe("a terminal's posting", () => {
  it("is stored for the terminal that may act for it, with who posted it", async () => {
    const { sendPayment, recordResult, world } = await open();
    await sendPayment(any1, "T1", payment("a"));
    await assert.rejects(recordResult.byCaller(any1, "T1", approval("a")), { code: "forbidden" });
    await assert.rejects(recordResult.byCaller({ type: "terminal", terminalId: "T2" }, "T1", approval("a")), { code: "forbidden" });
    assert.deepEqual(await recordResult.byCaller(terminal, "T1", approval("a")), { type: "recorded" });
    assert.deepEqual(await recordResult.byCaller(fleet, "T1", approval("a")), { type: "repeated" });
    assert.equal((await world.shard.terminals.command("a", 0))?.transaction?.status, "OK");
  });

  it("without an outcome is kept for operators, refused, and answers nothing", async () => {
    const { sendPayment, recordResult, world } = await open();
    await sendPayment(any1, "T1", payment("a"));
    await assert.rejects(recordResult.byCaller(terminal, "T1", { uuid: "a", note: "hm" }), { code: "invalid_request" });
    assert.equal((await world.shard.terminals.command("a", 0))?.transaction, null);
    assert.deepEqual(
      (await world.shard.terminals.attention({ after: "", limit: 10 })).map(({ item }) => [item.kind, item.uuid]),
      [["unreadable", "a"]],
    );
  });
});

describe("what a caller sees", () => {
  it("of commands and transactions is its own, and all of a terminal only where its rule names it", async () => {
    const { sendPayment, recordResult, findTransaction, commandLife } = await open();
    await sendPayment(any1, "T1", payment("a"));
    await recordResult.byCaller(terminal, "T1", approval("a"));
    for (const [caller, sees] of [
      [any1, true],
      [any2, false],
      [named, true],
      [elsewhere, false],
      [terminal, true],
      [{ type: "terminal", terminalId: "T2" }, false],
      [administrator, true],
      [{ type: "anonymous" }, false],
    ] satisfies [Caller, boolean][]) {
      const title = JSON.stringify(caller);
      assert.equal((await findTransaction.byUuid(caller, "a", 0)).type, sees ? "found" : "unknown", title);
      assert.equal((await findTransaction.latest(caller, "T1", 0)).type, sees ? "found" : "unknown", title);
      assert.equal((await commandLife.find(caller, "a"))?.uuid ?? null, sees ? "a" : null, title);
    }
    assert.equal((await findTransaction.byUuid(any1, "never", 0)).type, "unknown");
  });

  it("is not betrayed by waiting: who may not see a uuid is answered at once", async () => {
    const { sendPayment, findTransaction, world } = await open();
    await sendPayment(any1, "T1", payment("a"));
    assert.equal((await findTransaction.byUuid(any2, "a", 30_000)).type, "unknown");
    assert.equal(world.shard.home.counts().waiters, 0);
    const waiting = findTransaction.byUuid(any1, "a", 30_000);
    await settle();
    assert.equal(world.shard.home.counts().waiters, 1);
    await world.pass(30_000);
    const found = await waiting;
    assert.ok(found.type === "found" && found.transaction === null);
  });

  it("in the list is limited to what it sent, or to nothing", async () => {
    const { findTransaction, queries } = await open();
    const query = { terminalId: "T1", methods: ["CARD"], status: "OK", limit: 10, offset: 0 } as const;
    await findTransaction.page(any1, query);
    await findTransaction.page(named, query);
    await findTransaction.page({ type: "terminal", terminalId: "T2" }, query);
    assert.deepEqual(
      queries.map(({ sender }) => sender ?? null),
      ["partner:1", null],
    );
  });
});

describe("cancelling", () => {
  it("is for who may see the command and send to its terminal", async () => {
    const { sendPayment, commandLife, world } = await open();
    await sendPayment(any1, "T1", payment("a"));
    assert.deepEqual((await commandLife.cancel(any2, "a")).outcome, { type: "not_found" });
    assert.deepEqual((await commandLife.cancel(elsewhere, "a")).outcome, { type: "not_found" });
    assert.deepEqual((await commandLife.cancel(any1, "a")).outcome, { type: "cancelled" });
    await sendPayment(any1, "T1", payment("b"));
    await pollUuid(world.shard);
    const { outcome: asked } = await commandLife.cancel(administrator, "b");
    assert.ok(asked.type === "requested");
    assert.equal((await takenBy(world))["uuid"], asked.cancelUuid);
  });
});
