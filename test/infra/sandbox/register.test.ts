import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { encodeFrame } from "../../../http/zvt/frame.ts";
import { type Outcome, payOnce, type RegisterOptions, sentenceOf } from "../../../infra/sandbox/register/register.ts";
import { authorization, pack, readResult, registration, unpack } from "../../../infra/sandbox/register/wire.ts";
import { bytesOf, hexOf } from "../../http/zvt/bytes-of.ts";
import { DECLINED, PAID, RECEIPT } from "../../http/zvt/fake-payments.ts";
import { ListenerWorld } from "../../http/zvt/listener-world.ts";
import { within } from "../../support/within.ts";

const OPTIONS: Omit<RegisterOptions, "port"> = {
  ...{ host: "127.0.0.1", amountCents: 1_234, currency: "0978", password: "123456", statusFrames: true, waitMs: 20_000 },
  onLine: () => {},
};

test("writes what real registers write", () => {
  assert.equal(hexOf(registration("123456", 0xde, "978")), "06 00 06 12 34 56 DE 09 78");
  assert.equal(hexOf(authorization(1_234, "0978")), "06 01 0A 04 00 00 00 00 12 34 49 09 78");
  assert.equal(hexOf(pack("8000")), "80 00 00");
});

for (const length of [0, 1, 254, 255, 256, 4_000, 65_535]) {
  test(`agrees with the relay on a frame of ${length} bytes`, () => {
    const data = Buffer.alloc(length, 7);
    const written = pack("06D3", data);
    assert.ok(written.equals(encodeFrame({ command: 0x06d3, data })));
    assert.equal(unpack(written)?.apdu.data.length, length);
    assert.equal(unpack(written.subarray(0, -1)), null);
  });
}

test("reads a recorded result", () => {
  const recorded =
    "27 00 04 00 00 00 00 12 34 0B 00 00 17 0C 10 20 30 0D 11 25 0E 28 12 19 70 22 F0 F8 67 99 EE EE EE EE 12 34 29 12 34 56 78 87 00 42 49 09 78 8A 05 8B F0 F9 67 69 72 6F 63 61 72 64 00 8C 02 3B 31 32 33 34 35 36 00 00";
  assert.deepEqual(readResult(Buffer.from(bytesOf(recorded))), {
    ...{ code: 0, amountCents: 1_234, trace: "000017", receiptNo: "0042", terminalId: "12345678", card: "6799********1234" },
    ...{ cardName: "girocard", authCode: "123456", text: null },
  });
});

/** Pays at a listener, whose payment ends as soon as it is at the terminal. */
async function pay(
  t: TestContext,
  prepare: (world: ListenerWorld) => void,
  changes: Partial<RegisterOptions> = {},
): Promise<{ outcome: Outcome; lines: string[] }> {
  const world = new ListenerWorld();
  const { ports } = await world.start(t);
  prepare(world);
  const lines: string[] = [];
  const outcome = await within("the outcome", payOnce({ ...OPTIONS, port: ports[0] ?? 0, onLine: (line) => lines.push(line), ...changes }));
  return { outcome, lines };
}

/** Ends the payment when the terminal has it. */
function endsWith(world: ListenerWorld, end: () => void): void {
  const follow = world.payments.follow.bind(world.payments);
  world.payments.follow = (payment, follower) => {
    const following = follow(payment, follower);
    queueMicrotask(() => {
      world.payments.progress("sent");
      end();
    });
    return following;
  };
}

test("pays: prints the dialogue without the password, the outcome and the slip", async (t) => {
  const { outcome, lines } = await pay(t, (world) =>
    endsWith(world, () => world.payments.end({ type: "paid", receipt: { ...RECEIPT, slipLines: ["Kundenbeleg"] } })),
  );
  assert.equal(sentenceOf(outcome), "PAID 12.34, girocard, 6799********1234, receipt 0042");
  assert.deepEqual(outcome.type === "paid" ? outcome.slip : null, ["Kundenbeleg"]);
  assert.ok(lines.includes("< 04 FF 01 0A   at work"), lines.join("\n"));
  assert.ok(lines.includes("< 06 0F 00   done"));
  assert.ok(!lines.join("\n").includes("12 34 56 8E"));
});

const ENDINGS: { name: string; prepare(world: ListenerWorld): void; changes?: Partial<RegisterOptions>; says: string }[] = [
  {
    name: "a decline",
    prepare: (world) => endsWith(world, () => world.payments.end(DECLINED)),
    says: "NOT PAID: result code 33 (Not enough money)",
  },
  { name: "a refusal", prepare: (world) => world.payments.refuseWith(0x6b), says: "NOT PAID: result code 6B" },
  {
    name: "an unknown outcome",
    prepare: (world) => endsWith(world, () => world.payments.end({ type: "unknown" })),
    says: "UNKNOWN: the terminal closed the connection. It may have been paid: look at the terminal before you take the money again",
  },
  { name: "another currency", prepare: () => {}, changes: { currency: "0756" }, says: "NOT PAID: result code 6F" },
];

for (const { name, prepare, changes, says } of ENDINGS) {
  test(`tells ${name}`, async (t) => {
    const { outcome } = await pay(t, prepare, changes);
    assert.equal(sentenceOf(outcome), says);
  });
}

test("aborts, and hears what came of it", async (t) => {
  const { outcome, lines } = await pay(
    t,
    (world) => {
      const follow = world.payments.follow.bind(world.payments);
      world.payments.follow = (payment, follower) => ({
        ...follow(payment, follower),
        cancel: () => queueMicrotask(() => world.payments.end({ type: "notPaid", code: 0x6c, receipt: null })),
      });
    },
    { abortAfterMs: 1 },
  );
  assert.equal(sentenceOf(outcome), "NOT PAID: result code 6C");
  assert.ok(lines.includes("> 06 B0 00   abort"));
});

test("a terminal that is at another payment is busy", async (t) => {
  const world = new ListenerWorld();
  const { ports } = await world.start(t);
  const paying = payOnce({ ...OPTIONS, port: ports[0] ?? 0 });
  const sent = new Promise<void>((resolve) => endsWith(world, resolve));
  await within("the first payment", sent);
  assert.equal((await payOnce({ ...OPTIONS, port: ports[0] ?? 0 })).type, "busy");
  world.payments.end(PAID);
  assert.equal((await within("the first outcome", paying)).type, "paid");
});

test("a terminal that says nothing more is given up, without a claim", async (t) => {
  const server = createServer((socket: Socket) => void socket.on("error", () => {}).resume());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  assert.equal((await payOnce({ ...OPTIONS, port, waitMs: 20 })).type, "unknown");
});

test("a register without a terminal says so", async () => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  server.close();
  await once(server, "close");
  await assert.rejects(payOnce({ ...OPTIONS, port }), { code: "ECONNREFUSED" });
});
