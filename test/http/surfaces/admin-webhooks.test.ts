import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { AdministratorRole } from "../../../engine/access/administrator-role.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { AuditEntry } from "../../../engine/operators/audit-entry.ts";
import type { AdministerWebhooks } from "../../../engine/webhooks/administer-webhooks.ts";
import type { WebhookDeliveryRecord } from "../../../engine/webhooks/webhook-delivery.ts";
import type { WebhookEndpointRecord } from "../../../engine/webhooks/webhook-endpoint.ts";
import { createAuthenticator } from "../../../http/auth/authenticator.ts";
import { sha256Hex } from "../../../http/auth/digest.ts";
import { audited } from "../../../http/endpoint/audited.ts";
import { bind } from "../../../http/endpoint/endpoint.ts";
import { webhookEndpoints } from "../../../http/surfaces/admin/webhooks.ts";
import { relayEnvelope } from "../../../http/surfaces/parts/relay-envelope.ts";
import { assertMatches } from "../../support/http/matches.ts";
import { monotonicMs, startWorld } from "../server/world.ts";

const AT_MS = Date.UTC(2026, 0, 1, 10);
const ENDPOINT_ID = `we_${"a".repeat(24)}`;
const SECRET = "a sealed text that nobody is shown";

const ENDPOINT: WebhookEndpointRecord = {
  schema: 1,
  id: ENDPOINT_ID,
  owner: { type: "merchant", merchantId: "SHOP-001" },
  format: "platform",
  livemode: true,
  url: "https://shop.example/hooks",
  events: ["payment_intent.succeeded"],
  apiVersion: "2026-10-28.endive",
  description: "Shop",
  metadata: { note: "the owner's own" },
  status: "enabled",
  disabledReason: null,
  secrets: [{ sealed: SECRET, untilMs: null, madeBy: "operation" }],
  rolls: [],
  createdAtMs: AT_MS,
  updatedAtMs: AT_MS,
};

function delivery(number: number, members: Partial<WebhookDeliveryRecord> = {}): WebhookDeliveryRecord {
  const eventId = `evt_${String(number).padStart(24, "0")}`;
  return {
    schema: 1,
    id: `${eventId}.${ENDPOINT_ID}`,
    eventId,
    endpointId: ENDPOINT_ID,
    owner: "merchant",
    merchantId: "SHOP-001",
    partnerId: 7,
    livemode: true,
    eventType: "payment_intent.succeeded",
    objectId: `pi_${"b".repeat(24)}`,
    sequence: number,
    apiVersion: "2026-10-28.endive",
    pendingWebhooks: 1,
    state: "dead",
    attemptsMade: 6,
    attempts: [
      { atMs: AT_MS + 5_000, durationMs: 10_000, status: null, answer: null, error: "no answer within 10000 ms" },
      { atMs: AT_MS + 30_000, durationMs: 84, status: 500, answer: "<h1>Oops</h1>", error: "answered 500" },
    ],
    createdAtMs: AT_MS,
    nextAtMs: null,
    ...members,
  };
}

/** What the engine does, over lists in memory. */
function inMemory(deliveries: WebhookDeliveryRecord[], endpoints: WebhookEndpointRecord[]): AdministerWebhooks {
  const after = <T extends { id: string }>(items: readonly T[], id: string | null): T[] => {
    const at = id === null ? -1 : items.findIndex((item) => item.id === id);
    if (id !== null && at < 0) throw new RelayError("invalid_request", "after: is not there any more; begin again");
    return items.slice(at + 1);
  };
  return {
    deliveries: async (state, to, last, limit) =>
      after(
        deliveries.filter(
          (one) => one.state === state && (to.type === "all" || (to.type === "merchant" ? one.merchantId : one.endpointId) === to.id),
        ),
        last,
      ).slice(0, limit),
    delivery: async (id) => deliveries.find((one) => one.id === id) ?? null,
    resend: async (id) => {
      const at = deliveries.findIndex((one) => one.id === id);
      const found = deliveries[at];
      if (found === undefined) return null;
      if (endpoints.find((one) => one.id === found.endpointId)?.status !== "enabled")
        throw new RelayError("conflict", "Its endpoint is disabled");
      deliveries[at] = { ...found, state: "waiting", attemptsMade: 0, nextAtMs: AT_MS + 60_000 };
      return deliveries[at];
    },
    endpoints: async (merchantId, last, limit) =>
      after(
        endpoints.filter(({ owner }) => merchantId === null || (owner.type === "merchant" && owner.merchantId === merchantId)),
        last,
      ).slice(0, limit),
    endpoint: async (id) => endpoints.find((one) => one.id === id) ?? null,
    disableEndpoint: async (id) => {
      const at = endpoints.findIndex((one) => one.id === id);
      const found = endpoints[at];
      if (found === undefined) return null;
      endpoints[at] = { ...found, status: "disabled" };
      return endpoints[at];
    },
  };
}

async function open(t: TestContext, deliveries: WebhookDeliveryRecord[] = [], endpoints: WebhookEndpointRecord[] = [ENDPOINT]) {
  const entries: AuditEntry[] = [];
  const log = {
    record: async (entry: AuditEntry) => String(entries.push(entry)),
    settle: async (id: string, entry: AuditEntry, outcome: AuditEntry["outcome"]) => {
      entries[Number(id) - 1] = { ...entry, outcome };
    },
    page: async () => [],
    pageOfMerchant: async () => [],
  };
  const roles: ReadonlyMap<string, AdministratorRole> = new Map([
    ["owner", "owner"],
    ["operator", "operator"],
    ["reader", "read-only"],
  ]);
  const authenticator = createAuthenticator(
    {
      generation: () => 1,
      machineByName: () => null,
      administratorByUsername: (username) => {
        const role = roles.get(username);
        return role === undefined ? null : { username, role, password: { type: "sha256", hex: sha256Hex("secret") } };
      },
      fleet: () => null,
      terminalSecret: () => null,
      isTerminalDenied: () => false,
      managedBy: () => null,
      partnerByUsername: () => null,
      partnerByKeySha256: () => null,
      isOriginListed: () => false,
    },
    monotonicMs,
  );
  const administerWebhooks = inMemory(deliveries, endpoints);
  const clock = { nowMs: () => AT_MS, monotonicMs };
  const { url } = await startWorld(t, {
    endpoints: audited(bind(webhookEndpoints, { administerWebhooks }), log, clock),
    authenticator,
    envelope: relayEnvelope,
  });
  const call = async (method: string, path: string, username = "operator") => {
    const authorization = `Basic ${Buffer.from(`${username}:secret`).toString("base64")}`;
    const response = await fetch(`${url}/admin/webhooks${path}`, { method, headers: { authorization } });
    const text = await response.text();
    return { status: response.status, text, body: text === "" ? undefined : JSON.parse(text) };
  };
  return { call, entries, deliveries, endpoints };
}

test("deliveries that were given up are listed, each with its last attempt", async (t) => {
  const dead = delivery(1);
  const { call } = await open(t, [dead, delivery(2, { state: "waiting", nextAtMs: AT_MS + 60_000, attempts: [], attemptsMade: 0 })]);
  const { status, body } = await call("GET", "/deliveries");
  assert.equal(status, 200);
  assert.deepEqual(body.data, [
    {
      id: dead.id,
      state: "dead",
      eventId: dead.eventId,
      eventType: "payment_intent.succeeded",
      objectId: dead.objectId,
      endpointId: ENDPOINT_ID,
      merchantId: "SHOP-001",
      partnerId: 7,
      environment: "LIVE",
      attempts: 6,
      createdAt: "2026-01-01T10:00:00.000Z",
      nextAttemptAt: null,
      lastAttemptAt: "2026-01-01T10:00:30.000Z",
      lastStatus: 500,
      lastError: "answered 500",
    },
  ]);
  assertMatches((await call("GET", "/deliveries?state=waiting")).body, {
    data: [
      { state: "waiting", attempts: 0, nextAttemptAt: "2026-01-01T10:01:00.000Z", lastAttemptAt: null, lastStatus: null, lastError: null },
    ],
  });
});

test("deliveries and endpoints are listed page by page", async (t) => {
  const all = Array.from({ length: 5 }, (_, index) => delivery(index + 1));
  const endpoints = ["a", "b", "c"].map((letter) => ({ ...ENDPOINT, id: `we_${letter.repeat(24)}` }));
  const { call } = await open(t, all, endpoints);
  for (const [path, ids] of [
    ["/deliveries", all.map(({ id }) => id)],
    ["/endpoints", endpoints.map(({ id }) => id)],
  ] as const) {
    const seen: string[] = [];
    for (let after = ""; ; ) {
      const { body } = await call("GET", `${path}?limit=2${after}`);
      const page: { id: string }[] = body.data;
      seen.push(...page.map(({ id }) => id));
      if (page.length < 2) break;
      after = `&after=${seen.at(-1)}`;
    }
    assert.deepEqual(seen, ids);
  }
  assertMatches(await call("GET", "/deliveries?after=gone"), { status: 400, body: { status: "error", error: /begin again/ } });
});

test("deliveries are filtered by merchant or by endpoint, not by both, and endpoints by merchant", async (t) => {
  const other = { merchantId: "SHOP-002", endpointId: `we_${"b".repeat(24)}` };
  const endpoints: WebhookEndpointRecord[] = [
    ENDPOINT,
    { ...ENDPOINT, id: other.endpointId, owner: { type: "merchant", merchantId: "SHOP-002" } },
    { ...ENDPOINT, id: `we_${"c".repeat(24)}`, owner: { type: "partner", partnerId: 7 } },
  ];
  const { call } = await open(t, [delivery(1), delivery(2, other)], endpoints);
  const ids = async (path: string) => {
    const listed: { id: string }[] = (await call("GET", path)).body.data;
    return listed.map(({ id }) => id);
  };
  assert.deepEqual(await ids("/deliveries?merchantId=SHOP-002"), [delivery(2).id]);
  assert.deepEqual(await ids(`/deliveries?endpointId=${ENDPOINT_ID}`), [delivery(1).id]);
  assert.deepEqual(await ids("/deliveries?merchantId=SHOP-003"), []);
  assert.deepEqual(await ids("/endpoints?merchantId=SHOP-002"), [other.endpointId]);
  assertMatches(await call("GET", `/deliveries?merchantId=SHOP-002&endpointId=${ENDPOINT_ID}`), {
    status: 400,
    body: { error: /combined/ },
  });
  assertMatches(await call("GET", "/deliveries?merchantId=a/b"), { status: 400 });
});

test("one delivery is shown with what its endpoint answered at each attempt", async (t) => {
  const { call } = await open(t, [delivery(1)]);
  const { status, body } = await call("GET", `/deliveries/${delivery(1).id}`, "reader");
  assert.equal(status, 200);
  assert.deepEqual(body.data.latestAttempts, [
    { at: "2026-01-01T10:00:05.000Z", durationMs: 10_000, status: null, error: "no answer within 10000 ms", answer: null },
    { at: "2026-01-01T10:00:30.000Z", durationMs: 84, status: 500, error: "answered 500", answer: "<h1>Oops</h1>" },
  ]);
  assertMatches(await call("GET", "/deliveries/evt_nobody"), { status: 404, body: { status: "error" } });
});

test("an operator sends one again, which is written to the audit log", async (t) => {
  const { call, entries } = await open(t, [delivery(1)]);
  const { id } = delivery(1);
  assertMatches(await call("POST", `/deliveries/${id}/resend`), {
    status: 200,
    body: { data: { id, state: "waiting", attempts: 0, nextAttemptAt: "2026-01-01T10:01:00.000Z" } },
  });
  assertMatches(entries, [{ action: "webhook.resend", subject: id, username: "operator", outcome: { type: "done" } }]);
  assertMatches(await call("POST", "/deliveries/evt_nobody/resend"), { status: 404, body: { status: "error" } });
  assertMatches(entries[1], { action: "webhook.resend", outcome: { type: "refused", code: "not_found" } });
});

test("what goes to a disabled endpoint is not sent again", async (t) => {
  const { call, deliveries } = await open(t, [delivery(1)], [{ ...ENDPOINT, status: "disabled", disabledReason: "gone" }]);
  assertMatches(await call("POST", `/deliveries/${delivery(1).id}/resend`), { status: 409, body: { status: "error" } });
  assert.equal(deliveries[0]?.state, "dead");
});

test("endpoints are shown without their secrets and their owners' metadata", async (t) => {
  const partners: WebhookEndpointRecord = {
    ...ENDPOINT,
    id: `we_${"p".repeat(24)}`,
    owner: { type: "partner", partnerId: 7 },
    secrets: [],
  };
  const { call } = await open(t, [], [ENDPOINT, partners]);
  const list = await call("GET", "/endpoints", "reader");
  const shown = {
    id: ENDPOINT_ID,
    owner: { type: "merchant", merchantId: "SHOP-001" },
    format: "platform",
    environment: "LIVE",
    url: "https://shop.example/hooks",
    events: ["payment_intent.succeeded"],
    apiVersion: "2026-10-28.endive",
    description: "Shop",
    status: "enabled",
    disabledReason: null,
    createdAt: "2026-01-01T10:00:00.000Z",
    updatedAt: "2026-01-01T10:00:00.000Z",
  };
  assert.deepEqual(list.body.data, [shown, { ...shown, id: partners.id, owner: { type: "partner", partnerId: 7 } }]);
  const one = await call("GET", `/endpoints/${ENDPOINT_ID}`, "reader");
  assert.deepEqual(one.body.data, shown);
  for (const { text } of [list, one]) assert.doesNotMatch(text, /sealed|secret|the owner's own/i);
  assertMatches(await call("GET", "/endpoints/we_nobody"), { status: 404, body: { status: "error" } });
});

test("an operator disables an endpoint, which is written to the audit log", async (t) => {
  const { call, entries, endpoints } = await open(t);
  assertMatches(await call("POST", `/endpoints/${ENDPOINT_ID}/disable`), {
    status: 200,
    body: { data: { id: ENDPOINT_ID, status: "disabled" } },
  });
  assert.equal(endpoints[0]?.status, "disabled");
  assertMatches(entries, [{ action: "webhook.disable", subject: ENDPOINT_ID, outcome: { type: "done" } }]);
  assertMatches(await call("POST", "/endpoints/we_nobody/disable"), { status: 404, body: { status: "error" } });
});

test("who may only look sends nothing again and disables nothing", async (t) => {
  const { call, deliveries, endpoints, entries } = await open(t, [delivery(1)]);
  assert.equal((await call("POST", `/deliveries/${delivery(1).id}/resend`, "reader")).status, 403);
  assert.equal((await call("POST", `/endpoints/${ENDPOINT_ID}/disable`, "reader")).status, 403);
  assert.deepEqual([deliveries[0]?.state, endpoints[0]?.status, entries], ["dead", "enabled", []]);
  for (const path of ["/deliveries", "/endpoints"]) assert.equal((await call("GET", path, "reader")).status, 200);
  assert.equal((await call("GET", "/deliveries", "nobody")).status, 401);
});
