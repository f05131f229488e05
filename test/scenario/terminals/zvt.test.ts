import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { after, before, describe, it } from "node:test";
import { type SimulatedTerminal, startSimulatedTerminal } from "../../../infra/sandbox/terminal/terminal.ts";
import { HttpClient } from "../../support/http/http-client.ts";
import { assertMatches, textMember } from "../../support/http/matches.ts";
import { ADMIN, FLEET, startTestNode, type TestNode } from "../../support/node/node.ts";
import { frameOf, payment, Register } from "../../support/people/register.ts";
import { eventually } from "../../support/within.ts";

const ABORT = "06b000";
const REPEAT_RECEIPT = "0620 03 000000";
/** The register prints lines (config byte 8E). */
const REGISTER = "0600 06 000000 8e 0978";

describe("cash registers pay on the simulated terminal of a sandbox node", () => {
  let node: TestNode;
  let terminal: SimulatedTerminal;
  let port: number;
  const received: string[] = [];
  const admin = new HttpClient(() => node.url, { authorization: ADMIN }, "127.0.0.1");
  const routes = () => admin.get("/admin/zvt/routes");

  before(async () => {
    node = await startTestNode();
    terminal = await startSimulatedTerminal({
      terminalId: "SIM00001",
      url: node.url,
      speed: 10,
      // It ends when the register wants it.
      slowMs: 3_600_000,
      onEvent: (event) => {
        if (event.type === "received" && event.service === "PAYCC") received.push(event.uuid);
      },
    });
    await terminal.online;
    port = portOf(node);
  });
  after(async () => {
    await terminal?.stop();
    await node?.stop();
  });

  async function opened<T>(work: (register: Register) => Promise<T>): Promise<T> {
    const register = await Register.connect(port);
    try {
      return await work(register);
    } finally {
      register.destroy();
    }
  }

  it("approves, says the amount, and ends with 06-0F", async () => {
    const frames = await opened((register) => register.pay(1_234));
    const status = frameOf(frames, "040f");
    assert.match(status, /^040f..2700040000000012340b/);
    assert.match(frames.at(-1) ?? "", /^060f/);
    assert.equal(received.length, 1);
  });

  it("says that it was declined, and that the customer cancelled, in both frames", async () => {
    for (const [amountCents, code] of [
      [1_051, "05"],
      [1_017, "6c"],
    ] as const) {
      const frames = await opened((register) => register.pay(amountCents));
      assert.equal(frameOf(frames, "040f").slice(6, 10), `27${code}`);
      assert.equal(frames.at(-1)?.slice(0, 8), `061e01${code}`);
    }
  });

  it("prints the slip that the terminal sends with any payment, approved or not, and repeats it", async () => {
    await opened(async (register) => {
      await register.command(REGISTER);
      for (const [amountCents, total, outcome] of [
        [4_321, "TOTAL 43.21 EUR", "APPROVED"],
        [4_351, "TOTAL 43.51 EUR", "INSUFFICIENT FUNDS"],
      ] as const) {
        const printed = linesOf(await register.pay(amountCents));
        for (const line of [total, outcome, "MERCHANT COPY", "CUSTOMER COPY"]) assert.ok(printed.includes(line), `${line}: ${printed}`);
        assert.ok(!/\d{12}/.test(printed.join()), String(printed));
        assert.deepEqual(linesOf(await register.command(REPEAT_RECEIPT)), printed);
      }
    });
  });

  it("gives a register that lost its connection the result of the one payment", async () => {
    const before = received.length;
    const [first, again] = [await Register.connect(port), await Register.connect(port)];
    first.send(payment(2_400));
    assert.equal(await first.next(), "800000");
    first.destroy();
    const frames = await again.pay(2_400);
    again.destroy();
    assert.match(frameOf(frames, "040f"), /^040f..270004000000002400/);
    assert.equal(received.length, before + 1);
    assertMatches((await routes()).body, {
      data: { routes: [{ id: "sandbox", open: null, lastOutcome: { outcome: "paid", amountCents: 2_400 } }] },
    });
  });

  it("delivers a result that was not acknowledged, and afterwards sells for the same amount again", async () => {
    const before = received.length;
    await opened((register) => register.pay(3_579, (frame) => !frame.startsWith("040f")));
    const again = await opened((register) => register.pay(3_579));
    assert.match(frameOf(again, "040f"), /^040f..2700/);
    assert.equal(received.length, before + 1);
    const next = await opened((register) => register.pay(3_579));
    assert.match(frameOf(next, "040f"), /^040f..2700/);
    assert.equal(received.length, before + 2);
    assert.notEqual(frameOf(next, "040f"), frameOf(again, "040f"));
  });

  it("lists the connection, and the open payment while it runs", async () => {
    await opened(async (register) => {
      // A slow one (infra/sandbox/terminal/outcomes.ts).
      register.send(payment(1_009));
      assert.equal(await register.next(), "800000");
      await eventually(async () => {
        const shown = { connections: [{ node: "test-node", address: "127.0.0.1" }], open: { state: "paying", amountCents: 1_009 } };
        assertMatches((await routes()).body, { data: { routes: [shown] } });
      });
      register.send(ABORT);
      assert.equal(await register.next(), "800000");
      assert.match((await register.end()).at(-1) ?? "", /^061e016c/);
    });
  });
});

it("is one payment over a restart of the node, whose result came after it", async () => {
  let node = await startTestNode();
  const terminal = new HttpClient(() => node.url, { authorization: FLEET }, "127.0.0.1");
  const poll = async () => (await terminal.get("/api/v1/SIM00001/get")).body;
  try {
    assert.equal(await poll(), undefined);
    const register = await Register.connect(portOf(node));
    register.send(payment(1_234));
    assert.equal(await register.next(), "800000");
    const uuid = await eventually(async () => textMember(await poll(), "uuid"));
    node = await node.restart();
    // It was not told anything that is not so.
    assert.equal(await register.next(), null);
    const result = { uuid, result: "OK", amount: 1_234 };
    assert.equal((await terminal.post("/api/v1/SIM00001/receipt", result)).status, 200);

    const again = await Register.connect(portOf(node));
    const frames = await again.pay(1_234);
    assert.match(frameOf(frames, "040f"), /^040f..270004000000001234/);
    assert.match(frames.at(-1) ?? "", /^060f/);
    again.destroy();
    assert.equal(await poll(), undefined);
  } finally {
    await node.stop();
  }
});

it("starts without registers where their port is taken, and says so", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const address = other.address();
  assert.ok(address !== null && typeof address === "object");
  const node = await startTestNode({ RELAY_ZVT_PORT: String(address.port) });
  try {
    assert.deepEqual(node.zvt.ports, []);
    assert.match(node.zvt.problem ?? "", /EADDRINUSE/);
    const admin = new HttpClient(() => node.url, { authorization: ADMIN }, "127.0.0.1");
    assertMatches((await admin.get("/admin/zvt/routes")).body, {
      data: { listeners: [{ node: "test-node", ports: [], problem: /EADDRINUSE/ }] },
    });
  } finally {
    await node.stop();
    other.close();
  }
});

/** The texts of 06-D1. */
function linesOf(frames: readonly (string | null)[]): string[] {
  return frames.flatMap((frame) => (frame?.startsWith("06d1") ? [Buffer.from(frame.slice(8), "hex").toString("latin1")] : []));
}

function portOf({ zvt }: TestNode): number {
  const [port] = zvt.ports;
  assert.ok(port !== undefined, zvt.problem ?? "not enabled");
  return port;
}
