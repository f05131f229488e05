import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { freePort } from "../../infra/local/free-port.ts";
import { startSimulatedTerminal } from "../../infra/sandbox/terminal/terminal.ts";
import { atEnd } from "../storage/kv/world.ts";
import { payment, Register } from "../support/people/register.ts";
import { eventually, within } from "../support/within.ts";
import { NO_CLICKHOUSE, type NodeProcess, placeOf, startNodeProcess, untilStopped } from "./node-process.ts";
import { ADMINISTRATOR, RelayCaller } from "./relay-caller.ts";

const FAULTS = pathToFileURL(new URL("zvt-faults.mjs", import.meta.url).pathname).href;
const TERMINAL_ID = "TILL0001";

/** Writes of one payment, in which a node is killed; there are fewer. */
const WRITES_MAX = 30;

interface Till {
  zvtPort: number;
  executed: Map<number, number>;
  start(faults?: { [name: string]: string }): NodeProcess;
}

/** A node whose registers pay on a terminal of this process, which outlives the node. */
async function openTill(test: TestContext): Promise<Till> {
  const place = await placeOf(test);
  const zvtPort = await freePort();
  const start = (faults: { [name: string]: string } = {}) =>
    startNodeProcess(test, {
      ...place,
      environment: { ...NO_CLICKHOUSE, RELAY_SHARDS: "1", RELAY_ZVT_PORT: String(zvtPort), NODE_OPTIONS: `--import ${FAULTS}`, ...faults },
    });
  const amounts = new Map<string, number>();
  const executed = new Map<number, number>();
  const terminal = await startSimulatedTerminal({
    terminalId: TERMINAL_ID,
    url: `http://127.0.0.1:${place.port}`,
    speed: 50,
    // It remembers what it has got, so that the relay may hand out again what a killed node marked as sent.
    redeliver: true,
    onEvent: (event) => {
      if (event.type === "received") amounts.set(event.uuid, event.amountCents);
      if (event.type !== "executed") return;
      const amountCents = amounts.get(event.uuid) ?? 0;
      executed.set(amountCents, (executed.get(amountCents) ?? 0) + 1);
    },
  });
  atEnd(test, () => terminal.stop());

  const first = start();
  await first.ready();
  const caller = new RelayCaller(first.url);
  // What a killed node had marked as sent and not written is nobody's; the cancel then tells how it stands.
  const config = { enabled: true, timeoutSeconds: 10, routes: [{ id: "till-1", terminalId: TERMINAL_ID, partnerUsername: "demo" }] };
  const answer = await caller.post("/admin/zvt/config", config, ADMINISTRATOR);
  assert.equal(answer?.status, 200, answer?.text);
  await caller.close();
  await first.kill();
  return { zvtPort, executed, start };
}

/** What a register hears of one 06-01: `lost` where its connection ended before it was told. */
async function ask({ zvtPort }: Till, amountCents: number): Promise<"paid" | "lost" | "busy" | string> {
  const register = await Register.connect(zvtPort).catch(() => null);
  if (register === null) return "lost";
  try {
    const frames = await within(`an end of ${amountCents}`, register.pay(amountCents), 60_000);
    if (frames[0]?.startsWith("84")) return "busy";
    const status = frames.find((frame) => frame?.startsWith("040f"));
    // It has acknowledged it.
    if (status !== undefined && status !== null && status.slice(8, 10) === "00") return "paid";
    const final = frames.at(-1);
    return final?.startsWith("061e") ? `not paid ${final.slice(6, 8)}` : "lost";
  } finally {
    register.destroy();
  }
}

/** Asks until it is told; that the terminal is OFFLINE is true only where it has got nothing. */
function askUntilTold(till: Till, amountCents: number): Promise<string> {
  return eventually(async () => {
    const heard = await ask(till, amountCents);
    if (heard === "not paid a3") assert.equal(till.executed.get(amountCents) ?? 0, 0, "told that nothing was sent");
    assert.ok(!["lost", "busy", "not paid a3"].includes(heard), heard);
    return heard;
  }, 60_000);
}

describe("a node that is killed within the payment of a cash register", () => {
  it("before and after each write: the terminal executes once at most, and the same 06-01 hears what it did", {
    timeout: 600_000,
  }, async (test) => {
    const till = await openTill(test);
    let repeats: number | null = null;
    const moments: string[] = [];
    const outcomes: string[] = [];
    for (const when of ["before", "after"]) {
      for (let write = 0, isKilled = true; isKilled; write += 1) {
        assert.ok(write < WRITES_MAX, "the payment has no end");
        const amountCents = (when === "before" ? 100_000 : 200_000) + write * 100;
        const node = till.start({ TEST_ZVT_KILL: `${write}:${when}:${amountCents}` });
        await node.ready();
        if (repeats !== null) {
          const told: string = await askUntilTold(till, repeats);
          const times: number = till.executed.get(repeats) ?? 0;
          assert.ok(times <= 1, `${moments.at(-1)}: executed ${times} times`);
          assert.equal(told, times === 1 ? "paid" : "not paid 6c", `${moments.at(-1)}: executed ${times} times`);
          outcomes.push(`${moments.at(-1)}: ${told}`);
        }
        const heard = await eventually(async () => {
          const answer = await ask(till, amountCents);
          assert.notEqual(answer, "not paid a3");
          return answer;
        });
        assert.ok(heard === "paid" || heard === "lost", `killed ${when} write ${write}: ${heard}`);
        isKilled = heard === "lost";
        repeats = isKilled ? amountCents : null;
        if (isKilled) moments.push(`killed ${when} write ${write}`);
        else assert.equal(till.executed.get(amountCents), 1);
        await node.kill();
      }
    }
    test.diagnostic(outcomes.join(", "));
    assert.ok(outcomes.filter((outcome) => outcome.endsWith(": paid")).length >= 6, outcomes.join());
    assert.ok(moments.length >= 8, moments.join());
  });
});

describe("a node that is stopped between 80-00-00 and the sending", () => {
  it("does not send it when it wakes, says that it was not paid, and sells to the same 06-01 afterwards", {
    timeout: 120_000,
  }, async (test) => {
    const till = await openTill(test);
    const amountCents = 300_000;
    const node = till.start({ TEST_ZVT_STOP: String(amountCents) });
    await node.ready();
    const { opened: register, next } = await eventually(async () => {
      const opened = await Register.connect(till.zvtPort);
      opened.send(payment(amountCents));
      assert.equal(await opened.next(), "800000");
      // Once it is stopped it says nothing more; before that the terminal may not be online yet.
      const next = opened.next();
      const isStopped = await Promise.race([next.then(() => false), untilStopped(node).then(() => true)]);
      assert.ok(isStopped);
      return { opened, next };
    });
    // The system's own time passes: a node sends for 5 s after it has taken a payment on.
    await delay(5_500);
    node.signal("SIGCONT");
    assert.equal((await within("an end", next))?.slice(0, 8), "061e01a0");
    register.send("800000");
    register.destroy();
    assert.equal(till.executed.get(amountCents) ?? 0, 0);
    assert.equal(await askUntilTold(till, amountCents), "paid");
    assert.equal(till.executed.get(amountCents), 1);
  });
});
