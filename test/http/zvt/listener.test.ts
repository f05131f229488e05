import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { selfSigned } from "../../support/http/certificate.ts";
import { eventually, within } from "../../support/within.ts";
import { bytesOf, hexOf } from "./bytes-of.ts";
import { PAID, RECEIPT } from "./fake-payments.ts";
import { ListenerWorld } from "./listener-world.ts";
import { ACK, COMPLETION, ENQUIRY, PAID_STATUS, PAY } from "./zvt-world.ts";

/** A register that knows bytes only. */
class RawRegister {
  readonly socket: Socket;
  #received = "";
  #wake = (): void => {};

  constructor(t: TestContext, socket: Socket) {
    this.socket = socket;
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      this.#received = `${this.#received} ${hexOf(chunk)}`.trim();
      this.#wake();
    });
    t.after(() => socket.destroy());
  }

  /** Sends, and waits until exactly this has come. */
  async exchange(sent: string, expected: readonly string[]): Promise<void> {
    this.socket.write(bytesOf(sent));
    await this.expect(expected);
  }

  async expect(expected: readonly string[]): Promise<void> {
    const wanted = expected.join(" ");
    await within(
      `${wanted} (came: ${this.#received})`,
      new Promise<void>((resolve) => {
        this.#wake = () => {
          if (this.#received.length >= wanted.length) resolve();
        };
        this.#wake();
      }),
    );
    assert.equal(this.#received, wanted);
    this.#received = "";
  }

  ended(): Promise<void> {
    return within(
      "the end of the connection",
      new Promise<void>((resolve) => {
        if (this.socket.closed) resolve();
        else this.socket.once("close", () => resolve());
      }),
    );
  }
}

async function dial(t: TestContext, port: number): Promise<RawRegister> {
  const register = new RawRegister(t, connect({ host: "127.0.0.1", port }));
  await within("the connection", once(register.socket, "connect"));
  return register;
}

const READY = "06 0F 0D F0 F0 F9 72 65 6C 61 79 20 31 2E 30 00";

test("a register pays over TCP, and its socket stays open for the next one", async (t) => {
  const world = new ListenerWorld();
  const { ports } = await world.start(t);
  const register = await dial(t, ports[0] ?? 0);
  for (const uuid of ["u1", "u2"]) {
    await register.exchange(PAY, [ACK]);
    world.payments.end(PAID);
    await register.expect([PAID_STATUS]);
    await register.exchange(ACK, [COMPLETION]);
    await register.exchange(`${ACK} ${ENQUIRY}`, [ACK, READY]);
    register.socket.write(bytesOf(ACK));
    assert.equal(world.payments.executed.at(-1), uuid);
  }
  assert.deepEqual(world.opened, [`127.0.0.1 ${ports[0]}`]);
});

test("each port tells itself to the choice of the route", async (t) => {
  const world = new ListenerWorld();
  const asked: number[] = [];
  world.payments.choose = ({ port }) => {
    asked.push(port);
    return { type: "route", route: { routeId: `r${port}`, tid: "12345678", needsPassword: false } };
  };
  const { ports } = await world.start(t, { ports: [0, 0] });
  for (const port of ports) await (await dial(t, port)).exchange(ENQUIRY, [ACK, READY]);
  assert.deepEqual(asked, ports);
});

test("above the maximum, and from an address that is not allowed, connections are closed", async (t) => {
  const world = new ListenerWorld();
  const { ports } = await world.start(t, { maxConnections: 1 });
  const first = await dial(t, ports[0] ?? 0);
  await first.exchange(ENQUIRY, [ACK, READY]);
  await (await dial(t, ports[0] ?? 0)).ended();
  assert.deepEqual(world.refused, ["too_many"]);
  // The place is free again when the first one has gone.
  const gone = new Promise<void>((resolve) => {
    world.onClosed = resolve;
  });
  first.socket.destroy();
  await within("the close", gone);
  await (await dial(t, ports[0] ?? 0)).exchange(ENQUIRY, [ACK, READY]);

  const closed = new ListenerWorld();
  const other = await closed.start(t, { allows: (address) => address !== "127.0.0.1" });
  await (await dial(t, other.ports[0] ?? 0)).ended();
  assert.deepEqual(closed.refused, ["not_allowed"]);
});

test("the oldest connection without a command gives way to a register where all places are taken", async (t) => {
  const world = new ListenerWorld();
  const { ports } = await world.start(t, { maxConnections: 3 });
  const port = ports[0] ?? 0;
  const register = await dial(t, port);
  await register.exchange(ENQUIRY, [ACK, READY]);
  const silent = [await dial(t, port), await dial(t, port)];
  // Refused commands make no register of it.
  silent[0]?.socket.write(bytesOf("06 18 00"));
  await silent[0]?.expect(["84 83 00"]);
  const modest = await dial(t, port);
  await modest.exchange(PAY, [ACK]);
  await silent[0]?.ended();
  assert.deepEqual([world.closed, silent[1]?.socket.closed], [["gave_way"], false]);
  // What has paid or asked keeps its place, however many come.
  const others = [await dial(t, port), await dial(t, port)];
  await silent[1]?.ended();
  await others[0]?.ended();
  world.payments.end(PAID);
  await modest.expect([PAID_STATUS]);
  await modest.exchange(ACK, [COMPLETION]);
  register.socket.write(bytesOf(ACK));
  await register.exchange(ENQUIRY, [ACK, READY]);
  assert.deepEqual([world.closed, world.refused.includes("too_many")], [["gave_way", "gave_way", "gave_way"], false]);
});

test("no connection gives way that has a payment, a result to deliver or a command of before", async (t) => {
  for (const prepare of [
    async (_world: ListenerWorld, register: RawRegister) => register.exchange(PAY, [ACK]),
    async (world: ListenerWorld, register: RawRegister) => {
      await register.exchange(PAY, [ACK]);
      world.payments.end(PAID);
      await register.expect([PAID_STATUS]);
    },
    async (world: ListenerWorld, register: RawRegister) => {
      // It is being decided.
      world.payments.gate = new Promise(() => {});
      register.socket.write(bytesOf(PAY));
      await eventually(() => assert.ok(world.payments.asked.length > 0));
    },
    async (_world: ListenerWorld, register: RawRegister) => register.exchange("06 02 00", [ACK]),
  ]) {
    const world = new ListenerWorld();
    const { ports } = await world.start(t, { maxConnections: 1 });
    const register = await dial(t, ports[0] ?? 0);
    await prepare(world, register);
    await (await dial(t, ports[0] ?? 0)).ended();
    assert.deepEqual([world.refused, register.socket.closed], [["too_many"], false]);
  }
});

test("a register that leaves connections open costs only itself: the other routes have their places", async (t) => {
  const world = new ListenerWorld();
  let routeId = "leaking";
  world.payments.choose = () => ({ type: "route", route: { routeId, tid: "12345678", needsPassword: false } });
  const { ports } = await world.start(t, { maxConnections: 8, routeIds: ["leaking", "modest", "other"] });
  const port = ports[0] ?? 0;
  for (let count = 0; count < 6; count += 1) await (await dial(t, port)).exchange(ENQUIRY, [ACK, READY]);
  await (await dial(t, port)).ended();
  assert.deepEqual([world.refused, world.closed], [["too_many"], ["too_many"]]);
  for (const id of ["modest", "other"]) {
    routeId = id;
    await (await dial(t, port)).exchange(ENQUIRY, [ACK, READY]);
  }
});

test("a route has all connections where no other is without one", async (t) => {
  const world = new ListenerWorld();
  const { ports } = await world.start(t, { maxConnections: 8 });
  for (let count = 0; count < 8; count += 1) await (await dial(t, ports[0] ?? 0)).exchange(ENQUIRY, [ACK, READY]);
  assert.deepEqual(world.refused, []);
});

test("with TLS, too, silent connections give way and registers stay", async (t) => {
  const world = new ListenerWorld();
  const { cert, key } = selfSigned();
  const { ports } = await world.start(t, { maxConnections: 2, tls: { cert, key, clientCa: null } });
  const port = ports[0] ?? 0;
  const secure = async () => {
    const socket = connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false });
    const register = new RawRegister(t, socket);
    await within("TLS", once(socket, "secureConnect"));
    return register;
  };
  const register = await secure();
  await register.exchange(ENQUIRY, [ACK, READY]);
  const unagreed = await dial(t, port);
  const silent = await secure();
  await unagreed.ended();
  const next = await secure();
  await silent.ended();
  await next.exchange(ENQUIRY, [ACK, READY]);
  await (await dial(t, port)).ended();
  // Whether the relay has agreed on TLS with the silent one by then is not decided.
  assert.deepEqual([...world.closed, ...world.refused], ["gave_way", "gave_way", "too_many"]);
});

test("another protocol is closed without an answer", async (t) => {
  const world = new ListenerWorld();
  const { ports } = await world.start(t);
  const browser = await dial(t, ports[0] ?? 0);
  browser.socket.write("GET / HTTP/1.1\r\n\r\n");
  await browser.ended();
  assert.deepEqual(world.closed, ["not_zvt"]);
});

test("a register that vanishes within a payment is told to the engine", async (t) => {
  const world = new ListenerWorld();
  const { ports } = await world.start(t);
  const register = await dial(t, ports[0] ?? 0);
  await register.exchange(PAY, [ACK]);
  const gone = new Promise<void>((resolve) => {
    world.onClosed = resolve;
  });
  register.socket.resetAndDestroy();
  await within("the close", gone);
  assert.equal(world.payments.asked.at(-1), "disconnected");
});

test("stopping closes what is idle, tells a payment to its end, and accepts nothing more", async (t) => {
  const world = new ListenerWorld();
  const listener = await world.start(t);
  const [port = 0] = listener.ports;
  const idle = await dial(t, port);
  await idle.exchange(ENQUIRY, [ACK, READY]);
  idle.socket.write(bytesOf(ACK));
  const paying = await dial(t, port);
  await paying.exchange(PAY, [ACK]);
  const stopped = listener.stop(30_000);
  await idle.ended();
  const late = new RawRegister(t, connect({ host: "127.0.0.1", port }));
  await late.ended();
  world.payments.end(PAID);
  await paying.expect([PAID_STATUS]);
  await paying.exchange(ACK, [COMPLETION]);
  paying.socket.write(bytesOf(ACK));
  await within("the stop", stopped);
  assert.deepEqual(world.closed, ["drained", "drained"]);
});

test("stopping does not wait longer than it may, and the payment is kept", async (t) => {
  const world = new ListenerWorld();
  const listener = await world.start(t);
  const register = await dial(t, listener.ports[0] ?? 0);
  await register.exchange(PAY, [ACK]);
  await within("the stop", listener.stop(10));
  assert.deepEqual(world.closed, ["stopped"]);
  assert.equal(world.payments.asked.at(-1), "disconnected");
});

test("a port that is taken is told, and none stays bound", async (t) => {
  const world = new ListenerWorld();
  const { ports } = await world.start(t);
  const [taken = 0] = ports;
  await assert.rejects(new ListenerWorld().start(t, { ports: [0, taken] }), { code: "EADDRINUSE" });
});

test("speaks TLS, and with mutual TLS to registers of a known certificate only", async (t) => {
  const [server, client, stranger] = [selfSigned(), selfSigned(), selfSigned()];
  for (const { clientCa, certificate, serves } of [
    { clientCa: null, certificate: null, serves: true },
    { clientCa: client.cert, certificate: client, serves: true },
    { clientCa: client.cert, certificate: stranger, serves: false },
    { clientCa: client.cert, certificate: null, serves: false },
  ]) {
    const world = new ListenerWorld();
    const { ports } = await world.start(t, { tls: { ...server, clientCa } });
    const socket = connectTls({ host: "127.0.0.1", port: ports[0] ?? 0, servername: "localhost", ca: server.cert, ...certificate });
    const register = new RawRegister(t, socket);
    if (serves) {
      await register.exchange(PAY, [ACK]);
      world.payments.end({ type: "paid", receipt: RECEIPT });
      await register.expect([PAID_STATUS]);
      await register.exchange(ACK, [COMPLETION]);
    } else {
      socket.write(bytesOf(ENQUIRY));
      await register.ended();
      assert.deepEqual(world.opened, []);
    }
    register.socket.destroy();
  }
});

test("plain bytes at a TLS port are closed", async (t) => {
  const world = new ListenerWorld();
  const { ports } = await world.start(t, { tls: { ...selfSigned(), clientCa: null } });
  const register = await dial(t, ports[0] ?? 0);
  register.socket.write(bytesOf(PAY));
  await register.ended();
  assert.deepEqual(world.payments.asked, []);
});

test("a renewed certificate is for new connections; those that are there go on", async (t) => {
  const [first, second] = [selfSigned(), selfSigned()];
  const world = new ListenerWorld();
  const { ports, renewTls } = await world.start(t, { tls: { ...first, clientCa: null } });
  const dialTls = async (ca: string) => {
    const socket = connectTls({ host: "127.0.0.1", port: ports[0] ?? 0, servername: "localhost", ca });
    const register = new RawRegister(t, socket);
    await within("the handshake", once(socket, "secureConnect"));
    return { register, isTrusted: socket.authorized };
  };
  const before = await dialTls(first.cert);
  renewTls({ ...second, clientCa: null });
  const after = await dialTls(second.cert);
  assert.deepEqual([before.isTrusted, after.isTrusted], [true, true]);
  for (const { register } of [before, after]) {
    await register.exchange(PAY, [ACK]);
    world.payments.end({ type: "paid", receipt: RECEIPT });
    await register.expect([PAID_STATUS]);
    await register.exchange(ACK, [COMPLETION]);
  }
  assert.throws(() => renewTls({ cert: second.cert, key: first.key, clientCa: null }));
  assert.equal((await dialTls(second.cert)).isTrusted, true);
});
