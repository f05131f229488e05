import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { NO_CLICKHOUSE, type NodeProcess, placeOf, startNodeProcess } from "../fault/node-process.ts";
import { clientOf, redisOf } from "../storage/kv/redis-world.ts";
import { atEnd } from "../storage/kv/world.ts";
import { CREDENTIALS, HttpClient } from "../support/http/http-client.ts";
import { assertMatches, member } from "../support/http/matches.ts";
import { redisMissing } from "../support/node/redis.ts";
import { startTcpProxy } from "../support/node/tcp-proxy.ts";
import { connectStomp } from "../support/people/stomp-terminal.ts";
import { eventually, Inbox } from "../support/within.ts";

/** A node of a cluster without Kafka and ClickHouse: what waits for them waits in Redis. */
async function nodeOn(test: TestContext, redisUrl: string, environment: { [name: string]: string } = {}): Promise<NodeProcess> {
  return startNodeProcess(test, {
    ...(await placeOf(test)),
    environment: {
      ...NO_CLICKHOUSE,
      RELAY_REDIS_URL: redisUrl,
      RELAY_KAFKA_BROKERS: "127.0.0.1:1",
      RELAY_SHARDS: "1",
      RELAY_LOG_LEVEL: "silent",
      ...environment,
    },
  });
}

describe("a cluster whose Redis stands still for a while", { skip: await redisMissing() }, () => {
  it("stores no command as sent for a poll that was given up meanwhile", async (test) => {
    const redis = await redisOf(test);
    const node = await nodeOn(test, redis.url);
    await node.ready();
    const partner = new HttpClient(() => node.url, CREDENTIALS.partner, "127.8.0.2");
    const commands = Array.from({ length: 8 }, (_, index) => ({ terminalId: `S${index}`, uuid: randomUUID() }));
    for (const { terminalId, uuid } of commands) assert.equal((await partner.pay(terminalId, { uuid })).status, 200);
    const handedOut: string[] = [];
    async function poll(terminalId: string, patienceMs: number): Promise<number> {
      const headers = { ...CREDENTIALS.fleet };
      try {
        const answer = await fetch(`${node.url}/api/v1/${terminalId}/get`, { headers, signal: AbortSignal.timeout(patienceMs) });
        if (answer.status === 200) handedOut.push(JSON.parse(await answer.text()).uuid);
        return answer.status;
      } catch {
        return 0;
      }
    }

    redis.process.pause();
    // Redis comes to the last of them just after they were given up.
    for (let round = 0; round < 4; round += 1) await Promise.all(commands.map(({ terminalId }) => poll(terminalId, 600)));
    // On its way through the node's one shard behind the ends of those connections: it knows of them before Redis answers.
    assert.equal((await fetch(`${node.url}/health/live`)).status, 200);
    redis.process.resume();
    await eventually(async () => {
      for (const { uuid } of commands) {
        const life = await partner.get(`/api/v1/commands/${uuid}`);
        assertMatches(life.body, { data: { state: "queued", attempt: 0 } });
      }
    });
    assert.deepEqual(handedOut, []);
    for (const { terminalId } of commands) await eventually(async () => assert.equal(await poll(terminalId, 5_000), 200));
    assert.deepEqual(
      handedOut,
      commands.map(({ uuid }) => uuid),
    );
    for (const { uuid } of commands)
      assertMatches((await partner.get(`/api/v1/commands/${uuid}`)).body, { data: { state: "sent", attempt: 1 } });
  });
});

describe("a cluster whose Redis fails over to a copy", { skip: await redisMissing() }, () => {
  it("sends nothing that waited before, and says unknown of it", async (test) => {
    const primary = await redisOf(test, { "repl-diskless-sync-delay": "0" });
    const copy = await redisOf(test, { replicaof: `127.0.0.1 ${primary.port}` });
    const proxy = await startTcpProxy(primary.port);
    atEnd(test, () => proxy.stop());
    const node = await nodeOn(test, `redis://127.0.0.1:${proxy.port}/0`);
    await node.ready();
    const [partner, fleet] = [CREDENTIALS.partner, CREDENTIALS.fleet].map(
      (headers) => new HttpClient(() => node.url, headers, "127.8.0.1"),
    );
    assert.ok(partner !== undefined && fleet !== undefined);

    const waiting = ["T1", "T2", "T3"].map((terminalId) => ({ terminalId, uuid: randomUUID() }));
    for (const { terminalId, uuid } of waiting) assert.equal((await partner.pay(terminalId, { uuid })).status, 200);
    const [primaryClient, copyClient] = [clientOf(test, primary), clientOf(test, copy)];
    const last = () => primaryClient.hget("{relay}:entries", "\u{1}last");
    await eventually(async () => assert.equal(await copyClient.hget("{relay}:entries", "\u{1}last"), await last()));

    proxy.part();
    await primary.process.kill();
    await copyClient.replicaof("NO", "ONE");
    proxy.join(copy.port);
    const becomesUnknown = (uuid: string | undefined) =>
      eventually(async () => {
        const life = await partner.get(`/api/v1/commands/${uuid}`);
        assertMatches(life.body, { data: { state: "unknown" } });
      });
    await becomesUnknown(waiting[0]?.uuid);
    // Each terminal's ending is a commit of its own; nothing is handed out before it, either.
    for (const { terminalId } of waiting) assert.equal((await fleet.poll(terminalId)).status, 204);
    for (const { uuid } of waiting) await becomesUnknown(uuid);

    // What comes afterwards goes out, by poll and by push, and the result of an unknown one is taken.
    const later = randomUUID();
    assert.equal((await partner.pay("T1", { uuid: later })).status, 200);
    const polled = await fleet.poll("T1");
    assertMatches(polled.body, { uuid: later });
    const commands = new Inbox<{ [member: string]: unknown }>("a command");
    const terminal = await connectStomp(node.url, { login: "terminal", passcode: "terminal" });
    atEnd(test, async () => terminal.client.deactivate());
    terminal.client.subscribe("/topic/terminal/T2", (message) => commands.add(JSON.parse(message.body)));
    const pushed = randomUUID();
    assert.equal((await partner.pay("T2", { uuid: pushed })).status, 200);
    assert.equal((await commands.next())["uuid"], pushed);
    assert.equal((await fleet.receipt("T3", { uuid: waiting[2]?.uuid, result: "OK", amount: 1_050 })).status, 200);
    assertMatches((await partner.get(`/api/v1/commands/${waiting[2]?.uuid}`)).body, { data: { state: "done" } });

    // A node that starts afterwards knows of it.
    const second = await nodeOn(test, copy.url);
    await second.ready();
    assertMatches(
      (await new HttpClient(() => second.url, CREDENTIALS.partner, "127.8.0.2").get(`/api/v1/commands/${waiting[1]?.uuid}`)).body,
      {
        data: { state: "unknown" },
      },
    );
  });
});

describe("a cluster whose Redis comes back without acknowledged commits", { skip: await redisMissing() }, () => {
  it("reports the lost time as an error, a metric and one item, and the next start knows of it", async (test) => {
    const redis = await redisOf(test);
    const [appended, copy] = [join(redis.directory, "appendonlydir"), join(redis.directory, "copy")];
    const node = await nodeOn(test, redis.url, { RELAY_LOG_LEVEL: "error", RELAY_SHARDS: "2" });
    await node.ready();
    const [partner, admin] = [CREDENTIALS.partner, CREDENTIALS.administrator].map(
      (headers) => new HttpClient(() => node.url, headers, "127.8.0.1"),
    );
    assert.ok(partner !== undefined && admin !== undefined);
    assert.equal((await partner.pay("KEPT", { uuid: randomUUID() })).status, 200);
    await cp(appended, copy, { recursive: true });
    const beforeMs = Date.now();
    assert.equal((await partner.pay("LOST", { uuid: randomUUID() })).status, 200);
    const afterMs = Date.now();

    await redis.process.kill();
    await rm(appended, { recursive: true });
    await cp(copy, appended, { recursive: true });
    await redis.restart();
    const told = await eventually(() => lossIn(node.output()));
    assert.ok(Date.parse(told.lostFrom) <= beforeMs && Date.parse(told.lostUntil) >= afterMs, JSON.stringify({ told, beforeMs, afterMs }));
    assert.match(await (await fetch(`${node.url}/metrics`)).text(), /^relay_store_lost_commits_total 1$/m);
    const items = () =>
      eventually(async () => {
        const { body } = await admin.get("/admin/attention");
        const found = listOf(member(body, "data")).filter((item) => member(item, "kind") === "store_lost_commits");
        assert.equal(found.length, 1);
        return found;
      });
    const [item] = await items();
    assert.equal(member(item, "uuid"), told.lostFrom);
    assert.match(String(member(item, "detail")), new RegExp(`between ${told.lostFrom} and \\d`));
    // Once for all threads of the node, and once more where the first of them had only heard of it.
    const logged = [...node.output().matchAll(/"event":"commits lost","certain":(true|false)/g)].map(([, certain]) => certain);
    assert.equal(new Set(logged).size, logged.length, node.output());

    const second = await nodeOn(test, redis.url, { RELAY_LOG_LEVEL: "error" });
    await second.ready();
    assert.match(second.output(), new RegExp(`"event":"store restored","certain":true,"lostFrom":"${told.lostFrom}"`));
    await items();
  });
});

function listOf(value: unknown): readonly unknown[] {
  assert.ok(Array.isArray(value));
  return value;
}

/** What the log says of lost commits. */
function lossIn(output: string): { lostFrom: string; lostUntil: string } {
  const [, lostFrom, lostUntil] =
    /"level":50,.*"event":"commits lost","certain":true,"lostFrom":"([^"]+)","lostUntil":"([^"]+)"/.exec(output) ?? [];
  assert.ok(lostFrom !== undefined && lostUntil !== undefined, output);
  return { lostFrom, lostUntil };
}

describe("the start of a node whose Redis keeps it waiting", { skip: await redisMissing() }, () => {
  it("is begun anew until Redis answers", async (test) => {
    const redis = await redisOf(test);
    const client = clientOf(test, redis);
    // As a former start left it: all that a node writes to see whether this Redis can be used.
    const [, history] = /^master_replid:(\w+)\r$/m.exec(await client.info("replication")) ?? assert.fail("no replication id");
    await client.hset("{relay}:entries", "\u{1}history", history ?? "");
    // What the start stores waits longer than a commit is waited for: nodes that all start at once have that beside a busy disk.
    await client.call("CLIENT", "PAUSE", 60_000, "WRITE");
    const node = await nodeOn(test, redis.url, { RELAY_LOG_LEVEL: "warn" });
    await eventually(() =>
      assert.match(node.output(), /"event":"starts again","reason":"RELAY_REDIS_URL: the Redis at 127\.0\.0\.1:\d+ cannot be used/),
    );
    await client.call("CLIENT", "UNPAUSE");
    await node.ready();
    const partner = new HttpClient(() => node.url, CREDENTIALS.partner, "127.8.0.2");
    assert.equal((await partner.pay("T1", { uuid: randomUUID() })).status, 200);
  });
});

describe("a node of a cluster", { skip: await redisMissing() }, () => {
  it("sweeps what has expired out of Redis, and nothing else", async (test) => {
    const redis = await redisOf(test);
    const client = clientOf(test, redis);
    const entries = [
      ...Array.from({ length: 500 }, (_, index) => ({ key: `c/expired-${index}`, expiresAtMs: Date.now() - 60_000 })),
      { key: "c/later", expiresAtMs: Date.now() + 3_600_000 },
      { key: "c/never", expiresAtMs: 0 },
    ];
    await client.hset("{relay}:entries", Object.fromEntries(entries.map(({ key, expiresAtMs }) => [key, `1 ${expiresAtMs} {}`])));
    await client.zadd("{relay}:index", ...entries.flatMap(({ key }) => [0, key]));
    const node = await nodeOn(test, redis.url);
    await node.ready();
    await eventually(async () => {
      const left = await client.zrangebylex("{relay}:index", "[c/", "(c0");
      assert.deepEqual(left, ["c/later", "c/never"]);
    });
    assert.equal(await client.hexists("{relay}:entries", "c/expired-0"), 0);
    assert.equal(await client.hexists("{relay}:entries", "c/later"), 1);
  });
});

describe("the start of a node in production", { skip: await redisMissing() }, () => {
  const production = {
    RELAY_MODE: "production",
    RELAY_HOST: "127.0.0.1",
    RELAY_TERMINAL_SECRET: "a-terminal-secret-of-this-test",
    RELAY_SECRET_KEY: "q2r9C2Xq0o6Qb0V3J8cVbFh3b0k4m1Zl7pXn5sYtT2E=",
    RELAY_ADMIN_PASSWORD: "a-password-of-this-test",
  };

  async function refusalBy(test: TestContext, redisUrl: string): Promise<string> {
    const node = await nodeOn(test, redisUrl, production);
    assert.equal((await node.exited).code, 1);
    return node.output().trim();
  }

  it("is refused on a Redis that would lose what it acknowledged, with every reason and no stack", async (test) => {
    const redis = await redisOf(test, { appendfsync: "everysec", "maxmemory-policy": "allkeys-lru" });
    assert.equal(
      await refusalBy(test, redis.url),
      `RELAY_REDIS_URL: the Redis at 127.0.0.1:${redis.port} could lose acknowledged data, which production does not accept: ` +
        "appendfsync is everysec, not always; maxmemory-policy is allkeys-lru, not noeviction",
    );
  });

  it("is refused without its Redis, and tells no password", async (test) => {
    const redis = await redisOf(test);
    await clientOf(test, redis).config("SET", "requirepass", "right");
    const refusal = await refusalBy(test, `redis://:wrong-secret@127.0.0.1:${redis.port}/0`);
    assert.match(refusal, /^RELAY_REDIS_URL: the Redis at 127\.0\.0\.1:\d+ cannot be used: Redis refuses the login \(WRONGPASS/);
    assert.doesNotMatch(refusal, /wrong-secret|\n +at /);
  });
});
