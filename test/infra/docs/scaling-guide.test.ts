import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { forecast, forecastRow } from "../../../bench/scaling/forecast.ts";
import { type ScalingResult, scalingReport } from "../../../bench/scaling/report.ts";

const GUIDE = "infra/docs/scaling.md";
const guide = readFileSync(GUIDE, "utf8");

/** Without its ending, from the root. */
function citedResult(): string {
  const [, path = ""] = /\]\((\.\.\/\.\.\/bench\/results\/[\w-]+-scaling-[\w-]+)\.md\)/.exec(guide) ?? [];
  assert.notEqual(path, "", `${GUIDE} cites the result that it reckons with`);
  return join("infra/docs", path);
}

function readResult(): ScalingResult {
  return JSON.parse(readFileSync(`${citedResult()}.json`, "utf8"));
}

test("the table of the scaling guide follows from its assumptions and the cited result", () => {
  const result = readResult();
  for (const terminals of [1_000, 10_000, 100_000, 1_000_000, 10_000_000]) {
    const row = `| ${forecastRow(forecast(terminals, result))} |`;
    assert.ok(guide.includes(row), `${GUIDE} lacks the row\n${row}`);
  }
});

test("the cited result reads as it was measured", () => {
  const report = scalingReport(readResult());
  assert.equal(readFileSync(`${citedResult()}.md`, "utf8").slice(0, report.length), report);
});
