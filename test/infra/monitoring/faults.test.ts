import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { startEmbeddedClickHouse } from "../../../storage/clickhouse/embedded/supervisor.ts";
import { NO_CLICKHOUSE, type NodeProcess, placeOf, startNodeProcess } from "../../fault/node-process.ts";
import { ADMIN, ANALYST } from "../../storage/clickhouse/clickhouse-world.ts";
import { redisOf } from "../../storage/kv/redis-world.ts";
import { atEnd } from "../../storage/kv/world.ts";
import { selfSigned } from "../../support/http/certificate.ts";
import { CREDENTIALS, HttpClient } from "../../support/http/http-client.ts";
import { startTestNode } from "../../support/node/node.ts";
import { redisMissing } from "../../support/node/redis.ts";
import { eventually } from "../../support/within.ts";
import { documentedMetrics, metricsIn } from "./metrics-table.ts";
import { fires, promtoolMissing } from "./promtool.ts";

const DAY_MS = 86_400_000;

async function scrape(url: string): Promise<string> {
  const answer = await fetch(url);
  assert.equal(answer.status, 200);
  return answer.text();
}

/** The metrics of a node once they have this line. */
function scrapeWith(url: string, line: string): Promise<string> {
  return eventually(async () => {
    const text = await scrape(url);
    assert.ok(
      text.split("\n").includes(line),
      text.split("\n").find((other) => other.startsWith(line.split(" ")[0] ?? "")),
    );
    return text;
  });
}

async function startNode(test: TestContext, environment: { [name: string]: string }): Promise<NodeProcess> {
  const node = startNodeProcess(test, { ...(await placeOf(test)), environment: { RELAY_SHARDS: "2", ...environment } });
  await node.ready();
  return node;
}

/** Lines of the log that say what failed; all are JSON. */
function failuresOf(node: NodeProcess): { event: string; address?: string; err?: object }[] {
  return node
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level >= 50);
}

describe("an alert is fired by", { skip: (await promtoolMissing()) || (await redisMissing()) }, () => {
  it("a Redis that hangs, and no longer when it goes on; the log has no stack of it", async (test) => {
    const redis = await redisOf(test);
    const cluster = { ...NO_CLICKHOUSE, RELAY_REDIS_URL: redis.url, RELAY_KAFKA_BROKERS: "127.0.0.1:1" };
    const node = await startNode(test, cluster);
    const metrics = `${node.url}/metrics`;
    const well = await scrapeWith(metrics, "relay_redis_up 1");
    assert.equal(await fires("RelayRedisAway", [well], Date.now()), false);
    // A node of a cluster has all that the page says it has.
    const documented = documentedMetrics().filter(({ on }) => on === "all" || on === "cluster");
    const found = new Map(metricsIn(well).map(({ name, type }) => [name, type]));
    assert.deepEqual(
      documented.filter(({ name, type }) => found.get(name) !== type),
      [],
    );

    redis.process.pause();
    const hanging = await scrapeWith(metrics, "relay_redis_up 0");
    assert.equal(await fires("RelayRedisAway", [well, hanging], Date.now()), true);
    redis.process.resume();
    const again = await scrapeWith(metrics, "relay_redis_up 1");
    assert.equal(await fires("RelayRedisAway", [well, again], Date.now()), false);

    const ofRedis = failuresOf(node).filter(({ address }) => address === `127.0.0.1:${redis.port}`);
    assert.ok(ofRedis.length > 0, node.output());
    assert.deepEqual(
      ofRedis.filter(({ err }) => err !== undefined),
      [],
    );
  });

  it("a ClickHouse that is killed; the log says once at which address", async (test) => {
    const { dataDirectory: directory } = await placeOf(test);
    const clickhouse = await startEmbeddedClickHouse({
      ...{ directory, host: "127.0.0.1", port: 0, adminPassword: ADMIN.password, onLog: () => undefined },
      ...{ readerUsername: ANALYST.username, readerPassword: ANALYST.password },
    });
    atEnd(test, () => clickhouse.stop());
    const address = new URL(clickhouse.url);
    [address.username, address.password] = [ADMIN.username, ADMIN.password];
    const node = await startNode(test, { RELAY_CLICKHOUSE_URL: address.href });
    const metrics = `${node.url}/metrics`;
    const well = await scrapeWith(metrics, "relay_clickhouse_up 1");
    assert.equal(await fires("RelayClickHouseAway", [well], Date.now()), false);
    await clickhouse.stop();
    const away = await scrapeWith(metrics, "relay_clickhouse_up 0");
    assert.equal(await fires("RelayClickHouseAway", [well, away], Date.now()), true);

    const terminal = new HttpClient(() => node.url, CREDENTIALS.fleet, "127.8.9.1");
    assert.equal((await terminal.receipt("T1", { uuid: randomUUID(), status: "OK" })).status, 200);
    await eventually(async () => assert.match(await scrape(metrics), /^relay_feed_failures_total [3-9]$/m));
    const ofClickHouse = failuresOf(node).filter((failure) => failure.address === address.host);
    assert.equal(ofClickHouse.length, 1, JSON.stringify(ofClickHouse));
    assert.equal(ofClickHouse[0]?.err, undefined);
  });

  it("a certificate that ends in five days, and by none that ends in fifty", async (test) => {
    for (const [days, isFired] of [
      [5, true],
      [50, false],
    ] as const) {
      const { port, dataDirectory } = await placeOf(test);
      const [certFile, keyFile] = [join(dataDirectory, "cert.pem"), join(dataDirectory, "key.pem")];
      const { cert, key } = selfSigned(days);
      await writeFile(certFile, cert);
      await writeFile(keyFile, key);
      const tls = { RELAY_TLS_CERT: certFile, RELAY_TLS_KEY: keyFile, RELAY_METRICS_PORT: String(port) };
      const node = await startTestNode({ ...NO_CLICKHOUSE, ...tls });
      atEnd(test, () => node.stop());
      const text = await scrape(node.metricsUrl ?? "");
      const endsAt = Number(/^relay_tls_certificate_expiry_timestamp_seconds (\S+)$/m.exec(text)?.[1]) * 1_000;
      assert.ok(Math.abs(endsAt - Date.now() - days * DAY_MS) < 60_000, `${new Date(endsAt)}`);
      assert.equal(await fires("RelayCertificateExpires", [text], Date.now()), isFired);
    }
  });
});
