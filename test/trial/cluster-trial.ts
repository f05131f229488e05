/**
 * The trial that found results which turned to `unknown` 300 s after they had been acknowledged: whatever happens to nodes, Redis and Kafka, each acknowledged result
 * is `done` for good, no command reaches terminals twice, and ClickHouse has each result once. Run by run.ts.
 */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type ClusterWithOwnServers, startClusterWithOwnServers } from "../cluster/cluster-world.ts";
import { summary } from "../cluster/fault-world.ts";
import { type Course, History } from "../fault/history.ts";
import { fleetOf, Load } from "../fault/load.ts";
import { lookUp } from "../fault/look-up.ts";
import { RelayCaller } from "../fault/relay-caller.ts";
import { until } from "../fault/stored-once.ts";
import { seededRandom } from "../storage/kv/random.ts";
import { atEnd } from "../storage/kv/world.ts";
import { kafkaMissing } from "../support/node/kafka.ts";
import { redisMissing } from "../support/node/redis.ts";
import { inClickHouse } from "./in-clickhouse.ts";
import { readTrialOptions, type TrialOptions } from "./options.ts";

/** Nobody declares that it remembers uuids, so nothing may come twice. */
const FLEET = { poll: 20, websocket: 20, redelivering: 0, away: 0 };
const ANSWER_MS = 500;

/** A client gives up a node that does not answer for so long, and asks the next. */
const ANSWER_TIMEOUT_MS = 3_000;

/** Nodes that start, memberships that expire and a machine that is busy with both. */
const WORKS_AGAIN_MS = 120_000;
const IN_CLICKHOUSE_MS = 180_000;

/** Of a node, each time that it was killed. */
const STARTS_MAX = 5;

/** How often it is told that the trial still waits. */
const PROGRESS_MS = 60_000;

/** Of what was broken; the counts say how much there is. */
const TOLD_MAX = 1_000;

const options = readTrialOptions(process.argv.slice(2));
const missing = (await redisMissing()) || (await kafkaMissing());
it("each acknowledged result is done for good, nothing came twice, and ClickHouse has each once", { skip: missing }, async (test) => {
  await (await Trial.start(test, options)).run();
});

class Trial {
  readonly #options: TrialOptions;
  readonly #cluster: ClusterWithOwnServers;
  readonly #fleet = fleetOf(FLEET);
  readonly #history = new History(this.#fleet.redelivering);
  readonly #patient: RelayCaller;
  readonly #load: Load;
  readonly #startedMs = performance.now();

  private constructor(test: TestContext, options: TrialOptions, cluster: ClusterWithOwnServers) {
    this.#options = options;
    this.#cluster = cluster;
    const urls = cluster.nodes.map(({ url }) => url);
    const caller = new RelayCaller(urls, { answerTimeoutMs: ANSWER_TIMEOUT_MS });
    this.#patient = new RelayCaller(urls);
    this.#load = new Load({
      history: this.#history,
      fleet: this.#fleet,
      caller,
      url: cluster.balancerUrl,
      random: seededRandom(test),
      // As many as are under way where an answer takes a second.
      partners: options.perSecond,
      perSecond: options.perSecond,
      answerMs: ANSWER_MS,
    });
    atEnd(test, async () => {
      await this.#load.stop();
      await Promise.all([caller.close(), this.#patient.close()]);
    });
  }

  static async start(test: TestContext, options: TrialOptions): Promise<Trial> {
    const trial = new Trial(test, options, await startClusterWithOwnServers(test, { nodes: 3, proxiedNode: null }));
    await trial.#load.start();
    await trial.#everyTerminalWorks("three nodes over Redis, Kafka and ClickHouse");
    return trial;
  }

  async run(): Promise<void> {
    const { rounds, redisPauseSeconds, kafkaOutageSeconds, seconds } = this.#options;
    const { redis, kafka } = this.#cluster;
    for (let round = 1; round <= rounds; round += 1) {
      await this.#loaded(seconds);
      await this.#killAll();
      await this.#everyTerminalWorks(`all nodes killed with -9 and started at once, round ${round} of ${rounds}`);
    }
    if (redisPauseSeconds > 0) {
      await this.#loaded(seconds);
      redis.process.pause();
      await delay(redisPauseSeconds * 1_000).finally(() => redis.process.resume());
      await this.#everyTerminalWorks(`Redis stood still for ${redisPauseSeconds} s`);
    }
    if (kafkaOutageSeconds > 0) {
      await this.#loaded(seconds);
      await kafka.process.kill();
      await this.#loaded(kafkaOutageSeconds);
      await kafka.restart();
      await this.#everyTerminalWorks(`Kafka was away for ${kafkaOutageSeconds} s`);
    }
    await this.#loaded(seconds);
    await this.#settle();
    await this.#judge();
  }

  async #loaded(seconds: number): Promise<void> {
    await delay(seconds * 1_000);
  }

  async #killAll(): Promise<void> {
    const { nodes } = this.#cluster;
    await Promise.all(nodes.map((node) => node.kill()));
    await Promise.all(nodes.map((_, index) => this.#start(index)));
  }

  /** A node that cannot reach Redis in time ends with a message; who looks after nodes starts it again. */
  async #start(node: number): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#cluster.start(node);
      } catch (error) {
        if (attempt === STARTS_MAX) throw error;
        this.#tell(`node-${node} did not start, and is started again: ${error instanceof Error ? error.message.split("\n", 1)[0] : error}`);
      }
    }
  }

  async #everyTerminalWorks(after: string): Promise<void> {
    const sinceMs = performance.now();
    let left: ReadonlySet<string> = new Set(this.#fleet.terminals.keys());
    const holds = () => {
      left = this.#history.withoutResultSince(sinceMs, left);
      return left.size === 0;
    };
    await until("every terminal works", WORKS_AGAIN_MS, holds).catch((error: unknown) => {
      throw new Error(`these do not work after ${after}: ${[...left].join(", ")}`, { cause: error });
    });
    this.#tell(`${after}: every terminal works again after ${Math.round((performance.now() - sinceMs) / 100) / 10} s`);
  }

  /** Nothing new is paid. Terminals stay online, so that what came once more now would be seen. */
  async #settle(): Promise<void> {
    this.#load.stopPaying();
    await until("the result of everything that came to a terminal is acknowledged", WORKS_AGAIN_MS, () =>
      this.#courses().every(({ handedOutMs, postedMs }) => handedOutMs.length === 0 || postedMs !== null),
    );
    const endMs = performance.now() + this.#options.settleSeconds * 1_000;
    for (let leftMs = endMs - performance.now(); leftMs >= 1_000; leftMs = endMs - performance.now()) {
      this.#tell(`looked at in ${Math.round(leftMs / 1_000)} s`);
      await delay(Math.min(PROGRESS_MS, leftMs));
    }
  }

  async #judge(): Promise<void> {
    const history = this.#history;
    const courses = this.#courses();
    await this.#load.stop();
    await lookUp(this.#patient, history, courses, WORKS_AGAIN_MS);
    history.finish();
    const posted = courses.filter(({ postedMs }) => postedMs !== null);
    const found = await inClickHouse(this.#cluster.clickhouse.url, posted, IN_CLICKHOUSE_MS);
    const broken = [...history.violations, ...found.broken];
    for (const what of broken.slice(0, TOLD_MAX)) console.log(`BROKEN ${what}`);
    this.#tell(`commands by how they ended: ${found.states}; ${broken.length} promises broken`);
    assert.equal(broken.length, 0, `${broken.length} promises broken; their uuids stand above`);
    assert.ok(posted.length > 0, "there was no result at all");
  }

  #courses(): Course[] {
    return [...this.#history.courses.values()];
  }

  #tell(what: string): void {
    const seconds = (performance.now() - this.#startedMs) / 1_000;
    const perSecond = (this.#history.courses.size / seconds).toFixed(1);
    console.log(`${seconds.toFixed(0).padStart(5)} s  ${what}\n         ${summary(this.#courses())}; ${perSecond} pays a second so far`);
  }
}
