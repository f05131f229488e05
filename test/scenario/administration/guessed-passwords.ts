import assert from "node:assert/strict";
import { WebSocket } from "ws";
import { serializeFrame } from "../../../http/stomp/frame.ts";
import { surfacesOf } from "../../../infra/node/wiring/shared/endpoints.ts";
import { type Answer, CREDENTIALS, type HttpClient } from "../../support/http/http-client.ts";
import { assertMatches } from "../../support/http/matches.ts";
import { basic } from "../../support/node/node.ts";
import type { Relay } from "../../support/node/relay.ts";
import { newPartner } from "../../support/people/new-partner.ts";
import { webSocketUrl } from "../../support/people/stomp-terminal.ts";
import { within } from "../../support/within.ts";
import { test, testOnNodes } from "../layouts.ts";

const PASSWORD_AUTHS: ReadonlySet<string> = new Set(["basic", "basicOrApiKey", "admin"]);

/** Every endpoint that takes a user name and a password, by its declaration: a new one is among them. */
const ENDPOINTS = Object.values(surfacesOf({ openTerminalLogs: true, packageBytesMax: 1 }))
  .flat()
  .filter(({ auth }) => PASSWORD_AUTHS.has(auth))
  .map(({ name, method, path }) => ({ name, method, path: path.replaceAll(/\{[^}]*\}/g, "T1") }));

const LIMIT = 10;

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/** What a WebSocket is answered with: the ERROR's code and `retry-after`, or CONNECTED. */
async function connect(
  relay: Relay,
  localAddress: string,
  { upgrade, login, passcode }: { upgrade?: string; login?: string; passcode?: string },
): Promise<string> {
  const socket = new WebSocket(webSocketUrl(relay.node.url), {
    localAddress,
    ...(upgrade === undefined ? {} : { headers: { authorization: upgrade } }),
  });
  try {
    return await within(
      "an answer to CONNECT",
      new Promise<string>((resolve, reject) => {
        socket.on("error", reject);
        socket.on("open", () => {
          const headers: [string, string][] = [["accept-version", "1.2"]];
          if (login !== undefined) headers.push(["login", login]);
          if (passcode !== undefined) headers.push(["passcode", passcode]);
          socket.send(serializeFrame("1.2", "CONNECT", headers));
        });
        socket.on("message", (data) => {
          const text = data.toString();
          const code = /^code:(.*)$/m.exec(text)?.[1];
          resolve(code === undefined ? (text.split("\n")[0] ?? "") : `${code}${/^retry-after:\d+$/m.test(text) ? " retry-after" : ""}`);
        });
      }),
    );
  } finally {
    socket.terminate();
  }
}

/** The scheme in a spelling of its own, so that no thread has verified the same header before: such a login passes where its thread has not heard of the hold yet. */
function spelled(header: string, number: number): string {
  const letters = [..."basic"].map((letter, place) => ((number >> place) & 1 ? letter.toUpperCase() : letter));
  return header.replace("Basic", letters.join(""));
}

function guess(client: HttpClient, username: string, password: string, path = "/api/v1/T1/transactions"): Promise<Answer> {
  return client.get(path, { authorization: basic(username, password) });
}

export function guessedPasswords(relay: Relay): void {
  test("count at every endpoint that takes a password, and at every one the next is not compared, not even a right one", async () => {
    assert.ok(ENDPOINTS.length > 60 && ENDPOINTS.length / LIMIT < 29, `${ENDPOINTS.length} endpoints`);
    for (let from = 0; from < ENDPOINTS.length; from += LIMIT) {
      const group = ENDPOINTS.slice(from, from + LIMIT);
      const caller = relay.nobody();
      // Behind "basic" and "Basic", which other tests send.
      const spelling = from / LIMIT + 2;
      const send = ({ method, path }: (typeof ENDPOINTS)[number], password: string) =>
        caller.send(path, { method, headers: { authorization: spelled(basic("admin", password), spelling) } });
      // Its address is a usual one from here on: only its own failures count.
      assert.equal((await caller.get("/admin/cluster", CREDENTIALS.administrator)).status, 200);
      const guessed = await Promise.all(group.map((endpoint) => send(endpoint, `guess at ${endpoint.name}`)));
      guessed.forEach(({ status }, index) => {
        assert.equal(status, 401, group[index]?.name);
      });
      for (const missing of numbers(LIMIT - group.length)) assert.equal((await guess(caller, "admin", `guess ${missing}`)).status, 401);
      for (const password of ["another guess", "admin"]) {
        const held = await Promise.all(group.map((endpoint) => send(endpoint, password)));
        held.forEach(({ status, headers, body }, index) => {
          assert.equal(status, 429, `${group[index]?.name}: ${password}`);
          const seconds = Number(headers["retry-after"]);
          assert.ok(seconds > 0 && seconds <= 60, `${group[index]?.name}: Retry-After ${headers["retry-after"]}`);
          assert.match(JSON.stringify(body), /Too many failed logins/, group[index]?.name);
        });
      }
    }
  });

  testOnNodes("that are sent at once do not exceed the limit, over threads and nodes", async () => {
    const { username } = await newPartner(relay);
    const { localAddress } = relay.nobody();
    const callers = numbers(3).map(() => Object.assign(relay.nobody(), { localAddress }));
    const answers = await Promise.all(numbers(60).map((n) => guess(callers[n % callers.length] ?? relay.nobody(), username, `guess ${n}`)));
    const statuses = answers.map(({ status }) => status);
    const count = (status: number) => statuses.filter((one) => one === status).length;
    // 503: on a busy machine the count comes too late; the guess is counted and not looked at.
    assert.deepEqual([count(401) + count(503), count(429)], [LIMIT, 60 - LIMIT]);
    assert.ok(count(401) > 0, "no guess was looked at");
    for (const caller of callers) assert.equal((await guess(caller, username, "the last")).status, 429);
    assert.equal((await guess(relay.nobody(), username, "from elsewhere")).status, 401);
  });

  testOnNodes("of strangers do not hold back an account at its usual address, but at new ones", async () => {
    const { username, password, byPassword } = await newPartner(relay);
    assert.equal((await byPassword.connection(relay.terminalId())).status, 200);
    let compared = 0;
    for (const _ of numbers(20)) {
      const stranger = relay.nobody();
      const answers = await Promise.all(numbers(9).map((n) => guess(stranger, username, `guess ${n}`)));
      compared += answers.filter(({ status }) => status === 401).length;
    }
    assert.equal(compared, 100);
    assert.equal((await byPassword.connection(relay.terminalId())).status, 200);
    // At every node, though it was verified at one; with another header, so that it is compared.
    const other = basic(username, password).replace("Basic", "basic");
    for (const _ of numbers(4)) {
      const again = Object.assign(relay.nobody(), { localAddress: byPassword.localAddress });
      assert.equal((await again.get("/api/v1/T1/connection", { authorization: other })).status, 200);
    }
    assert.equal((await relay.nobody().get("/api/v1/T1/connection", { authorization: other.replace("basic", "BASIC") })).status, 429);
  });

  testOnNodes("at the upgrade and at CONNECT count for the client's address, and hold nobody else back", async () => {
    const [{ username, password }, { localAddress }] = [await newPartner(relay), relay.nobody()];
    for (const n of numbers(LIMIT)) {
      const login = n % 2 === 0 ? { login: username, passcode: `guess ${n}` } : { upgrade: basic(username, `guess ${n}`) };
      assert.equal(await connect(relay, localAddress, login), "unauthorized");
    }
    for (const login of [
      { login: username, passcode: "another" },
      { login: username, passcode: password },
      { upgrade: basic(username, "another") },
      { upgrade: basic(username, password) },
    ]) {
      assert.equal(await connect(relay, localAddress, login), "rate_limited retry-after");
    }
    const held = Object.assign(relay.nobody(), { localAddress });
    assert.equal((await guess(held, username, password)).status, 429, "over HTTP too");
    const terminalId = relay.terminalId();
    const passcode = await relay.password(terminalId);
    assert.equal(await connect(relay, localAddress, { login: terminalId, passcode }), "CONNECTED", "a derived password");
    assert.equal(await connect(relay, relay.nobody().localAddress, { login: username, passcode: password }), "CONNECTED");
  });

  test("are refused in a sandbox as well; no login at all is not", async () => {
    const { localAddress } = relay.nobody();
    assert.equal(await connect(relay, localAddress, {}), "CONNECTED");
    assert.equal(await connect(relay, localAddress, { upgrade: basic("terminal", "wrong") }), "unauthorized");
    assert.equal(await connect(relay, localAddress, { upgrade: "Bearer nobody" }), "unauthorized");
    assert.equal(await connect(relay, localAddress, { login: "terminal", passcode: "wrong" }), "unauthorized");
    assert.equal(await connect(relay, localAddress, { passcode: "wrong" }), "unauthorized");
    assert.equal(await connect(relay, localAddress, { upgrade: basic("terminal", "terminal") }), "CONNECTED");
  });

  test("are counted for operators, without a word of what was tried", async () => {
    const [failed, heldBack] = [await relay.metric("relay_logins_failed_total"), await relay.metric("relay_logins_held_back_total")];
    const caller = relay.nobody();
    for (const n of numbers(LIMIT + 1)) await guess(caller, "nobody-of-this-name", `guess ${n}`);
    assertMatches(await guess(caller, "nobody-of-this-name", "more"), { status: 429 });
    assert.equal((await relay.metric("relay_logins_failed_total")) - failed, LIMIT);
    assert.equal((await relay.metric("relay_logins_held_back_total")) - heldBack, 2);
  });
}
