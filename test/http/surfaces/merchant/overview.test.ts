import assert from "node:assert/strict";
import { test } from "node:test";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { assertMatches, member } from "../../../support/http/matches.ts";
import { NOW_MS, open, terminal } from "./world.ts";

const HOUR_MS = 3_600_000;
const utc = (text: string) => Date.parse(`${text}Z`);
const EUR = { amountMinor: 1_050, currency: "EUR" } as const;
const LINK = { ...EUR, description: "Ten seats" } as const;
const UNPAID = { ...EUR, planName: "Monthly box", code: "51", description: "no money" } as const;
const NO_DETAILS = { category: null, code: null, message: null, terminalId: null, about: null };
const at = (ms: number) => new Date(ms).toISOString();
const sums = (approved: number) => ({ currency: "EUR", volumeMinor: approved * 100, approved, declined: 1 });

test("today stands against the same weekday a week before, up to the same time by the clock on the wall", async (t) => {
  const { get, said, ranges } = await open(t);
  const [today, before] = [utc("2026-11-24T23:00:00"), utc("2026-11-17T23:00:00")];
  said.days.set(`SHOP-001 ${new Date(today).toISOString()}`, {
    sums: [sums(3)],
    hours: [{ startMs: today + 9 * HOUR_MS, ...sums(3) }],
    byMethod: [
      { method: "CARD", ...sums(2) },
      { method: "SATISPAY", ...sums(1) },
    ],
    byTerminal: [{ terminalId: "T1", ...sums(3) }],
  });
  said.days.set(`SHOP-001 ${new Date(before).toISOString()}`, {
    ...{ sums: [sums(5)], hours: [{ startMs: before, ...sums(5) }], byMethod: [], byTerminal: [] },
  });
  const online = { connectionStatus: "ONLINE", connected: true } as const;
  said.terminals.set("SHOP-001", [terminal("T1", online), terminal("T2")]);
  said.attention.set("SHOP-001", [{ kind: "unknown", uuid: "u-7", atMs: 2, terminalId: "T1", ...EUR }]);
  said.linkTasks.set("SHOP-001", [
    { kind: "link_late", id: "pl_2", atMs: 3, ...LINK },
    { kind: "link_paid_twice", id: "pl_1", atMs: 1, ...LINK },
  ]);
  said.pastDue.set("SHOP-001", [
    { kind: "subscription_past_due", id: "sub_1", atMs: 4, dueAtMs: NOW_MS, ...UNPAID },
    { kind: "subscription_past_due", id: "sub_2", atMs: 0, dueAtMs: null, ...UNPAID },
  ]);
  said.disputeTasks = [{ kind: "alert_pending", id: "al_1", atMs: 5, dueAtMs: NOW_MS + HOUR_MS, ...EUR, category: "FRAUD" }];
  said.offline.set("SHOP-001", [{ kind: "terminal_offline", terminalId: "T2", atMs: 6 }]);
  const answer = await get("/overview");
  assert.deepEqual(answer.body, {
    status: "ok",
    data: {
      ...{ day: "2026-11-25", asOf: new Date(NOW_MS).toISOString(), complete: false, today: [sums(3)], before: [sums(5)] },
      ...{ hours: [{ hour: 9, ...sums(3) }], hoursBefore: [{ hour: 0, ...sums(5) }] },
      byMethod: [
        { method: "CARD", ...sums(2) },
        { method: "SATISPAY", ...sums(1) },
      ],
      byTerminal: [{ terminalId: "T1", ...sums(3) }],
      terminals: { online: 1, total: 2 },
      ...{ figuresAvailable: true, openingHours: "payments" },
      tasks: [
        {
          ...{ ...NO_DETAILS, kind: "alert_pending", subject: "al_1", at: at(5), dueAt: at(NOW_MS + HOUR_MS), ...EUR },
          category: "FRAUD",
        },
        {
          ...{ ...NO_DETAILS, kind: "terminal_offline", subject: "T2", at: at(6), dueAt: null, amountMinor: null, currency: null },
          terminalId: "T2",
        },
        {
          ...{ ...NO_DETAILS, kind: "subscription_past_due", subject: "sub_1", at: at(4), dueAt: at(NOW_MS), ...EUR },
          ...{ about: "Monthly box", code: "51", message: "no money" },
        },
        { ...NO_DETAILS, kind: "link_late", subject: "pl_2", at: at(3), dueAt: null, ...EUR, about: "Ten seats" },
        { ...NO_DETAILS, kind: "unknown", subject: "u-7", at: at(2), dueAt: null, ...EUR, terminalId: "T1" },
        { ...NO_DETAILS, kind: "link_paid_twice", subject: "pl_1", at: at(1), dueAt: null, ...EUR, about: "Ten seats" },
        {
          ...{ ...NO_DETAILS, kind: "subscription_past_due", subject: "sub_2", at: at(0), dueAt: null, ...EUR },
          ...{ about: "Monthly box", code: "51", message: "no money" },
        },
      ],
    },
  });
  assert.deepEqual(ranges, [
    { merchantId: "SHOP-001", fromMs: today, untilMs: today + 24 * HOUR_MS },
    { merchantId: "SHOP-001", fromMs: before, untilMs: utc("2026-11-18T10:20:30") },
  ]);
});

test("the tasks are listed while the figures of payments cannot be read, and say that the opening hours are unknown", async (t) => {
  const { get, said } = await open(t);
  said.fails = new RelayError("unavailable", "ClickHouse does not answer");
  said.openingSource = "unknown";
  said.linkTasks.set("SHOP-001", [{ kind: "link_late", id: "pl_2", atMs: 3, ...LINK }]);
  assertMatches(await get("/overview"), {
    status: 200,
    body: {
      data: { figuresAvailable: false, openingHours: "unknown", today: [], hours: [], tasks: [{ kind: "link_late", subject: "pl_2" }] },
    },
  });
  said.fails = new Error("a mistake");
  assert.equal((await get("/overview")).status, 500);
});

test("another merchant sees nothing of it", async (t) => {
  const { get, said, ranges } = await open(t);
  said.terminals.set("SHOP-001", [terminal("T1")]);
  said.attention.set("SHOP-001", [{ kind: "unknown", uuid: "u-7", atMs: 1, terminalId: "T1", ...EUR }]);
  said.linkTasks.set("SHOP-001", [{ kind: "link_late", id: "pl_2", atMs: 3, ...LINK }]);
  assertMatches((await get("/overview", "other key")).body, { data: { terminals: { online: 0, total: 0 }, tasks: [] } });
  assert.deepEqual([...new Set(ranges.map(({ merchantId }) => merchantId))], ["SHOP-002"]);
});

interface Compared {
  what: string;
  now: string;
  day?: string;
  own: [string, string];
  before: [string, string];
  complete: boolean;
}
const COMPARED: Compared[] = [
  {
    what: "after the clocks went back, with the day of 25 hours",
    now: "2026-11-01T17:00:00",
    own: ["2026-10-31T23:00:00", "2026-11-01T23:00:00"],
    before: ["2026-10-24T22:00:00", "2026-10-25T17:00:00"],
    complete: false,
  },
  {
    what: "on the day of 25 hours, after its clocks went back",
    now: "2026-10-25T17:00:00",
    own: ["2026-10-24T22:00:00", "2026-10-25T23:00:00"],
    before: ["2026-10-17T22:00:00", "2026-10-18T16:00:00"],
    complete: false,
  },
  {
    what: "in the hour that the day before skipped",
    now: "2026-04-05T00:30:00",
    own: ["2026-04-04T22:00:00", "2026-04-05T22:00:00"],
    before: ["2026-03-28T23:00:00", "2026-03-29T01:30:00"],
    complete: false,
  },
  {
    what: "a day of 23 hours that is over",
    now: "2026-04-05T00:30:00",
    day: "2026-03-29",
    own: ["2026-03-28T23:00:00", "2026-03-29T22:00:00"],
    before: ["2026-03-21T23:00:00", "2026-03-22T23:00:00"],
    complete: true,
  },
  {
    what: "today by its name",
    now: "2026-04-10T10:00:00",
    day: "2026-04-10",
    own: ["2026-04-09T22:00:00", "2026-04-10T22:00:00"],
    before: ["2026-04-02T22:00:00", "2026-04-03T10:00:00"],
    complete: false,
  },
];
for (const { what, now, day, own, before, complete } of COMPARED) {
  test(`what is compared: ${what}`, async (t) => {
    const { get, clock, ranges } = await open(t);
    clock.wallMs = utc(now);
    const answer = await get(`/overview${day === undefined ? "" : `?day=${day}`}`);
    assert.equal(member(answer.body, "data", "complete"), complete);
    assert.deepEqual(
      ranges.map(({ fromMs, untilMs }) => [fromMs, untilMs].map((ms) => new Date(ms).toISOString().slice(0, 19))),
      [own, before],
    );
  });
}

test("at midnight there is nothing to compare with, and a day that has not begun is refused", async (t) => {
  const { get, clock, ranges } = await open(t);
  clock.wallMs = utc("2026-11-24T23:00:00");
  assertMatches(await get("/overview"), { status: 200, body: { data: { day: "2026-11-25", before: [], hoursBefore: [] } } });
  assert.equal(ranges.length, 1);
  assertMatches(await get("/overview?day=2026-11-26"), { status: 400, body: { error: /day/ } });
});
