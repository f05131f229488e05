import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it, type TestContext } from "node:test";
import { SentinelConnector } from "ioredis";
import { freePort } from "../../../infra/local/free-port.ts";
import { installRedis } from "../../../infra/local/redis.ts";
import { createRedis } from "../../../storage/redis/connect.ts";
import { redisMissing } from "../../support/node/redis.ts";
import { startTestSentinels } from "../../support/node/sentinel.ts";
import { within } from "../../support/within.ts";
import { atEnd } from "../kv/world.ts";

const CONNECTED_MS = 60_000;

describe("a client of Sentinels of which one is away", { skip: await redisMissing() }, () => {
  it("uses the primary, and prints nothing however often that one is tried", async (test) => {
    const { url } = await startTestSentinels(test, { replicas: 0, install: installRedis });
    const printed = test.mock.method(console, "error", () => undefined);
    const away = await freePort();
    const redis = createRedis(url.replace("/0?", `,127.0.0.1:${away}/0?`), { lazyConnect: true });
    const failures: unknown[] = [];
    redis.on("error", (error: unknown) => failures.push(error));
    atEnd(test, () => redis.disconnect());
    // The package says so whenever one that it listens to is away.
    const again = () => within("another attempt", once(redis, "sentinelReconnecting"), CONNECTED_MS);
    const first = again();
    await redis.connect();
    assert.equal(await redis.ping(), "PONG");
    await first;
    await again();
    assert.deepEqual([failures, printed.mock.calls.map((call) => String(call.arguments[0]))], [[], []]);
  });
});

describe("a client of Sentinels that tell of a promotion while they are asked", { skip: await redisMissing() }, () => {
  async function connecting(test: TestContext) {
    const { url } = await startTestSentinels(test, { replicas: 0, install: installRedis });
    const redis = createRedis(url, { lazyConnect: true });
    redis.on("error", () => undefined);
    atEnd(test, () => redis.disconnect());
    return { redis, connected: redis.connect() };
  }

  it("asks them again, and connects", async (test) => {
    const { redis, connected } = await connecting(test);
    // As the package does it when one of them tells.
    const connector: unknown = Reflect.get(redis, "connector");
    assert.ok(connector instanceof SentinelConnector);
    connector.disconnect();
    await connected;
    assert.equal(await redis.ping(), "PONG");
  });

  it("gives up where the caller disconnects", async (test) => {
    const { redis, connected } = await connecting(test);
    redis.disconnect();
    await assert.rejects(connected, { message: "Connection is closed." });
    assert.equal(redis.status, "end");
  });
});
