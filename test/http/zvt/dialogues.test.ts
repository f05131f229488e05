import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ZvtOutcome } from "../../../engine/zvt/zvt-payments.ts";
import { bytesOf } from "./bytes-of.ts";
import { DECLINED, PAID, RECEIPT } from "./fake-payments.ts";
import { settled } from "./manual-time.ts";
import {
  ABORT,
  ACK,
  COMPLETION,
  ENQUIRY,
  PAY,
  PAY_OTHER,
  REGISTER,
  REGISTER_WITH_STATUS,
  type TestRegister,
  ZvtWorld,
} from "./zvt-world.ts";

const OUTCOMES: readonly ZvtOutcome[] = [
  PAID,
  { type: "paid", receipt: { ...RECEIPT, slipLines: ["eins", "zwei"], merchantSlipLines: ["drei"] } },
  DECLINED,
  { type: "notPaid", code: 0x6c, receipt: null },
  { type: "unknown" },
];

const SENT = [
  ACK,
  ACK,
  ACK,
  "84 66 00",
  "84 9C 00",
  "84 00 00",
  PAY,
  PAY_OTHER,
  ABORT,
  ENQUIRY,
  REGISTER,
  REGISTER_WITH_STATUS,
  "06 E0 08 F0 05 F9 01 F1 F0 F1 61",
  "06 02 00",
  "06 20 03 00 00 01",
  "06 70 00",
  "06 C0 00",
  "06 01 07 04 00 00 00 00 00 00",
];

type Move =
  | { type: "send"; hex: string }
  | { type: "progress"; progress: "waiting" | "sent" | "cancelling" }
  | { type: "end"; outcome: ZvtOutcome }
  | { type: "pass"; ms: number }
  | { type: "drop" }
  | { type: "drain" };

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ type: fc.constant("send" as const), hex: fc.constantFrom(...SENT) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("progress" as const),
      progress: fc.constantFrom("waiting" as const, "sent" as const, "cancelling" as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("end" as const), outcome: fc.constantFrom(...OUTCOMES) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("pass" as const), ms: fc.constantFrom(100, 2_000, 5_000, 15_000) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("drop" as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("drain" as const) }) },
);

/** Where most of what matters begins. */
const BEGINNINGS: readonly (readonly Move[])[] = [
  [],
  [REGISTER_WITH_STATUS, ACK, PAY].map((hex): Move => ({ type: "send", hex })),
  [
    { type: "send", hex: PAY },
    { type: "end", outcome: PAID },
  ],
  [
    { type: "send", hex: PAY },
    { type: "end", outcome: DECLINED },
  ],
];

test("whatever a register sends: never two frames without an acknowledgement, never two final frames, none that no command asked for", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...BEGINNINGS), fc.array(move, { maxLength: 60 }), async (beginning, moves) => {
      const world = new ZvtWorld();
      let register = world.connect();
      for (const next of [...beginning, ...moves]) {
        if (register.ended) {
          await register.drop();
          register = world.connect();
        }
        await play(world, register, next);
      }
      await register.drop();
      await world.time.pass(60_000);
      // No timer of a connection outlives it.
      assert.equal(world.time.pending, 0);
    }),
    { numRuns: 400 },
  );
});

async function play(world: ZvtWorld, register: TestRegister, next: Move): Promise<void> {
  switch (next.type) {
    case "send":
      await register.send(next.hex);
      return;
    case "progress":
      world.payments.progress(next.progress);
      return;
    case "end":
      world.payments.end(next.outcome);
      return;
    case "pass":
      await world.time.pass(next.ms);
      return;
    case "drop":
      await register.drop();
      return;
    case "drain":
      world.drain();
      return;
  }
}

test("no approval is taken for delivered before the register acknowledged it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(ABORT, ENQUIRY, "06 E0 00", PAY, PAY_OTHER), { maxLength: 8 }), async (commands) => {
      const world = new ZvtWorld();
      const register = world.connect();
      await register.send(PAY);
      world.payments.end(PAID);
      for (const command of commands) await register.send(command);
      assert.ok(!world.payments.asked.includes("delivered u1"));
    }),
    { numRuns: 100 },
  );
});

/** A register as simple as they are: acknowledges all that comes, and believes what it hears. */
class SimpleRegister {
  /** What it would print: nothing is heard of a payment until its end. */
  heard: "paid" | "notPaid" | "nothing" = "nothing";
  readonly #connection: TestRegister;
  /** Bytes of the dialogue, in both directions, before the line is cut. */
  #left: number;
  #status: string | null = null;

  constructor(connection: TestRegister, bytesUntilCut: number) {
    this.#connection = connection;
    this.#left = bytesUntilCut;
    connection.onFrame = (hex) => {
      const length = (hex.length + 1) / 3;
      if (!this.#spend(length)) return;
      this.#read(hex);
    };
  }

  get isCut(): boolean {
    return this.#left <= 0;
  }

  send(hex: string): void {
    const bytes = bytesOf(hex);
    const sent = Math.min(bytes.length, this.#left);
    if (sent > 0) this.#connection.bytes(bytes.subarray(0, sent));
    this.#spend(bytes.length);
  }

  #read(hex: string): void {
    if (hex === ACK || hex.startsWith("84")) return;
    if (hex.startsWith("04 0F")) this.#status = hex;
    if (hex === COMPLETION && this.#status !== null) this.heard = "paid";
    if (hex.startsWith("06 1E")) this.heard = "notPaid";
    queueMicrotask(() => this.send(ACK));
  }

  /** Whether all of it still went over the line. */
  #spend(bytes: number): boolean {
    this.#left -= bytes;
    return this.#left >= 0;
  }
}

for (const { outcome, says } of [
  { outcome: PAID, says: "paid" },
  { outcome: DECLINED, says: "notPaid" },
] as const) {
  test(`the line is cut after each byte of the dialogue, and the register asks again: executed once, and it hears that it was ${says}`, async () => {
    let whole = 0;
    for (let cut = 1; whole === 0; cut += 1) {
      assert.ok(cut < 500, "the dialogue has no end");
      const world = new ZvtWorld();
      const first = await payment(world, cut, outcome);
      if (!first.isCut) {
        assert.equal(first.heard, says);
        whole = cut;
        continue;
      }
      // What it heard in full before the cut is true.
      if (first.heard !== "nothing") {
        assert.equal(first.heard, says, `cut after ${cut}`);
        continue;
      }
      const again = await payment(world, Number.POSITIVE_INFINITY, outcome);
      assert.equal(again.heard, says, `cut after ${cut}`);
      const delivered = world.payments.asked.indexOf("delivered u1");
      // A register that acknowledged the result and did not hear the end of the answer: it was told, so what it sends is another sale.
      const toldBefore = delivered !== -1 && delivered < world.payments.asked.lastIndexOf("begin 1234");
      assert.deepEqual(world.payments.executed, toldBefore ? ["u1", "u2"] : ["u1"], `cut after ${cut}`);
    }
    assert.ok(whole > 80, String(whole));
  });
}

/** Registers, pays, and is cut off after this many bytes; the payment ends while the register waits, or after it has gone. */
async function payment(world: ZvtWorld, cut: number, outcome: ZvtOutcome): Promise<SimpleRegister> {
  const connection = world.connect();
  const register = new SimpleRegister(connection, cut);
  for (const sent of [REGISTER, PAY]) {
    register.send(sent);
    await settled();
  }
  world.payments.end(outcome);
  for (let turns = 0; turns < 4; turns += 1) await settled();
  if (register.isCut) await connection.drop();
  return register;
}

test("a register of one frame a segment pays without registering, aborts, and refuses what comes: it was charged, and operators know", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  const unread: string[] = [];
  let aborted = false;
  register.onFrame = (hex) => {
    // One segment is 80 00 00 or one frame; everything else would be lost on it.
    unread.push(hex);
    if (hex === ACK) return;
    queueMicrotask(() => register.bytes(bytesOf(aborted ? "84 66 00" : ACK)));
  };
  register.bytes(bytesOf("06 01 07 04 00 00 00 00 03 14"));
  await settled();
  aborted = true;
  register.bytes(bytesOf(ABORT));
  await settled();
  assert.deepEqual(unread, [ACK, ACK]);
  world.payments.end({ type: "paid", receipt: { ...RECEIPT, amountCents: 314 } });
  for (let turns = 0; turns < 4; turns += 1) await settled();
  assert.ok(unread[2]?.startsWith("04 0F"));
  assert.deepEqual(unread.slice(3), [COMPLETION]);
  assert.equal(world.payments.asked.at(-1), "refused u1 66");
  assert.equal(register.closedBecause, null);

  // The socket stays open all day, and the next customer pays over it.
  aborted = false;
  register.bytes(bytesOf(PAY));
  await settled();
  world.payments.end(PAID);
  for (let turns = 0; turns < 4; turns += 1) await settled();
  assert.equal(world.payments.asked.at(-1), "delivered u2");
});

test("a register that asks for the status after half a minute of silence hears both answers apart", async () => {
  const world = new ZvtWorld();
  const register = world.connect();
  await register.send(PAY);
  await world.time.pass(30_000);
  const [acknowledged, status] = await register.send(ENQUIRY);
  assert.equal(acknowledged, ACK);
  assert.ok(status?.endsWith("9C"));
  await register.send(ACK);
  world.payments.end(PAID);
  assert.equal(register.taken().length, 1);
  assert.deepEqual(await register.send(ACK), [COMPLETION]);
});
