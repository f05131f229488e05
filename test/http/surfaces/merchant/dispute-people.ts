import type { TestContext } from "node:test";
import type { MerchantUserGrant } from "../../../../engine/access/merchant-user-grant.ts";
import type { ListedUser } from "../../../../engine/accounts/users.ts";
import { createMinuteCounts } from "../../../../engine/kernel/minute-counts.ts";
import { createMerchantCalls } from "../../../../engine/partners/merchant-calls.ts";
import { createAuthenticator } from "../../../../http/auth/authenticator.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { portalCookie } from "../../../../http/auth/portal-session.ts";
import type { BoundEndpoint } from "../../../../http/endpoint/endpoint.ts";
import { merchantEnvelope } from "../../../../http/surfaces/merchant/envelope.ts";
import { MERCHANT_BASE } from "../../../../http/surfaces/merchant/surface.ts";
import { createLocalTime } from "../../../../http/surfaces/parts/time.ts";
import { NO_LOGINS, OWNER } from "../../auth/portal-people.ts";
import { monotonicMs, startWorld } from "../../server/world.ts";

type Role = MerchantUserGrant["role"];
export type Who = "key" | "nobody" | Role;
export const ROLES = ["OWNER", "ADMIN", "FINANCE", "DEVELOPER", "VIEWER"] as const satisfies readonly Role[];

export const OWNER_EMAIL = "owner@shop.example";
export const BY_OWNER = { type: "user", userId: OWNER.userId } as const;

const tokenOf = (role: Role) => role.padEnd(43, "_");

const USER: ListedUser = {
  ...{ userId: OWNER.userId, email: OWNER_EMAIL, role: "OWNER", state: "ACTIVE", accountId: "a", locale: "en" },
  ...{ invitedAtMs: 1, invitation: null, joinedAtMs: 1, hasSecondFactor: true },
};

/** What every part of the portal's interface uses, at a time. */
export function sharedOperations(nowMs: number) {
  return {
    users: { list: async () => [USER] },
    localTime: createLocalTime("Europe/Rome"),
    clock: { nowMs: () => nowMs },
    merchantCalls: createMerchantCalls({ merchants: createMinuteCounts(monotonicMs), pages: createMinuteCounts(monotonicMs) }),
  };
}

/** A server with people of every role, whose second factor is fresh but for the admin's, and a program with the key. */
export async function peopleOf(t: TestContext, endpoints: BoundEndpoint[], nowMs: number) {
  const people = new Map(
    ROLES.map((role) => {
      const userId = role === "OWNER" ? OWNER.userId : `user-${role}`;
      return [sha256Hex(tokenOf(role)), { ...OWNER, role, userId, steppedUpUntilMs: role === "ADMIN" ? 0 : nowMs * 2 }] as const;
    }),
  );
  const cookie = portalCookie({ isSecure: false });
  const merchant = {
    merchantId: "SHOP-001",
    partnerId: 7,
    livemode: false,
    kind: "secret",
    keyId: "key-1",
    requestsPerMinute: 10_000,
    services: [],
  } as const;
  const world = await startWorld(t, {
    endpoints,
    authenticator: createAuthenticator(
      ...([NO_LOGINS, monotonicMs, undefined, undefined] as const),
      async (key) => (key === "sk_merchant_1" ? merchant : null),
      { cookie, nowMs: () => nowMs, find: async (digest) => people.get(digest) ?? null },
    ),
    envelopes: [{ under: MERCHANT_BASE, envelope: merchantEnvelope }],
  });
  return async (who: Who, method: string, path: string, body?: unknown) => {
    const own = who === "key" || who === "nobody" ? null : { cookie: `${cookie.name}=${tokenOf(who)}` };
    const login: { [name: string]: string } =
      who === "key"
        ? { authorization: "Bearer sk_merchant_1" }
        : own === null
          ? {}
          : { ...own, "sec-fetch-site": "same-origin", "x-relay-portal": "1" };
    const isForm = body instanceof FormData;
    const response = await fetch(`${world.url}${MERCHANT_BASE}${path}`, {
      method,
      headers: { ...login, ...(body === undefined || isForm ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    return { status: response.status, text, body: isJson ? (JSON.parse(text) as unknown) : undefined };
  };
}
