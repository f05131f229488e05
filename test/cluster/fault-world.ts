import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type ClickHouseAddress, connectClickHouse } from "../../storage/clickhouse/client.ts";
import { type Course, History } from "../fault/history.ts";
import { type Fleet, fleetOf, Load } from "../fault/load.ts";
import { lookUp } from "../fault/look-up.ts";
import { RelayCaller } from "../fault/relay-caller.ts";
import { assertInClickHouseOnce, assertListedOnce, until } from "../fault/stored-once.ts";
import { ANALYST } from "../storage/clickhouse/clickhouse-world.ts";
import { seededRandom } from "../storage/kv/random.ts";
import { atEnd } from "../storage/kv/world.ts";
import type { HttpClient } from "../support/http/http-client.ts";
import { textMember } from "../support/http/matches.ts";
import { connectStomp, type StompTerminal } from "../support/people/stomp-terminal.ts";
import { eventually, Inbox } from "../support/within.ts";
import { type ClusterWithOwnServers, startClusterWithOwnServers } from "./cluster-world.ts";

/** A client gives up a node that does not answer for so long, and asks the next. */
export const ANSWER_TIMEOUT_MS = 3_000;
const PARTNERS = 6;
const PARTNER_PAUSE_MS = 90;

/** How long a fault may be felt: a membership expires after 6 s, and here all share two cores with other tests. */
const WORKS_AGAIN_MS = 30_000;
/** Of each node's log, where a fault was not survived. */
const LOG_CHARS = 4_000;
const IN_CLICKHOUSE_MS = 60_000;
const LOOKED_UP_EACH_FAULT = 400;

/** A terminal whose home and whose session's node are chosen. Everything that comes to it is recorded. */
export interface Probe {
  readonly terminalId: string;
  readonly terminal: StompTerminal;
  /** Uuids in the order in which they came, on this connection and those that took its place. */
  readonly came: string[];
  next(): Promise<string>;
  /** Connects again, to another node. */
  moveTo(node: number): Promise<void>;
}

/** Three nodes under a load that never stops, and the history of all that partners and terminals saw. */
export class FaultWorld {
  readonly cluster: ClusterWithOwnServers;
  readonly history: History;
  readonly fleet: Fleet;
  readonly caller: RelayCaller;
  /** Asks what happened when everything works again: an answer may take as long as a busy machine does. */
  readonly patient: RelayCaller;
  readonly load: Load;
  #probes = 0;
  readonly #test: TestContext;

  private constructor(test: TestContext, cluster: ClusterWithOwnServers) {
    const random = seededRandom(test);
    this.#test = test;
    this.cluster = cluster;
    this.fleet = fleetOf({ poll: 8, websocket: 6, redelivering: 4, away: 2 });
    this.history = new History(this.fleet.redelivering);
    const urls = cluster.nodes.map(({ url }) => url);
    this.caller = new RelayCaller(urls, { answerTimeoutMs: ANSWER_TIMEOUT_MS });
    this.patient = new RelayCaller(urls);
    const { history, fleet, caller } = this;
    const url = cluster.balancerUrl;
    this.load = new Load({ history, fleet, caller, url, random, partners: PARTNERS, pauseMs: PARTNER_PAUSE_MS });
  }

  static async start(test: TestContext): Promise<FaultWorld> {
    const world = new FaultWorld(test, await startClusterWithOwnServers(test, { nodes: 3 }));
    atEnd(test, async () => {
      await world.load.stop();
      await Promise.all([world.caller.close(), world.patient.close()]);
    });
    await world.load.start();
    await world.everyTerminalWorks();
    return world;
  }

  /** Practises a fault as a test of its own: afterwards everything works again, and nothing was answered that contradicts what was before. */
  async fault(name: string, practise: (test: TestContext) => Promise<void>): Promise<void> {
    await this.#test.test(name, async (test) => {
      const before = this.history.violations.length;
      const courses = this.history.courses.size;
      try {
        await practise(test);
        await this.everyTerminalWorks();
      } catch (error) {
        for (const [index, node] of this.cluster.nodes.entries()) test.diagnostic(`node-${index}: ${node.output().slice(-LOG_CHARS)}`);
        throw error;
      }
      await lookUp(this.patient, this.history, [...this.history.courses.values()].slice(-LOOKED_UP_EACH_FAULT), WORKS_AGAIN_MS);
      this.assertNothingViolatedSince(before);
      test.diagnostic(`${this.history.courses.size - courses} pays meanwhile`);
    });
  }

  assertNothingViolatedSince(before: number): void {
    const since = this.history.violations.slice(before);
    assert.deepEqual(since.slice(0, 5), [], `${since.length} contradictions`);
  }

  /** Waits until each terminal of the fleet has carried out a command that was paid after this call. Answers how long the last one took. */
  async everyTerminalWorks(withinMs = WORKS_AGAIN_MS): Promise<number> {
    const sinceMs = performance.now();
    const working = [...this.fleet.terminals].filter(([, link]) => link !== "away").map(([terminalId]) => terminalId);
    let left: ReadonlySet<string> = new Set(working);
    await until(`every terminal works (${this.history.violations.length} contradictions so far)`, withinMs, () => {
      left = this.history.withoutResultSince(sinceMs, left);
      return left.size === 0;
    }).catch(async (error: unknown) => {
      throw new Error(`these do not work: ${(await Promise.all([...left].map((id) => this.#described(id)))).join("\n")}`, { cause: error });
    });
    return performance.now() - sinceMs;
  }

  /** What the nodes say of a terminal and its last commands. */
  async #described(terminalId: string): Promise<string> {
    const administrator = this.cluster.caller("balancer", "administrator");
    const courses = [...this.history.courses.values()].filter((course) => course.terminalId === terminalId).slice(-3);
    const lives = await Promise.all(courses.map(async ({ uuid }) => textOf(await administrator.life(uuid).catch(String))));
    const seen = await administrator.get(`/admin/terminals/${terminalId}`).catch(String);
    return [`${terminalId} at home at node-${this.cluster.homeOf(terminalId)}`, textOf(seen), ...lives].join("\n");
  }

  /** Waits until a node takes requests (again). */
  async ready(node: number): Promise<void> {
    const caller = this.cluster.caller(node, "nobody");
    await until(`node-${node} is ready`, WORKS_AGAIN_MS, async () => {
      const answer = await Promise.race([caller.get("/health/ready").catch(() => null), delay(ANSWER_TIMEOUT_MS, null)]);
      return answer?.status === 200;
    });
  }

  /** A result that was just acknowledged is listed, whoever is away. */
  async assertListsNewResults(): Promise<void> {
    const sinceMs = performance.now();
    const fresh = () => [...this.history.courses.values()].find(({ outcome, postedMs }) => outcome === "OK" && (postedMs ?? 0) > sinceMs);
    await until("a new result", WORKS_AGAIN_MS, () => fresh() !== undefined);
    const course = fresh();
    const answer = await this.cluster.caller(0, "partner").get(`/api/v1/${course?.terminalId}/transactions`);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.text.includes(course?.uuid ?? "?"), true, `${course?.uuid} is not listed`);
  }

  /** Waits until all results that are acknowledged by now are in the view of the analysts. */
  async everythingIsInClickHouse(): Promise<void> {
    const posted = [...this.history.courses.values()].filter(({ postedMs }) => postedMs !== null).map(({ uuid }) => uuid);
    const client = connectClickHouse(this.#analyst());
    try {
      await until("all results are in ClickHouse", IN_CLICKHOUSE_MS, async () => {
        const result = await client.query({ query: "SELECT uuid FROM relay.transactions_final", format: "JSONEachRow" }).catch(() => null);
        if (result === null) return false;
        const there = new Set((await result.json<{ uuid: string }>()).map(({ uuid }) => uuid));
        return posted.every((uuid) => there.has(uuid));
      });
    } finally {
      await client.close();
    }
  }

  #analyst(): ClickHouseAddress {
    return { url: new URL(this.cluster.clickhouse.url).origin, ...ANALYST };
  }

  /** A terminal at home at one node (while all are there) with its session at another. */
  async probe(home: number, sessionAt: number): Promise<Probe> {
    const { cluster } = this;
    // After a fault a node's membership may just have expired: then it lets nobody in for a moment.
    await this.ready(sessionAt);
    let terminalId = "";
    do {
      this.#probes += 1;
      terminalId = `probe-${this.#probes}`;
    } while (cluster.homeOf(terminalId) !== home);
    const came: string[] = [];
    const inbox = new Inbox<string>(`a command for ${terminalId}`);
    const connect = async (node: number): Promise<StompTerminal> => {
      const terminal = await connectStomp(cluster.nodes[node]?.url ?? "", { login: "terminal", passcode: "terminal" });
      atEnd(this.#test, () => terminal.client.deactivate({ force: true }));
      terminal.client.subscribe(`/topic/terminal/${terminalId}`, (message) => {
        const uuid = textMember(JSON.parse(message.body), "uuid");
        came.push(uuid);
        inbox.add(uuid);
      });
      const live = cluster.caller(node, "administrator");
      await eventually(async () => {
        const answer = await live.connection(terminalId);
        assert.equal(textMember(answer.body, "data", "connectionStatus"), "ONLINE");
        assert.equal(textMember(answer.body, "data", "server"), `node-${node}`);
      }, WORKS_AGAIN_MS);
      return terminal;
    };
    const probe = {
      terminalId,
      terminal: await connect(sessionAt),
      came,
      next: () => inbox.next(),
      moveTo: async (node: number) => {
        probe.terminal = await connect(node);
      },
    };
    return probe;
  }

  /** Pays until it is accepted; answers the uuid. A 503 or no answer at all is asked again with the same uuid. */
  async pays(partner: HttpClient, terminalId: string, withinMs = WORKS_AGAIN_MS): Promise<string> {
    const uuid = randomUUID();
    let answered = "nothing";
    let unanswered = 0;
    await until(`a pay for ${terminalId} is accepted`, withinMs, async () => {
      const answer = await Promise.race([partner.pay(terminalId, { uuid }).catch(() => null), delay(ANSWER_TIMEOUT_MS, null)]);
      answered = answer === null ? "nothing" : `${answer.status} ${answer.text}`;
      if (answer?.status === 200) return true;
      if (answer?.status === 400 && unanswered > 0 && answered.includes("already processed")) return true;
      assert.equal(answer === null || answer.status === 503, true, answered);
      unanswered += 1;
      return false;
    });
    return uuid;
  }

  /** Ends the load and looks at everything that was ever answered. */
  async finish(test: TestContext): Promise<void> {
    const { history, load, cluster, patient } = this;
    load.stopPaying();
    const courses = [...history.courses.values()];
    await until("the result of everything that was handed out is acknowledged", WORKS_AGAIN_MS, () =>
      courses.every(({ handedOutMs, postedMs }) => handedOutMs.length === 0 || postedMs !== null),
    );
    await load.stop();
    await lookUp(patient, history, courses, WORKS_AGAIN_MS);
    history.finish();
    this.assertNothingViolatedSince(0);
    for (const node of cluster.nodes) assert.doesNotMatch(node.output(), /TypeError|ReferenceError|RangeError/);
    const posted = courses.filter(({ postedMs }) => postedMs !== null);
    test.diagnostic(summary(courses));
    assert.ok(posted.length > 500, `only ${posted.length} results`);
    await assertListedOnce(patient, this.fleet.terminals.keys(), posted);
    const elsewhere = (terminalId: string) => !this.fleet.terminals.has(terminalId);
    await assertInClickHouseOnce(this.#analyst(), posted, IN_CLICKHOUSE_MS, elsewhere);
  }
}

function textOf(answer: { text: string } | string): string {
  return typeof answer === "string" ? answer : answer.text;
}

/** What came of these pays, in figures. */
export function summary(courses: readonly Course[]): string {
  const count = (holds: (course: Course) => boolean) => courses.filter(holds).length;
  return [
    `${courses.length} pays`,
    `${count(({ acceptedMs }) => acceptedMs !== null)} accepted`,
    `${count(({ unanswered }) => unanswered > 0)} without an answer at first`,
    `${count(({ refused }) => refused)} refused`,
    `${count(({ handedOutMs }) => handedOutMs.length > 0)} handed out`,
    `${count(({ postedMs }) => postedMs !== null)} results`,
    `${count(({ expiredMs }) => expiredMs !== null)} seen expired`,
  ].join(", ");
}
