import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { resolve } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { freshDelivery, WEBHOOK_LEASE_MS } from "../../engine/webhooks/webhook-delivery.ts";
import { createWebhookDeliveryStore } from "../../engine/webhooks/webhook-delivery-store.ts";
import { type WebhookEndpointRecord, webhookSecretPlace } from "../../engine/webhooks/webhook-endpoint.ts";
import { createWebhookEndpointStore } from "../../engine/webhooks/webhook-endpoint-store.ts";
import { createWebhookEventStore, eventOperations } from "../../engine/webhooks/webhook-event-store.ts";
import { createSecretBox } from "../../infra/node/boot/secret-box.ts";
import { openEmbeddedKv } from "../../storage/kv/embedded.ts";
import { event } from "../engine/webhooks/webhook-world.ts";
import { atEnd, temporaryDirectory } from "../storage/kv/world.ts";
import { eventually } from "../support/within.ts";

const KEY = "11".repeat(32);
const CHILD = resolve(import.meta.dirname, "webhook-child.ts");
const DONE_WITHIN_MS = 60_000;

async function world(test: TestContext, { merchants, events }: { merchants: number; events: number }) {
  const directory = await temporaryDirectory();
  atEnd(test, () => directory.remove());
  const arrived: { endpoint: string; event: string; request: string }[] = [];
  const receiver = { took: async (_count: number, _response: ServerResponse): Promise<void> => {} };
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", async () => {
      arrived.push({ endpoint: request.url ?? "", event: JSON.parse(body).id, request: String(request.headers["webhook-timestamp"]) });
      await receiver.took(arrived.length, response);
      response.writeHead(200).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(test, () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address !== "string");
  const { port } = address;

  async function store<T>(work: (kv: Awaited<ReturnType<typeof openEmbeddedKv>>) => Promise<T>): Promise<T> {
    const kv = await openEmbeddedKv({ directory: directory.path, nowMs: Date.now });
    try {
      return await work(kv);
    } finally {
      await kv.close();
    }
  }

  const box = createSecretBox({ current: KEY, old: null });
  const expected: string[] = [];
  await store(async (kv) => {
    const endpoints = createWebhookEndpointStore(kv);
    for (let merchant = 0; merchant < merchants; merchant += 1) {
      const merchantId = `M${merchant}`;
      // Both formats go through the same pipeline.
      const format = merchant % 2 === 0 ? "portal" : "platform";
      for (let index = 0; index < 4; index += 1) {
        const id = `we_${`${merchant}x${index}`.padStart(24, "0")}`;
        const record: WebhookEndpointRecord = {
          ...{ schema: 1, id, owner: { type: "merchant", merchantId }, format, livemode: false },
          ...{ url: `http://127.0.0.1:${port}/${id}`, events: ["*"], apiVersion: null, description: null, metadata: {} },
          ...{ status: "enabled", disabledReason: null, createdAtMs: 1, updatedAtMs: 1 },
          secrets: [{ sealed: box.seal("whsec_AAAA", webhookSecretPlace(id)), untilMs: null, madeBy: "operation" }],
          rolls: [],
        };
        assert.equal(await endpoints.create(record), "created");
        for (let number = 0; number < events; number += 1) expected.push(`/${id} ${event(`${merchant}-${number}`).id}`);
      }
      const stored = Array.from({ length: events }, (_, number) =>
        event(`${merchant}-${number}`, 1, { merchantId, format, createdAtMs: Date.now() }),
      );
      await kv.commit({ checks: [], operations: eventOperations(stored) });
    }
  });

  let running: ChildProcess | null = null;
  let said = new Set<unknown>();
  let aheadMs = 0;
  /** `resends`: it also sends again what failed of merchant M0, as the portal's button does. `heldAt`: it makes so many commits and no more. */
  async function start({ resends = false, heldAt = "" }: { resends?: boolean; heldAt?: number | "" } = {}): Promise<void> {
    const child = fork(CHILD, [directory.path, KEY, String(aheadMs), resends ? "M0" : "", String(heldAt)], {
      execArgv: ["--import", "tsx"],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const words = new Set<unknown>();
    child.on("message", (word) => words.add(word));
    [running, said] = [child, words];
    await heard("running");
  }
  /** When the process has said so. */
  async function heard(word: "running" | "held" | "done"): Promise<void> {
    await eventually(() => assert.ok(said.has(word), `it has not said ${word}`), DONE_WITHIN_MS);
  }
  async function kill(): Promise<void> {
    const child = running;
    running = null;
    if (child === null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  atEnd(test, kill);
  return {
    ...{ arrived, receiver, expected, store, start, heard, kill },
    /** The next process begins later, when what the last one was at may be taken over. */
    afterLease: () => {
      aheadMs += WEBHOOK_LEASE_MS + 1_000;
    },
    seen: () => new Set(arrived.map((one) => `${one.endpoint} ${one.event}`)),
  };
}

describe("a node that is killed with kill -9 among its webhooks", () => {
  it("among its fan-out and among its deliveries, again and again: everything arrives", { timeout: 300_000 }, async (test) => {
    const { arrived, receiver, expected, start, heard, kill, afterLease, seen, store } = await world(test, {
      merchants: 60,
      events: 5,
    });
    const left = (): Promise<{ outbox: number; waiting: number; delivered: number }> =>
      store(async (kv) => {
        const deliveries = createWebhookDeliveryStore(kv);
        const [waiting, delivered] = [await deliveries.count("waiting", 10_000), await deliveries.count("delivered", 10_000)];
        return { outbox: (await createWebhookEventStore(kv).outbox(1_000)).length, waiting, delivered };
      });
    const found: Awaited<ReturnType<typeof left>>[] = [];
    // After so many commits the fan-out is at it, after so many requests the deliveries are.
    for (const moment of [
      ...[1, 10, 20, 40].map((commits) => ({ commits })),
      ...[1, 20, 100, 200, 300, 400].map((requests) => ({ requests })),
    ]) {
      if ("commits" in moment) {
        await start({ heldAt: moment.commits });
        await heard("held");
        await kill();
      } else {
        const until = arrived.length + moment.requests;
        const killed = new Promise<void>((done) => {
          receiver.took = async (count) => {
            if (count !== until) return;
            await kill();
            done();
          };
        });
        await start();
        await killed;
      }
      found.push(await left());
      afterLease();
    }
    receiver.took = async () => {};
    test.diagnostic(found.map(({ outbox, waiting, delivered }) => `${outbox}/${waiting}/${delivered}`).join(" "));
    assert.ok(
      found.some(({ outbox }) => outbox > 0 && outbox < 300),
      "some of the kills came among the fan-out",
    );
    assert.ok(
      found.some(({ waiting, delivered }) => waiting > 0 && delivered > 0),
      "and some among the deliveries",
    );
    await start();
    await heard("done");
    await kill();
    assert.deepEqual([...seen()].sort(), [...expected].sort());
    const repeated = arrived.length - expected.length;
    test.diagnostic(`${repeated} of ${expected.length} deliveries came more than once`);
    assert.ok(repeated <= found.length * 256, "what was under way when it died, and no more");
    assert.deepEqual(await left(), { outbox: 0, waiting: 0, delivered: expected.length });
  });

  it("between a delivery that arrived and its record: it comes once more, after the lease, and then never again", {
    timeout: 300_000,
  }, async (test) => {
    const { arrived, receiver, start, heard, kill, afterLease, store } = await world(test, { merchants: 1, events: 1 });
    const killed = new Promise<void>((done) => {
      receiver.took = async () => {
        receiver.took = async () => {};
        await kill();
        done();
      };
    });
    await start();
    await killed;
    await eventually(() => assert.ok(arrived.length >= 1));
    const before = new Set(arrived.map(({ endpoint }) => endpoint));
    await start();
    await delay(1_500);
    // Those that nobody was at are sent at once; those that were under way wait for their lease.
    const early = arrived.length;
    await kill();
    afterLease();
    await start();
    await heard("done");
    await kill();
    assert.equal(new Set(arrived.map(({ endpoint }) => endpoint)).size, 4);
    assert.equal(await store((kv) => createWebhookDeliveryStore(kv).count("delivered", 100)), 4);
    assert.ok(arrived.length > 4 && arrived.length <= 4 + before.size + early, `${arrived.length} requests`);
    const times = arrived.length;
    await start();
    await heard("done");
    await kill();
    assert.equal(arrived.length, times);
  });

  it("among a resend of all that failed: everything is sent again, and what was delivered is not sent once more", {
    timeout: 300_000,
  }, async (test) => {
    const { arrived, receiver, expected, start, heard, kill, afterLease, seen, store } = await world(test, { merchants: 1, events: 75 });
    // All of them were given up.
    await store(async (kv) => {
      const deliveries = createWebhookDeliveryStore(kv);
      const events = createWebhookEventStore(kv);
      const endpoints = await createWebhookEndpointStore(kv).page(null, 10);
      for (const item of await events.outbox(1_000)) {
        const known = await events.load(item.eventId);
        assert.ok(known !== null);
        const more = { apiVersion: null, pendingWebhooks: endpoints.length, atMs: Date.now() };
        const dead = endpoints.map((endpoint) => ({ ...freshDelivery(known, endpoint, more), state: "dead", nextAtMs: null }) as const);
        assert.ok((await deliveries.fanOut(item, dead, null)) !== null);
      }
      assert.equal(await deliveries.count("dead", 1_000), expected.length);
    });
    const found: { dead: number; waiting: number; delivered: number }[] = [];
    for (const moment of [...[5, 40, 80].map((commits) => ({ commits })), ...[1, 20, 60].map((requests) => ({ requests }))]) {
      if ("commits" in moment) {
        await start({ resends: true, heldAt: moment.commits });
        await heard("held");
        await kill();
      } else {
        const until = arrived.length + moment.requests;
        const killed = new Promise<void>((done) => {
          receiver.took = async (count) => {
            if (count !== until) return;
            await kill();
            done();
          };
        });
        await start({ resends: true });
        await killed;
      }
      await store(async (kv) => {
        const { count } = createWebhookDeliveryStore(kv);
        const [dead, waiting, delivered] = [await count("dead", 1_000), await count("waiting", 1_000), await count("delivered", 1_000)];
        assert.equal(dead + waiting + delivered, expected.length, "none is lost, and none is there twice");
        found.push({ dead, waiting, delivered });
      });
      afterLease();
    }
    assert.ok(
      found.some(({ dead, waiting }) => dead > 0 && waiting > 0),
      "some of the kills came among the resend",
    );
    receiver.took = async () => {};
    test.diagnostic(found.map(({ dead, waiting, delivered }) => `${dead}/${waiting}/${delivered}`).join(" "));
    await start({ resends: true });
    await heard("done");
    await kill();
    assert.equal(seen().size, expected.length);
    assert.equal(await store((kv) => createWebhookDeliveryStore(kv).count("delivered", 1_000)), expected.length);
    const repeated = arrived.length - expected.length;
    test.diagnostic(`${repeated} of ${expected.length} came more than once`);
    assert.ok(repeated <= (found.length + 1) * 32, "what was under way when it died, eight for each endpoint, and no more");
    const times = arrived.length;
    await start({ resends: true });
    await heard("done");
    await kill();
    assert.equal(arrived.length, times, "what was delivered is not sent again");
  });
});
