import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { terminalPassword } from "../../http/auth/terminal-password.ts";
import { atEnd } from "../storage/kv/world.ts";
import { NO_CLICKHOUSE, type NodeProcess, placeOf, startNodeProcess } from "./node-process.ts";
import { ADMINISTRATOR, basic, PARTNER, RelayCaller, TERMINAL } from "./relay-caller.ts";

const SECRET = "a-terminal-secret-of-this-test";
const PRODUCTION = {
  ...NO_CLICKHOUSE,
  RELAY_MODE: "production",
  RELAY_HOST: "127.0.0.1",
  RELAY_TERMINAL_SECRET: SECRET,
  RELAY_SECRET_KEY: "q2r9C2Xq0o6Qb0V3J8cVbFh3b0k4m1Zl7pXn5sYtT2E=",
};
const PASSWORD = /^Administrator: admin \/ (\S+)/m;

describe("the start of a node", () => {
  it("in production shows the administrator's generated password once, and no credential of the sandbox works", async (test) => {
    const place = { ...(await placeOf(test)), environment: { ...PRODUCTION, RELAY_LOG_LEVEL: "info" }, fromSources: true };
    const first = startNodeProcess(test, place);
    await first.ready();
    const password = PASSWORD.exec(first.output())?.[1] ?? "";
    assert.ok(password.length >= 24, first.output());
    assert.equal(first.output().split(password).length, 2, "it is shown more than once");
    assert.match(first.output(), /"event":"partners use any terminal".*RELAY_PARTNER_DEFAULT_RULE=none/);

    const caller = new RelayCaller(first.url);
    atEnd(test, () => caller.close());
    const sandboxTerminal = basic("T1", terminalPassword("sandbox-terminal-secret", "T1"));
    const credentials = [
      PARTNER,
      TERMINAL,
      ADMINISTRATOR,
      { authorization: basic("demo", "demo") },
      { authorization: sandboxTerminal },
      {},
    ];
    for (const [index, headers] of credentials.entries()) {
      // An address that failed too often is refused whatever it sends, so each tries from its own.
      const intruder = new RelayCaller(first.url, { localAddress: `127.0.2.${index + 1}` });
      atEnd(test, () => intruder.close());
      for (const path of ["/api/v1/T1/get", "/api/v1/T1/status", "/admin/terminals"]) {
        assert.equal((await intruder.get(path, headers))?.status, 401, `${path} with ${JSON.stringify(headers)}`);
      }
    }
    assert.equal((await caller.get("/admin/terminals", { authorization: basic("admin", password) }))?.status, 200);
    const terminal = { authorization: basic("T1", terminalPassword(SECRET, "T1")) };
    assert.equal((await caller.get("/api/v1/T1/get", terminal))?.status, 204);
    assert.equal((await caller.get("/api/v1/SIM00001/get", terminal))?.status, 403);
    await first.kill();

    const second = startNodeProcess(test, { ...place, environment: { ...place.environment, RELAY_PARTNER_DEFAULT_RULE: "none" } });
    await second.ready();
    assert.doesNotMatch(second.output(), /partners use any terminal/);
    assert.doesNotMatch(second.output(), PASSWORD);
    assert.ok(!second.output().includes(password));
    assert.equal((await caller.get("/admin/terminals", { authorization: basic("admin", password) }))?.status, 200);
  });

  it("is ready once the card gateway and the terminal are there that the sandbox has beside it", async (test) => {
    // An empty name is as good as none: the sandbox starts a card gateway of its own.
    const environment = { ...NO_CLICKHOUSE, RELAY_GATEWAY_URL: "" };
    const place = { ...(await placeOf(test)), environment, fromSources: true };
    const node = startNodeProcess(test, place);
    await node.ready();
    // The relay asks the gateway again for a third of a second: that a link can be made is true a little before it is there.
    const port = (await readFile(join(place.dataDirectory, "sandbox-gateway.port"), "utf8")).trim();
    assert.equal((await fetch(`http://127.0.0.1:${port}/control`)).status, 200);
    const caller = new RelayCaller(node.url);
    atEnd(test, () => caller.close());
    assert.match((await caller.get("/api/v1/SIM00001/connection"))?.text ?? "", /"connectionStatus":"ONLINE"/);
    const link = await caller.post("/api/v1/paybylink", { amount: 12.34, reason: "Order 7" });
    assert.equal(link?.status, 200, link?.text);
  });

  it("shows the generated password also when the port turns out to be taken", async (test) => {
    const taken = await placeOf(test);
    const other = startNodeProcess(test, { ...taken, environment: NO_CLICKHOUSE });
    await other.ready();
    const { dataDirectory } = await placeOf(test);
    const refused = startNodeProcess(test, { dataDirectory, port: taken.port, environment: PRODUCTION });
    assert.deepEqual(await refused.exited, { code: 1, signal: null }, refused.output());
    const password = PASSWORD.exec(refused.output())?.[1] ?? "";
    assert.ok(password.length >= 24, refused.output());
    await other.kill();

    const node = startNodeProcess(test, { dataDirectory, port: taken.port, environment: PRODUCTION });
    await node.ready();
    const caller = new RelayCaller(node.url);
    atEnd(test, () => caller.close());
    assert.equal((await caller.get("/admin/terminals", { authorization: basic("admin", password) }))?.status, 200);
  });

  it("is refused without a stack for what an operator can mend", async (test) => {
    const { port, dataDirectory } = await placeOf(test);
    const noCertificate = join(dataDirectory, "cert.pem");
    await writeFile(noCertificate, "not a certificate");
    const start = (environment: { [name: string]: string }): NodeProcess =>
      startNodeProcess(test, { port, dataDirectory, environment: { ...NO_CLICKHOUSE, ...environment } });
    const table: [NodeProcess, RegExp][] = [
      [start({ RELAY_SHARDS: "many", RELAY_PROT: "1" }), /RELAY_SHARDS is "many".*\n.*RELAY_PROT/],
      [start({ RELAY_MODE: "production" }), /RELAY_TERMINAL_SECRET is not set/],
      [start({ RELAY_TLS_CERT: "/nowhere/cert.pem", RELAY_TLS_KEY: "/nowhere/key.pem" }), /RELAY_TLS_CERT \(\/nowhere\/cert.pem\).*ENOENT/],
      [start({ RELAY_TLS_CERT: noCertificate, RELAY_TLS_KEY: noCertificate }), /RELAY_TLS_CERT .* cannot be used/],
      [start({ RELAY_DATA_DIR: "/dev/null/data" }), /data directory \/dev\/null\/data\/state cannot be opened/],
    ];
    for (const [node, told] of table) {
      assert.deepEqual(await node.exited, { code: 1, signal: null }, node.output());
      assert.match(node.output(), told);
      assert.doesNotMatch(node.output(), /^ +at /m);
    }
  });
});
