import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { connect } from "node:tls";
import { Agent, request } from "undici";
import { WebSocket } from "ws";
import { atEnd } from "../storage/kv/world.ts";
import { API_KEY, SHARD_COUNTS } from "../support/node/node.ts";
import { connectStomp, type StompTerminal } from "../support/people/stomp-terminal.ts";
import { eventually, within } from "../support/within.ts";
import { NO_CLICKHOUSE, type NodeProcess, placeOf, startNodeProcess } from "./node-process.ts";

const PAIRS = join(import.meta.dirname, "../http/server/tls");
const CERTIFICATES = ["test-only-cert.pem", "test-only-rsa-cert.pem"] as const;
const CA = await Promise.all(CERTIFICATES.map((name) => readFile(join(PAIRS, name), "utf8")));

interface World {
  node: NodeProcess;
  /** Writes the variables that a reload reads; those of TLS are always there. */
  write(variables: { readonly [name: string]: string }): Promise<void>;
  /** The certificate and key that the node finds from now on. */
  place(pair: "first" | "second" | "mixed"): Promise<void>;
  /** The certificate that a new connection is shown. */
  shown(): Promise<"first" | "second">;
  dial(): Promise<StompTerminal>;
  /** Opens a WebSocket; resolves with the status of the answer, 101 where it is open. */
  upgrade(): Promise<number>;
  /** Sends a payment that has to be accepted; resolves with its uuid. */
  pay(terminalId: string): Promise<string>;
  /** Sends SIGHUP, and resolves with what the log then says that it had not said before. */
  reload(event: "reloaded" | "reload failed"): Promise<{ [member: string]: unknown }>;
}

async function startWorld(test: TestContext, shards: number): Promise<World> {
  const place = await placeOf(test);
  const [certFile, keyFile, file] = ["cert.pem", "key.pem", "relay.env"].map((name) => `${place.dataDirectory}.${name}`);
  assert.ok(certFile !== undefined && keyFile !== undefined && file !== undefined);
  const write: World["write"] = (variables) => {
    const all = { RELAY_TLS_CERT: certFile, RELAY_TLS_KEY: keyFile, ...variables };
    return writeFile(
      file,
      `# of a test\n${Object.entries(all)
        .map(([name, value]) => `${name}="${value}"\n`)
        .join("")}`,
    );
  };
  const placePair: World["place"] = async (pair) => {
    await copyFile(join(PAIRS, pair === "second" ? "test-only-rsa-cert.pem" : "test-only-cert.pem"), certFile);
    await copyFile(join(PAIRS, pair === "first" ? "test-only-key.pem" : "test-only-rsa-key.pem"), keyFile);
  };
  await placePair("first");
  await write({ RELAY_LOG_LEVEL: "error" });
  const environment = { ...NO_CLICKHOUSE, RELAY_SHARDS: String(shards), RELAY_ENV_FILE: file, RELAY_LOG_LEVEL: "" };
  const node = startNodeProcess(test, { ...place, environment });
  const dispatcher = new Agent({ connect: { ca: CA } });
  atEnd(test, () => dispatcher.destroy());
  const url = `https://127.0.0.1:${place.port}`;
  await within(
    "the node",
    eventually(async () => assert.equal((await request(`${url}/health/ready`, { dispatcher })).statusCode, 200)),
    90_000,
  );
  const webSocket = () => new WebSocket(`wss://127.0.0.1:${place.port}/ws`, ["v12.stomp"], { ca: CA });
  const logged = (event: string) =>
    node
      .output()
      .split("\n")
      .filter((line) => line.includes(`"event":"${event}"`));
  return {
    node,
    write,
    place: placePair,
    shown: async () => {
      const socket = connect({ host: "127.0.0.1", port: place.port, servername: "localhost", ca: CA });
      await within("the handshake", once(socket, "secureConnect"));
      const { raw } = socket.getPeerCertificate();
      socket.destroy();
      return CA[0]?.replaceAll("\n", "").includes(raw.toString("base64")) === true ? "first" : "second";
    },
    dial: () =>
      connectStomp(url, {
        login: "terminal",
        passcode: "terminal",
        webSocketFactory: webSocket,
      }),
    upgrade: () =>
      within(
        "an answer to an upgrade",
        new Promise((resolve, reject) => {
          const socket = webSocket();
          atEnd(test, () => socket.terminate());
          socket.on("open", () => resolve(101));
          socket.on("unexpected-response", (_request, { statusCode = 0 }) => resolve(statusCode));
          socket.on("error", reject);
        }),
      ),
    pay: async (terminalId) => {
      const uuid = randomUUID();
      const body = JSON.stringify({ uuid, amount: 10, service: "PAYCC" });
      const headers = { "api-key": API_KEY, "content-type": "application/json" };
      const { statusCode, body: answer } = await request(`${url}/api/v1/${terminalId}/pay`, { method: "POST", body, headers, dispatcher });
      assert.equal(statusCode, 200, await answer.text());
      return uuid;
    },
    reload: async (event) => {
      const before = logged(event).length;
      node.signal("SIGHUP");
      return eventually(() => {
        const line = logged(event)[before];
        assert.ok(line !== undefined, `the log says nothing of it:\n${node.output()}`);
        return JSON.parse(line);
      });
    },
  };
}

for (const shards of SHARD_COUNTS) {
  describe(`SIGHUP to a node with ${shards} shard(s)`, () => {
    it("takes over the certificate, the log level and the limits, and no connection is lost", async (test) => {
      const world = await startWorld(test, shards);
      const terminal = await world.dial();
      const commands = await terminal.subscribe("RELOAD01");
      assert.equal(await world.shown(), "first");

      await world.place("second");
      await world.write({ RELAY_LOG_LEVEL: "info", RELAY_WEBSOCKETS_PER_ADDRESS_MAX: "1", RELAY_TIME_ZONE: "Europe/Berlin" });
      const reloaded = await world.reload("reloaded");
      assert.equal(reloaded["certificateChanged"], true);
      assert.deepEqual(reloaded["restartFor"], ["RELAY_TIME_ZONE"]);
      assert.match(String(reloaded["certificateValidUntil"]), /^\d{4}-\d\d-\d\dT/);
      assert.equal(await world.shown(), "second");
      const uuid = await world.pay("RELOAD01");
      assert.equal((await commands.next()).command["uuid"], uuid);
      assert.equal(await world.upgrade(), 429, "the terminal's is as many as there may be now");

      // The same files again: no certificate was renewed.
      await world.write({ RELAY_LOG_LEVEL: "info", RELAY_WEBSOCKETS_PER_ADDRESS_MAX: "2" });
      assert.equal((await world.reload("reloaded"))["certificateChanged"], false);
      assert.equal(await world.upgrade(), 101);
      const later = await world.pay("RELOAD01");
      assert.equal((await commands.next()).command["uuid"], later);
      assert.deepEqual(terminal.closes.waiting, []);
      world.node.signal("SIGTERM");
      assert.deepEqual(await world.node.exited, { code: 0, signal: null }, world.node.output());
    });

    it("changes nothing where something is wrong, and says what", async (test) => {
      const world = await startWorld(test, shards);
      await world.place("mixed");
      await world.write({ RELAY_LOG_LEVEL: "trace" });
      assert.match(
        String((await world.reload("reload failed"))["reason"]),
        /RELAY_TLS_CERT \(.*\) and RELAY_TLS_KEY \(.*\) cannot be used: /,
      );
      await world.write({ RELAY_LOG_LEVEL: "loud" });
      assert.match(String((await world.reload("reload failed"))["reason"]), /RELAY_LOG_LEVEL is "loud"; allowed: trace, debug/);
      await world.write({ "RELAY LOG": "trace" });
      assert.match(String((await world.reload("reload failed"))["reason"]), /line 4 is not RELAY_NAME=value/);
      assert.equal(await world.shown(), "first");
      assert.doesNotMatch(world.node.output(), /"level":(?:10|20|30),/, "the level has changed");
      await world.place("second");
      await world.write({ RELAY_LOG_LEVEL: "info" });
      assert.equal((await world.reload("reloaded"))["certificateChanged"], true);
      assert.equal(await world.shown(), "second");
    });
  });
}

describe("SIGHUP to a node that starts", () => {
  it("does not end it: it reads its configuration when it runs", async (test) => {
    const place = await placeOf(test);
    const environment = { ...NO_CLICKHOUSE, RELAY_LOG_LEVEL: "info" };
    const node = startNodeProcess(test, { ...place, environment });
    await eventually(() => assert.match(node.output(), /"event":"starting"/));
    node.signal("SIGHUP");
    await node.ready();
    await eventually(() => assert.match(node.output(), /"event":"reloaded"/));
  });
});
