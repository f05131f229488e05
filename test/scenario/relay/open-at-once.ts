import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:http";
import { WebSocket } from "ws";
import { assertMatches } from "../../support/http/matches.ts";
import { API_KEY } from "../../support/node/node.ts";
import { Relay, type RelayOptions } from "../../support/node/relay.ts";
import { webSocketUrl } from "../../support/people/stomp-terminal.ts";
import { eventually } from "../../support/within.ts";
import { test } from "../layouts.ts";

const WAIT_SECONDS = 20;

/** What one address, and one caller, may have open at once at a node, whichever of its shards has it. */
export function openAtOnce(startable: RelayOptions): void {
  test("an address has as many WebSockets, and a caller as many waiting look-ups, as they may; others have their own", async () => {
    const relay = new Relay({
      ...startable,
      environment: {
        ...startable.environment,
        RELAY_TRUSTED_PROXIES: "127.0.0.0/8",
        RELAY_WEBSOCKETS_PER_ADDRESS_MAX: "5",
        RELAY_WEBSOCKETS_WITHOUT_LOGIN_PER_ADDRESS_MAX: "2",
        RELAY_WAITING_LOOKUPS_PER_CALLER_MAX: "2",
      },
    });
    await relay.start();
    try {
      await socketsOfAddress(relay);
      await waitsOfCaller(relay);
      await abortedWaits(relay);
    } finally {
      await relay.stop();
    }
  });
}

async function socketsOfAddress(relay: Relay): Promise<void> {
  const { url } = relay.node;
  const passcode = await relay.password("T1");
  const sockets: WebSocket[] = [];
  const dial = (address: string) => {
    const socket = new WebSocket(webSocketUrl(url), ["v12.stomp"], { headers: { "x-forwarded-for": address } });
    // One that is refused never opens, and says so when it is ended.
    socket.on("error", () => {});
    sockets.push(socket);
    return socket;
  };
  const open = async (address: string) => {
    const socket = dial(address);
    await once(socket, "open");
    return socket;
  };
  const logIn = async (socket: WebSocket) => {
    socket.send(`CONNECT\naccept-version:1.2\nlogin:T1\npasscode:${passcode}\n\n\0`);
    const [frame] = await once(socket, "message");
    assert.match(String(frame), /^CONNECTED/);
  };
  const assertRefused = async (address: string, why: RegExp) => {
    const answer = await new Promise<IncomingMessage>((resolve) =>
      dial(address).on("unexpected-response", (_request, response) => resolve(response)),
    );
    let text = "";
    for await (const chunk of answer) text += String(chunk);
    assert.equal(answer.statusCode, 429, text);
    assert.ok(Number(answer.headers["retry-after"]) >= 1);
    assertMatches(JSON.parse(text), { status: "error", error: why, message: why });
  };

  const [shop, stranger] = ["203.0.113.1", "203.0.113.2"];
  const [first, second] = [await open(shop), await open(shop)];
  await assertRefused(shop, /have not logged in yet/);
  await logIn(await open(stranger));
  for (const socket of [first, second]) await logIn(socket);
  for (let count = 0; count < 3; count += 1) await logIn(await open(shop));
  await assertRefused(shop, /of this address are open/);
  first.close();
  await eventually(async () => {
    await logIn(await openOrFail(dial(shop)));
  });
  assert.equal(await relay.metric('relay_websockets_refused_total{bound="without login"'), 1);
  for (const socket of sockets) socket.terminate();
}

async function openOrFail(socket: WebSocket): Promise<WebSocket> {
  await once(socket, "open");
  return socket;
}

/** Look-ups whose callers hang up hold no place: neither of the caller nor at the terminal's home. */
async function abortedWaits(relay: Relay): Promise<void> {
  const { url } = relay.node;
  const [terminalId, uuid, partner] = [relay.terminalId(), relay.uuid(), relay.partner()];
  assert.equal((await partner.pay(terminalId, { uuid })).status, 200);
  const waitingBecomes = (count: number) => eventually(async () => assert.equal(await relay.metric("relay_waiting_lookups"), count));
  for (const path of [`/api/v1/${uuid}/uuid`, `/api/v1/${terminalId}/status`, `/api/v1/${uuid}/uuid`]) {
    const leaving = ["", ""].map(() => request(`${url}${path}?wait=${WAIT_SECONDS}`, { headers: { "API-Key": API_KEY }, agent: false }));
    for (const one of leaving) one.on("error", () => {}).end();
    await waitingBecomes(2);
    for (const one of leaving) one.destroy();
    await waitingBecomes(0);
  }
  const waits = [partner.uuid(uuid, WAIT_SECONDS), partner.status(terminalId, WAIT_SECONDS)];
  await waitingBecomes(2);
  assertMatches((await relay.fleet().take(terminalId)).body, { uuid });
  assert.equal((await relay.fleet().receipt(terminalId, { uuid, result: "OK" })).status, 200);
  for (const answer of await Promise.all(waits)) assertMatches(answer.body, { status: "ok", data: { uuid } });
}

async function waitsOfCaller(relay: Relay): Promise<void> {
  const [terminalId, uuid, partner, administrator] = [relay.terminalId(), relay.uuid(), relay.partner(), relay.administrator()];
  assert.equal((await partner.pay(terminalId, { uuid })).status, 200);
  const waitingBecomes = (count: number) => eventually(async () => assert.equal(await relay.metric("relay_waiting_lookups"), count));
  const waits = [partner.uuid(uuid, WAIT_SECONDS), partner.status(terminalId, WAIT_SECONDS)];
  await waitingBecomes(2);
  const startedMs = performance.now();
  for (const answer of [await partner.uuid(uuid, WAIT_SECONDS), await partner.status(terminalId, WAIT_SECONDS)])
    assertMatches(answer.body, { status: "ok", data: null, message: "no_content" });
  assert.ok(performance.now() - startedMs < WAIT_SECONDS * 500, "it waited");
  waits.push(administrator.uuid(uuid, WAIT_SECONDS));
  await waitingBecomes(3);
  assertMatches((await relay.fleet().take(terminalId)).body, { uuid });
  assert.equal((await relay.fleet().receipt(terminalId, { uuid, result: "OK" })).status, 200);
  for (const answer of await Promise.all(waits)) assertMatches(answer.body, { status: "ok", data: { uuid } });

  // What has waited makes room.
  const next = relay.uuid();
  assert.equal((await partner.pay(terminalId, { uuid: next })).status, 200);
  const again = [partner.uuid(next, WAIT_SECONDS), partner.uuid(next, WAIT_SECONDS)];
  await waitingBecomes(2);
  assert.equal((await partner.cancel(next)).status, 200);
  for (const answer of await Promise.all(again)) assert.equal(answer.status, 200);
}
