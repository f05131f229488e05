import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { within } from "../../../test/support/within.ts";
import { lineFigure } from "../../charts/line-chart.ts";
import { arrivalsAt, sendOnSchedule } from "../../deployment/arrivals.ts";
import { Measurements } from "../../deployment/measurements.ts";
import { duration, leastTerminals, readOptions, share } from "../../deployment/options.ts";
import { Pace } from "../../deployment/paces.ts";
import { askedOf, isInShare } from "../../deployment/payment-of.ts";
import { createRunUuids } from "../../deployment/run-uuids.ts";

describe("the schedule of a load test", () => {
  it("has all payments of its rate, evenly, and fewer while the rate rises", () => {
    const flat = arrivalsAt({ ratePerSecond: 50, forMs: 2_000, rampMs: 0 });
    assert.deepEqual([flat.count, flat.dueMs(0), flat.dueMs(1), flat.dueMs(99)], [100, 0, 20, 1_980]);
    const ramped = arrivalsAt({ ratePerSecond: 50, forMs: 2_000, rampMs: 1_000 });
    assert.equal(ramped.count, 75);
    const due = Array.from({ length: ramped.count }, (_, index) => ramped.dueMs(index));
    assert.ok(due.every((ms, index) => index === 0 || ms > (due[index - 1] ?? 0)));
    // A quarter of the ramp's payments are due in its first half.
    assert.equal(due.filter((ms) => ms < 500).length, 7);
    assert.deepEqual(due.slice(-2), [1_960, 1_980]);
  });

  it("sends each when it is due without waiting for any, and what is late at once", async () => {
    const sent: number[] = [];
    const startedMs = performance.now() - 500;
    const { signal } = new AbortController();
    await sendOnSchedule(arrivalsAt({ ratePerSecond: 1_000, forMs: 520, rampMs: 0 }), {
      startedMs,
      signal,
      send: (index, dueAtMs) => {
        assert.ok(performance.now() >= dueAtMs);
        assert.equal(Math.round(dueAtMs - startedMs), index);
        sent.push(index);
      },
    });
    assert.deepEqual(sent, [...Array(520).keys()]);
  });

  it("sends nothing more once it is stopped", async () => {
    const stopping = new AbortController();
    let sent = 0;
    const send = () => {
      sent += 1;
      if (sent === 3) stopping.abort();
    };
    await sendOnSchedule(arrivalsAt({ ratePerSecond: 100, forMs: 3_600_000, rampMs: 0 }), {
      startedMs: performance.now(),
      signal: stopping.signal,
      send,
    });
    assert.equal(sent, 3);
  });
});

describe("a pace of a load test", () => {
  it("lets requests leave in their order, and never faster than nine tenths of a limit", async () => {
    const pace = new Pace(100);
    const left: number[] = [];
    const startedMs = performance.now();
    await Promise.all([0, 1, 2, 3, 4, 5].map((index) => pace.turn().then(() => left.push(index))));
    assert.deepEqual(left, [0, 1, 2, 3, 4, 5]);
    // A timer may be a millisecond early.
    assert.ok(performance.now() - startedMs >= (5 * 1_000) / 90 - 2);
  });

  it("is waited for no longer when it is given up", async () => {
    const pace = new Pace(0.001);
    await pace.turn();
    await within("a turn that is given up", pace.turn(AbortSignal.abort()));
  });
});

describe("options of a load test", () => {
  it("read times and shares", () => {
    const read = duration(100, 3_600_000);
    assert.deepEqual(["200ms", "1.5s", "10m", "1h"].map(read), [200, 1_500, 600_000, 3_600_000]);
    for (const odd of ["10", "s", "", "99ms", "2h", "-1s", "1 s", "1d"]) assert.throws(() => read(odd), /A number with ms, s, m or h/, odd);
    assert.deepEqual(["0%", "12.5%", "100%"].map(share), [0, 0.125, 1]);
    for (const odd of ["20", "101%", "-1%", "%"]) assert.throws(() => share(odd), /From 0% to 100%/, odd);
  });

  it("want as many terminals as the rate needs", () => {
    const options = readOptions(["node", "load"], {});
    assert.equal(leastTerminals(options), 4);
    assert.equal(leastTerminals({ ...options, ratePerSecond: 200, answerMs: 2_000, pollShare: 0 }), 25);
    assert.equal(leastTerminals({ ...options, slowShare: 0.2, slowAnswerMs: 20_000 }), 10);
  });

  it("take the key and the secret of the environment", () => {
    const { key, terminalSecret } = readOptions(["node", "load"], { RELAY_LOAD_KEY: "k", RELAY_LOAD_TERMINAL_SECRET: "s" });
    assert.deepEqual([key, terminalSecret], ["k", "s"]);
    assert.equal(readOptions(["node", "load", "--key", "other"], { RELAY_LOAD_KEY: "k" }).key, "other");
  });
});

/** Three digits of a value in a histogram are exact. */
function near(ms: number | undefined, expected: number): void {
  assert.ok(ms !== undefined && Math.abs(ms - expected) <= expected / 1_000, `${ms} is not ${expected}`);
}

describe("measurements of a load test", () => {
  it("hold each interval by itself and all together", () => {
    const measurements = new Measurements(10_000);
    for (let ms = 1; ms <= 100; ms += 1) measurements.took("pay", ms);
    measurements.due();
    measurements.failed("pay 500");
    const first = measurements.tick(1);
    assert.deepEqual([first.due, first.errors, first.latencies.pay?.count], [1, { "pay 500": 1 }, 100]);
    near(first.latencies.pay?.p50, 50);
    near(first.latencies.pay?.max, 100);
    measurements.took("pay", 1_000);
    const { pay: second } = measurements.tick(2).latencies;
    assert.equal(second?.count, 1);
    for (const ms of [second?.p50, second?.p90, second?.p99, second?.max]) near(ms, 1_000);
    assert.deepEqual(measurements.tick(3), { untilSeconds: 3, due: 0, latencies: {}, errors: {}, retried: {} });
    const { pay } = measurements.whole();
    assert.equal(pay?.count, 101);
    near(pay?.max, 1_000);
    assert.equal(pay?.curve.at(-1)?.[1], pay?.max);
    assert.deepEqual([measurements.errors, measurements.retries], [{ "pay 500": 1 }, {}]);
  });

  it("tell only so many kinds of errors apart", () => {
    const measurements = new Measurements(1_000);
    for (let kind = 0; kind < 1_000; kind += 1) measurements.failed(`kind ${kind} ${"x".repeat(100)}`);
    const { errors } = measurements;
    assert.deepEqual([Object.keys(errors).length, errors["others"]], [41, 960]);
    assert.ok(Object.keys(errors).every((kind) => kind.length <= 80));
  });

  it("have longer intervals in a run of many hours", () => {
    assert.equal(new Measurements(3_600_000).intervalMs, 1_000);
    assert.equal(new Measurements(24 * 3_600_000).intervalMs, 24_000);
  });
});

describe("payments of a load test", () => {
  it("go to all terminals in turn, this share of them scans", () => {
    const terminalIds = ["A", "B", "C"];
    const asked = Array.from({ length: 20 }, (_, index) => askedOf(index, { terminalIds, scanShare: 0.25 }));
    assert.deepEqual(
      asked.slice(0, 4).map(({ terminalId }) => terminalId),
      ["A", "B", "C", "A"],
    );
    assert.equal(asked.filter(({ service }) => service === "SCAN").length, 5);
    assert.ok(
      asked.every(({ service, amountCents }) => (service === "SCAN" ? amountCents === 0 : amountCents % 100 === 0 && amountCents > 0)),
    );
    assert.deepEqual(
      [0, 1, 2, 3].map((index) => isInShare(index, 1)),
      [true, true, true, true],
    );
  });

  it("have uuids that share a prefix and name their payment", () => {
    const { prefix, uuidOf, indexOf } = createRunUuids(new Date("2026-11-27T10:15:00.120Z"), "3fa2b7c1");
    assert.equal(prefix, "load-20261127t101500-3fa2b7c1-");
    assert.equal(uuidOf(42), "load-20261127t101500-3fa2b7c1-00000042");
    assert.equal(indexOf(uuidOf(42)), 42);
    for (const other of ["42", `${prefix}x`, `${prefix}1`, `other-${uuidOf(1)}`]) assert.equal(indexOf(other), null, other);
  });
});

describe("a chart", () => {
  it("shows names as they are, whatever they hold", () => {
    const series = [{ name: "<script>&", points: [[0, 1] as const, [1, 10] as const] }];
    const svg = lineFigure({ title: "a <b>", series, xLabel: "x", yLabel: "y", yScale: "log" });
    assert.match(svg, /&lt;script&gt;&amp;/);
    assert.doesNotMatch(svg, /<script|<b>/);
  });

  it("draws lines and bars within its frame", () => {
    const points = Array.from({ length: 5_000 }, (_, index) => [index + 1, 1 + (index % 7) * 1_000] as const);
    for (const [yScale, barWidth] of [
      ["log", undefined],
      ["linear", undefined],
      ["linear", 1],
    ] as const) {
      const svg = lineFigure({
        title: "t",
        series: [{ name: "n", points }],
        xLabel: "x",
        yLabel: "y",
        yScale,
        ...(barWidth === undefined ? {} : { barWidth }),
      });
      assert.doesNotMatch(svg, /NaN|Infinity/);
      const places = [...svg.matchAll(/(?:points="|x="|y=")([^"]+)"/g)].flatMap(([, numbers = ""]) => numbers.split(/[ ,]/).map(Number));
      assert.ok(places.length > 20 && places.every((place) => place >= 0 && place <= 860));
    }
  });
});
