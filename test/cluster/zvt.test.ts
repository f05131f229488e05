import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startSimulatedTerminal } from "../../infra/sandbox/terminal/terminal.ts";
import { freePort } from "../fault/node-process.ts";
import { atEnd } from "../storage/kv/world.ts";
import { kafkaMissing } from "../support/kafka.ts";
import { redisMissing } from "../support/redis.ts";
import { frameOf, payment, Register } from "../support/register.ts";
import { eventually, within } from "../support/within.ts";
import { startCluster } from "./cluster-world.ts";

const missing = (await redisMissing()) || (await kafkaMissing());
const TERMINAL_ID = "TILL0001";
const ROUNDS = 10;

describe("a cash register at two nodes over one store", { skip: missing }, () => {
  it("pays once, whether it is at both at once, changes over, or its node is killed", { timeout: 300_000 }, async (test) => {
    const ports = [await freePort(), await freePort()];
    const cluster = await startCluster(test, {
      nodes: 2,
      proxiedNode: null,
      environmentOf: (node) => ({ RELAY_ZVT_PORT: String(ports[node]) }),
    });
    const config = { enabled: true, routes: [{ id: "till-1", terminalId: TERMINAL_ID, partnerUsername: "demo" }] };
    const stored = await cluster.caller(0, "administrator").post("/admin/zvt/config", config);
    assert.equal(stored.status, 200, stored.text);
    for (const node of [0, 1]) {
      await cluster.nodes[node]?.kill();
      await cluster.start(node);
    }
    const executed = new Map<number, number>();
    const terminal = await startSimulatedTerminal({
      terminalId: TERMINAL_ID,
      url: cluster.balancerUrl,
      speed: 20,
      onEvent: (event) => {
        if (event.type === "received" && event.service === "PAYCC") {
          executed.set(event.amountCents, (executed.get(event.amountCents) ?? 0) + 1);
        }
      },
    });
    atEnd(test, () => terminal.stop());
    const connect = (node: number) => Register.connect(ports[node] ?? 0);

    /** Whether it heard that it was paid; null where it heard nothing of its end. */
    async function pays(node: number, amountCents: number): Promise<boolean | null> {
      const register = await connect(node).catch(() => null);
      if (register === null) return null;
      const frames = await within("an end", register.pay(amountCents));
      register.destroy();
      if (!frames.some((frame) => frame?.startsWith("040f"))) {
        assert.ok(!frames.at(-1)?.startsWith("061e"), `a false decline: ${frames}`);
        return null;
      }
      return frameOf(frames, "040f").slice(8, 10) === "00";
    }
    const told = (node: number, amountCents: number) => eventually(async () => assert.equal(await pays(node, amountCents), true));

    // Until the nodes know that the terminal is online.
    await eventually(async () => {
      const register = await connect(1);
      const frames = await register.pay(50_000);
      register.destroy();
      assert.match(frames.at(-1) ?? "", /^060f/);
    });

    for (let round = 0; round < ROUNDS; round += 1) {
      const amountCents = 100_000 + round * 100;
      const heard = await Promise.all([0, 1].map((node) => pays(node, amountCents)));
      assert.deepEqual(heard.toSorted(), [null, true], `round ${round}`);
      assert.equal(executed.get(amountCents), 1, `round ${round}`);
    }

    for (let round = 0; round < ROUNDS; round += 1) {
      const amountCents = 200_000 + round * 100;
      const from = round % 2;
      const register = await connect(from);
      register.send(payment(amountCents));
      assert.equal(await register.next(), "800000");
      register.destroy();
      await told(1 - from, amountCents);
      assert.equal(executed.get(amountCents), 1, `changes over from ${from}`);
    }

    const register = await connect(0);
    register.send(payment(300_000));
    assert.equal(await register.next(), "800000");
    await cluster.nodes[0]?.kill();
    assert.equal(await register.next(), null);
    await told(1, 300_000);
    assert.equal(executed.get(300_000), 1);
  });
});
