import assert from "node:assert/strict";
import { test } from "node:test";
import { assertMatches, member } from "../../../support/http/matches.ts";
import { NOW_MS, open, terminal } from "./world.ts";

const HOUR_MS = 3_600_000;
const utc = (text: string) => Date.parse(`${text}Z`);
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
  said.attention.set("SHOP-001", [{ kind: "unknown", uuid: "u-7", atMs: 2 }]);
  said.linkTasks.set("SHOP-001", [
    { kind: "link_late", id: "pl_2", atMs: 3 },
    { kind: "link_paid_twice", id: "pl_1", atMs: 1 },
  ]);
  said.pastDue.set("SHOP-001", [
    { kind: "subscription_past_due", id: "sub_1", atMs: 4, dueAtMs: NOW_MS },
    { kind: "subscription_past_due", id: "sub_2", atMs: 0, dueAtMs: null },
  ]);
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
      tasks: [
        { kind: "subscription_past_due", subject: "sub_1", dueAt: new Date(NOW_MS).toISOString() },
        { kind: "link_late", subject: "pl_2", dueAt: null },
        { kind: "unknown", subject: "u-7", dueAt: null },
        { kind: "link_paid_twice", subject: "pl_1", dueAt: null },
        { kind: "subscription_past_due", subject: "sub_2", dueAt: null },
      ],
    },
  });
  assert.deepEqual(ranges, [
    { merchantId: "SHOP-001", fromMs: today, untilMs: today + 24 * HOUR_MS },
    { merchantId: "SHOP-001", fromMs: before, untilMs: utc("2026-11-18T10:20:30") },
  ]);
});

test("another merchant sees nothing of it", async (t) => {
  const { get, said, ranges } = await open(t);
  said.terminals.set("SHOP-001", [terminal("T1")]);
  said.attention.set("SHOP-001", [{ kind: "unknown", uuid: "u-7", atMs: 1 }]);
  said.linkTasks.set("SHOP-001", [{ kind: "link_late", id: "pl_2", atMs: 3 }]);
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
