import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { CREDENTIALS, HttpClient } from "./http-client.ts";
import { assertMatches, textMember } from "./matches.ts";
import { basic, startTestNode, type TestNode } from "./node.ts";
import { connectStomp, type ReceivedCommand, type StompOptions, type StompTerminal } from "./stomp-terminal.ts";
import { eventually, type Inbox } from "./within.ts";

/** A connected terminal and what comes on its own topic. */
export interface OnlineTerminal extends StompTerminal {
  commands: Inbox<ReceivedCommand>;
}

/**
 * The node that scenarios share. Each test has its own world in it: fresh terminals, uuids and callers, each caller with an
 * address of its own (127.x.y.z), because rate limits count addresses.
 */
export class Relay {
  readonly shards: number;
  readonly #environment: { [name: string]: string };
  readonly #terminals: StompTerminal[] = [];
  #node: TestNode | null = null;
  #names = 0;
  #addresses = 0;

  constructor(shards: number, environment: { [name: string]: string }) {
    this.shards = shards;
    this.#environment = environment;
  }

  get node(): TestNode {
    assert.ok(this.#node, "the node has not started");
    return this.#node;
  }

  async start(): Promise<void> {
    this.#node = await startTestNode({ RELAY_SHARDS: String(this.shards), ...this.#environment });
  }

  async stop(): Promise<void> {
    await this.#node?.stop();
    this.#node = null;
  }

  /** Stops the node and starts it again on the same folder. */
  async restart(): Promise<void> {
    this.#node = await this.node.restart();
  }

  advance(ms: number): void {
    this.node.advance(ms);
  }

  /** A terminal id that no other test has; they are at home on all shards in turn of their hash. */
  terminalId(): string {
    this.#names += 1;
    return `T${String(this.#names).padStart(4, "0")}`;
  }

  uuid(): string {
    return randomUUID();
  }

  /** A caller at an address that nobody else has. */
  client(headers: { [name: string]: string }): HttpClient {
    this.#addresses += 1;
    const address = `127.7.${this.#addresses >> 8}.${this.#addresses & 255}`;
    return new HttpClient(() => this.node.url, headers, address);
  }

  partner = () => this.client(CREDENTIALS.partner);
  administrator = () => this.client(CREDENTIALS.administrator);
  fleet = () => this.client(CREDENTIALS.fleet);
  nobody = () => this.client(CREDENTIALS.nobody);

  /** The derived password of a terminal, as its administrator would copy it. */
  async password(terminalId: string): Promise<string> {
    const answer = await this.administrator().get(`/admin/terminals/${terminalId}/credentials`);
    return textMember(answer.body, "data", "password");
  }

  /** A terminal that logs in over HTTP as itself. */
  async terminal(terminalId: string): Promise<HttpClient> {
    return this.client({ authorization: basic(terminalId, await this.password(terminalId)) });
  }

  /** A STOMP session, ended after the test. */
  async connect(options: StompOptions = {}): Promise<StompTerminal> {
    const terminal = await connectStomp(this.node.url, options);
    this.#terminals.push(terminal);
    return terminal;
  }

  /** A terminal with its own login, subscribed to its own topic and known to be there. */
  async online(terminalId: string, headers: { [name: string]: string } = {}, options: StompOptions = {}): Promise<OnlineTerminal> {
    const before = await this.#sessions(terminalId);
    const terminal = await this.connect({ login: terminalId, passcode: await this.password(terminalId), ...options });
    const commands = await terminal.subscribe(terminalId, headers);
    await eventually(async () => assert.equal(await this.#sessions(terminalId), before + 1));
    return { ...terminal, commands };
  }

  async #sessions(terminalId: string): Promise<number> {
    const answer = await this.administrator().connection(terminalId);
    assert.equal(answer.status, 200, answer.text);
    return (answer.body as { data: { sessions: number } }).data.sessions;
  }

  /** A value of `GET /metrics`: the sum over the series that begin with `name`. */
  async metric(name: string): Promise<number> {
    const { text } = await this.nobody().get("/metrics");
    const series = text.split("\n").filter((line) => line.startsWith(name));
    assert.ok(series.length > 0, `there is no metric ${name}`);
    return series.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
  }

  /** Items of `GET /admin/attention` about a terminal. */
  async attention(terminalId: string): Promise<unknown[]> {
    const items: unknown[] = [];
    for (let after = ""; ; ) {
      const answer = await this.administrator().get(`/admin/attention?limit=500&after=${encodeURIComponent(after)}`);
      assert.equal(answer.status, 200, answer.text);
      const page = (answer.body as { data: { id: string; terminalId: string }[] }).data;
      items.push(...page.filter((item) => item.terminalId === terminalId));
      const last = page.at(-1);
      if (page.length < 500 || last === undefined) return items;
      after = last.id;
    }
  }

  /** Waits until a command's life is as told. */
  async lifeBecomes(uuid: string, expected: { [member: string]: unknown }): Promise<void> {
    const administrator = this.administrator();
    await eventually(async () => assertMatches((await administrator.life(uuid)).body, { status: "ok", data: expected }));
  }

  /** Waits until the connection check answers as told. */
  async connectionBecomes(terminalId: string, expected: { [member: string]: unknown }): Promise<void> {
    const administrator = this.administrator();
    await eventually(async () => assertMatches((await administrator.connection(terminalId)).body, { status: "ok", data: expected }));
  }

  async leaveAll(): Promise<void> {
    await Promise.all(this.#terminals.splice(0).map(({ client }) => client.deactivate({ force: true })));
  }
}
