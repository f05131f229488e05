import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { rolesThatMay } from "../../../../engine/access/merchant-user-grant.ts";
import type { AlertRecord } from "../../../../engine/alerts/alert.ts";
import { type AlertRules, noRules } from "../../../../engine/alerts/alert-rules.ts";
import type { AlertQuery, Alerts } from "../../../../engine/alerts/alerts.ts";
import { bind } from "../../../../http/endpoint/endpoint.ts";
import { alertEndpoints } from "../../../../http/surfaces/merchant/alerts/endpoints.ts";
import { alertObject } from "../../../../http/surfaces/merchant/alerts/schemas.ts";
import { alert, ID, NOW_MS, refund } from "../../../engine/alerts/machine-world.ts";
import { assertMatches } from "../../../support/http/matches.ts";
import { BY_OWNER, OWNER_EMAIL, peopleOf, ROLES, sharedOperations } from "./dispute-people.ts";

const SMALL = { id: "small", amountMaxMinor: 2_000, sources: null, categories: null, methods: null };
const RULES = { enabled: true, currency: "EUR", rules: [SMALL], dailyCountMax: 10, dailyAmountMaxMinor: 10_000 };

type Answer<Method extends keyof Alerts> = Alerts[Method] extends (...given: never[]) => Promise<infer Said> ? Said : never;

async function open(t: TestContext) {
  const said = {
    record: alert("DECLINED", {
      refund: refund({ by: BY_OWNER, state: "refused", detail: "gateway", nextAtMs: null }),
      end: { by: "merchant", atMs: NOW_MS, reason: "Ada Lovelace has the goods" },
    }) as AlertRecord,
    refund: null as Answer<"refund">,
    decline: null as Answer<"decline">,
    rules: { ...noRules({ merchantId: "SHOP-001", livemode: false }), ...RULES, updatedBy: BY_OWNER, updatedAtMs: NOW_MS } as AlertRules,
    isChanged: false,
  };
  said.refund = { type: "refunded", alert: said.record };
  said.decline = { type: "declined", alert: said.record };
  const asked: { queries: AlertQuery[]; saved: unknown[] } = { queries: [], saved: [] };
  const own = (id: string) => (id === ID ? said.record : null);
  const alerts: Alerts = {
    find: async (_owner, id) => own(id),
    list: async (_owner, query) => {
      asked.queries.push(query);
      return { items: [said.record], next: null };
    },
    ofPayment: async () => [],
    stats: async () => ({ counts: {}, amountsMinor: {}, preventionRate: null, dueSoon: 0, complete: true }),
    refund: async (_owner, id) => own(id) && said.refund,
    decline: async (_owner, id) => own(id) && said.decline,
    rules: async () => ({ rules: said.rules, version: 7 }),
    saveRules: async (_owner, rules, version, by) => {
      asked.saved.push({ rules, version, by });
      return { type: said.isChanged ? "changed" : "saved", rules: said.rules, version: 8 };
    },
    dryRun: async () => ({
      ...{ fromMs: NOW_MS, looked: 150, complete: false },
      items: Array.from({ length: 120 }, (_, index) => ({ alert: said.record, rule: SMALL, capped: index >= 100 })),
    }),
  };
  return { said, asked, send: await peopleOf(t, bind(alertEndpoints, { ...sharedOperations(NOW_MS), alerts }), NOW_MS) };
}

const CALLS = [
  { method: "GET", path: "/alerts", body: undefined, may: "look", stepUp: false },
  { method: "GET", path: `/alerts/${ID}`, body: undefined, may: "look", stepUp: false },
  { method: "POST", path: `/alerts/${ID}/refund`, body: undefined, may: "refund", stepUp: true },
  { method: "POST", path: `/alerts/${ID}/decline`, body: {}, may: "operate", stepUp: false },
  { method: "GET", path: "/alert-rules", body: undefined, may: "look", stepUp: false },
  { method: "PUT", path: "/alert-rules", body: { ...RULES, seen: 7 }, may: "configure", stepUp: true },
  { method: "POST", path: "/alert-rules/dry-run", body: RULES, may: "configure", stepUp: false },
] as const;

for (const { method, path, body, may, stepUp } of CALLS) {
  test(`rejects missing callers and roles without permission, and answers all others and the key: ${method} ${path}`, async (t) => {
    const { send } = await open(t);
    assertMatches(await send("nobody", method, path, body), { status: 401 });
    assert.ok((await send("key", method, path, body)).status < 300);
    for (const role of ROLES) {
      const answer = await send(role, method, path, body);
      if (!rolesThatMay(may).includes(role)) assertMatches(answer, { status: 403, body: { code: "role" } });
      else if (stepUp && role === "ADMIN") assertMatches(answer, { status: 403, body: { code: "step_up_required" } });
      else assert.ok(answer.status < 300, `${role}: ${answer.text}`);
    }
  });
}

test("shows the reason of a decline, and the actors, only to those who may see personal data", async (t) => {
  const { send } = await open(t);
  assertMatches(await send("key", "GET", `/alerts/${ID}`), {
    body: {
      data: { end: { by: "merchant", reason: /Ada/ }, refund: { by: OWNER_EMAIL, byType: "user", detail: "gateway" }, answerable: false },
    },
  });
  assertMatches(await send("key", "GET", "/alert-rules"), { body: { data: { version: 7, updatedBy: OWNER_EMAIL, rules: [SMALL] } } });
  for (const who of ["DEVELOPER", "VIEWER"] as const) {
    const shown = await send(who, "GET", `/alerts/${ID}`);
    assert.ok(!shown.text.includes("Ada"), shown.text);
    assertMatches(shown.body, { data: { end: { by: "merchant", reason: null }, refund: { by: "o***@shop.example" } } });
    assertMatches(await send(who, "GET", "/alert-rules"), { body: { data: { updatedBy: "o***@shop.example" } } });
  }
  assert.doesNotMatch(
    JSON.stringify(
      alertObject(alert("DECLINED", { end: { by: "merchant", atMs: NOW_MS, reason: "Ada" }, refund: refund({ by: BY_OWNER }) })),
    ),
    /Ada|owner|usr/i,
  );
});

test("has a code for each rejection", async (t) => {
  const { said, send } = await open(t);
  const ofRefund = () => send("OWNER", "POST", `/alerts/${ID}/refund`);
  for (const type of ["not_pending", "under_dispute", "no_payment", "network_refunds"] as const) {
    said.refund = { type, alert: said.record };
    assertMatches(await ofRefund(), { status: 409, body: { code: type } });
  }
  for (const [detail, code] of [
    ["not_refundable_here", "not_refundable_here"],
    ["under_dispute", "under_dispute"],
    ["not_paid", "not_paid"],
    ["partial_refund", "partial_refund"],
    ["gateway", "refund_refused"],
    ["amount_differs", "refund_refused"],
  ] as const) {
    said.refund = { type: "refused", alert: alert("PENDING", { refund: refund({ state: "refused", detail }) }) };
    assertMatches(await ofRefund(), { status: 409, body: { code } });
  }
  said.refund = { type: "outcome_unknown", alert: said.record };
  assertMatches(await ofRefund(), { status: 409, body: { code: "outcome_unknown" } });
  for (const type of ["not_pending", "outcome_unknown"] as const) {
    said.decline = { type, alert: said.record };
    assertMatches(await send("OWNER", "POST", `/alerts/${ID}/decline`), { status: 409, body: { code: type } });
  }
  for (const [method, path] of [
    ["GET", "/alerts/x"],
    ["POST", "/alerts/x/refund"],
    ["POST", "/alerts/x/decline"],
  ] as const) {
    assertMatches(await send("OWNER", method, path), { status: 404, body: { code: "not_found" } });
  }
});

test("saves rules only over the version that was read", async (t) => {
  const { said, asked, send } = await open(t);
  assertMatches(await send("OWNER", "PUT", "/alert-rules", { ...RULES, seen: 7 }), { status: 200, body: { data: { version: 8 } } });
  assert.deepEqual(asked.saved, [{ rules: RULES, version: 7, by: BY_OWNER }]);
  said.isChanged = true;
  assertMatches(await send("OWNER", "PUT", "/alert-rules", { ...RULES, seen: 6 }), { status: 409, body: { code: "conflict" } });
  for (const wrong of [
    {},
    { seen: -1 },
    { seen: 7, rules: [{ ...SMALL, sources: [] }] },
    { seen: 7, rules: [{ ...SMALL, more: 1 }] },
    { seen: 7, more: 1 },
  ]) {
    assertMatches(await send("OWNER", "PUT", "/alert-rules", { ...RULES, ...wrong }), { status: 400, body: { code: "invalid_request" } });
  }
});

test("counts all alerts in a dry run, and shows the newest hundred", async (t) => {
  const { send } = await open(t);
  const tried = await send("OWNER", "POST", "/alert-rules/dry-run", RULES);
  assertMatches(tried.body, { data: { looked: 150, refunded: 100, refundedMinor: 123_400, capped: 20, complete: false } });
  assert.equal(tried.text.split('"rule":"small"').length - 1, 100);
});

test("passes the query of a list", async (t) => {
  const { asked, send } = await open(t);
  await send("key", "GET", "/alerts?state=PENDING&source=RDR&currency=CHF&order=due&from=2026-11-01&limit=3&cursor=c");
  await send("key", "GET", "/alerts");
  assertMatches(asked.queries, [
    {
      state: "PENDING",
      source: "RDR",
      currency: "CHF",
      order: "due",
      limit: 3,
      cursor: "c",
      fromMs: Date.parse("2026-10-31T23:00:00Z"),
      beforeMs: null,
    },
    { state: null, source: null, order: "newest", limit: 50, cursor: null, fromMs: null },
  ]);
});
