import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Refusals } from "../../../bench/deployment/refusals.ts";
import { clientOf } from "../../storage/kv/redis-world.ts";
import { type Answer, CREDENTIALS, HttpClient } from "../../support/http/http-client.ts";
import { listOf, member } from "../../support/http/matches.ts";
import { kafkaMissing } from "../../support/node/kafka.ts";
import { redisMissing } from "../../support/node/redis.ts";
import { clusterOfSuite, type TestCluster } from "../cluster-world.ts";

const missing = (await redisMissing()) || (await kafkaMissing());

type Request = (client: HttpClient) => Promise<Answer>;

/** A request with the moments between which it was decided. */
interface Decided {
  sentAt: number;
  answeredAt: number;
}

/** One client's requests at one node, at their times. */
class Sender {
  readonly #clients: HttpClient[];
  readonly admitted: Decided[] = [];
  readonly refusals: Decided[] = [];
  readonly #underWay: Promise<void>[] = [];

  /** All of them come from one address. */
  constructor(cluster: TestCluster, address: string, credential: "fleet" | "partner" = "fleet") {
    this.#clients = cluster.nodes.map((node) => new HttpClient(() => node.url, CREDENTIALS[credential], address));
  }

  send(request: Request, node: number): void {
    const client = this.#clients[node % this.#clients.length];
    if (client === undefined) throw new Error(`there is no node ${node}`);
    const sentAt = performance.now();
    this.#underWay.push(
      request(client).then(({ status }) => {
        (status === 429 ? this.refusals : this.admitted).push({ sentAt, answeredAt: performance.now() });
        // 503: on a busy machine Redis answers too late, after the limit admitted the request.
        assert.ok(status === 429 || status === 503 || status < 300, `answered ${status}`);
      }),
    );
  }

  /** Sends `perSecond` requests a second for some seconds, over all nodes in turn. */
  async steadily(request: Request, perSecond: number, seconds: number): Promise<void> {
    const startedAt = performance.now();
    for (let sent = 0; sent < perSecond * seconds; sent += 1) {
      const dueAt = startedAt + (sent * 1_000) / perSecond;
      if (dueAt > performance.now()) await delay(dueAt - performance.now());
      this.send(request, sent);
    }
    await Promise.all(this.#underWay);
  }

  async done(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /**
   * For each refusal how many requests were admitted in the second before it, at the most: on a machine that is too busy to send and answer at
   * once it is not known exactly when a request was decided.
   */
  admittedBeforeRefusals(): number[] {
    return this.refusals.map(
      (refusal) =>
        this.admitted.filter(({ sentAt, answeredAt }) => answeredAt > refusal.sentAt - 1_000 && sentAt < refusal.answeredAt).length,
    );
  }
}

describe("rate limits over three nodes", { skip: missing }, () => {
  const threeNodes = clusterOfSuite({ nodes: 3 });

  it("hold within a tenth, and cost a client that is far from them no question to Redis", async (test) => {
    const cluster = await threeNodes();
    const redis = clientOf(test, cluster.redis);
    const poll: Request = (client) => client.poll("LIMITED");

    // Steadily, at three times the limits of 100 polls and of 10 pays a second.
    const pay: Request = (client) => client.pay(`T${randomUUID()}`, { uuid: randomUUID() });
    for (const { request, limit, credential } of [
      { request: poll, limit: 100, credential: "fleet" },
      { request: pay, limit: 10, credential: "partner" },
    ] as const) {
      await assertHeld(test, new Sender(cluster, "127.7.0.1", credential), request, limit);
    }

    // In bursts of three times the limit, each of them over all nodes at once.
    const bursty = new Sender(cluster, "127.7.0.2");
    for (let burst = 0; burst < 4; burst += 1) {
      const before = bursty.admitted.length;
      const seconds = new Refusals();
      for (let request = 0; request < 300; request += 1) bursty.send(poll, request);
      await bursty.done();
      const admitted = bursty.admitted.length - before;
      test.diagnostic(`burst: ${admitted} admitted`);
      assert.ok(admitted >= 90, `${admitted} of a burst admitted`);
      // A burst that this machine takes longer than a second for has room for more.
      for (const { sentAt, answeredAt } of bursty.admitted.slice(before)) seconds.admitted({ sentMs: sentAt, answeredMs: answeredAt });
      assert.ok(seconds.mostInWindow() <= 110, `${seconds.mostInWindow()} of a burst admitted in a second`);
      await delay(1_500);
    }

    // A client at eight tenths of the limit is not refused, unless a pause of this machine puts nine tenths of the limit into one second.
    // The tenth between is for admissions that a node reports to Redis after a pause: they count from their report on.
    const within = new Sender(cluster, "127.7.0.3");
    await within.steadily(poll, 80, 3);
    for (const admitted of within.admittedBeforeRefusals()) assert.ok(admitted >= 90, `refused after ${admitted} in a second`);

    // Two hundred clients with a request or two a second at each node: nothing of theirs is in Redis.
    const far = Array.from({ length: 200 }, (_, index) => new Sender(cluster, `127.7.1.${index + 1}`));
    for (let round = 0; round < 3; round += 1) {
      for (const client of far) for (let node = 0; node < 3; node += 1) client.send(poll, node);
      const questions = await redis.keys("{relay}:window:get:*");
      // What the three clients above asked is gone after two seconds at the latest.
      assert.ok(questions.length <= 3, `Redis was asked of ${questions.join(" ")}`);
      await delay(500);
    }
    await Promise.all(far.map((client) => client.done()));
    assert.equal(
      far.reduce((sum, { refusals }) => sum + refusals.length, 0),
      0,
    );
    const stats = async () => {
      const text = await redis.info("commandstats");
      return Number(/cmdstat_rpush:calls=(\d+)/.exec(text)?.[1] ?? 0);
    };
    const before = await stats();
    for (const client of far) for (let node = 0; node < 3; node += 1) client.send(poll, node);
    await Promise.all(far.map((client) => client.done()));
    assert.equal(await stats(), before, "no admission was written to Redis for 600 requests");
  });

  it("hold within a tenth for what a partner's record raises, and for the next request after each change of it", async (test) => {
    const cluster = await threeNodes();
    const [first] = cluster.nodes;
    assert.ok(first);
    const administrator = new HttpClient(() => first.url, CREDENTIALS.administrator, "127.7.2.1");
    const [partner] = listOf(member((await administrator.get("/admin/api/partners")).body, "data"));
    const path = `/admin/api/partners/${member(partner, "id")}`;
    const raise = async (rateLimits: object) => {
      const { status, text } = await administrator.send(path, { method: "PUT", body: { rateLimits } });
      assert.equal(status, 200, text);
    };
    const pay: Request = (client) => client.pay(`T${randomUUID()}`, { uuid: randomUUID() });
    await raise({ pay: 40 });
    // Each node has verified the key.
    const warm = new Sender(cluster, "127.7.2.2", "partner");
    await warm.steadily(pay, 6, 3);

    await assertHeld(test, new Sender(cluster, "127.7.2.3", "partner"), pay, 10 + 40);

    await raise({});
    const lowered = new Sender(cluster, "127.7.2.4", "partner");
    const loweredAt = performance.now();
    await lowered.steadily(pay, 30, 3);
    const loweredSeconds = (performance.now() - loweredAt) / 1_000;
    assert.ok(lowered.admitted.length <= 10 * (loweredSeconds + 1) * 1.1, `${lowered.admitted.length} admitted`);
  });
});

/** A steady sender of three times the limit is admitted within a tenth of it. */
async function assertHeld(test: TestContext, sender: Sender, request: Request, limit: number): Promise<void> {
  const startedAt = performance.now();
  await sender.steadily(request, 3 * limit, 5);
  const seconds = (performance.now() - startedAt) / 1_000;
  const admitted = sender.admitted.length;
  test.diagnostic(`${limit} a second: ${admitted} admitted in ${seconds.toFixed(2)} s, ${sender.refusals.length} refused`);
  // The first second's worth comes at once.
  assert.ok(admitted <= limit * (seconds + 1) * 1.1, `${admitted} admitted`);
  // A second in which this machine sent less than the limit has nothing to refuse.
  const before = sender.admittedBeforeRefusals();
  const mean = before.reduce((sum, count) => sum + count, 0) / before.length;
  assert.ok(mean >= limit * 0.9, `only ${mean} admitted in the second before a refusal`);
}
