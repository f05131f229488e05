import assert from "node:assert/strict";
import { test } from "node:test";
import { type Figures, forecast } from "../scaling/forecast.ts";

/** Round figures: what is expected can be reckoned without a machine. */
const FIGURES: Figures = {
  redis: {
    records: [
      { what: "a terminal's record", count: 1, bytes: 300 },
      { what: "a terminal's presence", count: 1, bytes: 700 },
      { what: "an ended payment", count: 1, bytes: 1_000 },
    ],
    total: { terminals: 1, commands: 1, rows: 1, usedBytes: 1, logBytes: 1 },
    outstanding: { entries: 1, redisMicrosPerEntry: 1 },
    presence: { writes: 1, redisMicros: 9, logBytes: 1 },
    commits: [
      { callers: 1, lives: 1, commitsPerSecond: 1, redisMicrosPerLife: 1_000, scriptsPerLife: 3, logBytesPerLife: 1 },
      { callers: 16, lives: 1, commitsPerSecond: 1, redisMicrosPerLife: 150, scriptsPerLife: 1, logBytesPerLife: 1 },
    ],
  },
  rows: {
    rows: 1,
    tables: [
      { table: "transactions", rows: 1, bytes: 100 },
      { table: "command_lives", rows: 1, bytes: 50 },
    ],
    messageBytes: { value: 800, key: 10 },
  },
};

test("reckons what a fleet takes from what one terminal and one payment take", () => {
  const fleet = forecast(900_000, FIGURES);
  // 18 million payments a day, 2.16 million of them in the busiest hour.
  assert.equal(fleet.paymentsPerSecond, 600);
  assert.equal(fleet.commitsPerSecond, 1_800);
  assert.equal(fleet.nodes, 21);
  assert.equal(fleet.redisBytes(0), 9e8);
  assert.equal(fleet.redisBytes(10), 9e8 + 1.8e11);
  assert.deepEqual(fleet.redisCore.payments, { together: 0.09, alone: 0.6 });
  assert.equal(fleet.redisCore.presences, 0.18);
  // 18,000 outstanding terminals, read by 63 shards.
  assert.equal(fleet.redisCore.sweeps, 1.134);
  assert.equal(fleet.rowsADay, 3.6e7);
  assert.equal(fleet.kafkaBytesADay, 18e6 * 810);
  assert.equal(fleet.clickhouseBytesAYear, 18e6 * 365 * 150);
});

test("a small fleet has two nodes, and a figure that is missing is not taken for 0", () => {
  assert.equal(forecast(1, FIGURES).nodes, 2);
  assert.throws(() => forecast(1, { ...FIGURES, rows: null }), /have to be measured/);
  const redis = FIGURES.redis === null ? null : { ...FIGURES.redis, records: [] };
  assert.throws(() => forecast(1, { ...FIGURES, redis }), /was not measured/);
});
