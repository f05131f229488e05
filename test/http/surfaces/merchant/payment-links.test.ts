import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { MerchantUserGrant } from "../../../../engine/access/merchant-user-grant.ts";
import { rolesThatMay } from "../../../../engine/access/merchant-user-grant.ts";
import type { ListedUser } from "../../../../engine/accounts/users.ts";
import { createMinuteCounts } from "../../../../engine/kernel/minute-counts.ts";
import type { LinkRecord } from "../../../../engine/links/link.ts";
import { createMerchantCalls } from "../../../../engine/partners/merchant-calls.ts";
import type { PortalLinkRecord } from "../../../../engine/portal-links/portal-link.ts";
import type { PortalLinkQuery, PortalLinks } from "../../../../engine/portal-links/portal-links.ts";
import type { GivenBack } from "../../../../engine/refunds/refund-payment.ts";
import { createAuthenticator } from "../../../../http/auth/authenticator.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { portalCookie } from "../../../../http/auth/portal-session.ts";
import { bind } from "../../../../http/endpoint/endpoint.ts";
import { merchantEnvelope } from "../../../../http/surfaces/merchant/envelope.ts";
import { paymentLinkEndpoints } from "../../../../http/surfaces/merchant/payment-links/endpoints.ts";
import { paymentLinkObject } from "../../../../http/surfaces/merchant/payment-links/schemas.ts";
import { refundTransaction } from "../../../../http/surfaces/merchant/refund-transaction.ts";
import { MERCHANT_BASE } from "../../../../http/surfaces/merchant/surface.ts";
import { createLocalTime } from "../../../../http/surfaces/parts/time.ts";
import { attempt, idOf, NOW_MS, portalLink } from "../../../engine/portal-links/machine-world.ts";
import { assertMatches } from "../../../support/http/matches.ts";
import { NO_LOGINS, OWNER } from "../../auth/portal-people.ts";
import { monotonicMs, startWorld } from "../../server/world.ts";
import { transaction } from "./world.ts";

type Role = MerchantUserGrant["role"];
type Who = "key" | "nobody" | Role;

const ROLES = ["OWNER", "ADMIN", "FINANCE", "DEVELOPER", "VIEWER"] as const satisfies readonly Role[];
const tokenOf = (role: Role) => role.padEnd(43, "_");
const BY_OWNER = { type: "user", userId: OWNER.userId } as const;

async function open(t: TestContext) {
  const said = {
    link: portalLink([], { createdBy: BY_OWNER }) as PortalLinkRecord,
    cancel: "cancelled" as "cancelled" | "not_pending",
    send: "sent" as "sent" | "not_pending" | "no_address" | "too_many",
    create: "created" as "created" | "no_account",
    givenBack: { type: "given_back", by: "refund", amountMinor: 1_234, currency: "EUR", atMs: NOW_MS } as GivenBack,
    method: "PAYBYLINK" as "PAYBYLINK" | "CARD",
    isKept: true,
  };
  const asked: { queries: PortalLinkQuery[]; orders: unknown[]; sends: unknown[]; refunds: string[] } = {
    ...{ queries: [], orders: [], sends: [], refunds: [] },
  };
  const own = (id: string) => (id === said.link.id ? said.link : null);
  const portalLinks: Omit<PortalLinks, "byToken" | "pay" | "verified" | "createUncounted" | "createBeside"> = {
    create: async (owner, order, createdBy) => {
      asked.orders.push({ owner, order, createdBy });
      return said.create === "created" ? { type: "created", link: said.link } : { type: "no_account" };
    },
    find: async (_owner, id) => own(id),
    list: async (_owner, query) => {
      asked.queries.push(query);
      return { items: [said.link], next: "more" };
    },
    cancel: async (_owner, id) => (own(id) === null ? null : { type: said.cancel, link: said.link }),
    send: async (_owner, id, email, locale) => {
      asked.sends.push({ email, locale });
      return own(id) === null ? null : { type: said.send, link: said.link };
    },
  };
  const user: ListedUser = {
    ...{ userId: OWNER.userId, email: "owner@shop.example", role: "OWNER", state: "ACTIVE", accountId: "a", locale: "en" },
    ...{ invitedAtMs: 1, invitation: null, joinedAtMs: 1, hasSecondFactor: true },
  };
  const people = new Map(
    ROLES.map(
      (role) =>
        [
          sha256Hex(tokenOf(role)),
          { ...OWNER, role, userId: role === "OWNER" ? OWNER.userId : `user-${role}`, steppedUpUntilMs: role === "ADMIN" ? 0 : NOW_MS * 2 },
        ] as const,
    ),
  );
  const cookie = portalCookie({ isSecure: false });
  const operations = {
    portalLinks,
    paymentLinkUrl: (token: string) => `https://relay.example/l/${token}`,
    users: { list: async () => [user] },
    localTime: createLocalTime("Europe/Rome"),
    clock: { nowMs: () => NOW_MS },
    merchantCalls: createMerchantCalls({ merchants: createMinuteCounts(monotonicMs), pages: createMinuteCounts(monotonicMs) }),
    merchantTransactions: {
      find: async (merchantId: string, uuid: string) =>
        merchantId === "SHOP-001" && uuid === "u-1" ? transaction({ uuid, method: said.method, status: "OK" }) : null,
    },
    links: {
      byTxId: async (txId: string): Promise<LinkRecord | null> => {
        if (!said.isKept || txId !== `${idOf(1)}.1`) return null;
        const order = {
          ...{ txId, terminalId: "T1", partnerId: 7, owner: "merchant:SHOP-001", amount: "12.34", amountMinor: 1_234, currency: "EUR" },
          ...{
            description: null,
            merchantReference: null,
            customerEmail: null,
            instrument: "card" as const,
            capture: "now" as const,
            returnUrl: null,
          },
          ...{ createdAtMs: 1, expiresAtMs: 2, attachment: null, shop: "SHOP-001" },
        } as const;
        return {
          ...{ order, state: "success", inits: 1, paymentId: "p", paymentUrl: null, nextAtMs: null, verifiedAtMs: null, notifications: 0 },
          ...{ outcome: null, late: false, overdue: false, followUps: [] },
        } as const;
      },
    },
    giveBack: async (_owner: unknown, link: { order: { txId: string } }) => {
      asked.refunds.push(link.order.txId);
      return said.givenBack;
    },
  };
  const world = await startWorld(t, {
    endpoints: [...bind(paymentLinkEndpoints, operations), ...bind([refundTransaction], operations)],
    authenticator: createAuthenticator(
      NO_LOGINS,
      monotonicMs,
      undefined,
      undefined,
      async (key) =>
        key === "sk_merchant_1"
          ? {
              merchantId: "SHOP-001",
              partnerId: 7,
              livemode: false,
              kind: "secret",
              keyId: "key-1",
              requestsPerMinute: 10_000,
              services: [],
            }
          : null,
      { cookie, nowMs: () => NOW_MS, find: async (digest) => people.get(digest) ?? null },
    ),
    envelopes: [{ under: MERCHANT_BASE, envelope: merchantEnvelope }],
  });
  const send = async (who: Who, method: "GET" | "POST", path: string, body?: unknown) => {
    const login: { [name: string]: string } =
      who === "key"
        ? { authorization: "Bearer sk_merchant_1" }
        : who === "nobody"
          ? {}
          : { cookie: `${cookie.name}=${tokenOf(who)}`, "sec-fetch-site": "same-origin", "x-relay-portal": "1" };
    const response = await fetch(`${world.url}${MERCHANT_BASE}${path}`, {
      method,
      headers: { ...login, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text === "" ? undefined : (JSON.parse(text) as unknown) };
  };
  return { said, asked, send };
}

const ORDER = { amountMinor: 1_234, description: "Two nights" };
const LINK = `/payment-links/${idOf(1)}`;
const REFUND = `/transactions/${idOf(1)}.1/refund`;
const CALLS = [
  { method: "GET", path: "/payment-links", body: undefined, may: "look" },
  { method: "POST", path: "/payment-links", body: ORDER, may: "operate" },
  { method: "GET", path: LINK, body: undefined, may: "look" },
  { method: "POST", path: `${LINK}/send`, body: {}, may: "operate" },
  { method: "POST", path: `${LINK}/cancel`, body: undefined, may: "operate" },
  { method: "POST", path: REFUND, body: {}, may: "refund" },
] as const;

for (const { method, path, body, may } of CALLS) {
  test(`${method} ${path}: nobody, and roles that may not, are refused; all others and the key are answered`, async (t) => {
    const { send } = await open(t);
    assertMatches(await send("nobody", method, path, body), { status: 401, body: { code: "unauthorized" } });
    assert.ok((await send("key", method, path, body)).status < 300);
    for (const role of ROLES) {
      const answer = await send(role, method, path, body);
      if (!rolesThatMay(may).includes(role)) assertMatches(answer, { status: 403, body: { status: "error", code: "role" } });
      else if (path === REFUND && role === "ADMIN") assertMatches(answer, { status: 403, body: { code: "step_up_required" } });
      else assert.ok(answer.status < 300, `${role}: ${answer.text}`);
    }
  });
}

test("addresses of people are masked for those who do not see personal data, who may not filter by them either", async (t) => {
  const { send, asked } = await open(t);
  for (const [who, customerEmail, createdBy] of [
    ["OWNER", "ada@example.org", "owner@shop.example"],
    ["key", "ada@example.org", "owner@shop.example"],
    ["VIEWER", "a***@example.org", "o***@shop.example"],
    ["DEVELOPER", "a***@example.org", "o***@shop.example"],
  ] as const) {
    assertMatches((await send(who, "GET", LINK)).body, { data: { customerEmail, createdBy, qr: /^data:image\/svg/ } });
    assertMatches((await send(who, "GET", "/payment-links")).body, {
      data: { items: [{ customerEmail, createdBy, qr: null }], next: "more" },
    });
  }
  assertMatches(await send("VIEWER", "GET", "/payment-links?customerEmail=ada@example.org"), { status: 403, body: { code: "role" } });
  assert.equal((await send("FINANCE", "GET", "/payment-links?customerEmail=ada@example.org")).status, 200);
  assert.equal(asked.queries.at(-1)?.customerEmail, "ada@example.org");
});

test("a list is of one currency where that is asked for", async (t) => {
  const { send, asked } = await open(t);
  assert.equal((await send("key", "GET", "/payment-links?currency=CHF")).status, 200);
  assert.equal(asked.queries.at(-1)?.currency, "CHF");
  assertMatches(await send("key", "GET", "/payment-links?currency=chf"), { status: 400, body: { code: "invalid_request" } });
});

test("a list is sorted by the time of creation only, the newest first unless asked otherwise", async (t) => {
  const { send, asked } = await open(t);
  for (const [path, order] of [
    ["/payment-links", "newest"],
    ["/payment-links?sort=newest", "newest"],
    ["/payment-links?sort=oldest", "oldest"],
  ] as const) {
    assert.equal((await send("key", "GET", path)).status, 200);
    assert.equal(asked.queries.at(-1)?.order, order);
  }
  assertMatches(await send("key", "GET", "/payment-links?sort=largest"), { status: 400, body: { code: "invalid_request" } });
});

test("whoever made a link is named by what it was, and one who has left as that", async (t) => {
  const { send, said } = await open(t);
  for (const [createdBy, name, creator] of [
    [{ type: "key" }, "API key", "key"],
    [{ type: "agent", agentId: "agt_1" }, "AI agent", "agent"],
    [{ type: "user", userId: "usr_gone" }, "Former user", "former_user"],
    [BY_OWNER, /@/, "user"],
  ] as const) {
    said.link = portalLink([], { createdBy });
    assertMatches((await send("OWNER", "GET", LINK)).body, { data: { createdBy: name, creator } });
  }
});

test("an order goes on with its currency, its end and whoever makes it", async (t) => {
  const { send, asked } = await open(t);
  await send("OWNER", "POST", "/payment-links", { ...ORDER, expiresInHours: 2, currency: "CHF", reference: "T-7" });
  await send("key", "POST", "/payment-links", ORDER);
  const owner = { merchantId: "SHOP-001", partnerId: 7, livemode: false };
  const order = { ...ORDER, customerEmail: null };
  assert.deepEqual(asked.orders, [
    { owner, order: { ...order, currency: "CHF", reference: "T-7", expiresAtMs: NOW_MS + 7_200_000 }, createdBy: BY_OWNER },
    { owner, order: { ...order, currency: "EUR", reference: null, expiresAtMs: NOW_MS + 7 * 86_400_000 }, createdBy: { type: "key" } },
  ]);
});

test("what is not as declared is refused, and nothing is asked for", async (t) => {
  const { send, asked } = await open(t);
  for (const [members, named] of [
    [{ amountMinor: 0 }, /amountMinor/],
    [{ amountMinor: 1.5 }, /amountMinor/],
    [{ amountMinor: "12" }, /amountMinor/],
    [{ currency: "eur" }, /currency/],
    [{ description: "" }, /description/],
    [{ description: "x".repeat(256) }, /description/],
    [{ reference: "x".repeat(256) }, /reference/],
    [{ expiresInHours: 0 }, /expiresInHours/],
    [{ expiresInHours: 2_161 }, /expiresInHours/],
    [{ merchantId: "SHOP-002" }, /merchantId/],
  ] as const) {
    const answer = await send("OWNER", "POST", "/payment-links", { ...ORDER, ...members });
    assertMatches(answer, { status: 400, body: { code: "invalid_request", error: named } });
  }
  for (const body of [{ email: "nobody" }, { email: "a b@example.com" }, { locale: "de" }]) {
    assertMatches(await send("OWNER", "POST", `${LINK}/send`, body), { status: 400, body: { code: "invalid_request" } });
  }
  for (const query of ["state=OPEN", "from=2026-02-30", "from=2026-11-02&to=2026-11-01", "limit=0", "q="]) {
    assertMatches(await send("OWNER", "GET", `/payment-links?${query}`), { status: 400, body: { code: "invalid_request" } });
  }
  assertMatches(await send("OWNER", "POST", REFUND, { reason: "", amount: 1 }), { status: 400, body: { code: "invalid_request" } });
  assert.deepEqual([asked.orders, asked.sends, asked.queries, asked.refunds], [[], [], [], []]);
});

test("what a link does not take is told by its code", async (t) => {
  const { send, said } = await open(t);
  said.create = "no_account";
  assertMatches(await send("OWNER", "POST", "/payment-links", ORDER), { status: 409, body: { code: "no_account" } });
  said.cancel = "not_pending";
  assertMatches(await send("OWNER", "POST", `${LINK}/cancel`), { status: 409, body: { code: "not_pending" } });
  for (const code of ["not_pending", "no_address", "too_many"] as const) {
    said.send = code;
    for (const body of [{}, undefined]) assertMatches(await send("OWNER", "POST", `${LINK}/send`, body), { status: 409, body: { code } });
  }
  for (const [method, path] of [
    ["GET", ""],
    ["POST", "/send"],
    ["POST", "/cancel"],
  ] as const) {
    const answer = await send("OWNER", method, `/payment-links/${idOf(9)}${path}`, path === "/send" ? {} : undefined);
    assertMatches(answer, { status: 404, body: { code: "not_found" } });
  }
});

test("a refund is answered as it went", async (t) => {
  const { send, said, asked } = await open(t);
  assertMatches(await send("OWNER", "POST", REFUND, { reason: "why" }), {
    status: 200,
    body: { data: { uuid: `${idOf(1)}.1`, type: "refund", amountMinor: 1_234, currency: "EUR", at: new Date(NOW_MS).toISOString() } },
  });
  assert.equal((await send("OWNER", "POST", REFUND)).status, 200, "a reason may be left out");
  for (const reason of ["not_paid", "already_refunded", "partial_refund"] as const) {
    said.givenBack = { type: "impossible", reason };
    assertMatches(await send("OWNER", "POST", REFUND, {}), { status: 409, body: { code: reason } });
  }
  said.givenBack = { type: "impossible", reason: "outcome_unknown" };
  const unknown = await send("OWNER", "POST", REFUND, {});
  assertMatches(unknown, { status: 409, body: { code: "outcome_unknown" } });
  assert.ok(Number(unknown.headers.get("retry-after")) > 0);
  said.givenBack = { type: "refused", description: "Not permitted" };
  assertMatches(await send("OWNER", "POST", REFUND, {}), { status: 409, body: { code: "refund_refused", error: /Not permitted/ } });
  const before = asked.refunds.length;
  assertMatches(await send("OWNER", "POST", "/transactions/u-1/refund", {}), { status: 409, body: { code: "not_kept" } });
  said.method = "CARD";
  assertMatches(await send("OWNER", "POST", "/transactions/u-1/refund", {}), { status: 409, body: { code: "not_refundable_here" } });
  assertMatches(await send("OWNER", "POST", "/transactions/u-9/refund", {}), { status: 404 });
  assert.equal(asked.refunds.length, before);
});

test("the object of events has the money and nothing of the customer, the address or what was written", () => {
  const paid = { atMs: NOW_MS, amountMinor: 1_234, currency: "EUR", cardLast4: "1111" };
  const object = paymentLinkObject(portalLink([attempt(1, "failed"), attempt(2, "paid", { paid })], { state: "PAID", paidAtMs: NOW_MS }));
  assert.deepEqual(object, {
    ...{ id: idOf(1), object: "payment_link", environment: "TEST", state: "PAID", late: false, paidTwice: false },
    ...{ amountMinor: 1_234, currency: "EUR", reference: "R-7" },
    createdAt: "2023-11-14T22:13:20.000Z",
    expiresAt: "2023-11-21T22:13:20.000Z",
    paidAt: "2023-11-14T22:14:20.000Z",
    cancelledAt: null,
    payments: [
      { uuid: `${idOf(1)}.2`, paidAt: "2023-11-14T22:14:20.000Z", amountMinor: 1_234, currency: "EUR", last4: "1111", refund: "none" },
    ],
  });
});
