import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { RelayError } from "../../../../../engine/kernel/errors.ts";
import type { MerchantScope } from "../../../../../engine/kernel/merchant-scope.ts";
import type { RefusedAgent } from "../../../../../engine/reports/agent-refusals.ts";
import {
  type MerchantReports,
  REPORT_BUCKETS_MAX,
  type ReportKinds,
  type ReportName,
} from "../../../../../engine/reports/merchant-reports.ts";
import { bind } from "../../../../../http/endpoint/endpoint.ts";
import { analyticsEndpoints } from "../../../../../http/surfaces/merchant/analytics/endpoints.ts";
import type { AnalyticsOperations } from "../../../../../http/surfaces/merchant/analytics/surface.ts";
import { MERCHANT_BASE } from "../../../../../http/surfaces/merchant/surface.ts";
import { assertMatches, listOf, member } from "../../../../support/http/matches.ts";
import { peopleOf, ROLES, sharedOperations } from "../dispute-people.ts";

/** A Wednesday. */
const NOW_MS = Date.parse("2026-11-25T10:20:42.500Z");

const NOTHING = { asOfMs: NOW_MS, buckets: [], totals: [] };
const EMPTY: { [Name in ReportName]: ReportKinds[Name]["report"] } = {
  payments: NOTHING,
  methods: { ...NOTHING, brands: [], entries: [], declines: [] },
  terminals: { ...NOTHING, activeTerminals: [], activeTerminalsInAll: 0, terminals: [] },
  heatmap: { asOfMs: NOW_MS, cells: [], totals: [] },
  links: { ...NOTHING, creators: [] },
  disputes: { ...NOTHING, categories: [] },
  subscriptions: NOTHING,
  agents: { ...NOTHING, credentials: [] },
};

interface Asked {
  name: ReportName;
  owner: MerchantScope;
  query: ReportKinds[ReportName]["query"];
}

async function open(t: TestContext) {
  const asked: Asked[] = [];
  const said = { ...EMPTY };
  const state = { fails: null as Error | null, refused: [] as RefusedAgent[], agentsOf: "" };
  const merchantReports: MerchantReports = {
    report: async (name, owner, query) => {
      asked.push({ name, owner, query });
      if (state.fails !== null) throw state.fails;
      return said[name];
    },
  };
  const operations: AnalyticsOperations & ReturnType<typeof sharedOperations> = {
    ...sharedOperations(NOW_MS),
    merchantReports,
    agentRefusals: {
      of: async ({ merchantId }) => {
        state.agentsOf = merchantId;
        return state.refused;
      },
    },
  };
  const ask = await peopleOf(t, bind(analyticsEndpoints, operations), NOW_MS);
  return { ask: (path: string, who: Parameters<typeof ask>[0] = "key") => ask(who, "GET", `/analytics${path}`), asked, said, state };
}

const utc = (text: string) => Date.parse(`${text}Z`);
const edgesIn = ({ query }: Asked) => ("edges" in query ? query.edges : []);

test("points are local days, and each has the figures of every currency there is", async (t) => {
  const { ask, asked, said } = await open(t);
  const eur = { currency: "EUR", volumeMinor: 1_000, approved: 3, declined: 1, refunds: 1, refundedMinor: 300 };
  const chf = { currency: "CHF", volumeMinor: 5, approved: 1, declined: 0, refunds: 0, refundedMinor: 0 };
  said.payments = { asOfMs: NOW_MS - 4_000, buckets: [[], [eur]], totals: [chf, eur] };
  const answer = await ask("/payments?from=2026-10-25&to=2026-10-26&granularity=day&terminalId=T1&method=CARD&currency=EUR");
  const eurJson = { ...eur, approvalRate: 0.75, averageTicketMinor: 333, netMinor: 700 };
  const none = {
    volumeMinor: 0,
    approved: 0,
    declined: 0,
    approvalRate: null,
    averageTicketMinor: null,
    refunds: 0,
    refundedMinor: 0,
    netMinor: 0,
  };
  const chfJson = { ...chf, approvalRate: 1, averageTicketMinor: 5, netMinor: 5 };
  assertMatches(answer, {
    status: 200,
    body: {
      status: "ok",
      data: {
        ...{ from: "2026-10-25", to: "2026-10-26", granularity: "day", totals: [chfJson, eurJson], previous: null },
        series: [
          {
            ...{ start: "2026-10-25T00:00:00+02:00", end: "2026-10-26T00:00:00+01:00", from: "2026-10-25", to: "2026-10-25" },
            figures: [
              { currency: "CHF", ...none },
              { currency: "EUR", ...none },
            ],
          },
          {
            ...{ start: "2026-10-26T00:00:00+01:00", end: "2026-10-27T00:00:00+01:00", from: "2026-10-26", to: "2026-10-26" },
            figures: [{ currency: "CHF", ...none }, eurJson],
          },
        ],
        ...{ timeZone: "Europe/Rome", asOf: new Date(NOW_MS - 4_000).toISOString() },
      },
    },
  });
  assert.match(String(member(answer.body, "data", "definitions", "netMinor")), /refundedMinor/);
  const edges = [utc("2026-10-24T22:00:00"), utc("2026-10-25T23:00:00"), utc("2026-10-26T23:00:00")];
  const owner = { merchantId: "SHOP-001", livemode: false };
  assertMatches(asked, [{ name: "payments", owner, query: { edges, currency: "EUR", terminalId: "T1", method: "CARD" } }]);
});

test("without days it is the last 31 with today, and points are as long as suits the days", async (t) => {
  const { ask, asked } = await open(t);
  const granularity = async (query: string) => member((await ask(`/payments${query}`)).body, "data", "granularity");
  assert.equal(await granularity(""), "day");
  assert.equal(edgesIn(asked[0] as Asked).length, 32);
  assert.equal(edgesIn(asked[0] as Asked)[0], utc("2026-10-25T23:00:00"));
  assert.equal(edgesIn(asked[0] as Asked).at(-1), utc("2026-11-25T23:00:00"));
  assert.equal(await granularity("?from=2026-11-24"), "hour");
  assert.equal(await granularity("?from=2026-09-25"), "day");
  assert.equal(await granularity("?from=2026-09-24"), "week");
  assert.equal(await granularity("?from=2026-05-01"), "month");
  assert.equal(await granularity("?from=2026-11-24&to=2026-11-25&granularity=month"), "month");
});

test("it is compared with as many days before, or with the same days a year before, in the same form", async (t) => {
  const { ask, asked } = await open(t);
  const previous = async (query: string) => {
    const data = member((await ask(`/links?${query}`)).body, "data");
    return [member(data, "previous", "from"), member(data, "previous", "to"), listOf(member(data, "previous", "series")).length];
  };
  assert.deepEqual(await previous("from=2026-10-01&to=2026-10-31&compare=previous"), ["2026-08-31", "2026-09-30", 31]);
  assert.deepEqual(await previous("from=2026-10-01&to=2026-10-31&compare=year"), ["2025-10-01", "2025-10-31", 31]);
  assert.deepEqual(await previous("from=2024-02-29&to=2024-02-29&compare=year&granularity=day"), ["2023-02-28", "2023-02-28", 1]);
  assert.equal(asked.length, 6);
  assertMatches(await ask("/links?from=1970-01-02&to=1970-01-03&compare=previous"), { status: 400, body: { code: "invalid_request" } });
});

test("a day of 25 hours has as many points, told apart by their offsets", async (t) => {
  const { ask } = await open(t);
  const answer = await ask("/payments?from=2026-10-25&to=2026-10-25");
  const starts = listOf(member(answer.body, "data", "series")).map((point) => String(member(point, "start")));
  assert.equal(starts.length, 25);
  assert.deepEqual(starts.slice(2, 4), ["2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00"]);
});

test("shares are parts of the volume of their currency, in each point of it", async (t) => {
  const { ask, said } = await open(t);
  const figures = (method: "CARD" | "SATISPAY", volumeMinor: number, currency = "EUR") => ({
    ...{ currency, method, volumeMinor, approved: 1, declined: 0 },
  });
  const totals = [figures("CARD", 300), figures("CARD", 50, "CHF"), figures("SATISPAY", 100)];
  said.methods = {
    ...EMPTY.methods,
    totals,
    buckets: [[figures("SATISPAY", 7)]],
    brands: [{ currency: "EUR", brand: "VISA", volumeMinor: 200, approved: 1, declined: 0 }],
  };
  const data = member((await ask("/methods?from=2026-11-25&granularity=day")).body, "data");
  const shares = (list: unknown) => listOf(list).map((one) => member(one, "share"));
  assert.deepEqual(shares(member(data, "totals")), [0.75, 1, 0.25]);
  assert.deepEqual(shares(member(listOf(member(data, "series"))[0], "figures")), [0, null, 1]);
  assert.deepEqual(shares(member(data, "brands")), [0.5]);
});

test("the heat map has all hours of the week, with how many days of the period are that weekday", async (t) => {
  const { ask, asked, said } = await open(t);
  const sums = { currency: "EUR", volumeMinor: 100, approved: 1, declined: 0 };
  said.heatmap = { asOfMs: NOW_MS, cells: [{ ...sums, weekday: 7, hour: 2 }], totals: [sums] };
  const data = member((await ask("/heatmap?from=2026-10-19&to=2026-10-26")).body, "data");
  const cells = listOf(member(data, "series"));
  assert.equal(cells.length, 168);
  assert.deepEqual([member(cells[0], "weekday"), member(cells[0], "hour"), member(cells[0], "days")], [1, 0, 2]);
  assertMatches(cells[6 * 24 + 2], { weekday: 7, hour: 2, days: 1, figures: [{ currency: "EUR", volumeMinor: 100, approvalRate: 1 }] });
  assertMatches(cells[6 * 24 + 3], { figures: [{ currency: "EUR", volumeMinor: 0, approvalRate: null }] });
  const fromMs = utc("2026-10-18T22:00:00");
  const offsets = [
    { fromMs, offsetMs: 7_200_000 },
    { fromMs: utc("2026-10-25T01:00:00"), offsetMs: 3_600_000 },
  ];
  assertMatches(asked, [{ name: "heatmap", query: { fromMs, untilMs: utc("2026-10-26T23:00:00"), offsets } }]);
});

test("rates of links, disputes, alerts and subscriptions are of what they are said to be, and null of nothing", async (t) => {
  const { ask, said } = await open(t);
  const link = {
    currency: "EUR",
    created: 10,
    createdMinor: 1,
    paid: 3,
    paidMinor: 1,
    cancelled: 1,
    expired: 2,
    late: 0,
    pending: 4,
    medianMinutesToPay: 5,
  };
  const outcomes = { currency: "EUR", received: 5, receivedMinor: 50, won: 1, lost: 2, expired: 1 };
  said.links = { ...NOTHING, totals: [link], creators: [] };
  said.disputes = {
    ...{ ...NOTHING, categories: [{ ...outcomes, category: "FRAUD" }] },
    totals: [
      {
        ...{ ...outcomes, cardPayments: 1_000, cardVolumeMinor: 5_000, alerts: 9, alertsMinor: 9, alertsRefunded: 2 },
        ...{ alertsPrevented: 1, alertsDeclined: 1, alertsInvalid: 4, alertsEscalated: 1 },
      },
    ],
  };
  const subscription = {
    ...{ currency: "EUR", active: 10, mrrMinor: 1, activeBefore: 8, mrrBeforeMinor: 1, started: 1, startedMrrMinor: 1 },
    ...{ churnedVoluntary: 2, churnedVoluntaryMrrMinor: 1, churnedDunning: 1, churnedDunningMrrMinor: 1 },
    ...{ failedCycles: 4, recoveredCycles: 3, medianDaysToRecover: 2 },
  };
  said.subscriptions = { ...NOTHING, totals: [subscription] };
  const day = "from=2026-11-25&granularity=day";
  assertMatches((await ask(`/links?${day}`)).body, {
    data: { totals: [{ ...link, conversionRate: 0.5 }], series: [{ figures: [{ conversionRate: null }] }] },
  });
  assertMatches((await ask(`/disputes?${day}`)).body, {
    data: {
      totals: [{ winRate: 0.25, rate: 0.005, amountRate: 0.01, preventionRate: 0.75 }],
      series: [{ figures: [{ winRate: null, rate: null, amountRate: null, preventionRate: null, received: 0 }] }],
      categories: [{ category: "FRAUD", winRate: 0.25 }],
    },
  });
  assertMatches((await ask(`/subscriptions?${day}`)).body, {
    data: { totals: [{ ...subscription, voluntaryChurnRate: 0.25, dunningChurnRate: 0.125, recoveryRate: 0.75 }] },
  });
});

test("terminals: how many were active is of all currencies, in each point and in all", async (t) => {
  const { ask, said } = await open(t);
  const sums = { currency: "EUR", volumeMinor: 100, approved: 1, declined: 0 };
  const terminals = [{ ...sums, terminalId: "T1", lastAtMs: NOW_MS }];
  said.terminals = { asOfMs: NOW_MS, buckets: [[sums]], totals: [sums], activeTerminals: [3], activeTerminalsInAll: 3, terminals };
  assertMatches((await ask("/terminals?from=2026-11-25&granularity=day")).body, {
    data: {
      activeTerminals: 3,
      series: [{ activeTerminals: 3, figures: [{ volumeMinor: 100 }] }],
      terminals: [{ terminalId: "T1", averageTicketMinor: 100, lastAt: new Date(NOW_MS).toISOString() }],
    },
  });
});

test("agents: what limits refused is told of each credential and limit that refused anything", async (t) => {
  const { ask, state } = await open(t);
  state.refused = [
    { credentialId: "ac_1", name: "Assistant", refused: { perDay: 0, total: 2, linksPerHour: 1 } },
    { credentialId: "ac_2", name: "Other", refused: { perDay: 0 } },
  ];
  assert.deepEqual(member((await ask("/agents")).body, "data", "refusals"), [
    { credentialId: "ac_1", name: "Assistant", limit: "total", refused: 2 },
    { credentialId: "ac_1", name: "Assistant", limit: "linksPerHour", refused: 1 },
  ]);
  assert.equal(state.agentsOf, "SHOP-001");
});

const WRONG: { what: string; path: string; member: RegExp }[] = [
  { what: "more than 400 days", path: "/payments?from=2025-10-21&to=2026-11-25", member: /400/ },
  { what: "hours of more than seven days", path: "/payments?from=2026-11-18&to=2026-11-25&granularity=hour", member: /granularity/ },
  { what: "days in the wrong order", path: "/payments?from=2026-11-25&to=2026-11-24", member: /from/ },
  { what: "a day that is none", path: "/payments?from=2026-02-30", member: /from/ },
  { what: "a granularity that there is not", path: "/payments?granularity=minute", member: /granularity/ },
  { what: "a comparison that there is not", path: "/payments?compare=week", member: /compare/ },
  { what: "a terminal of links", path: "/links?terminalId=T1", member: /terminalId/ },
  { what: "a method of disputes", path: "/disputes?method=CARD", member: /method/ },
  { what: "a terminal of subscriptions", path: "/subscriptions?terminalId=T1", member: /terminalId/ },
  { what: "a granularity of the heat map", path: "/heatmap?granularity=day", member: /granularity/ },
  { what: "a merchant", path: "/payments?merchantId=SHOP-002", member: /merchantId/ },
];
for (const { what, path, member: named } of WRONG) {
  test(`refused, and nothing is counted: ${what}`, async (t) => {
    const { ask, asked } = await open(t);
    assertMatches(await ask(path), { status: 400, body: { status: "error", code: "invalid_request", error: named } });
    assert.deepEqual(asked, []);
  });
}

test("400 days are a report, also over a year of 366", async (t) => {
  const { ask, asked } = await open(t);
  assert.equal((await ask("/payments?from=2023-12-01&to=2025-01-03&granularity=day")).status, 200);
  assert.equal(edgesIn(asked[0] as Asked).length, 401);
});

test("400 days are compared with the same of a year before, also where these have a day more", async (t) => {
  const { ask, asked } = await open(t);
  assert.equal((await ask("/payments?from=2025-02-01&to=2026-03-07&granularity=day&compare=year")).status, 200);
  const points = asked.map((one) => edgesIn(one).length - 1);
  assert.deepEqual(points, [400, 401]);
  assert.ok(Math.max(...points) <= REPORT_BUCKETS_MAX, "or the relay would refuse what it has made of the question itself");
});

test("without ClickHouse it is a 503 that says so", async (t) => {
  const { ask, state } = await open(t);
  state.fails = new RelayError("unavailable", "Reports cannot be made now", { retryAfterSeconds: 5 });
  for (const { path } of analyticsEndpoints) {
    assertMatches(await ask(path.slice(`${MERCHANT_BASE}/analytics`.length)), {
      status: 503,
      body: { status: "error", code: "unavailable" },
    });
  }
});

for (const { name, path } of analyticsEndpoints) {
  test(`${name}: every role and the secret key read it, and nobody else does`, async (t) => {
    const { ask } = await open(t);
    const report = path.slice(`${MERCHANT_BASE}/analytics`.length);
    for (const who of [...ROLES, "key"] as const) assert.equal((await ask(report, who)).status, 200, `${who} ${report}`);
    assertMatches(await ask(report, "nobody"), { status: 401, body: { code: "unauthorized" } });
  });
}
