import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { isOpenAt, type OpeningInterval, openingHoursOf } from "../../../engine/partners/opening-hours.ts";
import { createOfflineTasks } from "../../../engine/settings/offline-tasks.ts";
import { createOpeningHours } from "../../../engine/settings/opening-hours.ts";
import { createLocalTime } from "../../../http/surfaces/parts/time.ts";
import { terminal } from "../../http/surfaces/merchant/world.ts";
import { ManualClock } from "../world.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 86_400_000;
const rome = createLocalTime("Europe/Rome");

/** A Wednesday, 10:20 in Rome. */
const NOW_MS = Date.parse("2026-11-25T09:20:00Z");

const sum = (startMs: number) => ({ startMs, currency: "EUR", volumeMinor: 100, approved: 1, declined: 0 });
const interval = (weekday: number, from: string, to: string): OpeningInterval => ({ weekday, from, to });

function world() {
  const clock = new ManualClock();
  clock.wallMs = NOW_MS;
  const said = { hours: [] as ReturnType<typeof sum>[], fails: false, set: undefined as readonly OpeningInterval[] | undefined };
  const ranges: { fromMs: number; untilMs: number }[] = [];
  const openingHours = createOpeningHours({
    ownMerchant: {
      find: async () => Object.assign(Object.create(null), said.set === undefined ? {} : { openingHours: said.set }),
      saveOpeningHours: async (_merchantId, hours) => {
        said.set = hours ?? undefined;
        return true;
      },
    },
    merchantTransactions: {
      sums: async (_merchantId, range) => {
        ranges.push(range);
        if (said.fails) throw new RelayError("unavailable", "ClickHouse does not answer");
        return { sums: [], hours: said.hours, byMethod: [], byTerminal: [] };
      },
    },
    offsetMs: rome.offsetMs,
    clock,
  });
  return { clock, said, ranges, openingHours };
}

describe("opening hours", () => {
  it("are intervals that do not overlap, also past midnight and over the end of the week", () => {
    const night = openingHoursOf([interval(7, "20:00", "02:00"), interval(1, "08:30", "13:00")]);
    assert.deepEqual(
      night.map(({ weekday }) => weekday),
      [1, 7],
    );
    const minute = (day: number, hour: number) => ((day - 1) * 24 + hour) * 60;
    for (const [at, isOpen] of [
      [minute(1, 1), true],
      [minute(1, 2), false],
      [minute(1, 9), true],
      [minute(1, 13), false],
      [minute(7, 23), true],
      [minute(7, 19), false],
    ] as const) {
      assert.equal(isOpenAt(night, at), isOpen, String(at));
    }
    assert.equal(isOpenAt([interval(3, "00:00", "24:00")], minute(3, 23) + 59), true);
    for (const wrong of [
      [interval(1, "08:00", "08:00")],
      [interval(8, "08:00", "09:00")],
      [interval(1, "24:00", "09:00")],
      [interval(1, "8:00", "09:00")],
      [interval(1, "08:00", "13:00"), interval(1, "12:59", "14:00")],
      [interval(7, "20:00", "09:00"), interval(1, "08:30", "13:00")],
      Array.from({ length: 22 }, (_, index) => interval(1, `00:${10 + index}`, `00:${11 + index}`)),
    ]) {
      assert.throws(() => openingHoursOf(wrong), { code: "invalid_request" }, JSON.stringify(wrong));
    }
  });

  it("are derived from hours with payments in at least two of the last four weeks, by the clocks of the installation", async () => {
    const { said, ranges, openingHours } = world();
    const monday9 = Date.parse("2026-11-23T08:00:00Z");
    said.hours = [
      ...[1, 2].map((weeks) => sum(monday9 - weeks * WEEK_MS)),
      ...[1, 3].map((weeks) => sum(monday9 + HOUR_MS - weeks * WEEK_MS)),
      // Many payments in one hour of one week are no habit.
      ...[0, 0, 0].map(() => sum(monday9 + 5 * HOUR_MS)),
      { ...sum(monday9 + 6 * HOUR_MS), approved: 0 },
      { ...sum(monday9 + 6 * HOUR_MS - WEEK_MS), approved: 0 },
    ];
    assert.deepEqual(await openingHours.of("SHOP-001"), { source: "payments", hours: [interval(1, "09:00", "11:00")] });
    await openingHours.of("SHOP-001");
    assert.deepEqual(ranges, [{ fromMs: Date.parse("2026-10-27T23:00:00Z"), untilMs: Date.parse("2026-11-24T23:00:00Z") }]);
  });

  it("are unknown while the payments cannot be read, which is tried once a minute, unless the merchant has set them", async () => {
    const { clock, said, ranges, openingHours } = world();
    said.fails = true;
    for (let call = 0; call < 3; call += 1) assert.deepEqual(await openingHours.of("SHOP-001"), { source: "unknown", hours: null });
    assert.equal(ranges.length, 1);
    const own = [interval(3, "08:00", "12:00")];
    await openingHours.save("SHOP-001", own);
    assert.deepEqual(await openingHours.of("SHOP-001"), { source: "set", hours: own });
    await openingHours.save("SHOP-001", null);
    said.fails = false;
    clock.advance(MINUTE_MS);
    assert.deepEqual(await openingHours.of("SHOP-001"), { source: "payments", hours: [] });
  });
});

describe("terminals that are offline", () => {
  const away = (terminalId: string, ms: number) => terminal(terminalId, { lastSeenMs: NOW_MS - ms });

  it("are tasks if they went offline while the shop was open, and while it is open", async () => {
    const { clock, said, openingHours } = world();
    said.set = [interval(2, "08:00", "19:00"), interval(3, "09:00", "19:00")];
    const terminals = [
      away("SINCE-20-MINUTES", 20 * MINUTE_MS),
      away("SINCE-YESTERDAY-NOON", 22 * HOUR_MS),
      away("SINCE-LAST-NIGHT", 14 * HOUR_MS),
      away("A-MOMENT", MINUTE_MS),
      away("A-WEEK-AND-MORE", WEEK_MS + 5 * MINUTE_MS),
      terminal("ONLINE", { connected: true, lastSeenMs: NOW_MS - 20 * MINUTE_MS }),
      terminal("NEVER-CONNECTED"),
    ];
    const tasks = createOfflineTasks({ openingHours, merchantTerminals: { all: async () => terminals }, clock });
    const idsOf = async () => (await tasks("SHOP-001")).tasks.map(({ terminalId }) => terminalId);
    assert.deepEqual(await idsOf(), ["SINCE-YESTERDAY-NOON", "SINCE-20-MINUTES"]);
    said.set = [interval(2, "08:00", "19:00"), interval(3, "09:00", "10:15")];
    assert.deepEqual(await idsOf(), [], "the shop is closed now");
  });

  it("are none while the opening hours are unknown", async () => {
    const { clock, said, openingHours } = world();
    said.fails = true;
    const tasks = createOfflineTasks({ openingHours, merchantTerminals: { all: async () => [away("T1", HOUR_MS)] }, clock });
    assert.deepEqual(await tasks("SHOP-001"), { source: "unknown", tasks: [] });
  });
});
