import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { createClock, createClockShift, shiftClock } from "../../../infra/node/boot/clock.ts";
import { readAnalystAccess } from "../../../storage/clickhouse/analyst-access.ts";
import type { ClickHouseAddress } from "../../../storage/clickhouse/client.ts";
import { CREDENTIALS, HttpClient } from "../http/http-client.ts";
import { assertMatches, textMember } from "../http/matches.ts";
import { connectStomp, type ReceivedCommand, type StompOptions, type StompTerminal } from "../people/stomp-terminal.ts";
import { eventually, type Inbox } from "../within.ts";
import { basic, startTestNode, type TestNode } from "./node.ts";

/** A connected terminal and the commands on its own topic. */
export interface OnlineTerminal extends StompTerminal {
  commands: Inbox<ReceivedCommand>;
}

/**
 * Counts the terminals of all relays in this process, since those in a cluster share a ClickHouse.
 */
let names = 0;

/**
 * After a lost hint the sweep finds a command within a second. The remaining time is for a busy
 * machine.
 */
const HEARS_WITHIN_MS = 10_000;

/** The servers that the nodes of a cluster share, for the scenarios. */
export interface ClusterServers {
  /** RELAY_ names that make a node a member. */
  environment: { readonly [name: string]: string };
  analyst: ClickHouseAddress;
  /** The folders in which the servers store the nodes' data. */
  dataDirectories: readonly string[];
}

export interface RelayOptions {
  /** Number of shards in each node. */
  shards: number;
  environment: { [name: string]: string };
  /** Several nodes with these servers; a single node if absent. */
  cluster?: { nodes: number; servers: () => ClusterServers };
}

/**
 * The node or nodes that scenarios share. Each test has its own terminals, uuids and callers. Each
 * caller has its own address (127.x.y.z), because rate limits count addresses. With several nodes,
 * each caller and each session uses the next one in turn.
 */
export class Relay {
  readonly shards: number;
  readonly #options: RelayOptions;
  readonly #terminals: StompTerminal[] = [];
  readonly #clock = createClockShift();
  #nodes: TestNode[] = [];
  #addresses = 0;
  #turn = 0;

  constructor(options: RelayOptions) {
    this.shards = options.shards;
    this.#options = options;
  }

  /** Whether there are several nodes. */
  get clustered(): boolean {
    return this.#options.cluster !== undefined;
  }

  /** Matches the node of a session in the connection record. */
  readonly server = /^test-node(-\d)?$/;

  /** Returns the next node in turn. */
  get node(): TestNode {
    this.#turn += 1;
    return this.#nodeOf(this.#turn);
  }

  #nodeOf(turn: number): TestNode {
    const node = this.#nodes[turn % this.#nodes.length];
    assert.ok(node, "the node has not started");
    return node;
  }

  async start(): Promise<void> {
    const { cluster, environment } = this.#options;
    const own = { RELAY_SHARDS: String(this.shards), ...cluster?.servers().environment, ...environment };
    const starting =
      cluster === undefined
        ? [startTestNode(own, undefined, this.#clock)]
        : Array.from({ length: cluster.nodes }, (_, index) =>
            startTestNode({ RELAY_NODE_ID: `test-node-${index}`, ...own }, undefined, this.#clock),
          );
    const started = await Promise.allSettled(starting);
    this.#nodes = started.flatMap((node) => (node.status === "fulfilled" ? [node.value] : []));
    for (const node of started) if (node.status === "rejected") throw node.reason;
    try {
      await this.#knowEachOther();
    } catch (error) {
      // A node that is not stopped keeps the test's process alive.
      await this.stop();
      throw error;
    }
  }

  /** A node has started as soon as it is a member. It learns of the other nodes a moment later. */
  async #knowEachOther(): Promise<void> {
    if (!this.clustered) return;
    const count = this.#nodes.length;
    await eventually(async () => assert.equal(await this.metric("relay_cluster_nodes"), count * count));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#nodes.splice(0).map((node) => node.stop()));
  }

  /**
   * Stops every node and starts it again on the same folder, which `whileStopped` may read, with
   * these RELAY_ names changed.
   */
  async restart(whileStopped?: (dataDirectory: string) => Promise<void>, changes: { [name: string]: string } = {}): Promise<void> {
    const restarted = await Promise.allSettled(this.#nodes.map((node) => node.restart(whileStopped, changes)));
    // The nodes that did start are stopped in the end, whatever happened to the others, since a
    // running node keeps the test's process alive.
    this.#nodes = restarted.flatMap((node) => (node.status === "fulfilled" ? [node.value] : []));
    for (const node of restarted) if (node.status === "rejected") throw node.reason;
    await this.#knowEachOther();
  }

  /** Returns the time of all nodes. */
  nowMs(): number {
    return createClock(this.#clock).nowMs();
  }

  /** Moves the clocks of all nodes. */
  advance(ms: number): void {
    shiftClock(this.#clock, ms);
  }

  /** Resolves when every node has its ClickHouse. */
  async clickhouse(): Promise<void> {
    for (const node of this.#nodes) assert.notEqual(await node.clickhouse, null, "ClickHouse does not run here");
  }

  /** Returns the ClickHouse for analysts. */
  async analyst(): Promise<ClickHouseAddress> {
    const { cluster } = this.#options;
    if (cluster !== undefined) return cluster.servers().analyst;
    const address = await readAnalystAccess(this.node.dataDirectory);
    assert.ok(address !== null, "the node says nowhere where its ClickHouse is");
    return address;
  }

  /** Returns every folder that may contain data of the relay. */
  dataDirectories(): string[] {
    return [...this.#nodes.map((node) => node.dataDirectory), ...(this.#options.cluster?.servers().dataDirectories ?? [])];
  }

  /** Returns the folders in which the nodes store packages of app versions. */
  packageDirectories(): string[] {
    const { cluster } = this.#options;
    if (cluster === undefined) return this.#nodes.map((node) => join(node.dataDirectory, "packages"));
    return [cluster.servers().environment["RELAY_PACKAGE_DIR"] ?? ""];
  }

  /** Returns a terminal id that no other test has. The hash distributes the ids over all shards. */
  terminalId(): string {
    names += 1;
    return `T${String(names).padStart(4, "0")}`;
  }

  uuid(): string {
    return randomUUID();
  }

  /** Returns a caller with an unused address. */
  client(headers: { [name: string]: string }): HttpClient {
    this.#addresses += 1;
    const address = `127.7.${this.#addresses >> 8}.${this.#addresses & 255}`;
    this.#turn += 1;
    const turn = this.#turn;
    const hearsWithinMs = this.#options.cluster === undefined ? 0 : HEARS_WITHIN_MS;
    return new HttpClient(() => this.#nodeOf(turn).url, headers, address, hearsWithinMs);
  }

  partner = () => this.client(CREDENTIALS.partner);
  administrator = () => this.client(CREDENTIALS.administrator);
  fleet = () => this.client(CREDENTIALS.fleet);
  nobody = () => this.client(CREDENTIALS.nobody);

  /** Returns the derived password of a terminal, like its administrator copies it. */
  async password(terminalId: string): Promise<string> {
    const answer = await this.administrator().get(`/admin/terminals/${terminalId}/credentials`);
    return textMember(answer.body, "data", "password");
  }

  /** Returns a terminal that logs in over HTTP as itself. */
  async terminal(terminalId: string): Promise<HttpClient> {
    return this.client({ authorization: basic(terminalId, await this.password(terminalId)) });
  }

  /** Opens a STOMP session, which ends after the test. */
  async connect(options: StompOptions = {}): Promise<StompTerminal> {
    const terminal = await connectStomp(this.node.url, options);
    this.#terminals.push(terminal);
    return terminal;
  }

  /**
   * Connects a terminal with its own login and a subscription of its own topic. Resolves when the
   * relay knows of it.
   */
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

  /**
   * Returns a value of `GET /metrics`: the sum of the series that begin with `name`, over all
   * nodes.
   */
  async metric(name: string): Promise<number> {
    const token = this.#options.environment["RELAY_METRICS_TOKEN"];
    const headers: { [name: string]: string } = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const texts = await Promise.all(this.#nodes.map(async ({ url }) => (await fetch(`${url}/metrics`, { headers })).text()));
    const series = texts.flatMap((text) => text.split("\n")).filter((line) => line.startsWith(name));
    assert.ok(series.length > 0, `there is no metric ${name}`);
    return series.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
  }

  /** Returns the items of `GET /admin/attention` about a terminal. */
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

  /** Waits until a command's life matches `expected`. */
  async lifeBecomes(uuid: string, expected: { [member: string]: unknown }): Promise<void> {
    const administrator = this.administrator();
    await eventually(async () => assertMatches((await administrator.life(uuid)).body, { status: "ok", data: expected }));
  }

  /** Waits until the connection check matches `expected`. */
  async connectionBecomes(terminalId: string, expected: { [member: string]: unknown }): Promise<void> {
    const administrator = this.administrator();
    await eventually(async () => assertMatches((await administrator.connection(terminalId)).body, { status: "ok", data: expected }));
  }

  async leaveAll(): Promise<void> {
    await Promise.all(this.#terminals.splice(0).map(({ client }) => client.deactivate({ force: true })));
  }
}
