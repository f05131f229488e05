import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { collectDefaultMetrics, Registry } from "prom-client";
import { documentedMetrics, METRICS_PAGE, PART_OF_HISTOGRAM } from "../infra/monitoring/metrics-table.ts";
import { alertRules } from "../infra/monitoring/rules.ts";

const METRIC = /\brelay_[a-z0-9_]*[a-z0-9]\b/g;

/** Documents, dashboards and alarms, wherever they lie. */
const TOLD = /\.(?:md|json|ya?ml)$/;

function filesUnder(folder: string, pattern: RegExp): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file));
  return files.filter((path) => pattern.test(path));
}

/** Those of them that can be told of several threads together. */
function ofTheProcess(): string[] {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "relay_" });
  return registry.getMetricsAsArray().flatMap((metric) => ("aggregator" in metric && metric.aggregator === "omit" ? [] : [metric.name]));
}

/** The names that the code registers, each a string of its own, and those that every process has. */
const REGISTERED = new Set([
  ...filesUnder("infra/node", /\.ts$/).flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/"(relay_[a-z0-9_]*[a-z0-9])"/g)].map(([, name = ""]) => name),
  ),
  ...ofTheProcess(),
]);

const isKnown = (name: string) => REGISTERED.has(name) || REGISTERED.has(name.replace(PART_OF_HISTOGRAM, ""));

test("documents, dashboards and alarms name only metrics that there are", () => {
  assert.ok(REGISTERED.size > 60, "metrics are registered in another way: this test is out of date");
  const strangers = ["README.md", ...filesUnder("infra", TOLD)].flatMap((path) =>
    (readFileSync(path, "utf8").match(METRIC) ?? []).filter((name) => !isKnown(name)).map((name) => `${path} names ${name}`),
  );
  assert.deepEqual(strangers, []);
});

test("every metric has one row in the table for operators, and the table has no others", () => {
  const documented = documentedMetrics().map(({ name }) => name);
  assert.deepEqual([...documented].sort(), [...REGISTERED].sort(), METRICS_PAGE);
});

test("every alert asks for metrics of the table, and for a histogram by its parts", () => {
  const types = new Map(documentedMetrics().map(({ name, type }) => [name, type]));
  for (const { name, expr } of alertRules()) {
    // `up` is Prometheus's own.
    const asked = expr.match(/\b(?:relay_\w+|up)\b/g) ?? [];
    assert.ok(asked.length > 0, `${name} asks for nothing`);
    for (const metric of asked) {
      if (metric === "up") continue;
      const [whole, type] = [metric.replace(PART_OF_HISTOGRAM, ""), types.get(metric)];
      assert.ok(type === undefined ? types.get(whole) === "histogram" : type !== "histogram", `${name} asks for ${metric}`);
    }
  }
});
