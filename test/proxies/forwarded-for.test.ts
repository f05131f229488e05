import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import { NO_CLICKHOUSE } from "../fault/node-process.ts";
import { atEnd } from "../storage/kv/world.ts";
import { type Answer, CREDENTIALS, HttpClient } from "../support/http/http-client.ts";
import { member, textMember } from "../support/http/matches.ts";
import { basic, startTestNode } from "../support/node/node.ts";
import { PARTNER_API } from "../support/people/new-partner-api.ts";
import { connectStomp, webSocketUrl } from "../support/people/stomp-terminal.ts";
import { eventually } from "../support/within.ts";
import { haproxyMissing, startHaproxy } from "./haproxy.ts";
import { PROXY_ADDRESS, type RunningProxy } from "./proxy.ts";

const missing = await haproxyMissing();

/** A whitelisted address that no caller of these tests has. */
const WHITELISTED = "127.66.0.1";

/** What a client may say of its own address, another one each time where a test counts. */
const SAID: readonly ((n: number) => string)[] = [
  (n) => `127.66.1.${n}`,
  (n) => `127.66.1.${n}, ${PROXY_ADDRESS}`,
  () => "nonsense",
  (n) => `${"203.0.113.9, ".repeat(100)}127.66.1.${n}`,
];

/** HAProxy as many have it: `option forwardfor` adds a line behind the client's own, and nothing deletes that one. */
async function proxied(test: TestContext): Promise<RunningProxy> {
  const node = await startTestNode({
    RELAY_TRUSTED_PROXIES: PROXY_ADDRESS,
    RELAY_LOG_LEVEL: "silent",
    RELAY_GATEWAY_URL: "http://127.0.0.1:1",
    ...NO_CLICKHOUSE,
  });
  atEnd(test, () => node.stop());
  const port = Number(new URL(node.url).port);
  return startHaproxy(test, [port, port, port], [["  http-request del-header X-Forwarded-For\n", ""]]);
}

describe("what a client says of its own address, where HAProxy passes it on before what it adds", { skip: missing }, () => {
  it("changes nothing", async (test) => {
    const proxy = await proxied(test);
    let addresses = 0;
    const caller = (credential: keyof typeof CREDENTIALS) => {
      addresses += 1;
      return new HttpClient(() => proxy.url, CREDENTIALS[credential], `127.67.${10 + (addresses >> 8)}.${addresses & 255}`);
    };
    const addressOf = async (terminalId: string) => {
      const { body } = await caller("administrator").get(`/admin/terminals/${terminalId}`);
      return textMember(body, "data", "device", "ipAddress");
    };
    await eventually(async () => assert.equal((await caller("nobody").get("/health/ready")).status, 200));

    await test.test("in a terminal's record, by its poll", async () => {
      for (const [index, said] of SAID.entries()) {
        const terminal = caller("fleet");
        const terminalId = `POLL${index}`;
        assert.equal((await terminal.poll(terminalId, { "x-forwarded-for": said(1) })).status, 204);
        await eventually(async () => assert.equal(await addressOf(terminalId), terminal.localAddress, said(1)));
      }
    });

    await test.test("in a terminal's record, by its WebSocket", async (own) => {
      for (const [index, said] of SAID.entries()) {
        const terminalId = `SOCKET${index}`;
        const localAddress = `127.67.1.${index + 1}`;
        const webSocketFactory = () =>
          new WebSocket(webSocketUrl(proxy.url), ["v12.stomp"], { localAddress, headers: { "x-forwarded-for": said(1) } });
        const { client, subscribe } = await connectStomp(proxy.url, { login: "terminal", passcode: "terminal", webSocketFactory });
        atEnd(own, () => client.deactivate());
        await subscribe(terminalId);
        await eventually(async () => assert.equal(await addressOf(terminalId), localAddress, said(1)));
      }
    });

    await test.test("in the rate limit", async () => {
      for (const [index, said] of SAID.entries()) {
        const partner = caller("partner");
        const pay = (n: number) =>
          partner.post(`/api/v1/LIMIT${index}/pay`, { uuid: randomUUID(), amount: 100, service: "PAYCC" }, { "x-forwarded-for": said(n) });
        const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => pay(n)));
        assert.ok(statuses(answers).has(429), `${said(1)}: all of 40 payments at once were admitted`);
        // Whoever really is at an address that was named is not held up by it.
        const remaining = await partner.get("/api/v1/LIMIT/connection", { "x-forwarded-for": said(1) });
        assert.equal(remaining.status, 200, remaining.text);
      }
    });

    await test.test("in the hold-back of logins", async () => {
      for (const [index, said] of SAID.entries()) {
        const guesser = new HttpClient(() => proxy.url, {}, `127.67.2.${index + 1}`);
        const guess = (n: number) =>
          guesser.get("/admin/terminals", { authorization: basic("admin", `guess ${n}`), "x-forwarded-for": said(n) });
        const answers: Answer[] = [];
        for (let n = 1; n <= 15; n += 1) answers.push(await guess(n));
        assert.equal(answers.at(-1)?.status, 429, `${said(1)}: ${[...statuses(answers)]}`);
      }
    });

    await test.test("in the hold-back of logins at a WebSocket's upgrade", async () => {
      for (const [index, said] of SAID.entries()) {
        const localAddress = `127.67.4.${index + 1}`;
        for (let n = 1; n <= 15; n += 1) {
          await upgradeEnds(proxy.url, localAddress, { authorization: basic("demo", `guess ${n}`), "x-forwarded-for": said(n) });
        }
        const guesser = new HttpClient(() => proxy.url, { authorization: basic("demo", "one more") }, localAddress);
        const statusesSeen: number[] = [];
        // The upgrade does not wait for its password's slow hash. So few guesses alone would hold nobody back.
        while (statusesSeen.length < 8 && statusesSeen.at(-1) !== 429) {
          await delay(200);
          statusesSeen.push((await guesser.get("/api/v1/T1/status", { "x-forwarded-for": said(99) })).status);
        }
        assert.equal(statusesSeen.at(-1), 429, `${said(1)}: ${statusesSeen}`);
      }
    });

    await test.test("in the whitelist of Partner API v1", async () => {
      const username = "whitelisted";
      const partnerApi = { partnerCode: username, ipWhitelist: [WHITELISTED], maxMerchants: 1, allowedServices: [] };
      const gateway = { gwTml: "GWT1", gwApiKey: "GWMERCHANT1", gwSecretKey: "a gateway secret" };
      const made = await caller("administrator").post("/admin/api/partners", { username, ...gateway, partnerApi });
      assert.equal(made.status, 201, made.text);
      const headers = { authorization: `Bearer ${textMember(made.body, "partnerApiKeys", "apiKey")}` };
      const me = (address: string, said: string) =>
        new HttpClient(() => proxy.url, headers, address).get(`${PARTNER_API}/me`, { "x-forwarded-for": said });
      for (const said of [WHITELISTED, `${WHITELISTED}, ${PROXY_ADDRESS}`, `${"203.0.113.9, ".repeat(100)}${WHITELISTED}`]) {
        const refused = await me("127.67.3.1", said);
        assert.equal(refused.status, 403, refused.text);
      }
      // Nor does it keep out whoever is there.
      const admitted = await me(WHITELISTED, "203.0.113.9");
      assert.equal(admitted.status, 200, admitted.text);
      assert.equal(member(admitted.body, "partner", "partnerCode"), username);
    });
  });
});

/** Connects with these headers; resolves when the relay has said something, or has ended it. */
async function upgradeEnds(url: string, localAddress: string, headers: { [name: string]: string }): Promise<void> {
  const socket = new WebSocket(webSocketUrl(url), ["v12.stomp"], { localAddress, headers });
  await new Promise<void>((resolve) => {
    socket.on("open", () => socket.send("CONNECT\naccept-version:1.2\nhost:relay\n\n\0"));
    socket.on("message", () => resolve());
    socket.on("error", () => resolve());
    socket.on("close", () => resolve());
  });
  socket.terminate();
}

function statuses(answers: readonly Answer[]): Set<number> {
  return new Set(answers.map(({ status }) => status));
}
