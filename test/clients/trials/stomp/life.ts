import assert from "node:assert/strict";
import { assertMatches, member } from "../../../support/http/matches.ts";
import { Relay } from "../../../support/node/relay.ts";
import { webSocketUrl } from "../../../support/people/stomp-terminal.ts";
import { eventually, within } from "../../../support/within.ts";
import { shared } from "../shared.ts";

/** What a program is told, in this order, as its arguments. */
export interface TerminalTask {
  url: string;
  login: string;
  passcode: string;
  pauseSeconds: number;
}

/**
 * A terminal of some library. It is refused with a wrong passcode; connects, subscribes with `client-individual`, takes a command, acknowledges it, posts its
 * result and disconnects; after the pause it does the same again, and posts a result that cannot be read. Resolves with `refusal` (what it was told of the
 * wrong passcode), `error` (the code of the ERROR) and `errorText` (its body).
 */
export type TerminalProgram = (task: TerminalTask) => Promise<unknown>;

const PAUSE_SECONDS = 2;
const LIFE_MS = 90_000;

const startedRelay = shared(async () => {
  const relay = new Relay({ shards: 1, environment: {} });
  await relay.start();
  return relay;
});

/** Pays twice on such a terminal. Before the second payment it is left alone for `idleMs`: longer than twice its heart-beat, it is kept by them. */
export async function payOn(program: TerminalProgram, { idleMs }: { idleMs: number }): Promise<void> {
  const relay = await startedRelay();
  const [terminalId, partner] = [relay.terminalId(), relay.partner()];
  const url = webSocketUrl(relay.node.url);
  const ended = program({ url, login: terminalId, passcode: await relay.password(terminalId), pauseSeconds: PAUSE_SECONDS });
  const pay = async () => {
    const uuid = relay.uuid();
    assertMatches(await partner.pay(terminalId, { uuid }), { status: 200, body: { message: /sent/ } });
    await eventually(async () => assertMatches((await partner.status(terminalId)).body, { status: "ok", data: { uuid, status: "OK" } }));
    assertMatches((await partner.life(uuid)).body, { data: { state: "done", attempt: 1 } });
  };
  const online = { connectionStatus: "ONLINE", connectionType: "WEBSOCKET", sessions: 1 };
  const drive = async () => {
    await subscribed(relay, terminalId);
    await pay();
    await relay.connectionBecomes(terminalId, { connectionStatus: "OFFLINE" });
    await subscribed(relay, terminalId);
    const { connectedSince } = member((await partner.connection(terminalId)).body, "data") as { connectedSince: string };
    await new Promise((resolve) => setTimeout(resolve, idleMs));
    assertMatches((await partner.connection(terminalId)).body, { data: { ...online, connectedSince } });
    await pay();
  };
  const [told] = await within("the terminal's life", Promise.all([ended, drive()]), LIFE_MS);
  assert.match(String(member(told, "refusal")), /login or passcode is wrong/);
  assert.equal(member(told, "error"), "invalid_request");
  assert.match(String(member(told, "errorText")), /did not execute SEND/);
  await relay.connectionBecomes(terminalId, { connectionStatus: "OFFLINE" });
}

/** A client that tries its disconnecting first comes and goes until then; it subscribes only to be paid. */
async function subscribed(relay: Relay, terminalId: string): Promise<void> {
  await relay.connectionBecomes(terminalId, { connectionStatus: "ONLINE", sessions: 1 });
}
