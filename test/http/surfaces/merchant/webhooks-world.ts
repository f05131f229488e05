/** A merchant's webhooks, on a server by itself, over the whole pipeline with a store in memory. */
import type { MerchantUserGrant } from "../../../../engine/access/merchant-user-grant.ts";
import { createMinuteCounts } from "../../../../engine/kernel/minute-counts.ts";
import { createMerchantCalls } from "../../../../engine/partners/merchant-calls.ts";
import { createAuthenticator } from "../../../../http/auth/authenticator.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { portalCookie } from "../../../../http/auth/portal-session.ts";
import { bind } from "../../../../http/endpoint/endpoint.ts";
import { merchantEnvelope } from "../../../../http/surfaces/merchant/envelope.ts";
import { MERCHANT_BASE } from "../../../../http/surfaces/merchant/surface.ts";
import { webhookEndpoints } from "../../../../http/surfaces/merchant/webhooks/endpoints.ts";
import { merchantBody } from "../../../../http/webhooks/webhook-request.ts";
import { world as webhookWorld } from "../../../engine/webhooks/webhook-world.ts";
import { NO_LOGINS, OWNER } from "../../auth/portal-people.ts";
import { monotonicMs, startWorld } from "../../server/world.ts";

export type Who = "key" | "other key" | "live key" | "publishable" | MerchantUserGrant["role"] | "OWNER without factor" | "nobody";

const KEYS: { readonly [who in Who]?: { key: string; merchantId: string; livemode: boolean } } = {
  key: { key: "sk_merchant_1", merchantId: "M1", livemode: false },
  "other key": { key: "sk_merchant_2", merchantId: "M2", livemode: false },
  "live key": { key: "sk_merchant_3", merchantId: "M3", livemode: true },
  publishable: { key: "pk_merchant_1", merchantId: "M1", livemode: false },
};
const ROLES = ["OWNER", "ADMIN", "FINANCE", "DEVELOPER", "VIEWER"] as const;

/** 43 characters, as a token has. */
const tokenOf = (who: Who) => who.padEnd(43, "_").replaceAll(" ", "-");

export async function open(t: { after(close: () => void): void }) {
  const pipeline = webhookWorld();
  const { clock, webhookEndpoints: merchantWebhooks, merchantDeliveries } = pipeline;
  const cookie = portalCookie({ isSecure: false });
  const person = { ...OWNER, merchantId: "M1", partnerId: 7, livemode: false, steppedUpUntilMs: Number.MAX_SAFE_INTEGER };
  const people = new Map<string, MerchantUserGrant>(ROLES.map((role) => [sha256Hex(tokenOf(role)), { ...person, role }]));
  people.set(sha256Hex(tokenOf("OWNER without factor")), { ...person, steppedUpUntilMs: 0 });
  const authenticator = createAuthenticator(
    NO_LOGINS,
    monotonicMs,
    undefined,
    undefined,
    async (key) => {
      const known = Object.values(KEYS).find((one) => one.key === key);
      if (known === undefined) return null;
      const { merchantId, livemode } = known;
      const kind = key.startsWith("pk_") ? "publishable" : "secret";
      return { partnerId: 7, merchantId, livemode, kind, keyId: "key-1", requestsPerMinute: 10_000, services: [] };
    },
    { cookie, nowMs: clock.nowMs, find: async (digest) => people.get(digest) ?? null },
  );
  let operations = 0;
  const calls = createMerchantCalls({ merchants: createMinuteCounts(monotonicMs), pages: createMinuteCounts(monotonicMs) });
  const bound = bind(webhookEndpoints, { merchantWebhooks, merchantDeliveries, webhookBody: merchantBody, clock, merchantCalls: calls });
  const server = await startWorld(t, {
    // Each request is an operation of its own, as it is without an Idempotency-Key.
    endpoints: bound.map((endpoint) => ({
      ...endpoint,
      run: (input) => {
        operations += 1;
        return endpoint.run({ ...input, operationId: `operation of a request ${operations}` });
      },
    })),
    authenticator,
    envelopes: [{ under: MERCHANT_BASE, envelope: merchantEnvelope }],
  });

  async function send(method: string, path: string, { who = "key", body }: { who?: Who; body?: unknown } = {}) {
    const key = KEYS[who]?.key;
    const shown: { [name: string]: string } = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const session: { [name: string]: string } =
      key !== undefined || who === "nobody"
        ? {}
        : { cookie: `${cookie.name}=${tokenOf(who)}`, "sec-fetch-site": "same-origin", "x-relay-portal": "1" };
    const response = await fetch(`${server.url}${MERCHANT_BASE}${path}`, {
      method,
      headers: { ...shown, ...session, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json: unknown = JSON.parse(text);
    return { status: response.status, headers: response.headers, text, body: json };
  }

  return { ...server, ...pipeline, send };
}
