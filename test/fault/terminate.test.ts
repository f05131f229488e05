import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { seededRandom } from "../storage/kv/random.ts";
import { atEnd } from "../storage/kv/world.ts";
import { SHARD_COUNTS } from "../support/node/node.ts";
import { connectStomp } from "../support/people/stomp-terminal.ts";
import { within } from "../support/within.ts";
import { History } from "./history.ts";
import { fleetOf, Load } from "./load.ts";
import { assertNothingViolated, lookUp } from "./look-up.ts";
import { NO_CLICKHOUSE, placeOf, startNodeProcess } from "./node-process.ts";
import { member, PARTNER, RelayCaller } from "./relay-caller.ts";
import { until } from "./stored-once.ts";

/** The deadline of a node's drain and of what comes after it (infra/node/process/node.ts), and the machine's share. */
const STOPPED_WITHIN_MS = 12_000;

/** So many of the load's results are stored when the signal comes. */
const RESULTS_BEFORE = 20;

for (const shards of SHARD_COUNTS) {
  describe(`SIGTERM to a node with ${shards} shard(s)`, () => {
    it("under load answers what it had accepted, loses nothing, ends with 0, and the next start has it all", async (test) => {
      const random = seededRandom(test);
      const place = { ...(await placeOf(test)), environment: { RELAY_SHARDS: String(shards) } };
      const node = startNodeProcess(test, place);
      await node.ready();
      const fleet = fleetOf({ poll: 6, websocket: 4, redelivering: 4, away: 1 });
      const history = new History(fleet.redelivering);
      const caller = new RelayCaller(node.url);
      const load = new Load({ history, fleet, caller, url: node.url, random, partners: 16 });
      atEnd(test, async () => {
        await load.stop();
        await caller.close();
      });
      await load.start();
      const results = () => [...history.courses.values()].filter(({ postedMs }) => postedMs !== null).length;
      await until("results come", 60_000, () => results() > RESULTS_BEFORE);
      await delay(random(700));

      const signalledMs = performance.now();
      const underWay = caller.underWay();
      node.signal("SIGTERM");
      assert.deepEqual(await node.exited, { code: 0, signal: null }, node.output());
      const tookMs = performance.now() - signalledMs;
      assert.ok(tookMs < STOPPED_WITHIN_MS, `it took ${tookMs} ms`);
      const answers = await Promise.all(underWay);
      assert.ok(answers.length > 0);
      assert.equal(answers.filter((answer) => answer === null).length, 0, `of ${answers.length} requests under way some were not answered`);
      test.diagnostic(`${answers.length} requests were under way; it took ${Math.round(tookMs)} ms`);

      const next = startNodeProcess(test, place);
      await next.ready();
      load.stopPaying();
      await delay(500);
      await load.stop();
      await lookUp(caller, history, [...history.courses.values()]);
      history.finish();
      assertNothingViolated(history);
    });

    it("ends at once at the second signal, with no abort and no core dump", async (test) => {
      const gateway = await silentServer(test);
      const environment = { ...NO_CLICKHOUSE, RELAY_SHARDS: String(shards), RELAY_GATEWAY_URL: gateway.url };
      const node = startNodeProcess(test, { ...(await placeOf(test)), environment });
      await node.ready();
      const terminal = await connectStomp(node.url, { login: "terminal", passcode: "terminal" });
      // The node's drain waits for its answer: it is not over before the second signal.
      const body = JSON.stringify({ amount: "12.34" });
      const unanswered = fetch(`${node.url}/api/v1/paybylink`, {
        method: "POST",
        headers: { ...PARTNER, "content-type": "application/json" },
        body,
      });
      unanswered.catch(() => undefined);
      await within("the gateway's connection", gateway.asked);
      // Two that come before the process looks are one.
      const signals = setInterval(() => node.signal("SIGTERM"), 20);
      const exit = await node.exited;
      clearInterval(signals);
      assert.deepEqual(exit, { code: null, signal: "SIGKILL" }, node.output());
      assert.doesNotMatch(node.output(), /uv_loop_close|Assertion|crashed/);
      await terminal.closes.next();
    });

    it("does not keep those waiting who wait for a result, and closes sockets", async (test) => {
      const place = { ...(await placeOf(test)), environment: { ...NO_CLICKHOUSE, RELAY_SHARDS: String(shards) } };
      const node = startNodeProcess(test, place);
      await node.ready();
      const caller = new RelayCaller(node.url);
      atEnd(test, () => caller.close());
      const terminal = await connectStomp(node.url, { login: "terminal", passcode: "terminal" });
      const uuids = ["wait-1", "wait-2", "wait-3", "wait-4"];
      for (const uuid of uuids) assert.equal((await caller.pay(`of-${uuid}`, uuid))?.status, 200);
      const waiting = uuids.map((uuid) => caller.get(`/api/v1/${uuid}/uuid?wait=30`));
      // Another request on its way through each shard tells that these have arrived.
      await Promise.all(uuids.map((uuid) => caller.life(uuid)));
      const signalledMs = performance.now();
      node.signal("SIGTERM");
      const answers = await Promise.all(waiting);
      assert.deepEqual(await node.exited, { code: 0, signal: null }, node.output());
      const tookMs = performance.now() - signalledMs;
      test.diagnostic(`it took ${Math.round(tookMs)} ms`);
      for (const answer of answers) {
        assert.ok(answer !== null, "who waited for a result was not answered");
        assert.ok(answer.status === 503 || member(answer.body, "data") === null, answer.text);
      }
      assert.equal((await terminal.closes.next()).code, 1001);
      assert.ok(tookMs < STOPPED_WITHIN_MS, `it took ${tookMs} ms`);
    });
  });
}

/** Takes connections and says nothing. */
async function silentServer(test: TestContext): Promise<{ url: string; asked: Promise<unknown> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    socket.once("data", () => server.emit("asked"));
  });
  atEnd(test, async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const asked = once(server, "asked");
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a listening server has a port");
  return { url: `http://127.0.0.1:${address.port}`, asked };
}
