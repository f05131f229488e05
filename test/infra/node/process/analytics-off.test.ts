import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { prefixRange } from "../../../../engine/kernel/kv.ts";
import { OUTBOX } from "../../../../engine/payments/outbox.ts";
import { readConfig } from "../../../../infra/node/boot/config.ts";
import { ConfigRefused } from "../../../../infra/node/boot/config-reader.ts";
import { surfacesOf } from "../../../../infra/node/wiring/shared/endpoints.ts";
import { loadFeedGap } from "../../../../storage/feed/feed-gap.ts";
import { openEmbeddedKv } from "../../../../storage/kv/embedded.ts";
import { CREDENTIALS, HttpClient } from "../../../support/http/http-client.ts";
import { assertMatches } from "../../../support/http/matches.ts";
import { TestGateway } from "../../../support/node/gateway.ts";
import { startTestNode } from "../../../support/node/node.ts";
import { Relay } from "../../../support/node/relay.ts";
import { eventually } from "../../../support/within.ts";
import { attemptsAt, BY_TOKEN, isOfPortal } from "../../../tenancy/attempts.ts";
import { newMerchant } from "../../../tenancy/merchants.ts";

const OFF = { RELAY_ANALYTICS: "off" };

/** Reads the store of a stopped node. */
async function storeOf(dataDirectory: string): Promise<{ rows: number; hasGap: boolean }> {
  const kv = await openEmbeddedKv({ directory: `${dataDirectory}/state`, nowMs: () => Date.now() });
  try {
    return { rows: await kv.count({ ...prefixRange(OUTBOX), limit: 1_000 }), hasGap: (await loadFeedGap(kv)) !== null };
  } finally {
    await kv.close();
  }
}

describe("a node without analytics", () => {
  it("is refused in a cluster, and with a ClickHouse server", () => {
    assert.throws(() => readConfig({ ...OFF, RELAY_CLICKHOUSE_URL: "http://127.0.0.1:8123" }), ConfigRefused);
    const cluster = { RELAY_REDIS_URL: "redis://127.0.0.1", RELAY_KAFKA_BROKERS: "127.0.0.1:9092" };
    assert.throws(() => readConfig({ ...OFF, ...cluster }), ConfigRefused);
    assert.deepEqual(readConfig(OFF).clickhouse, { type: "off" });
  });

  it("keeps results and writes no rows, and ClickHouse has them once analytics are on", async (test) => {
    let node = await startTestNode({ RELAY_SHARDS: "2", ...OFF });
    test.after(() => node.stop());
    const clientOf = (headers: { [name: string]: string }) => new HttpClient(() => node.url, headers, "127.7.9.1", 0);
    const [partner, fleet] = [clientOf(CREDENTIALS.partner), clientOf(CREDENTIALS.fleet)];
    const uuids = new Map<string, string>();
    for (const terminalId of ["OFF-1", "OFF-2"]) {
      const uuid = crypto.randomUUID();
      assertMatches(await partner.pay(terminalId, { uuid, amount: 1_250 }), { status: 200 });
      assertMatches(await fleet.poll(terminalId), { status: 200 });
      assertMatches(await fleet.receipt(terminalId, { uuid, result: "OK", service: "PAYCC", amount: 1_250 }), { status: 200 });
      assertMatches(await partner.uuid(uuid), { status: 200 });
      uuids.set(terminalId, uuid);
    }
    const metrics = await (await fetch(`${node.url}/metrics`)).text();
    assert.doesNotMatch(metrics, /^relay_(clickhouse_up|outbox_depth) /m);
    node = await node.restart(async (directory) => assert.deepEqual(await storeOf(directory), { rows: 0, hasGap: true }), {
      RELAY_ANALYTICS: "on",
    });
    assert.notEqual(await node.clickhouse, null, "ClickHouse does not run here");
    for (const [terminalId, uuid] of uuids) {
      await eventually(async () => {
        const { text } = await partner.get(`/api/v1/${terminalId}/transactions`);
        assert.ok(text.includes(uuid), text);
      });
    }
    await eventually(async () => assert.match(await (await fetch(`${node.url}/metrics`)).text(), /^relay_clickhouse_up\S* 1$/m));
    node = await node.restart(async (directory) => assert.deepEqual(await storeOf(directory), { rows: 0, hasGap: false }));
  });

  it("answers 503 with the reason at the endpoints that the documentation lists, and at no others", async (test) => {
    const gateway = await TestGateway.start();
    test.after(() => gateway.stop());
    const relay = new Relay({ shards: 2, environment: { RELAY_GATEWAY_URL: gateway.url } });
    test.after(() => relay.stop());
    await relay.start();
    const merchant = await newMerchant(relay, gateway, "without", "4201");
    await relay.restart(undefined, OFF);
    const missing = new Set<string>();
    const note = ({ method, path }: { method: string; path: string }, { status, text }: { status: number; text: string }) => {
      if (status !== 503) return assert.ok(status < 500, `${method} ${path} answers ${status} ${text}`);
      assert.match(text, /RELAY_ANALYTICS=off/, `${method} ${path}`);
      missing.add(`${method} ${path}`);
    };
    const reads = Object.values(surfacesOf(readConfig({})))
      .flat()
      .filter(({ method }) => method === "GET");
    for (const endpoint of reads.filter((one) => isOfPortal(one) && !BY_TOKEN.has(one.name))) {
      for (const attempt of attemptsAt(endpoint, merchant.things)) {
        relay.advance(1_001);
        note(endpoint, await merchant.owner.send("GET", attempt.path));
      }
    }
    for (const endpoint of reads.filter((one) => !isOfPortal(one))) {
      const path = endpoint.path.replace("{terminalId}", "T1");
      if (path.includes("{")) continue;
      for (const client of [relay.administrator(), relay.partner()]) note(endpoint, await client.get(path));
    }
    const page = await readFile("infra/docs/analytics.md", "utf8");
    const section = page.split(/^## /m).find((part) => part.startsWith("Without analytics")) ?? assert.fail("there is no such section");
    const documented = [...section.matchAll(/^- `(GET [^`]+)`/gm)].map(([, listed]) => listed);
    assert.deepEqual([...missing].sort(), documented.sort());
  });
});
