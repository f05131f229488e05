import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LOOKED_AT_DAYS } from "../../../engine/reconciliation/close-days.ts";
import { corrections, totalsOf } from "../../../engine/reconciliation/figures.ts";
import { LINES_MAX, NAMED_MAX } from "../../../engine/reconciliation/reconciliation.ts";
import { assertMatches } from "../../support/http/matches.ts";
import { DaysWorld, figures, line, MERCHANT, named, OWNER } from "./world.ts";

const FIRST = figures({
  payments: [line(2, 3_050), line(1, 500, { status: "KO" }), line(1, 700, { terminalId: "T2", method: "PAYBYLINK" })],
  refunded: [line(1, 450, { terminalId: "T2", method: "PAYBYLINK" })],
  links: [
    { state: "PAID", currency: "EUR", count: 1, amountMinor: 1_050 },
    { state: "EXPIRED", currency: "EUR", count: 2, amountMinor: 900 },
  ],
  refunds: [
    { state: "done", currency: "EUR", count: 1, amountMinor: 1_050 },
    { state: "unknown", currency: "EUR", count: 1, amountMinor: 80 },
  ],
  unknown: named("uuid-1", "uuid-2"),
  conflicting: named("uuid-3"),
});

describe("a day of a merchant", () => {
  it("is closed at 03:00 local on the day after next, with its figures, once and for all", async () => {
    const world = new DaysWorld("2026-11-23T09:00:00Z");
    world.rows.set("2026-11-23", FIRST);
    await world.start();
    await world.at("2026-11-25T01:59:30Z");
    assert.deepEqual(await world.reconciliation.day(OWNER, "2026-11-23"), { type: "open", closesAtMs: Date.parse("2026-11-25T02:00:00Z") });
    await world.at("2026-11-25T02:00:00Z");
    const closed = await world.day("2026-11-23");
    assertMatches(closed, {
      closed: {
        day: "2026-11-23",
        timeZone: "Europe/Rome",
        fromMs: Date.parse("2026-11-22T23:00:00Z"),
        untilMs: Date.parse("2026-11-23T23:00:00Z"),
      },
      corrections: [],
      correctionCount: 0,
    });
    assert.deepEqual(closed?.closed.figures, FIRST);
    assert.deepEqual(totalsOf(FIRST), [
      { currency: "EUR", approved: 3, approvedMinor: 3_750, declined: 1, refunds: 1, refundedMinor: 450, netMinor: 3_300 },
    ]);
    assert.deepEqual((await world.reconciliation.days(OWNER, { limit: 10, before: null, from: null, to: null, activeOnly: true })).items, [
      { day: "2026-11-23", closedAtMs: closed?.closed.closedAtMs, totals: totalsOf(FIRST), unknown: 2, conflicting: 1, corrections: 0 },
    ]);
    const stored = (await world.kv.get(`reconciliation/${MERCHANT}/2026-11-23`))?.value;
    world.rows.set("2026-11-23", figures({ payments: [line(9, 9)] }));
    await world.at("2026-11-27T02:00:00Z");
    assert.equal((await world.kv.get(`reconciliation/${MERCHANT}/2026-11-23`))?.value, stored);
    assert.deepEqual(world.failures, []);
  });

  it("is overdue for as long as its rows are missing after its time, on every node", async () => {
    const world = new DaysWorld("2026-11-23T09:00:00Z");
    world.rows.set("2026-11-23", FIRST);
    await world.start(2);
    const overdueMs = () => Promise.all(world.nodes.map((node) => node.overdueMs()));
    await world.at("2026-11-25T01:59:30Z");
    assert.deepEqual(await overdueMs(), [0, 0]);
    world.rows.there = "some wait";
    await world.at("2026-11-25T05:00:00Z");
    const sinceMs = world.clock.wallMs - Date.parse("2026-11-25T02:00:00Z");
    assert.deepEqual(await overdueMs(), [sinceMs, sinceMs]);
    world.rows.there = "all";
    await world.at("2026-11-25T05:02:00Z");
    assert.notEqual(await world.day("2026-11-23"), null);
    assert.deepEqual(await overdueMs(), [0, 0]);
  });

  it("lists what has changed since, what it was and what it is, each change once", async () => {
    const world = new DaysWorld("2026-11-23T09:00:00Z");
    world.rows.set("2026-11-23", FIRST);
    await world.start();
    await world.at("2026-11-25T02:00:00Z");
    // A late result: the payment is not unknown any more, and another one has another outcome.
    const late = {
      ...FIRST,
      payments: [line(3, 4_050), line(1, 700, { terminalId: "T2", method: "PAYBYLINK" })],
      unknown: named("uuid-2"),
    };
    world.rows.set("2026-11-23", late);
    await world.at("2026-11-26T02:00:00Z");
    await world.at("2026-11-27T02:00:00Z");
    const found = await world.day("2026-11-23");
    assert.equal(found?.correctionCount, 3);
    assert.deepEqual(
      found?.corrections.map(({ subject, before, after }) => ({ subject, before, after })),
      [
        {
          subject: { of: "payments", terminalId: "T1", method: "CARD", status: "OK", currency: "EUR" },
          ...{ before: { count: 2, amountMinor: 3_050 }, after: { count: 3, amountMinor: 4_050 } },
        },
        {
          subject: { of: "payments", terminalId: "T1", method: "CARD", status: "KO", currency: "EUR" },
          ...{ before: { count: 1, amountMinor: 500 }, after: { count: 0, amountMinor: 0 } },
        },
        {
          subject: { of: "unknown", uuid: "uuid-1", terminalId: "T1" },
          ...{ before: { count: 1, amountMinor: 0 }, after: { count: 0, amountMinor: 0 } },
        },
      ],
    );
    assert.ok((found?.corrections[0]?.atMs ?? 0) >= Date.parse("2026-11-26T02:00:00Z"));
    assert.ok((found?.corrections[0]?.atMs ?? 0) < Date.parse("2026-11-26T02:01:00Z"));
    // From what it was at the last look, and not from what it was when it was closed.
    world.rows.set("2026-11-23", { ...late, payments: [line(4, 5_050), line(1, 700, { terminalId: "T2", method: "PAYBYLINK" })] });
    await world.at("2026-11-28T02:00:00Z");
    const again = await world.day("2026-11-23");
    assert.deepEqual(again?.closed.figures, FIRST);
    assertMatches(again?.corrections.at(-1), { before: { count: 3, amountMinor: 4_050 }, after: { count: 4, amountMinor: 5_050 } });
    const [summary] = (
      await world.reconciliation.days(OWNER, { limit: 10, before: null, from: null, to: null, activeOnly: true })
    ).items.filter(({ day }) => day === "2026-11-23");
    assertMatches(summary, { corrections: 4, totals: totalsOf(FIRST) });
    assert.equal(world.counts.corrections, 4);
  });

  it("is not corrected backwards by a shard that has read its rows before another one corrected it", async () => {
    const world = new DaysWorld("2026-11-23T09:00:00Z");
    world.rows.set("2026-11-23", FIRST);
    await world.start();
    await world.at("2026-11-25T02:00:00Z");
    const closed = (await world.day("2026-11-23"))?.closed;
    assert.ok(closed !== undefined);
    const newer = { ...FIRST, unknown: named("uuid-2") };
    // The other one, which is home of it by now, has read them a moment later.
    world.rows.after = async () => {
      const items = corrections(FIRST, newer, world.clock.nowMs());
      await world.store.correct(closed, { schema: 1, items, count: items.length, latest: newer }, 0);
    };
    await world.at("2026-11-26T02:00:00Z");
    assertMatches(await world.day("2026-11-23"), { correctionCount: 1, corrections: [{ subject: { of: "unknown", uuid: "uuid-1" } }] });
    assertMatches(await world.store.corrections(MERCHANT, "2026-11-23"), { record: { latest: newer } });
    assert.deepEqual(world.failures, []);
  });

  it("that was closed by other clocks is not compared with what is none of its hours", async () => {
    const world = new DaysWorld("2026-11-24T09:00:00Z");
    const { fromMs, untilMs } = world.calendar.boundsOf("2026-11-24");
    const ofLondon = { day: "2026-11-24", timeZone: "Europe/London", fromMs: fromMs + 3_600_000, untilMs: untilMs + 3_600_000 };
    await world.start();
    await world.store.close({ schema: 1, ...OWNER, ...ofLondon, closedAtMs: world.clock.nowMs(), figures: FIRST });
    world.rows.set("2026-11-24", figures({ payments: [line(1, 1_000)] }));
    await world.at("2026-11-26T02:00:00Z");
    assertMatches(await world.day("2026-11-24"), { correctionCount: 0, corrections: [] });
  });

  it("is not left out where the relay was down: all are closed when it is back, in order", async () => {
    const world = new DaysWorld("2026-11-01T09:00:00Z");
    for (let day = 1; day <= 20; day += 1)
      world.rows.set(`2026-11-${String(day).padStart(2, "0")}`, figures({ payments: [line(day, day)] }));
    await world.start();
    await world.at("2026-11-03T02:00:00Z");
    await world.stop();
    world.clock.wallMs = Date.parse("2026-11-20T12:00:00Z");
    await world.start();
    await world.turn();
    const { items } = await world.reconciliation.days(OWNER, { limit: 50, before: null, from: null, to: null, activeOnly: true });
    assert.deepEqual(
      items.map(({ day }) => day),
      Array.from({ length: 18 }, (_, index) => `2026-11-${String(18 - index).padStart(2, "0")}`),
    );
    const times = items.map(({ closedAtMs }) => closedAtMs);
    assert.deepEqual(
      times,
      [...times].sort((one, other) => (other ?? 0) - (one ?? 0)),
      "a later day is not closed before an earlier one",
    );
    assert.deepEqual(
      items.map(({ corrections: count }) => count).filter((count) => count > 0),
      [],
    );
    // And no day before the first one was closed by anybody.
    assert.equal(await world.reconciliation.day(OWNER, "2026-10-31"), null);
  });

  it("waits while rows of it are missing, and while ClickHouse or the store is away", async () => {
    const world = new DaysWorld("2026-11-23T09:00:00Z");
    world.rows.set("2026-11-23", FIRST);
    await world.start();
    world.rows.there = "some wait";
    await world.at("2026-11-25T02:00:00Z");
    await world.at("2026-11-25T06:00:00Z");
    assert.equal(await world.day("2026-11-23"), null);
    world.rows.there = "all";
    world.rows.isAway = true;
    await world.at("2026-11-25T08:00:00Z");
    assert.equal(await world.day("2026-11-23"), null);
    assertMatches(await world.reconciliation.day(OWNER, "2026-11-23"), { type: "open" });
    world.rows.isAway = false;
    await world.at("2026-11-25T08:02:00Z");
    const closed = await world.day("2026-11-23");
    assert.deepEqual(closed?.closed.figures, FIRST);
    assert.ok((closed?.closed.closedAtMs ?? 0) >= Date.parse("2026-11-25T08:02:00Z"));
    assert.deepEqual(world.failures, []);
  });

  it("waits for everything that was known of it when it was to be closed, also what was known a day later only", async () => {
    const world = new DaysWorld("2026-11-23T09:00:00Z");
    world.rows.set("2026-11-23", { ...FIRST, refunds: [{ state: "unknown", currency: "EUR", count: 1, amountMinor: 1_050 }] });
    await world.start();
    // A refund of the day was made hours before the closing, while ClickHouse was away already.
    world.rows.waitsSinceMs = Date.parse("2026-11-24T20:00:00Z");
    await world.at("2026-11-25T02:00:00Z");
    assert.equal(await world.day("2026-11-23"), null);
    world.rows.set("2026-11-23", FIRST);
    // What is written later is of later days, and holds nothing up.
    world.rows.waitsSinceMs = Date.parse("2026-11-25T02:00:00Z");
    await world.at("2026-11-25T02:03:00Z");
    const found = await world.day("2026-11-23");
    assert.deepEqual(found?.closed.figures, FIRST);
    assert.deepEqual(found?.corrections, []);
  });

  it("waits a week for rows that were refused", async () => {
    const world = new DaysWorld("2026-11-23T09:00:00Z");
    world.rows.set("2026-11-23", FIRST);
    world.rows.there = "some were refused";
    await world.start();
    await world.at("2026-12-02T01:00:00Z");
    assert.equal(await world.day("2026-11-23"), null);
    await world.at("2026-12-02T02:02:00Z");
    assert.notEqual(await world.day("2026-11-23"), null);
  });

  it("is closed once by two nodes that both believe to be home", async () => {
    const world = new DaysWorld("2026-11-23T09:00:00Z");
    for (let shop = 0; shop < 120; shop += 1) world.rows.set("2026-11-23", FIRST, `SHOP-${String(shop).padStart(3, "0")}`);
    await world.start(2);
    await world.at("2026-11-25T02:00:00Z");
    assert.equal(world.counts.closed, 120);
    assert.equal(world.kv.keys("reconciliation/").length, 120);
    assert.deepEqual(world.failures, []);
  });

  it("goes on behind the merchants that were done where a node died in the middle of it", async () => {
    const world = new DaysWorld("2026-11-23T09:00:00Z");
    for (let shop = 0; shop < 120; shop += 1) world.rows.set("2026-11-23", FIRST, `SHOP-${String(shop).padStart(3, "0")}`);
    await world.start();
    let asked = 0;
    world.rows.before = () => {
      asked += 1;
      if (asked === 70) void world.nodes[0]?.stop();
    };
    await world.at("2026-11-25T02:00:00Z");
    const done = world.counts.closed;
    assert.ok(done >= 50 && done < 120, `${done}`);
    world.rows.before = () => undefined;
    world.rows.asked = [];
    await world.start();
    await world.turn();
    assert.equal(world.counts.closed, 120);
    assert.ok(world.rows.asked.length <= 70, "those of before are not asked for again");
  });

  it("without anything is no day, and becomes one of corrections where something comes later", async () => {
    const world = new DaysWorld("2026-11-23T09:00:00Z");
    world.rows.set("2026-11-24", FIRST);
    await world.start();
    await world.at("2026-11-25T02:00:00Z");
    assert.equal(await world.reconciliation.day(OWNER, "2026-11-23"), null);
    world.rows.set("2026-11-23", figures({ payments: [line(1, 1_000)] }));
    await world.at("2026-11-26T02:00:00Z");
    const late = await world.day("2026-11-23");
    assert.deepEqual(late?.closed.figures, figures());
    assertMatches(late?.corrections, [{ before: { count: 0, amountMinor: 0 }, after: { count: 1, amountMinor: 1_000 } }]);
    // Of a merchant that is not there, nothing is kept.
    world.rows.set("2026-11-25", FIRST, "nobody");
    await world.at("2026-11-27T02:00:00Z");
    assert.deepEqual(world.kv.keys("reconciliation/nobody"), []);
  });

  it("is looked at again for 35 days", async () => {
    const world = new DaysWorld("2026-09-01T09:00:00Z");
    world.rows.set("2026-09-01", FIRST);
    await world.start();
    await world.at("2026-10-20T12:00:00Z");
    assert.equal(LOOKED_AT_DAYS, 35);
    assert.equal(world.rows.asked.at(-1), `${MERCHANT} 2026-10-18 of 35`);
    world.rows.set("2026-09-01", figures({ payments: [line(9, 9)] }));
    await world.at("2026-10-25T12:00:00Z");
    assert.equal((await world.day("2026-09-01"))?.correctionCount, 0);
  });

  it("is corrected by a refund of one of its payments, however old it is, and nothing else of old days is looked at", async () => {
    const world = new DaysWorld("2026-06-01T09:00:00Z");
    const paid = [line(1, 700, { method: "PAYBYLINK" })];
    for (const day of ["2026-06-01", "2026-06-02"]) world.rows.set(day, figures({ payments: paid }));
    await world.start();
    await world.at("2026-06-05T12:00:00Z");
    const asked = world.rows.asked.length;
    const refunded = [line(1, 700, { method: "PAYBYLINK" })];
    for (const day of ["2026-06-01", "2026-06-02"]) world.rows.set(day, figures({ payments: paid, refunded }));
    // Ninety days later, of the first day only; and of a day before the first one that was closed here.
    world.clock.advance(Date.parse("2026-09-01T12:00:00Z") - world.clock.wallMs);
    world.rows.refundedAtMs = [Date.parse("2026-06-01T10:00:00Z"), Date.parse("2026-05-20T10:00:00Z")];
    await world.turn();
    const subject = { of: "refunded", terminalId: "T1", method: "PAYBYLINK", status: "OK", currency: "EUR" };
    const change = { before: { count: 0, amountMinor: 0 }, after: { count: 1, amountMinor: 700 } };
    assertMatches((await world.day("2026-06-01"))?.corrections, [{ subject, ...change }]);
    assert.equal((await world.day("2026-06-02"))?.correctionCount, 1, "it was looked at while it was within 35 days");
    assert.equal(await world.day("2026-05-20"), null);
    assert.ok(world.rows.asked.length > asked);
    assert.deepEqual(world.failures, []);
  });

  it("that was closed before refunds were kept by the day of the payment is corrected by them", () => {
    const { refunded: _, ...before } = figures({ payments: [line(1, 700, { method: "PAYBYLINK" })] });
    const after = figures({ payments: before.payments, refunded: [line(1, 700, { method: "PAYBYLINK" })] });
    assertMatches(corrections(before, after, 5), [{ subject: { of: "refunded" }, after: { count: 1, amountMinor: 700 } }]);
    assert.deepEqual(corrections(before, figures({ payments: before.payments }), 5), []);
  });

  it("of others is not there, and a partner has those of its merchants", async () => {
    const world = new DaysWorld("2026-11-23T09:00:00Z");
    for (const shop of ["SHOP-001", "SHOP-002", "SHOP-003"]) world.rows.set("2026-11-23", FIRST, shop);
    await world.start();
    await world.at("2026-11-25T02:00:00Z");
    assert.equal(await world.reconciliation.day({ ...OWNER, merchantId: "SHOP-009" }, "2026-11-23"), null);
    assert.deepEqual((await world.reconciliation.ofPartner(8, "2026-11-23", { limit: 10, after: null })).items, []);
    const first = await world.reconciliation.ofPartner(7, "2026-11-23", { limit: 2, after: null });
    assert.deepEqual([first.items.map(({ closed }) => closed.merchantId), first.next], [["SHOP-001", "SHOP-002"], "SHOP-002"]);
    const second = await world.reconciliation.ofPartner(7, "2026-11-23", { limit: 2, after: first.next });
    assert.deepEqual([second.items.map(({ closed }) => closed.merchantId), second.next], [["SHOP-003"], null]);
  });

  it("is shown to a partner when it is closed for all of its merchants, and not half", async () => {
    const world = new DaysWorld("2026-11-23T09:00:00Z");
    for (const shop of ["SHOP-001", "SHOP-002", "SHOP-003"]) world.rows.set("2026-11-23", FIRST, shop);
    await world.start();
    let asked = 0;
    world.rows.before = () => {
      asked += 1;
      world.rows.isAway = asked > 1;
    };
    const ofPartner = async () =>
      (await world.reconciliation.ofPartner(7, "2026-11-23", { limit: 10, after: null })).items.map(({ closed }) => closed.merchantId);
    await world.at("2026-11-25T02:00:00Z");
    assert.equal(world.counts.closed, 1);
    assert.deepEqual(await ofPartner(), []);
    world.rows.isAway = false;
    world.rows.before = () => undefined;
    await world.at("2026-11-25T02:03:00Z");
    assert.deepEqual(await ofPartner(), ["SHOP-001", "SHOP-002", "SHOP-003"]);
  });

  it("is found in pages, newest first, within a range", async () => {
    const world = new DaysWorld("2026-11-01T09:00:00Z");
    for (let day = 1; day <= 9; day += 1) world.rows.set(`2026-11-0${day}`, FIRST);
    await world.start();
    await world.at("2026-11-12T12:00:00Z");
    const daysOf = async (query: { limit: number; before?: string; from?: string; to?: string }) => {
      const { items, next } = await world.reconciliation.days(OWNER, { before: null, from: null, to: null, activeOnly: true, ...query });
      return [items.map(({ day }) => Number(day.slice(-2))), next];
    };
    assert.deepEqual(await daysOf({ limit: 4 }), [[9, 8, 7, 6], "2026-11-06"]);
    assert.deepEqual(await daysOf({ limit: 4, before: "2026-11-06" }), [[5, 4, 3, 2], "2026-11-02"]);
    assert.deepEqual(await daysOf({ limit: 4, before: "2026-11-02" }), [[1], null]);
    assert.deepEqual(await daysOf({ limit: 9, from: "2026-11-03", to: "2026-11-05" }), [[5, 4, 3], null]);
    assert.deepEqual(await daysOf({ limit: 9, from: "2026-11-05", to: "2026-11-03" }), [[], null]);
  });

  it("is listed among the days without activity since the first one with any, over the ends of pages", async () => {
    const world = new DaysWorld("2026-11-01T09:00:00Z");
    for (const day of ["2026-11-03", "2026-11-06"]) world.rows.set(day, FIRST);
    await world.start();
    await world.at("2026-11-12T12:00:00Z");
    const daysOf = async (query: { limit: number; before?: string; from?: string; to?: string }, owner = OWNER) => {
      const { items, next } = await world.reconciliation.days(owner, { before: null, from: null, to: null, activeOnly: false, ...query });
      return [items.map(({ day, closedAtMs }) => (closedAtMs === null ? -1 : 1) * Number(day.slice(-2))), next];
    };
    // A negative day has no activity. The 11th and 12th are not closed yet.
    assert.deepEqual(await daysOf({ limit: 20 }), [[-10, -9, -8, -7, 6, -5, -4, 3], null]);
    assert.deepEqual(await daysOf({ limit: 4 }), [[-10, -9, -8, -7], "2026-11-07"]);
    assert.deepEqual(await daysOf({ limit: 3, before: "2026-11-07" }), [[6, -5, -4], "2026-11-04"]);
    assert.deepEqual(await daysOf({ limit: 3, before: "2026-11-04" }), [[3], null]);
    assert.deepEqual(await daysOf({ limit: 9, from: "2026-11-01", to: "2026-11-04" }), [[-4, 3], null]);
    assert.deepEqual(await daysOf({ limit: 9, from: "2026-11-08", to: "2026-11-09" }), [[-9, -8], null]);
    assert.deepEqual(await daysOf({ limit: 9, from: "2026-11-09", to: "2026-11-08" }), [[], null]);
    assert.deepEqual(await daysOf({ limit: 9, to: "2026-11-02" }), [[], null]);
    assert.deepEqual(await daysOf({ limit: 9 }, { ...OWNER, merchantId: "SHOP-009" }), [[], null]);
  });
});

describe("days of a time zone", () => {
  it("have 23 and 25 hours where the clocks are changed, and are closed at 03:00 by them", () => {
    const { calendar } = new DaysWorld("2026-11-23T09:00:00Z");
    for (const [day, hours, closes] of [
      ["2026-03-27", 24, "2026-03-29T01:00:00Z"],
      ["2026-03-28", 24, "2026-03-30T01:00:00Z"],
      ["2026-03-29", 23, "2026-03-31T01:00:00Z"],
      ["2026-10-23", 24, "2026-10-25T02:00:00Z"],
      ["2026-10-24", 24, "2026-10-26T02:00:00Z"],
      ["2026-10-25", 25, "2026-10-27T02:00:00Z"],
    ] as const) {
      const { fromMs, untilMs } = calendar.boundsOf(day);
      assert.equal((untilMs - fromMs) / 3_600_000, hours, day);
      assert.equal(new Date(calendar.closesAtMs(day)).toISOString().replace(".000", ""), closes, day);
    }
  });

  it("follow each other without a gap over both changes", async () => {
    for (const [from, to] of [
      ["2026-03-26T09:00:00Z", "2026-04-02T12:00:00Z"],
      ["2026-10-22T09:00:00Z", "2026-10-29T12:00:00Z"],
    ] as const) {
      const world = new DaysWorld(from);
      for (let day = 0; day < 10; day += 1) world.rows.set(world.calendar.after(from.slice(0, 10), day), FIRST);
      await world.start();
      for (let at = Date.parse(from); at < Date.parse(to); at += 3_600_000) await world.at(new Date(at).toISOString());
      const { items } = await world.reconciliation.days(OWNER, { limit: 50, before: null, from: null, to: null, activeOnly: true });
      assert.ok(items.length >= 5, `${items.length}`);
      for (const { day, closedAtMs } of items) assert.ok((closedAtMs ?? 0) - world.calendar.closesAtMs(day) < 3_700_000, day);
      const bounds = items.map(({ day }) => world.calendar.boundsOf(day)).reverse();
      for (const [index, { fromMs }] of bounds.entries()) if (index > 0) assert.equal(fromMs, bounds[index - 1]?.untilMs);
    }
  });
});

describe("figures", () => {
  it("of the merchant as a whole compare with lines of terminals", () => {
    const ofTerminals = Array.from({ length: LINES_MAX }, (_, index) => line(1, 10, { terminalId: `T${index}` }));
    const folded = [line(LINES_MAX + 1, 10 * (LINES_MAX + 1), { terminalId: null })];
    assert.deepEqual(corrections(figures({ payments: folded }), figures({ payments: folded }), 5), []);
    assert.deepEqual(corrections(figures({ payments: ofTerminals }), figures({ payments: folded }), 5), [
      {
        subject: { of: "payments", terminalId: null, method: "CARD", status: "OK", currency: "EUR" },
        ...{
          before: { count: LINES_MAX, amountMinor: 10 * LINES_MAX },
          after: { count: LINES_MAX + 1, amountMinor: 10 * (LINES_MAX + 1) },
        },
        atMs: 5,
      },
    ]);
  });

  it("of more payments than are named compare by their number", () => {
    const some = named(...Array.from({ length: NAMED_MAX }, (_, index) => `uuid-${index}`));
    const more = { ...some, count: NAMED_MAX + 5 };
    assert.deepEqual(corrections(figures({ unknown: more }), figures({ unknown: more }), 5), []);
    assertMatches(corrections(figures({ unknown: more }), figures({ unknown: some }), 5), [
      { subject: { of: "unknown", uuid: null }, before: { count: NAMED_MAX + 5 }, after: { count: NAMED_MAX } },
    ]);
  });
});
