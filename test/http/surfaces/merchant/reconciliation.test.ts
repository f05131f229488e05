import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type MerchantUserGrant, rolesThatMay } from "../../../../engine/access/merchant-user-grant.ts";
import { createMinuteCounts } from "../../../../engine/kernel/minute-counts.ts";
import { createMerchantCalls } from "../../../../engine/partners/merchant-calls.ts";
import type { ClosedDay, DaySummary, ReconciledDay, Reconciliation } from "../../../../engine/reconciliation/reconciliation.ts";
import { createAuthenticator } from "../../../../http/auth/authenticator.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { portalCookie } from "../../../../http/auth/portal-session.ts";
import { bind } from "../../../../http/endpoint/endpoint.ts";
import { merchantEnvelope } from "../../../../http/surfaces/merchant/envelope.ts";
import { reconciliationEndpoints } from "../../../../http/surfaces/merchant/reconciliation/endpoints.ts";
import { MERCHANT_BASE } from "../../../../http/surfaces/merchant/surface.ts";
import { createLocalTime } from "../../../../http/surfaces/parts/time.ts";
import { assertMatches } from "../../../support/http/matches.ts";
import { NO_LOGINS, OWNER } from "../../auth/portal-people.ts";
import { monotonicMs, startWorld } from "../../server/world.ts";

type Role = MerchantUserGrant["role"];
const ROLES = ["OWNER", "ADMIN", "FINANCE", "DEVELOPER", "VIEWER"] as const satisfies readonly Role[];
const tokenOf = (role: Role) => role.padEnd(43, "_");

const CLOSED: ClosedDay = {
  ...{ schema: 1, merchantId: "SHOP-001", partnerId: 7, livemode: false, day: "2026-11-23", timeZone: "Europe/Rome" },
  ...{
    fromMs: Date.parse("2026-11-22T23:00:00Z"),
    untilMs: Date.parse("2026-11-23T23:00:00Z"),
    closedAtMs: Date.parse("2026-11-25T02:00:01Z"),
  },
  figures: {
    payments: [
      { terminalId: "=T1", method: "CARD", status: "OK", currency: "EUR", count: 2, amountMinor: 3_050 },
      { terminalId: "=T1", method: "CARD", status: "KO", currency: "EUR", count: 1, amountMinor: 500 },
      { terminalId: "T2", method: "SATISPAY", status: "OK", currency: "JPY", count: 1, amountMinor: 900 },
    ],
    refunded: [{ terminalId: "T2", method: "PAYBYLINK", status: "OK", currency: "EUR", count: 1, amountMinor: 1_050 }],
    links: [{ state: "PAID", currency: "EUR", count: 1, amountMinor: 1_050 }],
    refunds: [{ state: "done", currency: "EUR", count: 1, amountMinor: 1_050 }],
    unknown: { count: 120, items: [{ uuid: "uuid-1", terminalId: "T2" }] },
    conflicting: { count: 0, items: [] },
  },
};
const DAY: ReconciledDay = {
  closed: CLOSED,
  corrections: [
    {
      subject: { of: "payments", terminalId: "=T1", method: "CARD", status: "OK", currency: "EUR" },
      atMs: Date.parse("2026-11-26T02:00:00Z"),
      ...{ before: { count: 2, amountMinor: 3_050 }, after: { count: 3, amountMinor: 4_050 } },
    },
    {
      subject: { of: "unknown", uuid: "uuid-1", terminalId: "T2" },
      atMs: Date.parse("2026-11-26T02:00:00Z"),
      ...{ before: { count: 1, amountMinor: 0 }, after: { count: 0, amountMinor: 0 } },
    },
  ],
  correctionCount: 5,
};
const SUMMARY: DaySummary = {
  ...{ day: "2026-11-23", closedAtMs: CLOSED.closedAtMs, unknown: 120, conflicting: 0, corrections: 2 },
  totals: [{ currency: "EUR", approved: 2, approvedMinor: 3_050, declined: 1, refunds: 1, refundedMinor: 1_050, netMinor: 2_000 }],
};

async function open(t: TestContext) {
  const asked: { owners: string[]; queries: Parameters<Reconciliation["days"]>[1][] } = { owners: [], queries: [] };
  const reconciliation: Pick<Reconciliation, "day" | "days"> = {
    day: async ({ merchantId }, day) => {
      asked.owners.push(merchantId);
      if (merchantId !== "SHOP-001") return null;
      if (day === "2026-11-23") return DAY;
      return day > "2026-11-23" ? { type: "open", closesAtMs: Date.parse("2026-11-26T02:00:00Z") } : null;
    },
    days: async ({ merchantId }, query) => {
      asked.owners.push(merchantId);
      asked.queries.push(query);
      return merchantId === "SHOP-001" ? { items: [SUMMARY], next: "2026-11-23" } : { items: [], next: null };
    },
  };
  const people = new Map(ROLES.map((role) => [sha256Hex(tokenOf(role)), { ...OWNER, role, steppedUpUntilMs: 0 }] as const));
  const cookie = portalCookie({ isSecure: false });
  const operations = {
    reconciliation,
    localTime: createLocalTime("Europe/Rome"),
    merchantCalls: createMerchantCalls({ merchants: createMinuteCounts(monotonicMs), pages: createMinuteCounts(monotonicMs) }),
  };
  const keys = new Map([
    ["sk_merchant_1", "SHOP-001"],
    ["sk_merchant_2", "SHOP-002"],
  ]);
  const world = await startWorld(t, {
    endpoints: bind(reconciliationEndpoints, operations),
    authenticator: createAuthenticator(
      NO_LOGINS,
      monotonicMs,
      undefined,
      undefined,
      async (key) => {
        const merchantId = keys.get(key);
        if (merchantId === undefined) return null;
        return { merchantId, partnerId: 7, livemode: false, kind: "secret", keyId: "key-1", requestsPerMinute: 10_000, services: [] };
      },
      { cookie, nowMs: () => 1, find: async (digest) => people.get(digest) ?? null },
    ),
    envelopes: [{ under: MERCHANT_BASE, envelope: merchantEnvelope }],
  });
  const get = async (who: "key" | "other key" | "nobody" | Role, path: string) => {
    const login: { [name: string]: string } =
      who === "nobody"
        ? {}
        : who === "key" || who === "other key"
          ? { authorization: `Bearer sk_merchant_${who === "key" ? 1 : 2}` }
          : { cookie: `${cookie.name}=${tokenOf(who)}`, "sec-fetch-site": "same-origin" };
    const response = await fetch(`${world.url}${MERCHANT_BASE}/reconciliation${path}`, { headers: login });
    const bytes = Buffer.from(await response.arrayBuffer());
    const text = bytes.toString("utf8");
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    return { status: response.status, headers: response.headers, text, body: isJson ? (JSON.parse(text) as unknown) : undefined };
  };
  return { get, asked };
}

for (const [path, may] of [
  ["", "look"],
  ["/2026-11-23", "look"],
  ["/2026-11-23/file", "operate"],
] as const) {
  test(`GET /reconciliation${path}: nobody, and roles that may not, are refused; all others and the key are answered`, async (t) => {
    const { get, asked } = await open(t);
    assertMatches(await get("nobody", path), { status: 401, body: { code: "unauthorized" } });
    assert.equal((await get("key", path)).status, 200);
    for (const role of ROLES) {
      const answer = await get(role, path);
      if (rolesThatMay(may).includes(role)) assert.equal(answer.status, 200, role);
      else assertMatches(answer, { status: 403, body: { code: "role" } });
    }
    assert.deepEqual([...new Set(asked.owners)], ["SHOP-001"]);
  });
}

test("a day has its figures, what is named, and what has changed since", async (t) => {
  const { get } = await open(t);
  assertMatches((await get("VIEWER", "/2026-11-23")).body, {
    status: "ok",
    data: {
      ...{ day: "2026-11-23", timeZone: "Europe/Rome", from: "2026-11-22T23:00:00.000Z", until: "2026-11-23T23:00:00.000Z" },
      closedAt: "2026-11-25T02:00:01.000Z",
      totals: [
        { currency: "EUR", approved: 2, approvedMinor: 3_050, declined: 1, refunds: 1, refundedMinor: 1_050, netMinor: 2_000 },
        { currency: "JPY", approved: 1, approvedMinor: 900, declined: 0, refunds: 0, refundedMinor: 0, netMinor: 900 },
      ],
      payments: CLOSED.figures.payments,
      refunded: CLOSED.figures.refunded,
      unknown: { count: 120, items: [{ uuid: "uuid-1", terminalId: "T2" }] },
      corrections: {
        count: 5,
        items: [
          {
            ...{ of: "payments", at: "2026-11-26T02:00:00.000Z", terminalId: "=T1", method: "CARD", status: "OK", state: null, uuid: null },
            ...{ before: { count: 2, amountMinor: 3_050 }, after: { count: 3, amountMinor: 4_050 } },
          },
          { of: "unknown", uuid: "uuid-1", method: null, before: { count: 1, amountMinor: 0 }, after: { count: 0, amountMinor: 0 } },
        ],
      },
    },
  });
});

test("a day that is not closed says when it is; one without anything, and one of another merchant, is not there", async (t) => {
  const { get } = await open(t);
  for (const path of ["", "/file"]) {
    assertMatches(await get("key", `/2026-11-24${path}`), {
      status: 409,
      body: { code: "not_closed", error: /2026-11-26 03:00 \(Europe\/Rome\)/ },
    });
    assertMatches(await get("key", `/2026-11-01${path}`), { status: 404, body: { code: "not_found" } });
    assertMatches(await get("other key", `/2026-11-23${path}`), { status: 404, body: { code: "not_found" } });
    for (const day of ["2026-02-30", "2026-13-01", "today", "1969-12-31"]) {
      assertMatches(await get("key", `/${day}${path}`), { status: 400, body: { code: "invalid_request" } }, day);
    }
  }
});

test("days are listed within a range, and from a page on", async (t) => {
  const { get, asked } = await open(t);
  const answer = await get("key", "?from=2026-11-01&to=2026-11-30&limit=7&cursor=2026-11-25");
  assertMatches(answer.body, {
    data: { items: [{ day: "2026-11-23", closedAt: "2026-11-25T02:00:01.000Z", unknown: 120, corrections: 2 }], next: "2026-11-23" },
  });
  assert.deepEqual(asked.queries, [{ limit: 7, before: "2026-11-25", from: "2026-11-01", to: "2026-11-30", activeOnly: false }]);
  await get("key", "?activeOnly=true");
  assert.equal(asked.queries.at(-1)?.activeOnly, true);
  assertMatches((await get("other key", "")).body, { data: { items: [], next: null } });
  for (const query of ["cursor=x", "from=2026-11-02&to=2026-11-01", "from=2026-02-30"]) {
    assertMatches(await get("key", `?${query}`), { status: 400, body: { code: "invalid_request" } }, query);
  }
});

for (const [lang, expected] of [
  [
    "it",
    [
      "Voce;Terminale;Metodo;Esito o stato;Valuta;Numero;Importo;UUID;Corretto il (Europe/Rome);Numero precedente;Importo precedente",
      "Pagamenti;'=T1;CARD;OK;EUR;2;30,50;;;;",
      "Pagamenti;'=T1;CARD;KO;EUR;1;5,00;;;;",
      "Pagamenti;T2;SATISPAY;OK;JPY;1;900;;;;",
      "Rimborsato dei pagamenti;T2;PAYBYLINK;OK;EUR;1;10,50;;;;",
      "Link;;;PAID;EUR;1;10,50;;;;",
      "Rimborsi;;;done;EUR;1;10,50;;;;",
      "Esito ignoto;T2;;;;1;;uuid-1;;;",
      // The others, which are counted and not named: the file is not to look like all of them.
      "Esito ignoto;*;;;;119;;*;;;",
      "Correzione: Pagamenti;'=T1;CARD;OK;EUR;3;40,50;;2026-11-26 03:00:00;2;30,50",
      "Correzione: Esito ignoto;T2;;;;0;;uuid-1;2026-11-26 03:00:00;1;",
      "Correzione: altre;*;;;;3;;*;;;",
    ],
  ],
  [
    "en",
    [
      "Item,Terminal,Method,Status or state,Currency,Count,Amount,UUID,Corrected (Europe/Rome),Count before,Amount before",
      "Payments,'=T1,CARD,OK,EUR,2,30.50,,,,",
    ],
  ],
] as const) {
  test(`the CSV in ${lang} has a line for each figure, and no formula`, async (t) => {
    const { get } = await open(t);
    const answer = await get("FINANCE", `/2026-11-23/file?lang=${lang}`);
    assert.equal(answer.headers.get("content-type"), "text/csv; charset=utf-8");
    assert.match(answer.headers.get("content-disposition") ?? "", /^attachment; filename="reconciliation_SHOP-001_2026-11-23\.csv"/);
    const lines = answer.text
      .replace(/^\ufeff/, "")
      .trimEnd()
      .split("\r\n");
    assert.deepEqual(lines.slice(0, expected.length), expected);
    assert.equal(lines.length, 12);
  });
}
