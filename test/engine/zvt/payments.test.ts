import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { newRouteRecord, withOpened } from "../../../engine/zvt/route-record.ts";
import { command, posting, settle } from "../world.ts";
import { openZvtWorld, PARTNER } from "./zvt-world.ts";

describe("a payment of a cash register", () => {
  it("is stored first, and sent only when it is followed", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    const begun = await node.begin(1_000);
    assert.ok(begun.type === "begun");
    await settle();
    assert.deepEqual(world.terminal.uuids, []);
    assert.equal((await world.store.load("till-1"))?.record.open?.uuid, begun.payment.uuid);

    const told = node.follow(begun.payment);
    await world.pass(500);
    assert.deepEqual(world.terminal.uuids, [begun.payment.uuid]);
    await world.result(begun.payment.uuid, { card: { brand: "VISA" } });
    await world.pass(500);
    assert.equal(told.end, "paid");
    assert.deepEqual(told.progress.at(-1), "sent");
    const stored = (await world.store.load("till-1"))?.record;
    assert.deepEqual([stored?.open?.outcome, stored?.lastOutcome?.type, stored?.open?.delivered], [told.outcome, "paid", false]);
    await node.payments.delivered(begun.payment);
    assert.equal((await world.store.load("till-1"))?.record.open?.delivered, true);
    assert.deepEqual(node.failures, []);
  });

  it("is another one once the result before was delivered, with a uuid and a receipt of its own", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    const numbers: (number | undefined)[] = [];
    for (let round = 0; round < 2; round += 1) {
      const { payment, told } = await node.pay(1_000);
      await world.result(payment.uuid);
      await world.pass(500);
      assert.ok(told.outcome?.type === "paid");
      numbers.push(told.outcome.receipt.receiptNo);
      await node.payments.delivered(payment);
    }
    assert.deepEqual(numbers, [1, 2]);
    assert.equal(new Set(world.terminal.uuids).size, 2);
  });

  it("is one payment for a register that comes again, on whichever node", async () => {
    const world = await openZvtWorld();
    const [one, other] = [world.node("a"), world.node("b")];
    const first = await one.pay(1_000);
    await world.pass(500);
    first.told.following?.disconnected();
    await settle();
    const again = await other.pay(1_000);
    assert.deepEqual(again.payment, first.payment);
    await world.result(first.payment.uuid);
    await world.pass(1_000);
    assert.equal(again.told.end, "paid");
    assert.equal(first.told.outcome, null);
    assert.deepEqual(world.terminal.uuids, [first.payment.uuid]);
  });

  it("is not cancelled for a connection that ends after its register has come to another node", async () => {
    const world = await openZvtWorld();
    const [one, other] = [world.node("a"), world.node("b")];
    const first = await one.pay(1_000);
    await world.pass(500);
    const again = await other.pay(1_000);
    first.told.following?.disconnected();
    await world.pass(30_000);
    assert.deepEqual(world.terminal.uuids, [first.payment.uuid]);
    // Nor where it ended first, and the register came within the grace.
    again.told.following?.disconnected();
    await world.pass(5_000);
    const third = await one.pay(1_000);
    await world.pass(30_000);
    assert.deepEqual(world.terminal.uuids, [first.payment.uuid]);
    await world.result(first.payment.uuid);
    await world.pass(1_000);
    assert.deepEqual([first.told.end, again.told.end, third.told.end], [null, null, "paid"]);
  });

  it("takes the place of its own connection of which nothing was heard, and not of one that acknowledges", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    const first = await node.pay(1_000, { connection: "c-first" });
    const again = await node.begin(1_000);
    assert.ok(again.type === "reattached");
    assert.equal(again.replaces, "c-first");
    const told = node.follow(again.payment);
    assert.equal(first.told.replaced, true);
    told.following?.heard();
    await settle();
    assert.deepEqual(await node.begin(1_000), { type: "busy" });
    assert.deepEqual(await node.begin(1_000, { address: "10.0.0.2" }), { type: "busy" });
    await world.result(again.payment.uuid);
    await world.pass(500);
    assert.equal(told.end, "paid");
    assert.equal(first.told.outcome, null);
  });

  it("of twenty registers at two nodes at once one pays, and the terminal gets one command", async () => {
    const world = await openZvtWorld();
    const nodes = [world.node("a"), world.node("b")];
    const begun = await Promise.all(
      Array.from({ length: 20 }, (_, index) => nodes[index % 2]?.begin(1_000, { address: `10.0.0.${index}` })),
    );
    const types = begun.map((one) => one?.type).toSorted();
    assert.deepEqual(types, [...Array.from({ length: 1 }, () => "begun"), ...Array.from({ length: 19 }, () => "busy")].toSorted());
    for (const [index, one] of begun.entries()) if (one?.type === "begun") nodes[index % 2]?.follow(one.payment);
    await world.pass(1_000);
    assert.equal(world.terminal.uuids.length, 1);
  });

  it("delivers a result that was not acknowledged within its window, and afterwards sells again and tells operators", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    const { payment } = await node.pay(1_000);
    await world.result(payment.uuid);
    await world.pass(500);
    await node.payments.undelivered(payment);
    await world.pass(59_000);
    const again = await node.begin(1_000);
    assert.ok(again.type === "deliver" && again.outcome.type === "paid");
    assert.deepEqual(again.payment, payment);
    await node.payments.undelivered(payment);
    await world.pass(61_000);
    const receipt = await node.payments.lastReceipt("till-1");
    assert.ok(receipt.type === "receipt");
    assert.equal(receipt.payment.uuid, payment.uuid);
    const next = await node.pay(1_000);
    assert.notEqual(next.payment.uuid, payment.uuid);
    assert.deepEqual(await world.attention(), ["zvt_undelivered"]);
    assert.deepEqual(world.terminal.uuids, [payment.uuid, next.payment.uuid]);
  });

  it("takes back what operators were told once the register has heard it by its repeat receipt", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    const { payment } = await node.pay(1_000);
    await world.result(payment.uuid);
    await world.pass(500);
    await node.payments.undelivered(payment);
    await world.pass(61_000);
    await node.payments.tend();
    assert.deepEqual(await world.attention(), ["zvt_undelivered"]);
    assert.deepEqual(node.payments.counts(), { undelivered: 1, unknownHolds: 0 });
    await node.payments.delivered(payment);
    await node.payments.tend();
    assert.deepEqual(await world.attention(), []);
    assert.deepEqual(node.payments.counts(), { undelivered: 0, unknownHolds: 0 });
  });

  it("counts as delivered where the register refuses to be told, and operators see the code", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    const { payment } = await node.pay(1_000);
    await world.result(payment.uuid);
    await world.pass(500);
    await node.payments.refusedByRegister(payment, 0x66);
    const [{ item } = { item: null }] = await world.shard.terminals.attention({ after: "", limit: 1 }).then((items) => items);
    assert.equal(item?.kind, "zvt_refused_by_ecr");
    assert.match(item?.detail ?? "", /code 66/);
    assert.equal((await node.begin(1_000)).type, "begun");
  });

  it("is refused before anything is stored where the terminal is OFFLINE, or the partner may not pay", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    world.partner.enabled = false;
    assert.deepEqual(await node.begin(1_000), { type: "refused", code: 0x6b });
    world.partner.enabled = true;
    world.shard.sessions.close("T1", "s1");
    await settle();
    assert.deepEqual(await node.begin(1_000), { type: "refused", code: 0xa3 });
    assert.deepEqual(await node.payments.status("till-1"), { state: "offline", answers: false });
    assert.equal(await world.store.load("till-1"), null);
    assert.deepEqual(node.outcomes, ["not_permitted", "offline"]);
  });

  it("is the repeat of what another node began meanwhile, also where this one takes the terminal for OFFLINE", async () => {
    const world = await openZvtWorld();
    const [one, other] = [world.node("a"), world.node("b")];
    const { terminals } = world.relay;
    const begunMeanwhile: unknown[] = [];
    world.relay.terminals = {
      ...terminals,
      view: async (terminalId) => {
        world.relay.terminals = terminals;
        begunMeanwhile.push((await one.pay(1_000)).payment);
        return { ...(await terminals.view(terminalId)), connected: false };
      },
    };
    const again = await other.begin(1_000);
    assert.deepEqual(again, { type: "reattached", payment: begunMeanwhile[0], replaces: null });
    assert.deepEqual(other.outcomes, []);
  });

  it("is busy where the store does not answer, and the register may ask again", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    world.kv.fate = () => "answer lost";
    assert.deepEqual(await node.begin(1_000), { type: "busy" });
    world.kv.fate = () => "done";
    // It was stored, and is the same sale.
    const stored = (await world.store.load("till-1"))?.record.open?.uuid;
    const { payment } = await node.pay(1_000);
    assert.equal(payment.uuid, stored);
    await world.pass(500);
    assert.deepEqual(world.terminal.uuids, [payment.uuid]);
  });

  it("takes no new one on while the node stops", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    const { payment, told } = await node.pay(1_000);
    node.payments.drain();
    assert.deepEqual(await node.begin(2_000), { type: "busy" });
    await world.result(payment.uuid);
    await world.pass(500);
    assert.equal(told.end, "paid");
  });
});

describe("a payment that comes to no result", () => {
  it("ends as cancelled where the register aborts it before it left, and goes on where the terminal may have it", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    const { payment, told } = await node.pay(1_000);
    await world.pass(500);
    told.following?.cancel();
    await world.pass(500);
    assert.equal(told.progress.at(-1), "cancelling");
    const [, cancel = ""] = world.terminal.uuids;
    await world.shard.terminals.recordResult(posting(cancel, { service: "CANCEL", result: "OK", cancels: payment.uuid }));
    await world.pass(1_000);
    assert.equal(told.end, "6c");
  });

  it("is paid where the result comes before the terminal has heard of the abort", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    const { payment, told } = await node.pay(1_000);
    await world.pass(500);
    told.following?.cancel();
    await world.pass(250);
    await world.result(payment.uuid);
    await world.pass(1_000);
    assert.equal(told.end, "paid");
  });

  it("goes on where the terminal refuses the cancel, or does not answer it: its result is told", async () => {
    for (const answer of ["KO", null]) {
      const world = await openZvtWorld();
      const { payment, told } = await world.node("a").pay(1_000);
      await world.pass(500);
      told.following?.cancel();
      await world.pass(500);
      const [, cancel = ""] = world.terminal.uuids;
      if (answer !== null) {
        await world.shard.terminals.recordResult(posting(cancel, { service: "CANCEL", result: answer, cancels: payment.uuid }));
      }
      await world.pass(30_000);
      assert.equal(told.outcome, null, String(answer));
      await world.result(payment.uuid);
      await world.pass(1_000);
      assert.equal(told.end, "paid", String(answer));
      assert.equal(world.terminal.uuids.length, 2, "asked for once");
    }
  });

  it("is not cancelled where both cross: the terminal has paid, and refuses the cancel that came after it", async () => {
    for (const resultFirst of [true, false]) {
      const world = await openZvtWorld();
      const { payment, told } = await world.node("a").pay(1_000);
      await world.pass(500);
      told.following?.cancel();
      await world.pass(500);
      const [, cancel = ""] = world.terminal.uuids;
      const posts = [
        () => world.result(payment.uuid),
        () => world.shard.terminals.recordResult(posting(cancel, { service: "CANCEL", result: "KO", cancels: payment.uuid })),
      ];
      for (const post of resultFirst ? posts : posts.toReversed()) await post();
      await world.pass(1_000);
      assert.equal(told.end, "paid", String(resultFirst));
    }
  });

  it("is cancelled at its timeout, and some time after its register has gone", async () => {
    for (const gone of [false, true]) {
      const world = await openZvtWorld();
      const node = world.node("a", { timeoutSeconds: 30, disconnectGraceSeconds: 10 });
      const { told } = await node.pay(1_000);
      await world.pass(1_000);
      if (gone) told.following?.disconnected();
      await world.pass(gone ? 8_000 : 28_000);
      assert.equal(world.terminal.uuids.length, 1);
      await world.pass(4_000);
      assert.equal(JSON.parse(world.terminal.texts.at(-1) ?? "{}").service, "CANCEL", String(gone));
    }
  });

  it("is unknown for a register without intermediate status before its own time is over, and is held", async () => {
    const world = await openZvtWorld();
    const node = world.node("a", { timeoutSeconds: 3_600 });
    const { told } = await node.pay(1_000, { intermediateStatus: false });
    await world.pass(152_000);
    assert.equal(JSON.parse(world.terminal.texts.at(-1) ?? "{}").service, "CANCEL");
    assert.equal(told.outcome, null);
    await world.pass(20_000);
    assert.equal(told.end, "unknown");
    assert.deepEqual(await node.begin(1_000), { type: "busy" });
    assert.equal((await node.payments.lastReceipt("till-1")).type, "live");
  });

  it("holds the route for the same amount until a late result comes, which its register then gets", async () => {
    const world = await openZvtWorld();
    const node = world.node("a", { timeoutSeconds: 3_600 });
    const { payment, told } = await node.pay(1_000);
    await world.pass(303_000);
    assert.equal(told.end, "unknown");
    assert.deepEqual(await node.begin(1_000), { type: "busy" });
    await node.payments.tend();
    assert.deepEqual(node.payments.counts(), { undelivered: 0, unknownHolds: 1 });
    await world.result(payment.uuid);
    await node.payments.tend();
    const again = await node.begin(1_000);
    assert.ok(again.type === "deliver" && again.outcome.type === "paid");
    await node.payments.delivered(payment);
    assert.equal((await node.begin(1_000)).type, "begun");
    assert.equal(world.terminal.uuids.filter((uuid) => uuid === payment.uuid).length, 1);
  });

  it("clears the hold also where nobody looked meanwhile", async () => {
    const world = await openZvtWorld();
    const node = world.node("a", { timeoutSeconds: 3_600 });
    const { payment } = await node.pay(1_000);
    await world.pass(303_000);
    await world.result(payment.uuid, { result: "KO" });
    const again = await node.begin(1_000);
    assert.ok(again.type === "deliver" && again.outcome.type === "notPaid");
  });

  it("does not hold it for another amount", async () => {
    const world = await openZvtWorld();
    const node = world.node("a", { timeoutSeconds: 3_600 });
    await node.pay(1_000);
    await world.pass(303_000);
    assert.equal((await node.begin(2_000)).type, "begun");
    assert.deepEqual((await world.attention()).toSorted(), ["unknown", "zvt_undelivered"]);
  });

  it("is given up where it was never sent and its register does not come again, so that an enquiry is told the truth", async () => {
    const world = await openZvtWorld();
    const [one, other] = [world.node("a"), world.node("b")];
    assert.equal((await one.begin(1_000)).type, "begun");
    world.live.delete("a");
    await world.pass(59_000);
    await other.payments.tend();
    assert.equal((await other.payments.status("till-1")).state, "paying");
    await world.pass(2_000);
    await other.payments.tend();
    assert.equal((await other.payments.status("till-1")).state, "ready");
    assert.deepEqual(world.terminal.uuids, []);
    const again = await other.begin(1_000);
    assert.ok(again.type === "deliver" && again.outcome.type === "notPaid");
  });

  it("is followed on by another node once its own is gone, which cancels it, and then keeps its result", async () => {
    const world = await openZvtWorld();
    const [one, other] = [world.node("a"), world.node("b")];
    const { payment } = await one.pay(1_000);
    await world.pass(500);
    await other.payments.tend();
    assert.equal(other.payments.running(), 0);
    world.live.delete("a");
    await other.payments.tend();
    assert.equal(other.payments.running(), 1);
    await world.pass(12_000);
    assert.equal(JSON.parse(world.terminal.texts.at(-1) ?? "{}").service, "CANCEL");
    await world.result(payment.uuid);
    await world.pass(1_000);
    assert.equal((await world.store.load("till-1"))?.record.open?.outcome?.type, "paid");
    const again = await other.begin(1_000);
    assert.ok(again.type === "deliver" && again.outcome.type === "paid");
  });
});

describe("a store that does not answer", () => {
  it("is asked again under the same uuid: one whose answer was lost is followed", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    const begun = await node.begin(1_000);
    assert.ok(begun.type === "begun");
    let lost = 0;
    world.kv.fate = () => {
      lost += 1;
      return lost === 1 ? "answer lost" : "done";
    };
    const told = node.follow(begun.payment);
    await world.pass(3_000);
    await world.result(begun.payment.uuid);
    await world.pass(2_000);
    assert.equal(told.end, "paid");
    assert.equal(world.terminal.uuids.filter((uuid) => uuid === begun.payment.uuid).length <= 1, true);
  });

  it("leaves the outcome unknown after a minute, and the route held", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    const begun = await node.begin(1_000);
    assert.ok(begun.type === "begun");
    world.kv.fate = () => "refused";
    world.kv.unreadable = true;
    const told = node.follow(begun.payment);
    await world.pass(62_000);
    world.kv.fate = () => "done";
    world.kv.unreadable = false;
    await world.pass(3_000);
    assert.equal(told.end, "unknown");
    assert.deepEqual(world.terminal.uuids, []);
    assert.deepEqual(await node.begin(1_000), { type: "busy" });
  });

  it("lets a payment be that came back within its minute: it was not sent, and says so", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    const begun = await node.begin(1_000);
    assert.ok(begun.type === "begun");
    world.kv.fate = () => "refused";
    const told = node.follow(begun.payment);
    await world.pass(20_000);
    world.kv.fate = () => "done";
    await world.pass(3_000);
    assert.equal(told.end, "a0");
    assert.deepEqual(world.terminal.uuids, []);
  });
});

describe("a store that has lost some of its history", () => {
  it("is not taken at its word: what had not ended may have been sent, and is neither sent again nor given up", async () => {
    const world = await openZvtWorld();
    const begun = await world.node("a").begin(1_000);
    assert.ok(begun.type === "begun");
    world.live.delete("a");
    world.lost.version = world.kv.lastVersion;
    const node = world.node("b");
    assert.deepEqual(await node.begin(1_000), { type: "busy" });
    assert.equal((await world.shard.terminals.command(begun.payment.uuid, 0)) ?? null, null);
    await node.pay(2_000);
    await world.pass(500);
    assert.equal(world.terminal.uuids.includes(begun.payment.uuid), false);
  });

  it("goes on with numbers of its own", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    const first = await node.pay(1_000);
    await world.result(first.payment.uuid);
    await world.pass(500);
    await node.payments.delivered(first.payment);
    const before = (await world.store.load("till-1"))?.record;
    world.lost.version = world.kv.lastVersion;
    await node.pay(1_000);
    const after = (await world.store.load("till-1"))?.record;
    assert.notEqual(after?.epoch, before?.epoch);
    assert.equal(after?.seq, 2);
  });
});

describe("what the relay says of a payment", () => {
  it("goes on where the terminal refuses to cancel it, and is unknown where nobody answers", async () => {
    for (const answers of [true, false]) {
      const world = await openZvtWorld();
      const node = world.node("a", { timeoutSeconds: 3_600 });
      const { payment, told } = await node.pay(1_000);
      await world.pass(500);
      told.following?.cancel();
      await world.pass(500);
      const [, cancel = ""] = world.terminal.uuids;
      if (answers) await world.shard.terminals.recordResult(posting(cancel, { service: "CANCEL", result: "KO", cancels: payment.uuid }));
      await world.pass(2_000);
      assert.equal(told.end, null);
      if (answers) await world.result(payment.uuid);
      await world.pass(answers ? 2_000 : 303_000);
      assert.equal(told.end, answers ? "paid" : "unknown");
    }
  });

  it("is safe where the terminal did not fetch it in time", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    world.terminal.writable = false;
    const { told } = await node.pay(1_000);
    await world.pass(62_000);
    assert.equal(told.end, "a1");
    world.terminal.writable = true;
    await world.pass(2_000);
    assert.deepEqual(world.terminal.uuids, []);
  });

  it("is busy where the terminal takes no more, and never comes to it later", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    const begun = await node.begin(1_000);
    assert.ok(begun.type === "begun");
    world.terminal.writable = false;
    const others: string[] = [];
    for (;;) {
      const uuid = `other-${others.length}`;
      const { outcome } = await world.relay.sendPayment(PARTNER, "T1", { uuid, amount: 500, service: "PAYCC" });
      if (outcome.type === "queue_full") break;
      others.push(uuid);
    }
    const told = node.follow(begun.payment);
    await world.pass(1_000);
    assert.equal(told.end, "a0");
    assert.equal((await world.shard.terminals.command(begun.payment.uuid, 0))?.state, "cancelled");
  });

  it("is not permitted where its partner was disabled before it was sent", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    const begun = await node.begin(1_000);
    assert.ok(begun.type === "begun");
    world.partner.enabled = false;
    const told = node.follow(begun.payment);
    await world.pass(1_000);
    assert.equal(told.end, "6b");
    assert.deepEqual(world.terminal.uuids, []);
  });

  it("is refused with the code of another currency where its terminal takes none in euro, and nothing is sent", async () => {
    const world = await openZvtWorld();
    world.configured.terminal = { family: null, currency: "CHF" };
    const node = world.node("a");
    const refused = await node.pay(1_000);
    await world.pass(1_000);
    assert.deepEqual([refused.told.end, node.outcomes, node.failures], ["6f", ["currency"], []]);
    assert.deepEqual(world.terminal.uuids, []);
    await node.payments.delivered(refused.payment);
    world.configured.terminal = { family: null, currency: "EUR" };
    const { payment } = await node.pay(2_000);
    assert.equal((await world.shard.terminals.command(payment.uuid, 0))?.command?.currency, "EUR");
  });

  it("tells the currency that the terminal charged, and operators that it differs", async () => {
    const world = await openZvtWorld();
    const { payment, told } = await world.node("a").pay(1_000);
    await world.result(payment.uuid, { currency: "SEK" });
    await world.pass(1_000);
    assert.ok(told.outcome?.type === "paid");
    assert.equal(told.outcome.receipt.currency, "0752");
    assert.deepEqual(await world.attention(), ["amount_differs"]);
  });

  it("tells the amount that the terminal charged, and operators that it differs", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    const { payment, told } = await node.pay(1_000);
    await world.result(payment.uuid, { amount: 999 });
    await world.pass(1_000);
    assert.ok(told.outcome?.type === "paid");
    assert.equal(told.outcome.receipt.amountCents, 999);
    assert.deepEqual(await world.attention(), ["amount_differs"]);
  });

  it("numbers receipts from 1 to 9999, and then again", () => {
    const attached = { connection: "c1", shard: "a", writer: "a", address: "10.0.0.1" };
    const order = { terminalId: "T1", amountCents: 1_000, currency: "0978" };
    const next = (seq: number) => withOpened({ ...newRouteRecord("e"), seq }, { order, attached, uuidOf: String, atMs: 0 }).open.receiptNo;
    assert.deepEqual([next(0), next(9_998), next(9_999)], [1, 9_999, 1]);
  });
});

describe("a payment that its register does not ask for again", () => {
  it("comes to nothing after its window where it was never sent, and does not show as running any more", async () => {
    const world = await openZvtWorld();
    const [one, other] = [world.node("a"), world.node("b")];
    const begun = await one.begin(1_000);
    assert.ok(begun.type === "begun");
    world.live.delete("a");
    await world.pass(59_000);
    await other.payments.tend();
    assert.equal((await other.payments.status("till-1")).state, "paying");
    await world.pass(2_000);
    await other.payments.tend();
    assert.equal((await other.payments.status("till-1")).state, "ready");
    const record = (await world.store.load("till-1"))?.record;
    assert.deepEqual([record?.lastOutcome?.type, record?.lastOutcome?.code], ["notPaid", 0xa1]);
    // Its node wakes up: its uuid is taken.
    const told = one.follow(begun.payment);
    await world.pass(2_000);
    assert.notEqual(told.end, "paid");
    assert.deepEqual(world.terminal.uuids, []);
  });

  it("is not given up where the store has lost some of its history: it may have been sent", async () => {
    const world = await openZvtWorld();
    const begun = await world.node("a").begin(1_000);
    assert.ok(begun.type === "begun");
    world.live.delete("a");
    world.lost.version = world.kv.lastVersion;
    const node = world.node("b");
    await world.pass(62_000);
    await node.payments.tend();
    assert.equal(await world.shard.terminals.command(begun.payment.uuid, 0), null);
    assert.deepEqual(await node.begin(1_000), { type: "busy" });
    assert.equal((await node.payments.lastReceipt("till-1")).type, "live");
  });
});

describe("a diagnosis", () => {
  it("finds a terminal that was heard within two minutes, also while it pays", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    assert.deepEqual(await node.payments.status("till-1"), { state: "ready", answers: true });
    await node.pay(1_000);
    assert.deepEqual(await node.payments.status("till-1"), { state: "paying", answers: true });
  });

  it("does not find one that is OFFLINE, also while a payment runs there", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    await node.pay(1_000);
    await world.shard.terminals.disconnect("T1");
    assert.deepEqual(await node.payments.status("till-1"), { state: "paying", answers: false });
  });

  it("does not find one that is shown as ONLINE and was heard longer ago", async () => {
    const world = await openZvtWorld();
    const { terminals } = world.relay;
    const heard = (agoMs: number) => {
      const lastActivityMs = world.clock.nowMs() - agoMs;
      world.relay.terminals = { ...terminals, view: async (id) => ({ ...(await terminals.view(id)), connected: true, lastActivityMs }) };
    };
    heard(120_000);
    assert.deepEqual(await world.node("a").payments.status("till-1"), { state: "ready", answers: true });
    heard(120_001);
    assert.deepEqual(await world.node("a").payments.status("till-1"), { state: "ready", answers: false });
  });

  it("says nothing good where the terminal cannot be asked, and the enquiry still knows of the payment", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    await node.pay(1_000);
    const view = () => Promise.reject(new RelayError("unavailable", "The home does not answer"));
    world.relay.terminals = { ...world.relay.terminals, view };
    assert.deepEqual(await node.payments.status("till-1"), { state: "paying", answers: false });
  });
});

describe("a repeated receipt", () => {
  it("is not the one of the sale before while a register has not heard that its own came to nothing", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    const paid = await node.pay(1_000);
    await world.result(paid.payment.uuid);
    await world.pass(500);
    await node.payments.delivered(paid.payment);
    assert.equal((await node.payments.lastReceipt("till-1")).type, "receipt");
    const begun = await node.begin(1_000);
    assert.ok(begun.type === "begun");
    world.clock.advance(20_000);
    const told = node.follow(begun.payment);
    await world.pass(1_000);
    assert.equal(told.end, "a0");
    assert.equal((await node.payments.lastReceipt("till-1")).type, "none");
    await node.payments.delivered(begun.payment);
    assert.equal((await node.payments.lastReceipt("till-1")).type, "receipt");
  });

  it("is not denied where the store cannot say whether there is one", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    const paid = await node.pay(1_000);
    await world.result(paid.payment.uuid);
    await world.pass(500);
    world.store.load = () => Promise.reject(new RelayError("unavailable", "The store does not answer"));
    assert.equal((await node.payments.lastReceipt("till-1")).type, "live");
  });
});

describe("a node that sleeps between storing a payment and sending it", () => {
  it("cannot send it once another node has given it up", async () => {
    const world = await openZvtWorld();
    const [sleeper, other] = [world.node("a"), world.node("b")];
    const begun = await sleeper.begin(1_000);
    assert.ok(begun.type === "begun");
    // SIGSTOP of 20 s: its membership ends, and the register goes to another node with the next sale.
    await world.pass(20_000);
    world.live.delete("a");
    const next = await other.pay(2_000);
    await world.pass(500);
    assert.deepEqual(world.terminal.uuids, [next.payment.uuid]);

    const told = sleeper.follow(begun.payment);
    await world.pass(2_000);
    assert.equal(told.end, "6c");
    assert.deepEqual(world.terminal.uuids, [next.payment.uuid]);
    assert.equal((await world.store.load("till-1"))?.record.open?.uuid, next.payment.uuid);
  });

  it("does not send it late, though nobody has given it up: it ends as not paid", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    const begun = await node.begin(1_000);
    assert.ok(begun.type === "begun");
    world.clock.advance(20_000);
    const told = node.follow(begun.payment);
    await world.pass(1_000);
    assert.equal(told.end, "a0");
    assert.deepEqual(world.terminal.uuids, []);
  });

  it("sends it for a register that asks again, under the same uuid", async () => {
    const world = await openZvtWorld();
    const [sleeper, other] = [world.node("a"), world.node("b")];
    const begun = await sleeper.begin(1_000);
    assert.ok(begun.type === "begun");
    await world.pass(20_000);
    world.live.delete("a");
    const again = await other.pay(1_000);
    assert.deepEqual(again.payment, begun.payment);
    // Now both send.
    sleeper.follow(begun.payment);
    await world.pass(1_000);
    assert.deepEqual(world.terminal.uuids, [begun.payment.uuid]);
  });

  it("is too late where the store comes to it after the window, and nothing is accepted", async () => {
    const world = await openZvtWorld();
    const node = world.node("a");
    const begun = await node.begin(1_000);
    assert.ok(begun.type === "begun");
    world.kv.hold();
    const told = node.follow(begun.payment);
    await settle();
    world.clock.advance(6_000);
    world.kv.release();
    await world.pass(2_000);
    assert.deepEqual(world.terminal.uuids, []);
    assert.equal(told.end, "a0");
  });

  it("loses to an acceptance, and an acceptance to it: of both at once one wins", async () => {
    for (let round = 0; round < 20; round += 1) {
      const world = await openZvtWorld();
      const sent = command(world, `u${round}`);
      const works = [() => world.relay.claimCancelled(sent), () => world.shard.terminals.accept(sent).then(({ type }) => type)];
      if (round % 2 === 1) works.reverse();
      const answers = await Promise.all(works.map((work) => work()));
      const claimed = answers.includes("claimed");
      assert.notEqual(claimed, answers.includes("accepted"), answers.join());
      await settle();
      assert.equal(world.terminal.uuids.length, claimed ? 0 : 1);
      assert.equal((await world.shard.terminals.command(sent.uuid, 0))?.state, claimed ? "cancelled" : "sent");
      // Asked again, since its answer may have been lost.
      assert.equal(await world.relay.claimCancelled(sent), claimed ? "claimed" : "taken");
    }
  });
});
