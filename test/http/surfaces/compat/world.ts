/** The compatible API on a server by itself, over an engine that answers what a test says. */
import assert from "node:assert/strict";
import type { MerchantGrant } from "../../../../engine/access/merchant-grant.ts";
import { createExecuteOnce } from "../../../../engine/idempotency/execute-once.ts";
import { CLAIMS, createIdempotencyStore } from "../../../../engine/idempotency/idempotency-store.ts";
import type { IntentRecord } from "../../../../engine/intents/intent.ts";
import type {
  CancelOutcome,
  CaptureOutcome,
  ConfirmOutcome,
  Intents,
  RefundOutcome,
  UpdateChargeOutcome,
  UpdateOutcome,
  UpdateRefundOutcome,
} from "../../../../engine/intents/intents.ts";
import { changedOrder } from "../../../../engine/intents/rules.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { prefixRange } from "../../../../engine/kernel/kv.ts";
import { changedMetadata } from "../../../../engine/kernel/metadata.ts";
import { createMinuteCounts } from "../../../../engine/kernel/minute-counts.ts";
import type { Page, PageQuery } from "../../../../engine/kernel/page.ts";
import { createMerchantCalls } from "../../../../engine/partners/merchant-calls.ts";
import type { WebhookEndpointRecord } from "../../../../engine/webhooks/webhook-endpoint.ts";
import type { WebhookEndpoints } from "../../../../engine/webhooks/webhook-endpoints.ts";
import type { ShownEvent, WebhookEvents } from "../../../../engine/webhooks/webhook-events.ts";
import { createAuthenticator } from "../../../../http/auth/authenticator.ts";
import { withoutGuesses } from "../../../../http/auth/key-guesses.ts";
import { bind } from "../../../../http/endpoint/endpoint.ts";
import { idempotent } from "../../../../http/endpoint/idempotency.ts";
import { compatEndpoints } from "../../../../http/surfaces/compat/endpoints.ts";
import { intentObjectsOf } from "../../../../http/surfaces/compat/objects.ts";
import { COMPAT_FACES } from "../../../../http/surfaces/compat/surface.ts";
import { MemoryKv } from "../../../engine/kernel/memory-kv.ts";
import { ManualClock } from "../../../engine/world.ts";
import { assertMatches } from "../../../support/http/matches.ts";
import { monotonicMs, startWorld } from "../../server/world.ts";
import { INTENT_ID, webhookEndpoint } from "./records.ts";

export const SHOP: MerchantGrant = {
  merchantId: "SHOP-001",
  partnerId: 7,
  livemode: false,
  kind: "secret",
  keyId: "key-1",
  requestsPerMinute: 10_000,
  services: ["IGFS"],
};

const KEYS = new Map<string, MerchantGrant | "replaced">([
  ["sk_merchant_shop", SHOP],
  ["pk_merchant_shop", { ...SHOP, kind: "publishable" }],
  ["sk_merchant_live", { ...SHOP, livemode: true }],
  ["sk_merchant_app", { ...SHOP, livemode: true, returnSchemes: ["myapp", "com.example.shop"] }],
  ["pk_merchant_app", { ...SHOP, livemode: true, returnSchemes: ["myapp"], kind: "publishable" }],
  ["sk_merchant_other", { ...SHOP, merchantId: "SHOP-002" }],
  ["pk_merchant_other", { ...SHOP, merchantId: "SHOP-002", kind: "publishable" }],
  ["sk_merchant_slow", { ...SHOP, requestsPerMinute: 2 }],
  ["sk_merchant_without", { ...SHOP, services: ["PAYPAL"] }],
  ["pk_merchant_without", { ...SHOP, services: [], kind: "publishable" }],
  ["sk_merchant_moved", { ...SHOP, otherEnvironment: true }],
  ["pk_merchant_moved", { ...SHOP, otherEnvironment: true, kind: "publishable" }],
  ["sk_merchant_old", "replaced"],
  ["pk_merchant_old", "replaced"],
]);

/** Where a payment intent is confirmed, below `/v1`. */
export const CONFIRM = `/payment_intents/${INTENT_ID}/confirm`;

/** What the engine answers next, where a test says so. */
export interface Said {
  confirm?: ConfirmOutcome;
  cancel?: CancelOutcome;
  capture?: CaptureOutcome;
  refund?: RefundOutcome;
  update?: UpdateOutcome;
  updateCharge?: UpdateChargeOutcome;
  updateRefund?: UpdateRefundOutcome;
  fails?: Error;
  /** Whether an account is kept for the other environment. */
  isKept?: boolean;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
  text: string;
}

export interface Sent {
  key?: string | null;
  json?: unknown;
  form?: string;
  headers?: Record<string, string>;
}

export async function startCompat(t: { after(close: () => void): void }) {
  const said: Said = {};
  /** Every change and search that the engine was asked for: its name, and what it was given. */
  const asked: [name: string, ...given: unknown[]][] = [];
  const records = new Map<string, IntentRecord>();
  const endpoints = new Map<string, WebhookEndpointRecord>();
  const events = new Map<string, ShownEvent>();
  const defaultVersions = new Map<string, string>();
  const disputed = new Set<string>();
  const clock = new ManualClock();
  const kv = new MemoryKv();
  let uuids = 0;
  const ids = { uuid: () => `operation-${++uuids}` };

  function ask(name: string, ...given: unknown[]): void {
    asked.push([name, ...given]);
    if (said.fails !== undefined) throw said.fails;
  }
  const own = ({ merchantId, livemode }: { merchantId: string; livemode: boolean }, id: string) => {
    const record = records.get(id);
    return record?.merchantId === merchantId && record.livemode === livemode ? record : null;
  };
  const intents: Intents = {
    create: async (owner, order, operation) => {
      ask("create", order, operation);
      const record: IntentRecord = {
        ...{ schema: 1, id: INTENT_ID, ...owner, order, clientSecret: `${INTENT_ID}_secret_${"b".repeat(24)}`, token: "token" },
        ...{ createdAtMs: clock.nowMs(), attempts: [], cancellation: null, refunds: [], events: 0 },
      };
      records.set(record.id, record);
      return record;
    },
    find: async (owner, id) => {
      ask("find", id);
      return own(owner, id);
    },
    mayBegin: async () => said.isKept === true,
    isKeptForTest: async () => said.isKept === true,
    byToken: async () => null,
    charge: async (owner, chargeId) => {
      const found = [...records.values()].flatMap((intent) => intent.attempts.map((attempt) => ({ intent, attempt })));
      const charge = found.find(({ intent, attempt }) => attempt.chargeId === chargeId && own(owner, intent.id) !== null);
      return charge ?? null;
    },
    refundOf: async (owner, refundId) => {
      for (const intent of records.values()) {
        const refund = intent.refunds.find(({ id }) => id === refundId);
        const attempt = intent.attempts.find(({ chargeId }) => chargeId === refund?.chargeId);
        if (refund !== undefined && attempt !== undefined && own(owner, intent.id) !== null) return { intent, attempt, refund };
      }
      return null;
    },
    updateCharge: async (owner, chargeId, change, operation) => {
      ask("updateCharge", change, operation);
      const charge = await intents.charge(owner, chargeId);
      return charge === null ? null : (said.updateCharge ?? { type: "updated", ...charge });
    },
    updateRefund: async (owner, refundId, metadata, operation) => {
      ask("updateRefund", metadata, operation);
      const refund = await intents.refundOf(owner, refundId);
      return refund === null ? null : (said.updateRefund ?? { type: "updated", ...refund });
    },
    list: async (owner, query) => {
      ask("list", query);
      return pageOf(
        [...records.values()].filter(({ id }) => own(owner, id) !== null),
        query,
        ({ id }) => id,
      );
    },
    listCharges: async (_owner, query) => {
      ask("listCharges", query);
      const all = [...records.values()].flatMap((intent) => intent.attempts.map((attempt) => ({ intent, attempt })));
      return pageOf(all, query, ({ attempt }) => attempt.chargeId);
    },
    listRefunds: async (_owner, query) => {
      ask("listRefunds", query);
      return { items: [], hasMore: false };
    },
    update: async (owner, id, change, operation) => {
      ask("update", change, operation);
      const before = own(owner, id);
      if (said.update !== undefined || before === null) return said.update ?? null;
      const intent = { ...before, order: changedOrder(before.order, change) };
      records.set(id, intent);
      return { type: "updated", intent };
    },
    confirm: async (owner, id, change, operation) => {
      ask("confirm", change, operation);
      return own(owner, id) === null ? null : (said.confirm ?? null);
    },
    cancel: async (owner, id, reason, operation) => {
      ask("cancel", reason, operation);
      return own(owner, id) === null ? null : (said.cancel ?? null);
    },
    capture: async (owner, id, amountMinor, operation, metadata) => {
      ask("capture", amountMinor, operation, metadata);
      return own(owner, id) === null ? null : (said.capture ?? null);
    },
    refund: async (_owner, of, request, operation) => {
      ask("refund", of, request, operation);
      return said.refund ?? null;
    },
    verify: async (intent) => intent,
  };
  const webhookEndpoints: WebhookEndpoints = {
    create: async (owner, order, operationId) => {
      ask("createEndpoint", owner, order, operationId);
      const { format, livemode, url, events: subscribed, apiVersion, description, metadata } = order;
      const endpoint = webhookEndpoint({ owner, format, livemode, url, events: subscribed, apiVersion, description, metadata });
      endpoints.set(endpoint.id, endpoint);
      return { type: "created", endpoint, secret: "whsec_c2VjcmV0" };
    },
    find: async (_owner, _livemode, id) => endpoints.get(id) ?? null,
    list: async (_owner, _livemode, query) => pageOf([...endpoints.values()], query, ({ id }) => id),
    change: async (_owner, _livemode, id, change) => {
      ask("changeEndpoint", change);
      const before = endpoints.get(id);
      if (before === undefined) return null;
      const { disabled = before.status === "disabled", metadata, ...rest } = change;
      const changed = changedMetadata(before.metadata, metadata);
      const after: WebhookEndpointRecord = { ...before, ...rest, metadata: changed, status: disabled ? "disabled" : "enabled" };
      endpoints.set(id, after);
      return after;
    },
    remove: async (_owner, _livemode, id) => endpoints.delete(id),
    rollSecret: async (_owner, _livemode, id, overlapMs) => {
      ask("rollSecret", id, overlapMs);
      const endpoint = endpoints.get(id);
      return endpoint === undefined ? null : { endpoint, secret: "whsec_cm9sbGVk" };
    },
  };
  const webhookEvents: WebhookEvents = {
    find: async (_merchantId, _livemode, id) => events.get(id) ?? null,
    list: async (_merchantId, _livemode, query) => {
      ask("listEvents", query);
      return pageOf([...events.values()], query, ({ event }) => event.id);
    },
    retry: async (_merchantId, _livemode, id, endpointId) => {
      ask("retry", id, endpointId);
      return events.get(id) ?? null;
    },
    deliveries: async () => [],
  };
  const lookedUp: string[] = [];
  const merchantByKey = withoutGuesses(async (key) => {
    lookedUp.push(key);
    return KEYS.get(key) ?? null;
  }, clock.monotonicMs);
  const operations = {
    ...{ intents, webhookEndpoints, webhookEvents },
    apiVersions: {
      choose: async () => assert.fail("no request of the API changes the default version"),
      versionOf: async (merchantId: string) => defaultVersions.get(merchantId) ?? null,
    },
    merchantsByKey: { merchantByKey },
    merchantCalls: createMerchantCalls({ merchants: createMinuteCounts(clock.monotonicMs), pages: createMinuteCounts(clock.monotonicMs) }),
    compatObjects: intentObjectsOf((token) => `https://relay.example/pay/i/${token}`),
    isUnderDispute: async ({ merchantId, uuid }: { merchantId: string; uuid: string }) => disputed.has(`${merchantId}/${uuid}`),
    mayPageCall: (_partnerId: number, origin: string) => origin !== "https://evil.example",
  };
  const store = createIdempotencyStore(kv);
  // So that what is sealed can be told from what is not.
  const secretBox = {
    seal: (text: string) => Buffer.from(text).toString("base64"),
    open: (text: string) => Buffer.from(text, "base64").toString(),
  };
  const executeOnce = createExecuteOnce({ store, clock, ids, secretBox, failed: () => {} });
  const world = await startWorld(t, {
    endpoints: bind(compatEndpoints, operations).map((endpoint) => idempotent(endpoint, { executeOnce, ids })),
    authenticator: createAuthenticator(NO_LOGINS, monotonicMs, undefined, undefined, merchantByKey),
    envelopes: COMPAT_FACES,
  });

  async function send(method: string, path: string, { key = "sk_merchant_shop", json, form, headers = {} }: Sent = {}): Promise<Answer> {
    const body = json === undefined ? form : JSON.stringify(json);
    const response = await fetch(`${world.url}/v1${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": json === undefined ? "application/x-www-form-urlencoded" : "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    assert.match(response.headers.get("request-id") ?? "", /^req_[a-z0-9]{24}$/, `${method} ${path}`);
    return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text), text };
  }
  const names = () => asked.map(([name]) => name);
  const idempotencyClaims = async () => (await kv.scan({ ...prefixRange(CLAIMS), limit: 100 })).map(({ value }) => value);
  return { ...world, send, said, asked, names, lookedUp, records, endpoints, events, defaultVersions, disputed, clock, idempotencyClaims };
}

/** The one envelope, with nothing in it that the platform's clients would not know. */
export function assertRefused(answer: Answer, status: number, expected: object): void {
  assert.equal(answer.status, status, answer.text);
  assert.deepEqual(Object.keys(answer.body ?? {}), ["error"]);
  assertMatches(answer.body, { error: { message: /./, ...expected } });
}

/** As the engine's lists: in the order of `all`, null for a cursor that is not in it. */
function pageOf<T>(all: readonly T[], { limit, startingAfter }: PageQuery, idOf: (item: T) => string): Page<T> | null {
  const from = startingAfter === null ? 0 : all.findIndex((item) => idOf(item) === startingAfter) + 1;
  if (startingAfter !== null && from === 0) return null;
  return { items: all.slice(from, from + limit), hasMore: all.length > from + limit };
}

export const UNAVAILABLE = new RelayError("unavailable", "Not confirmed");

const NO_LOGINS = {
  generation: () => 1,
  machineByName: () => null,
  administratorByUsername: () => null,
  fleet: () => null,
  terminalSecret: () => null,
  isTerminalDenied: () => false,
  managedBy: () => null,
  partnerByUsername: () => null,
  partnerByKeySha256: () => null,
  isOriginListed: () => false,
};
