import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf } from "./bytes-of.ts";
import { DECLINED, PAID, RECEIPT } from "./fake-payments.ts";
import { gate, settled } from "./manual-time.ts";
import { ABORT, ACK, COMPLETION, ENQUIRY, PAID_STATUS, PAY, PAY_OTHER, REGISTER, REGISTER_WITH_STATUS, ZvtWorld } from "./zvt-world.ts";

const REGISTERED = [ACK, "06 0F 0A 19 00 29 12 34 56 78 49 09 78"];
const READY = "06 0F 0D F0 F0 F9 72 65 6C 61 79 20 31 2E 30 00";

/** A command when nothing is paid, and the whole answer. */
const ANSWERS: { name: string; sent: string; answer: string[] }[] = [
  { name: "a registration", sent: REGISTER, answer: REGISTERED },
  { name: "a registration without a currency", sent: "06 00 04 12 34 56 BA", answer: [ACK, "06 0F 07 19 00 29 12 34 56 78"] },
  { name: "a registration that prints text blocks", sent: "06 00 10 00 00 00 B6 09 78 03 01 06 06 26 04 0A 02 06 D3", answer: REGISTERED },
  { name: "a registration in francs", sent: "06 00 06 12 34 56 DE 07 56", answer: ["84 1E 03 6F 07 56"] },
  { name: "half a registration", sent: "06 00 02 12 34", answer: [ACK, "06 1E 01 9A"] },
  { name: "a status enquiry", sent: ENQUIRY, answer: [ACK, READY] },
  { name: "a status enquiry with a password", sent: "05 01 03 12 34 56", answer: [ACK, READY] },
  { name: "a log-off", sent: "06 02 00", answer: [ACK] },
  { name: "an abort of nothing", sent: ABORT, answer: [ACK] },
  { name: "a text to display", sent: "06 E0 08 F0 05 F9 01 F1 F0 F1 61", answer: [ACK] },
  { name: "a repeat of no receipt", sent: "06 20 03 00 00 00", answer: [ACK, "06 1E 01 83"] },
  { name: "a reversal", sent: "06 30 06 00 00 00 87 00 01", answer: [ACK, "06 1E 01 B5"] },
  { name: "a refund", sent: "06 31 0A 00 00 00 04 00 00 00 00 03 14", answer: [ACK, "06 1E 01 83"] },
  { name: "an end of day", sent: "06 50 03 12 34 56", answer: [ACK, "06 1E 01 77"] },
  { name: "turnover totals", sent: "06 10 03 12 34 56", answer: [ACK, "06 1E 01 77"] },
  { name: "a pre-authorization", sent: "06 22 0E 04 00 00 00 00 05 00 49 09 78 01 0A 06 00", answer: [ACK, "06 1E 01 83"] },
  { name: "an enquiry for pre-authorizations", sent: "06 23 03 87 FF FF", answer: [ACK, "06 1E 04 B8 87 FF FF"] },
  { name: "a partial reversal", sent: "06 23 03 87 00 01", answer: [ACK, "06 1E 01 83"] },
  { name: "a booking of a total", sent: "06 24 03 87 00 01", answer: [ACK, "06 1E 01 83"] },
  { name: "a reversal of a pre-authorization", sent: "06 25 03 87 00 01", answer: [ACK, "06 1E 01 83"] },
  { name: "a diagnosis", sent: "06 70 05 06 03 1B 01 01", answer: [ACK, COMPLETION] },
  { name: "an initialisation", sent: "06 93 03 12 34 56", answer: [ACK, COMPLETION] },
  { name: "a clock", sent: "06 91 08 AA 26 11 25 0C 10 20 30", answer: [ACK, COMPLETION] },
  { name: "what no terminal of ours has (06-18)", sent: "06 18 00", answer: ["84 83 00"] },
  { name: "what no terminal of ours has (06-1A)", sent: "06 1A 00", answer: ["84 83 00"] },
  { name: "what no terminal of ours has (06-1B)", sent: "06 1B 08 12 34 56 29 12 34 56 78", answer: ["84 83 00"] },
  { name: "a card to be read", sent: "06 C0 00", answer: ["84 83 00"] },
  { name: "a file transfer", sent: "08 14 00", answer: ["84 83 00"] },
  { name: "a payment without an amount", sent: "06 01 03 49 09 78", answer: [ACK, "06 1E 01 9A"] },
  { name: "a payment of a nibble above 9", sent: "06 01 07 04 00 00 00 00 12 3A", answer: [ACK, "06 1E 01 9A"] },
  { name: "a payment of nothing", sent: "06 01 07 04 00 00 00 00 00 00", answer: [ACK, "06 1E 01 C8"] },
  { name: "a payment in francs", sent: "06 01 0A 04 00 00 00 00 12 34 49 07 56", answer: [ACK, "06 1E 01 6F"] },
  {
    name: "a payment with a card number",
    sent: "06 01 12 04 00 00 00 00 12 34 22 F0 F8 41 11 11 11 11 11 11 11",
    answer: [ACK, "06 1E 01 A5"],
  },
  { name: "a vending machine's payment", sent: "06 01 09 04 00 00 00 00 03 14 02 0A", answer: ["84 83 00"] },
];

for (const { name, sent, answer } of ANSWERS) {
  test(`answers ${name}`, async () => {
    const world = new ZvtWorld();
    const register = world.connect();
    const received = [...(await register.send(sent)), ...(await register.send(ACK))];
    assert.deepEqual(received, answer);
    assert.deepEqual(world.payments.executed, []);
    assert.equal(register.closedBecause, null);
    // The socket is still usable.
    assert.deepEqual(await register.send(ENQUIRY), [ACK, READY]);
  });
}

test("pays: acknowledges when it is stored, sends the payment, and tells the result in the order that old registers need", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(REGISTER);
  await register.send(ACK);
  assert.deepEqual(await register.send(PAY), [ACK]);
  assert.deepEqual(world.payments.asked, ["begin 1234", "follow u1"]);
  world.payments.end(PAID);
  assert.deepEqual(register.taken(), [PAID_STATUS]);
  assert.deepEqual(await register.send(ACK), [COMPLETION]);
  assert.deepEqual(world.payments.asked.slice(2), ["delivered u1"]);
  assert.deepEqual(await register.send(ACK), []);
  assert.deepEqual(world.payments.executed, ["u1"]);
});

test("does not acknowledge before the payment is stored", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  const { promise, resolve } = gate();
  world.payments.gate = promise;
  assert.deepEqual(await register.send(PAY), []);
  assert.deepEqual(world.payments.executed, []);
  resolve();
  await settled();
  assert.deepEqual(register.taken(), [ACK]);
});

test("pays for a register that never registered, and sends it no currency", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send("06 01 07 04 00 00 00 00 12 34");
  world.payments.end(PAID);
  const [status = ""] = register.taken();
  assert.ok(status.startsWith("04 0F 40 27 00 04 00 00 00 00 12 34"), status);
  assert.ok(!status.includes("49 09 78"), status);
});

test("tells a decline with its code in both frames, and its text", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(PAY);
  world.payments.end(DECLINED);
  const [status = ""] = register.taken();
  assert.ok(/^04 0F .. 27 33 04/.test(status), status);
  assert.ok(
    status.includes(`3C F0 F1 F6 ${Buffer.from("Not enough money").toString("hex").toUpperCase().match(/../g)?.join(" ")}`),
    status,
  );
  assert.deepEqual(await register.send(ACK), ["06 1E 01 33"]);
  assert.ok(world.payments.asked.includes("delivered u1"));
});

test("tells what came to nothing without a receipt by one frame, and knows by its acknowledgement that it was heard", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(PAY);
  world.payments.end({ type: "notPaid", code: 0xa1, receipt: null });
  assert.deepEqual(register.taken(), ["06 1E 01 A1"]);
  assert.ok(!world.payments.asked.includes("delivered u1"));
  await register.send(ACK);
  assert.ok(world.payments.asked.includes("delivered u1"));
});

test("closes without a final frame when nobody knows the outcome", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(PAY);
  world.payments.end({ type: "unknown" });
  assert.deepEqual(register.taken(), []);
  assert.equal(register.closedBecause, "unknown_outcome");
});

test("closes when it fails by itself, and the register that asks again hears the stored result", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(PAY);
  const { localTimeOf } = world;
  world.localTimeOf = () => {
    throw new RangeError("no such zone");
  };
  assert.throws(() => world.payments.end(PAID), RangeError);
  assert.deepEqual(register.taken(), []);
  assert.equal(register.closedBecause, "failed");
  world.localTimeOf = localTimeOf;
  const again = world.connect();
  const [acknowledgement, status] = await again.send(PAY);
  assert.equal(acknowledgement, ACK);
  assert.match(status ?? "", /^04 0F .. 27 00 04/);
  assert.deepEqual(world.payments.executed, ["u1"]);
});

test("refuses what the engine refuses, and says busy by 84-A0", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  world.payments.refuseWith(0x6b);
  assert.deepEqual(await register.send(PAY), [ACK, "06 1E 01 6B"]);
  await register.send(ACK);
  world.payments.refuseWith(null);
  await register.send(PAY);
  const other = world.connect();
  assert.deepEqual(await other.send(PAY), ["84 A0 00"]);
  assert.deepEqual(await register.send(PAY), ["84 A0 00"]);
  assert.deepEqual(world.payments.executed, ["u1"]);
  assert.deepEqual(world.refused, ["not_permitted", "busy", "busy"]);
});

test("a payment with a password takes the right one first, on this connection, and the third wrong one closes", async () => {
  const world = new ZvtWorld();
  const route = { routeId: "r1", tid: "12345678" };
  world.payments.choose = (_connection, password) =>
    password === null || password === "123456"
      ? { type: "route", route: { ...route, needsPassword: password === null } }
      : { type: "wrongPassword" };
  const register = world.connect();
  assert.deepEqual(await register.send(PAY), [ACK, "06 1E 01 6B"]);
  await register.send(ACK);
  assert.deepEqual(await register.send("06 00 06 00 00 00 86 09 78"), [ACK, "06 1E 01 6B"]);
  await register.send(ACK);
  assert.deepEqual(await register.send(REGISTER), REGISTERED);
  await register.send(ACK);
  assert.deepEqual(await register.send(PAY), [ACK]);

  const stranger = world.connect();
  for (const _ of [1, 2]) {
    await stranger.send("06 00 06 00 00 00 86 09 78");
    await stranger.send(ACK);
  }
  assert.deepEqual(await stranger.send("06 00 06 00 00 00 86 09 78"), []);
  assert.equal(stranger.closedBecause, "wrong_passwords");
});

test("of several routes the password tells which one", async () => {
  const world = new ZvtWorld();
  world.payments.choose = (_connection, password) =>
    password === "123456" ? { type: "route", route: { routeId: "r2", tid: "00000002", needsPassword: false } } : { type: "password" };
  const register = world.connect();
  assert.deepEqual(await register.send(PAY), [ACK, "06 1E 01 6B"]);
  await register.send(ACK);
  assert.deepEqual(await register.send(REGISTER), [ACK, "06 0F 0A 19 00 29 00 00 00 02 49 09 78"]);
});

test("without a route the connection is closed at once", () => {
  const world = new ZvtWorld();
  world.payments.choose = () => ({ type: "none" });
  assert.equal(world.connect().closedBecause, "no_route");
});

test("status frames: on a change and every 15 seconds, without TLV, and never while one waits for its acknowledgement", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(REGISTER_WITH_STATUS);
  await register.send(ACK);
  assert.deepEqual(await register.send(PAY), [ACK]);
  assert.equal(world.payments.asked[0], "begin 1234 status");
  world.payments.progress("waiting");
  assert.deepEqual(register.taken(), ["04 FF 01 0E"]);
  world.payments.progress("sent");
  assert.deepEqual(register.taken(), []);
  assert.deepEqual(await register.send(ACK), ["04 FF 01 0A"]);
  await register.send(ACK);
  world.payments.progress("sent");
  assert.deepEqual(register.taken(), []);
  await world.time.pass(14_999);
  assert.deepEqual(register.taken(), []);
  await world.time.pass(1);
  assert.deepEqual(register.taken(), ["04 FF 01 0A"]);
  world.payments.end(PAID);
  assert.deepEqual(register.taken(), []);
  assert.deepEqual(await register.send(ACK), [PAID_STATUS]);
  assert.equal(world.payments.asked.filter((asked) => asked === "heard").length, 3);
});

test("no status frames for a register that did not ask for them", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(PAY);
  world.payments.progress("sent");
  await world.time.pass(60_000);
  assert.deepEqual(register.taken(), []);
});

test("an enquiry within a payment is answered in its place, also instead of an acknowledgement of a status frame", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(REGISTER_WITH_STATUS);
  await register.send(ACK);
  await register.send(PAY);
  world.payments.progress("sent");
  register.taken();
  assert.deepEqual(await register.send(ENQUIRY), [ACK, READY.replace(/00$/, "9C")]);
  world.payments.end(PAID);
  assert.deepEqual(register.taken(), []);
  // What the register's answer is for cannot be told: the status frame may have crossed the enquiry.
  assert.deepEqual(await register.send(ACK), [PAID_STATUS]);
  assert.deepEqual(await register.send(ACK), []);
  assert.deepEqual(await register.send(ACK), [COMPLETION]);
});

test("enquiries are limited to ten a second", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  for (let times = 0; times < 10; times += 1) {
    assert.deepEqual(await register.send(ENQUIRY), [ACK, READY]);
    await register.send(ACK);
  }
  assert.deepEqual(await register.send(ENQUIRY), ["84 A0 00"]);
  await world.time.pass(1_000);
  assert.deepEqual(await register.send(ENQUIRY), [ACK, READY]);
});

for (const { name, outcome, heard } of [
  { name: "cancelled", outcome: { type: "notPaid", code: 0x6c, receipt: null }, heard: "06 1E 01 6C" },
  { name: "paid all the same", outcome: PAID, heard: PAID_STATUS },
] as const) {
  test(`an abort within a payment is acknowledged next, and asks for a cancel; ${name}`, async () => {
    const world = new ZvtWorld();
    const register = world.connect();
    await register.send(REGISTER_WITH_STATUS);
    await register.send(ACK);
    await register.send(PAY);
    assert.deepEqual(await register.send(ABORT), [ACK]);
    assert.ok(world.payments.asked.includes("cancel"));
    world.payments.progress("cancelling");
    assert.deepEqual(register.taken(), ["04 FF 01 0E"]);
    await register.send(ACK);
    world.payments.end(outcome);
    assert.deepEqual(register.taken(), [heard]);
  });
}

test("an abort in the place of an acknowledgement counts as one", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(REGISTER_WITH_STATUS);
  await register.send(ACK);
  await register.send(PAY);
  world.payments.progress("sent");
  register.taken();
  assert.deepEqual(await register.send(ABORT), [ACK]);
  await world.time.pass(10_000);
  assert.equal(register.closedBecause, null);
});

test("an acknowledgement that may be of an older frame is not taken for one of an approval", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(REGISTER_WITH_STATUS);
  await register.send(ACK);
  await register.send(PAY);
  world.payments.progress("sent");
  await register.send(ABORT);
  world.payments.end(PAID);
  register.taken();
  // Late, of the status frame that crossed the abort.
  assert.deepEqual(await register.send(ACK), []);
  assert.ok(!world.payments.asked.includes("delivered u1"));
  assert.deepEqual(await register.send(ACK), [COMPLETION]);
  assert.ok(world.payments.asked.includes("delivered u1"));
});

test("an approval that may not have been acknowledged is sent again", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(REGISTER_WITH_STATUS);
  await register.send(ACK);
  await register.send(PAY);
  world.payments.progress("sent");
  await register.send(ABORT);
  world.payments.end(PAID);
  register.taken();
  await register.send(ACK);
  await world.time.pass(2_000);
  assert.deepEqual(register.taken(), [PAID_STATUS]);
  assert.deepEqual(await register.send(ACK), [COMPLETION]);
});

test("an abort that crosses an approval comes too late: acknowledged, and the approval still needs its own", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(PAY);
  world.payments.end(PAID);
  register.taken();
  assert.deepEqual(await register.send(ABORT), [ACK]);
  assert.deepEqual(await register.send(PAY), ["84 A0 00"]);
  assert.ok(!world.payments.asked.includes("delivered u1"));
  assert.deepEqual(await register.send(ACK), [COMPLETION]);
});

test("a register that stops reading after a decline pays again at once", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(PAY);
  world.payments.end(DECLINED);
  register.taken();
  // In the place of the acknowledgement: no frame of the old dialogue may follow.
  assert.deepEqual(await register.send(PAY), [ACK]);
  assert.deepEqual(world.payments.executed, ["u1", "u2"]);
  world.payments.end(PAID);
  assert.deepEqual(register.taken(), [PAID_STATUS]);
});

for (const { name, outcome } of [
  { name: "a decline", outcome: DECLINED },
  { name: "an approval", outcome: PAID },
]) {
  test(`a command that comes while the delivery of ${name} is stored gets its own answer, and nothing of the old`, async () => {
    const world = new ZvtWorld();
    const register = world.connect();
    await register.send(PAY);
    world.payments.end(outcome);
    const { promise, resolve } = gate();
    world.payments.gate = promise;
    register.taken();
    await register.send(ACK);
    assert.deepEqual(await register.send(PAY_OTHER), []);
    resolve();
    await settled();
    assert.deepEqual(register.taken(), [ACK]);
  });
}

test("84-00 acknowledges an approval; any other 84 is told to operators, and the register hears that it was paid", async () => {
  for (const { answer, asked } of [
    { answer: "84 00 00", asked: "delivered u1" },
    { answer: "84 66 00", asked: "refused u1 66" },
    { answer: "84 9D 00", asked: "refused u1 9d" },
  ]) {
    const world = new ZvtWorld();
    const register = world.connect();
    await register.send(PAY);
    world.payments.end(PAID);
    register.taken();
    assert.deepEqual(await register.send(answer), [COMPLETION]);
    assert.equal(world.payments.asked.at(-1), asked);
  }
});

test("84-9C asks to wait: the approval comes again after two seconds, ten times, and then its end", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(PAY);
  world.payments.end(PAID);
  register.taken();
  for (let times = 0; times < 10; times += 1) {
    assert.deepEqual(await register.send("84 9C 00"), []);
    await world.time.pass(2_000);
    assert.deepEqual(register.taken(), [PAID_STATUS]);
  }
  assert.deepEqual(await register.send("84 9C 00"), [COMPLETION]);
  assert.equal(world.payments.asked.at(-1), "refused u1 9c");
});

test("a decline that is answered by any 84 was heard", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(PAY);
  world.payments.end(DECLINED);
  register.taken();
  assert.deepEqual(await register.send("84 66 00"), ["06 1E 01 33"]);
  assert.equal(world.payments.asked.at(-1), "delivered u1");
});

test("without an acknowledgement in five seconds the connection is closed, and an approval is kept", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(PAY);
  world.payments.end(PAID);
  register.taken();
  await world.time.pass(4_999);
  assert.equal(register.closedBecause, null);
  await world.time.pass(1);
  assert.equal(register.closedBecause, "no_ack");
  assert.equal(world.payments.asked.at(-1), "undelivered u1");
  // Nothing of it is left behind.
  assert.equal(world.time.pending, 0);

  const again = world.connect();
  assert.deepEqual(await again.send(PAY), [ACK, PAID_STATUS]);
  assert.deepEqual(await again.send(ACK), [COMPLETION]);
  assert.deepEqual(world.payments.executed, ["u1"]);
});

test("the same amount a minute later is a new sale", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(PAY);
  world.payments.end(PAID);
  await register.drop();
  await world.time.pass(60_001);
  const again = world.connect();
  assert.deepEqual(await again.send(PAY), [ACK]);
  assert.deepEqual(world.payments.executed, ["u1", "u2"]);
});

test("a connection that is lost within a payment is told to the engine, and its repeat is attached", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(PAY);
  await register.drop();
  assert.equal(world.payments.asked.at(-1), "disconnected");
  const again = world.connect();
  assert.deepEqual(await again.send(PAY), [ACK]);
  world.payments.end(PAID);
  assert.equal(again.taken().length, 1);
  assert.deepEqual(register.taken().length, 0);
  assert.deepEqual(world.payments.executed, ["u1"]);
});

test("a connection that another one replaced is closed without a word", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(PAY);
  const { open } = world.payments;
  assert.ok(open !== null);
  // The engine believes that the register came again, from the same address.
  open.connected = false;
  const again = world.connect();
  assert.deepEqual(await again.send(PAY), [ACK]);
  assert.equal(register.closedBecause, "replaced");
  assert.ok(!world.payments.asked.includes("disconnected"));
});

test("a payment that is stored when its register has left is not sent before the register asks again", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  const { promise, resolve } = gate();
  world.payments.gate = promise;
  await register.send(PAY);
  await register.drop();
  resolve();
  await settled();
  assert.deepEqual(world.payments.asked, ["begin 1234", "undelivered u1"]);
  assert.deepEqual(world.payments.executed, []);
  const again = world.connect();
  assert.deepEqual(await again.send(PAY), [ACK]);
  assert.deepEqual(world.payments.executed, ["u1"]);
});

test("commands that come while the engine is asked are answered afterwards, and too many of them close", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  const { promise, resolve } = gate();
  world.payments.gate = promise;
  await register.send(PAY);
  await register.send(ABORT);
  assert.deepEqual(register.taken(), []);
  resolve();
  await settled();
  assert.deepEqual(register.taken(), [ACK, ACK]);
  assert.deepEqual(world.payments.asked, ["begin 1234", "follow u1", "cancel"]);

  const other = world.connect();
  world.payments.gate = new Promise(() => {});
  await other.send(PAY);
  for (let times = 0; times < 9; times += 1) await other.send(ENQUIRY);
  assert.equal(other.closedBecause, "too_many_frames");
});

test("repeats the last receipt: the status if it is wanted, the slip unless it is not", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(PAY);
  world.payments.end({ type: "paid", receipt: { ...RECEIPT, slipLines: ["Kundenbeleg"] } });
  await register.drop();
  const slip = "06 D1 0C 81 4B 75 6E 64 65 6E 62 65 6C 65 67";
  for (const { service, frames } of [
    { service: "00", frames: [slip, COMPLETION] },
    { service: "01", frames: [PAID_STATUS, slip, COMPLETION] },
    { service: "03", frames: [PAID_STATUS, COMPLETION] },
    { service: "02", frames: [COMPLETION] },
  ]) {
    const again = world.connect();
    await again.send(REGISTER);
    await again.send(ACK);
    const received = await again.send(`06 20 02 03 ${service}`);
    for (const _ of frames) received.push(...(await again.send(ACK)));
    assert.deepEqual(received, [ACK, ...frames]);
  }
  assert.ok(world.payments.asked.includes("delivered u1"));
});

test("a receipt is not repeated while a payment runs", async () => {
  const world = new ZvtWorld();
  await world.connect().send(PAY);
  assert.deepEqual(await world.connect().send("06 20 03 00 00 00"), [ACK, "06 1E 01 9C"]);
});

test("prints slips for a register that prints lines: single lines, or text blocks if it said so, each within a segment", async () => {
  const lines = Array.from({ length: 60 }, (_, index) => `Zeile ${index} ${"x".repeat(30)}`);
  for (const { registration, command, atLeast } of [
    { registration: REGISTER, command: "06 D1", atLeast: 60 },
    { registration: "06 00 10 00 00 00 B6 09 78 03 01 06 06 26 04 0A 02 06 D3", command: "06 D3", atLeast: 2 },
  ]) {
    const world = new ZvtWorld();
    const register = world.connect();
    await register.send(registration);
    await register.send(ACK);
    await register.send(PAY);
    world.payments.end({ type: "paid", receipt: { ...RECEIPT, slipLines: lines } });
    register.taken();
    const slips: string[] = [];
    let received = await register.send(ACK);
    while (received[0] !== COMPLETION) {
      slips.push(...received);
      received = await register.send(ACK);
    }
    assert.ok(slips.length >= atLeast, String(slips.length));
    for (const slip of slips) {
      assert.ok(slip.startsWith(command));
      assert.ok((slip.length + 1) / 3 <= 1_400);
    }
    const all = Buffer.from(slips.join(" ").replaceAll(" ", ""), "hex").toString("latin1");
    for (const line of lines) assert.ok(all.includes(line), line);
  }
});

test("a register that prints by itself gets no slip", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send("06 00 06 12 34 56 06 09 78");
  await register.send(ACK);
  await register.send(PAY);
  world.payments.end({ type: "paid", receipt: { ...RECEIPT, slipLines: ["Kundenbeleg"] } });
  register.taken();
  assert.deepEqual(await register.send(ACK), [COMPLETION]);
});

test("an offline terminal says so in the status, the diagnosis and the initialisation", async () => {
  const world = new ZvtWorld();
  world.payments.statusIs = { state: "offline", answers: false };
  const register = world.connect();
  assert.deepEqual(await register.send(ENQUIRY), [ACK, READY.replace(/00$/, "DF")]);
  await register.send(ACK);
  assert.deepEqual(await register.send("06 70 00"), [ACK, "06 1E 01 A3"]);
  await register.send(ACK);
  assert.deepEqual(await register.send("06 93 03 12 34 56"), [ACK, "06 1E 01 A3"]);
});

test("a diagnosis says that a terminal is there only if it answers, whatever the status is", async () => {
  for (const command of ["06 70 00", "06 93 03 12 34 56"]) {
    for (const state of ["ready", "paying"] as const) {
      const world = new ZvtWorld();
      world.payments.statusIs = { state, answers: false };
      assert.deepEqual(await world.connect().send(command), [ACK, "06 1E 01 A3"]);
      world.payments.statusIs = { state, answers: true };
      assert.deepEqual(await world.connect().send(command), [ACK, COMPLETION]);
    }
  }
});

test("sets no clock, and completes the command for it", async () => {
  const register = new ZvtWorld().connect();
  assert.deepEqual(await register.send("06 91 08 AA 26 11 28 0C 15 37 00"), [ACK, COMPLETION]);
});

test("prints the merchant's copy and then the customer's, each with its last line or its kind, and repeats both", async () => {
  const receipt = { ...RECEIPT, slipLines: ["Kunde", "Danke"], merchantSlipLines: ["Firma"] };
  for (const [registration, frames] of [
    [REGISTER, ["06 D1 06 81 46 69 72 6D 61", "06 D1 06 00 4B 75 6E 64 65", "06 D1 06 81 44 61 6E 6B 65"]],
    [
      "06 00 10 00 00 00 B6 09 78 03 01 06 06 26 04 0A 02 06 D3",
      [
        "06 D3 12 06 10 1F 07 01 01 25 0A 07 05 46 69 72 6D 61 09 01 FF",
        "06 D3 19 06 17 1F 07 01 02 25 11 07 05 4B 75 6E 64 65 07 05 44 61 6E 6B 65 09 01 FF",
      ],
    ],
  ] as const) {
    for (const outcome of [
      { type: "paid", receipt },
      { ...DECLINED, receipt: { ...receipt, resultCode: 0x33 } },
    ] as const) {
      const world = new ZvtWorld();
      const register = world.connect();
      await register.send(registration);
      await register.send(ACK);
      await register.send(PAY);
      world.payments.end(outcome);
      register.taken();
      const received: string[] = [];
      for (let sent = 0; sent <= frames.length; sent += 1) received.push(...(await register.send(ACK)));
      assert.deepEqual(received, [...frames, outcome.type === "paid" ? COMPLETION : "06 1E 01 33"]);
      await register.send(ACK);
      const repeated = await register.send("06 20 03 00 00 00");
      for (let sent = 0; sent < frames.length; sent += 1) repeated.push(...(await register.send(ACK)));
      assert.deepEqual(repeated, [ACK, ...frames, COMPLETION]);
    }
  }
});

test("never sends a card number that is not masked", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(PAY);
  world.payments.end({ type: "paid", receipt: { ...RECEIPT, maskedPan: "4111111111111111" } });
  const [status = ""] = register.taken();
  assert.ok(!status.includes("41 11 11"), status);
});

test("when the node stops, idle connections close at once, and a payment is told to its end", async () => {
  const world = new ZvtWorld();
  const idle = world.connect();
  const paying = world.connect();
  await paying.send(PAY);
  world.drain();
  assert.equal(idle.closedBecause, "drained");
  assert.deepEqual(await paying.send(PAY_OTHER), ["84 A0 00"]);
  world.payments.end(PAID);
  assert.deepEqual(paying.taken(), [PAID_STATUS]);
  assert.deepEqual(await paying.send(ACK), [COMPLETION]);
  await paying.send(ACK);
  assert.equal(paying.closedBecause, "drained");
});

test("a frame that does not end in five seconds closes, and so do other protocols and frames that are too long", async () => {
  const world = new ZvtWorld();
  const slow = world.connect();
  slow.bytes(Uint8Array.of(0x06, 0x01));
  await world.time.pass(5_000);
  assert.equal(slow.closedBecause, "partial_frame");

  const browser = world.connect();
  browser.bytes(Buffer.from("GET / HTTP/1.1\r\n\r\n"));
  assert.equal(browser.closedBecause, "not_zvt");

  const long = world.connect();
  long.bytes(Uint8Array.of(0x06, 0x01, 0xff, 0x01, 0x10));
  assert.equal(long.closedBecause, "frame_too_large");
  assert.equal(world.time.pending, 0);
});

test("a frame may come in pieces, and two in one", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  const bytes = bytesOf(`${PAY} ${ABORT}`);
  for (const byte of bytes.subarray(0, 12)) register.bytes(Uint8Array.of(byte));
  register.bytes(bytes.subarray(12));
  await settled();
  assert.deepEqual(register.taken(), [ACK, ACK]);
  assert.deepEqual(world.payments.asked, ["begin 1234", "follow u1", "cancel"]);
});

test("counts frames by names that are known, and describes them without passwords", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(REGISTER);
  await register.send("84 66 00");
  await register.send("06 C0 00");
  assert.deepEqual(world.counted, ["in 0600", "out 80xx", "out 060f", "in 84xx", "in other", "out 84xx"]);
  assert.ok(world.raw.join("\n").includes("in 0600 password=**** config=86 currency=0978"));
  assert.ok(!world.raw.join("\n").includes("123456 "));
  // Passwords that could be bitmaps of two bytes.
  for (const sent of ["06 20 03 17 23 45", "06 20 05 49 23 45 03 01", "06 50 03 17 23 45", "05 01 03 17 23 45"]) {
    await register.send(sent);
    await register.send(ACK);
  }
  assert.ok(!world.raw.join("\n").includes("2345"), world.raw.join("\n"));
});
