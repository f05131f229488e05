import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { installRedis } from "../../infra/local/redis.ts";
import { NO_CLICKHOUSE, placeOf, startNodeProcess } from "../fault/node-process.ts";
import { clientOf } from "../storage/kv/redis-world.ts";
import { CREDENTIALS, HttpClient } from "../support/http/http-client.ts";
import { assertMatches } from "../support/http/matches.ts";
import { redisMissing } from "../support/node/redis.ts";
import { startTestSentinels } from "../support/node/sentinel.ts";
import { eventually } from "../support/within.ts";

const FAILED_OVER_MS = 90_000;

describe("nodes over a Redis that Sentinels name", { skip: await redisMissing() }, () => {
  it("go on at the promoted replica, send nothing that waited before, and take new payments", async (test) => {
    const { url, servers } = await startTestSentinels(test, { replicas: 1, install: installRedis });
    const start = async (nodeId: string) => {
      const environment = {
        ...NO_CLICKHOUSE,
        ...{ RELAY_REDIS_URL: url, RELAY_KAFKA_BROKERS: "127.0.0.1:1", RELAY_SHARDS: "1", RELAY_NODE_ID: nodeId },
      };
      const node = startNodeProcess(test, { ...(await placeOf(test)), environment });
      await node.ready();
      return node;
    };
    const nodes = await Promise.all([start("node-1"), start("node-2")]);
    const callers = nodes.map((node, index) => ({
      partner: new HttpClient(() => node.url, CREDENTIALS.partner, `127.8.1.${index}`),
      fleet: new HttpClient(() => node.url, CREDENTIALS.fleet, `127.8.1.${index}`),
    }));
    const [one, two] = callers;
    assert.ok(one !== undefined && two !== undefined);
    const waiting = randomUUID();
    assert.equal((await one.partner.pay("S1", { uuid: waiting })).status, 200);
    const [former, copy] = servers;
    assert.ok(former !== undefined && copy !== undefined);
    const [formerClient, copyClient] = [clientOf(test, former), clientOf(test, copy)];
    const last = await formerClient.hget("{relay}:entries", "\u{1}last");
    await eventually(async () => assert.ok(Number(await copyClient.hget("{relay}:entries", "\u{1}last")) >= Number(last)));

    await former.process.kill();
    for (const { partner } of callers) {
      await eventually(async () => {
        assertMatches((await partner.get(`/api/v1/commands/${waiting}`)).body, { data: { state: "unknown" } });
      }, FAILED_OVER_MS);
    }
    assert.equal((await two.fleet.poll("S1")).status, 204);
    for (const [index, { partner }] of callers.entries()) {
      const uuid = randomUUID();
      await eventually(async () => {
        const { status } = await partner.pay(`S${index + 2}`, { uuid });
        // After one whose outcome was not known it is a duplicate: it is stored.
        assert.ok(status === 200 || status === 400, `${status}`);
      }, FAILED_OVER_MS);
      const other = callers[1 - index];
      await eventually(async () => assertMatches((await other?.fleet.poll(`S${index + 2}`))?.body, { uuid }), FAILED_OVER_MS);
    }
  });
});
