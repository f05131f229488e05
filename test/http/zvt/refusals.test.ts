import assert from "node:assert/strict";
import { test } from "node:test";
import { PAID } from "./fake-payments.ts";
import { ACK, ENQUIRY, PAY, ZvtWorld } from "./zvt-world.ts";

/** Of a file transfer, which no terminal of ours has. */
const REFUSED = "08 14 00";
const REFUSALS_MAX = 100;

async function repeat(register: ReturnType<ZvtWorld["connect"]>, sent: string, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) await register.send(sent);
}

test("closes a connection at its hundredth refused frame in a row, and reports how many there were", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await repeat(register, REFUSED, REFUSALS_MAX - 1);
  assert.equal(register.closedBecause, null);
  register.taken();
  assert.deepEqual(await register.send(REFUSED), ["84 83 00"]);
  assert.deepEqual([register.closedBecause, world.refusals], ["too_many_refusals", [REFUSALS_MAX]]);
});

test("closes a connection that repeats a command which comes to nothing", async () => {
  const register = new ZvtWorld().connect();
  for (let count = 0; count < REFUSALS_MAX; count += 1) {
    await register.send("06 30 06 00 00 00 87 00 01");
    await register.send(ACK);
  }
  assert.equal(register.closedBecause, "too_many_refusals");
});

test("begins to count again after a payment that was carried out", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await repeat(register, REFUSED, REFUSALS_MAX - 1);
  await register.send(PAY);
  world.payments.end(PAID);
  for (let frames = 0; frames < 2; frames += 1) await register.send(ACK);
  await repeat(register, REFUSED, REFUSALS_MAX - 1);
  assert.equal(register.closedBecause, null);
});

test("keeps a connection whose payment is open, until its result is acknowledged", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(PAY);
  await repeat(register, REFUSED, 2 * REFUSALS_MAX);
  assert.equal(register.closedBecause, null);
  world.payments.end(PAID);
  await repeat(register, REFUSED, 2);
  assert.equal(register.closedBecause, null, "the result is not acknowledged yet");
  for (let frames = 0; frames < 2; frames += 1) await register.send(ACK);
  assert.ok(world.payments.asked.includes("delivered u1"));
  await register.send(REFUSED);
  assert.equal(register.closedBecause, "too_many_refusals");
});

test("keeps a connection from a proxy of the installation, however much is refused", async () => {
  const world = new ZvtWorld();
  world.keepsRefused = true;
  const register = world.connect();
  await repeat(register, REFUSED, 3 * REFUSALS_MAX);
  assert.equal(register.closedBecause, null);
  assert.notDeepEqual(await register.send(ENQUIRY), []);
});
