/** Subscriptions as they are wired, behind their endpoints and the customer's page, on a clock that a test moves. */
import type { TestContext } from "node:test";
import { DateTime } from "luxon";
import type { MerchantUserGrant } from "../../../../engine/access/merchant-user-grant.ts";
import type { ListedUser } from "../../../../engine/accounts/users.ts";
import { createMinuteCounts } from "../../../../engine/kernel/minute-counts.ts";
import { createMerchantCalls } from "../../../../engine/partners/merchant-calls.ts";
import { createAuthenticator } from "../../../../http/auth/authenticator.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { portalCookie } from "../../../../http/auth/portal-session.ts";
import { bind } from "../../../../http/endpoint/endpoint.ts";
import { merchantEnvelope } from "../../../../http/surfaces/merchant/envelope.ts";
import { subscriptionEndpoints } from "../../../../http/surfaces/merchant/subscriptions/endpoints.ts";
import { MERCHANT_BASE } from "../../../../http/surfaces/merchant/surface.ts";
import { createLocalTime } from "../../../../http/surfaces/parts/time.ts";
import { subscriptionPageEndpoints } from "../../../../http/surfaces/subscription-pages/endpoints.ts";
import { createIdempotency } from "../../../../infra/node/wiring/shared/idempotency.ts";
import { OWNER, SubscriptionWorld } from "../../../engine/subscriptions/world.ts";
import { member, textMember } from "../../../support/http/matches.ts";
import { NO_LOGINS, OWNER as PERSON } from "../../auth/portal-people.ts";
import { monotonicMs, startWorld } from "../../server/world.ts";

type Role = MerchantUserGrant["role"];
export type Who = "key" | "other key" | "nobody" | Role;

export const ROLES = ["OWNER", "ADMIN", "FINANCE", "DEVELOPER", "VIEWER"] as const satisfies readonly Role[];
export const ZONE = "Europe/Rome";
export const MONTHLY = { name: "Gym", amountMinor: 2_900, interval: "MONTH" } as const;
export const CUSTOMER = { name: "Ada Rossi", email: "ada@example.org", locale: "en" } as const;

const tokenOf = (role: Role) => role.padEnd(43, "_");
const BOX = { seal: (text: string) => text, open: (text: string) => text };

export function msOf(local: string): number {
  return DateTime.fromISO(local, { zone: ZONE }).toMillis();
}

export async function open(t: TestContext, beginsAt = "2026-01-31T15:00") {
  const engine = new SubscriptionWorld();
  const { kv, clock, charges } = engine;
  clock.wallMs = msOf(beginsAt);
  let made = 0;
  const ids = {
    uuid: () => {
      made += 1;
      return `00000000-0000-4000-8000-${String(made).padStart(12, "0")}`;
    },
  };
  const user: ListedUser = {
    ...{ userId: PERSON.userId, email: "owner@shop.example", role: "OWNER", state: "ACTIVE", accountId: "a", locale: "en" },
    ...{ invitedAtMs: 1, invitation: null, joinedAtMs: 1, hasSecondFactor: true },
  };
  /** Of ADMIN the second factor is not fresh. */
  const people = new Map(
    ROLES.map((role) => {
      const userId = role === "OWNER" ? PERSON.userId : `user-${role}`;
      return [
        sha256Hex(tokenOf(role)),
        { ...PERSON, ...OWNER, role, userId, steppedUpUntilMs: role === "ADMIN" ? 0 : Number.MAX_SAFE_INTEGER },
      ] as const;
    }),
  );
  const cookie = portalCookie({ isSecure: false });
  const localTime = createLocalTime(ZONE);
  const operations = {
    plans: engine.plans,
    subscriptions: engine.subscriptions,
    cardsOnFile: charges,
    subscriptionUrl: (token: string) => `https://relay.example/s/${token}`,
    users: { list: async () => [user] },
    ...{ localTime, clock, ids },
    merchantCalls: createMerchantCalls({ merchants: createMinuteCounts(monotonicMs), pages: createMinuteCounts(monotonicMs) }),
    shops: { of: async () => ({ name: 'Bar <b>"Centrale"</b>', color: null, logo: null }) },
    linkPages: { own: () => "https://relay.example" },
  };
  const once = createIdempotency({ ...{ kv, clock, ids, secretBox: BOX }, failed: (_, error) => t.diagnostic(String(error)) });
  const grant = {
    partnerId: OWNER.partnerId,
    livemode: OWNER.livemode,
    kind: "secret",
    keyId: "key-1",
    requestsPerMinute: 10_000,
    services: [],
  } as const;
  const world = await startWorld(t, {
    endpoints: [...bind(subscriptionEndpoints, operations), ...bind(subscriptionPageEndpoints, operations)].map(once),
    authenticator: createAuthenticator(
      NO_LOGINS,
      monotonicMs,
      undefined,
      undefined,
      async (key) => {
        if (key === "sk_merchant_1") return { ...grant, merchantId: OWNER.merchantId };
        return key === "sk_merchant_2" ? { ...grant, merchantId: "M2" } : null;
      },
      { cookie, nowMs: clock.nowMs, find: async (digest) => people.get(digest) ?? null },
    ),
    envelopes: [{ under: MERCHANT_BASE, envelope: merchantEnvelope }],
  });

  function loginOf(who: Who): { [name: string]: string } {
    if (who === "nobody") return {};
    if (who === "key" || who === "other key") return { authorization: `Bearer sk_merchant_${who === "key" ? 1 : 2}` };
    return { cookie: `${cookie.name}=${tokenOf(who)}`, "sec-fetch-site": "same-origin", "x-relay-portal": "1" };
  }

  async function send(who: Who, method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown, headers = {}) {
    const response = await fetch(`${world.url}${MERCHANT_BASE}${path}`, {
      method,
      headers: { ...loginOf(who), ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text === "" ? undefined : (JSON.parse(text) as unknown) };
  }

  async function data(who: Who, method: "GET" | "POST" | "PUT" | "PATCH", path: string, body?: unknown): Promise<unknown> {
    const answer = await send(who, method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return member(answer.body, "data");
  }

  const plan = async (terms: object = {}) => textMember(await data("OWNER", "POST", "/plans", { ...MONTHLY, ...terms }), "id");

  /** One with a card on file, unless it says otherwise. */
  async function create(terms: object = {}, members: object = {}): Promise<unknown> {
    const order = { planId: await plan(terms), customer: CUSTOMER, collection: "CARD", methodId: "card_1", ...members };
    return data("OWNER", "POST", "/subscriptions", order);
  }

  async function page(method: "GET" | "POST", path: string, headers: { [name: string]: string } = {}) {
    const response = await fetch(`${world.url}${path}`, { method, redirect: "manual", headers });
    return { status: response.status, headers: response.headers, text: await response.text(), location: response.headers.get("location") };
  }

  return { engine, url: world.url, send, data, plan, create, page };
}

export type World = Awaited<ReturnType<typeof open>>;
