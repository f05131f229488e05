import assert from "node:assert/strict";
import type { PartnerApiGrant } from "../../../engine/access/partner-grant.ts";
import { createExecuteOnce } from "../../../engine/idempotency/execute-once.ts";
import { createIdempotencyStore } from "../../../engine/idempotency/idempotency-store.ts";
import { createCallCountStore } from "../../../engine/partners/call-count-store.ts";
import { createCallCounts } from "../../../engine/partners/call-counts.ts";
import type { Reconciliation } from "../../../engine/reconciliation/reconciliation.ts";
import { createEndpointDeliveries } from "../../../engine/webhooks/endpoint-deliveries.ts";
import { createEndpointStops } from "../../../engine/webhooks/endpoint-stops.ts";
import { createWebhookDeliveryStore } from "../../../engine/webhooks/webhook-delivery-store.ts";
import { createWebhookEndpointStore } from "../../../engine/webhooks/webhook-endpoint-store.ts";
import { createWebhookEndpoints } from "../../../engine/webhooks/webhook-endpoints.ts";
import { createAuthenticator } from "../../../http/auth/authenticator.ts";
import { sha256Hex } from "../../../http/auth/digest.ts";
import type { PartnerApiCredential } from "../../../http/auth/partner-api-key.ts";
import { bind } from "../../../http/endpoint/endpoint.ts";
import { idempotent } from "../../../http/endpoint/idempotency.ts";
import { createCallableAddresses } from "../../../http/gateway/callable-addresses.ts";
import { partnerV1Endpoints } from "../../../http/surfaces/partner-v1/endpoints.ts";
import { partnerApiEnvelope } from "../../../http/surfaces/partner-v1/error-body.ts";
import { PARTNER_API_BASE } from "../../../http/surfaces/partner-v1/surface.ts";
import { bracketed, grant, merchantWorld } from "../../engine/partners/merchant-world.ts";
import { assertMatches } from "../../support/http/matches.ts";
import { monotonicMs, startWorld } from "../server/world.ts";

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** The surface on a server by itself, over merchants in memory; answers that the schemas do not cover are refused. */
export async function open(
  t: { after(close: () => void): void },
  change: { credential?: Partial<PartnerApiCredential>; trustedProxies?: string[]; ofPartner?: Reconciliation["ofPartner"] } = {},
) {
  const merchants = merchantWorld();
  const callCounts = createCallCounts(createCallCountStore(merchants.kv));
  const grants = new Map<string, PartnerApiGrant>([
    ["pk_partner_admin", grant()],
    ["pk_partner_other", grant({ partnerId: 8 })],
    ["pk_partner_operator", grant({ role: "OPERATOR" })],
    ["pk_partner_viewer", grant({ role: "VIEWER" })],
  ]);
  const authenticator = createAuthenticator(
    {
      generation: () => 1,
      machineByName: () => null,
      administratorByUsername: (username) =>
        username === "admin" ? { username, role: "owner", password: { type: "sha256", hex: sha256Hex("secret") } } : null,
      fleet: () => null,
      terminalSecret: () => null,
      isTerminalDenied: () => false,
      managedBy: () => null,
      partnerByUsername: () => null,
      partnerByKeySha256: () => null,
      isOriginListed: () => false,
    },
    monotonicMs,
    {
      byKeySha256: (digest) => {
        const found = [...grants].find(([key]) => sha256Hex(key) === digest);
        if (found === undefined) return null;
        const [, partner] = found;
        return { caller: { type: "partnerApi", partner }, grant: partner, mayCallFrom: () => true, ...change.credential };
      },
      called: callCounts.count,
    },
  );
  const webhooks = webhooksOver(merchants);
  const operations = {
    merchants: merchants.merchants,
    merchantServices: merchants.services,
    replaceKeys: merchants.keys,
    callCounts,
    webhookEndpoints: webhooks.operations,
    endpointDeliveries: webhooks.endpointDeliveries,
    reconciliation: { ofPartner: change.ofPartner ?? (() => assert.fail("no test of days")) },
  };
  const ids = { uuid: () => crypto.randomUUID() };
  const store = createIdempotencyStore(merchants.kv);
  const executeOnce = createExecuteOnce({ store, clock: merchants.clock, ids, secretBox: bracketed, failed: () => {} });
  const world = await startWorld(t, {
    endpoints: bind(partnerV1Endpoints, operations).map((endpoint) => idempotent(endpoint, { executeOnce, ids })),
    authenticator,
    envelopes: [{ under: PARTNER_API_BASE, envelope: partnerApiEnvelope }],
    ...(change.trustedProxies === undefined ? {} : { trustedProxies: change.trustedProxies }),
  });
  async function call(method: string, path: string, body?: unknown, headers: { [name: string]: string } = {}): Promise<Answer> {
    const response = await fetch(`${world.url}${PARTNER_API_BASE}${path}`, {
      method,
      headers: {
        authorization: "Bearer pk_partner_admin",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
  }
  return { ...merchants, ...world, call, grants, operations, webhooks };
}

/** The engine's endpoints over the store in memory, and what is kept of them. */
function webhooksOver({ kv, clock }: ReturnType<typeof merchantWorld>) {
  const store = createWebhookEndpointStore(kv);
  const deliveries = createWebhookDeliveryStore(kv);
  const stops = createEndpointStops({ endpoints: store, deliveries, clock, disabled: () => {} });
  const secrets = { generate: () => assert.fail("a partner's endpoint has no secret of its own") };
  const of = async (id: string) => (await store.load(id))?.record ?? assert.fail(`there is no ${id}`);
  return {
    of,
    deliveries,
    endpointDeliveries: createEndpointDeliveries({ deliveries, clock }),
    disable: async (id: string, reason: "gone" | "failing") => stops.disable(await of(id), reason),
    operations: createWebhookEndpoints({
      ...{ format: "platform", store, stops, secrets, box: bracketed, digest: sha256Hex, clock },
      isLocalHost: createCallableAddresses([]).isLocalHost,
    }),
  };
}

/** Asserts the one error body of the API. */
export function assertRefused(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assert.deepEqual(Object.keys(answer.body ?? {}).sort(), ["code", "error", "success"]);
  assertMatches(answer.body, { success: false, code, error: /./ });
  assert.ok(answer.headers.get("x-request-id"), "there is no request id");
}
