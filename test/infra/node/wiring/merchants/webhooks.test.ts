import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { type TestContext, test } from "node:test";
import Stripe from "stripe";
import { createEndpointStops } from "../../../../../engine/webhooks/endpoint-stops.ts";
import { createWebhookDeliveryStore } from "../../../../../engine/webhooks/webhook-delivery-store.ts";
import { createWebhookEndpointStore } from "../../../../../engine/webhooks/webhook-endpoint-store.ts";
import { createWebhookEndpoints } from "../../../../../engine/webhooks/webhook-endpoints.ts";
import type { WebhookEvent } from "../../../../../engine/webhooks/webhook-event.ts";
import { eventOperations } from "../../../../../engine/webhooks/webhook-event-store.ts";
import { sha256Hex } from "../../../../../http/auth/digest.ts";
import { WIRE_NAMES } from "../../../../../http/compat/wire-names.ts";
import { createWebhookSecrets } from "../../../../../http/webhooks/webhook-secrets.ts";
import { SANDBOX_PARTNER_API } from "../../../../../infra/node/boot/sandbox-names.ts";
import { createSecretBox } from "../../../../../infra/node/boot/secret-box.ts";
import { openEmbeddedKv } from "../../../../../storage/kv/embedded.ts";
import { event, order } from "../../../../engine/webhooks/webhook-world.ts";
import { NO_CLICKHOUSE } from "../../../../fault/node-process.ts";
import { atEnd } from "../../../../storage/kv/world.ts";
import { ADMIN, startTestNode } from "../../../../support/node/node.ts";
import { eventually, Inbox } from "../../../../support/within.ts";

const [FORMER_KEY, KEY] = [sha256Hex("former"), sha256Hex("present")];
const HOUR_MS = 3_600_000;

interface Received {
  path: string;
  body: string;
  headers: IncomingHttpHeaders;
}

async function receiver(test: TestContext) {
  const inbox = new Inbox<Received>("a webhook");
  const behaviour = { status: 200 };
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      inbox.add({ path: request.url ?? "", body, headers: request.headers });
      response.writeHead(behaviour.status).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(test, () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address !== "string");
  return { url: `http://127.0.0.1:${address.port}`, inbox, behaviour };
}

/** Runs operations of a surface on the store of a stopped node. */
async function onStore<T>(dataDirectory: string, key: string, work: (parts: ReturnType<typeof partsOn>) => Promise<T>): Promise<T> {
  const kv = await openEmbeddedKv({ directory: `${dataDirectory}/state`, nowMs: Date.now });
  try {
    return await work(partsOn(kv, key));
  } finally {
    await kv.close();
  }
}

function partsOn(kv: Awaited<ReturnType<typeof openEmbeddedKv>>, key: string) {
  const endpoints = createWebhookEndpointStore(kv);
  const deliveries = createWebhookDeliveryStore(kv);
  const clock = { nowMs: Date.now, monotonicMs: () => performance.now() };
  return {
    happen: (...events: WebhookEvent[]) => kv.commit({ checks: [], operations: eventOperations(events) }),
    webhookEndpoints: createWebhookEndpoints({
      ...{ format: null, store: endpoints, clock, digest: sha256Hex, secrets: createWebhookSecrets() },
      isLocalHost: () => false,
      stops: createEndpointStops({ endpoints, deliveries, clock, disabled: () => {} }),
      box: createSecretBox({ current: key, old: null }),
    }),
  };
}

test("sends stored events from a whole node, again after a failure, and after a change of its key", { timeout: 120_000 }, async (t) => {
  const { url, inbox, behaviour } = await receiver(t);
  const environment: { [name: string]: string } = {
    RELAY_SECRET_KEY: FORMER_KEY,
    ...NO_CLICKHOUSE,
    RELAY_GATEWAY_URL: "http://127.0.0.1:1",
  };
  const first = await startTestNode(environment);
  const { dataDirectory } = first;
  let secret = "";
  behaviour.status = 500;
  let node = await first.restart(async () => {
    await onStore(dataDirectory, FORMER_KEY, async ({ webhookEndpoints, happen }) => {
      const created = await webhookEndpoints.create({ type: "merchant", merchantId: "M1" }, order(`${url}/shop`), "one");
      assert.ok(created.type === "created");
      secret = created.secret;
      await webhookEndpoints.create({ type: "partner", partnerId: 1 }, order(`${url}/partner`), "two");
      await happen(event("1", 1, { createdAtMs: Date.now(), partnerId: 1 }));
    });
  });
  atEnd(t, () => node.stop());
  const both = [await inbox.next(), await inbox.next()];
  assert.deepEqual(both.map(({ path }) => path).sort(), ["/partner", "/shop"]);
  for (const { path, body, headers } of both) {
    if (path === "/partner") {
      const expected = createHmac("sha256", SANDBOX_PARTNER_API.secret).update(body).digest("hex");
      assert.equal(headers["x-gateway-signature"], expected);
      assert.equal(headers[WIRE_NAMES.signature.toLowerCase()], undefined);
      assert.equal(JSON.parse(body).merchantId, "M1");
    } else {
      assert.equal(JSON.parse(body).api_version, "2026-10-28.endive");
      new Stripe("sk_test_1").webhooks.constructEvent(body, String(headers[WIRE_NAMES.signature.toLowerCase()]), secret);
    }
  }
  // A restart with another key seals the secrets again.
  Object.assign(environment, { RELAY_SECRET_KEY: KEY, RELAY_SECRET_KEY_OLD: FORMER_KEY });
  node = await node.restart();
  behaviour.status = 200;
  node.advance(HOUR_MS);
  const isLate = ({ path, headers }: Received) =>
    path === "/shop" && Number(headers["webhook-timestamp"]) * 1_000 > Date.now() + HOUR_MS - 60_000;
  let again = await inbox.next();
  while (!isLate(again)) again = await inbox.next();
  const signature = String(again.headers[WIRE_NAMES.signature.toLowerCase()]);
  new Stripe("sk_test_1").webhooks.constructEvent(again.body, signature, secret, undefined, undefined, Date.now() + HOUR_MS);
  await eventually(async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${node.port}/metrics`, { headers: { authorization: ADMIN } })).text();
    assert.match(metrics, /^relay_webhook_deliveries\{state="delivered"\} \d/m);
    assert.match(metrics, /^relay_webhook_attempts_total\{.*outcome="delivered".*\} /m);
    assert.match(metrics, /^relay_webhook_oldest_due_seconds.* \d/m);
  });
});
