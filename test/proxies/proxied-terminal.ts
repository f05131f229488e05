import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { atEnd } from "../storage/kv/world.ts";
import { assertMatches, member } from "../support/http/matches.ts";
import { connectStomp, type ReceivedCommand, type StompTerminal } from "../support/people/stomp-terminal.ts";
import type { Inbox } from "../support/within.ts";
import type { ProxiedRelay } from "./behind-proxy.ts";

/** The interval of a terminal's heart-beats: the relay asks for none that are more frequent, and ends a session that is silent for twice as long. */
const HEART_BEAT_MS = 10_000;

/** A terminal on WebSocket behind the proxy. */
export class ProxiedTerminal {
  readonly id: string;
  readonly #stomp: StompTerminal;
  readonly #commands: Inbox<ReceivedCommand>;
  readonly #relay: ProxiedRelay;
  #heardMs = performance.now();

  private constructor(id: string, stomp: StompTerminal, commands: Inbox<ReceivedCommand>, relay: ProxiedRelay) {
    this.id = id;
    this.#stomp = stomp;
    this.#commands = commands;
    this.#relay = relay;
  }

  static async connect(test: TestContext, relay: ProxiedRelay, id: string): Promise<ProxiedTerminal> {
    const beats = { heartbeatIncoming: HEART_BEAT_MS, heartbeatOutgoing: HEART_BEAT_MS };
    const stomp = await connectStomp(relay.proxy.url, { login: "terminal", passcode: "terminal", ...beats });
    atEnd(test, () => stomp.client.deactivate());
    return new ProxiedTerminal(id, stomp, await stomp.subscribe(id), relay);
  }

  /** Index of the node that holds its session. */
  async node(): Promise<number> {
    const { body, text } = await this.#relay.caller("partner").connection(this.id);
    assertMatches(body, { data: { connectionStatus: "ONLINE", connected: true, sessions: 1 } }, text);
    return Number(/^node-(\d)$/.exec(String(member(body, "data", "server")))?.[1]);
  }

  /** Is paid on, and posts the result. */
  async isPaidOn(): Promise<void> {
    const uuid = randomUUID();
    const partner = this.#relay.caller("partner");
    const paid = await partner.pay(this.id, { uuid });
    assert.equal(paid.status, 200, paid.text);
    assert.equal((await this.#commands.next()).command["uuid"], uuid);
    await this.#stomp.result(this.id, { uuid, result: "OK", amount: 1_050 });
    assertMatches((await partner.life(uuid)).body, { data: { state: "done", result: "OK" } });
    this.#heardMs = performance.now();
  }

  /** For longer than a session may be silent nothing but heart-beats pass, and it is still the same session. */
  async isKeptByHeartBeats(): Promise<void> {
    await delay(Math.max(0, this.#heardMs + 2.5 * HEART_BEAT_MS - performance.now()));
    assert.deepEqual(this.#stomp.closes.waiting, []);
    const { body } = await this.#relay.caller("partner").connection(this.id);
    assertMatches(body, { data: { connectionStatus: "ONLINE", connected: true, sessions: 1 } });
    const silentMs = Date.now() - Date.parse(String(member(body, "data", "lastActivity")));
    assert.ok(silentMs < 1.5 * HEART_BEAT_MS, `the relay has heard nothing for ${silentMs} ms`);
  }
}
