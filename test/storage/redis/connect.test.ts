import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { freePort } from "../../../infra/local/free-port.ts";
import { installRedis } from "../../../infra/local/redis.ts";
import { createRedis } from "../../../storage/redis/connect.ts";
import { redisMissing } from "../../support/redis.ts";
import { startTestSentinels } from "../../support/sentinel.ts";
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
