import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const METRIC = /\brelay_[a-z_]*[a-z]\b/g;

/** What Prometheus makes of one histogram. */
const PART_OF_HISTOGRAM = /_(?:bucket|sum|count)$/;

/** Documents, dashboards and alarms, wherever they lie. */
const TOLD = /\.(?:md|json|ya?ml)$/;

function filesUnder(folder: string, pattern: RegExp): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file));
  return files.filter((path) => pattern.test(path));
}

/** The names that the code registers: each is written once, as a string of its own. */
const REGISTERED = new Set(
  filesUnder("infra/node", /\.ts$/).flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/"(relay_[a-z_]*[a-z])"/g)].map(([, name = ""]) => name),
  ),
);

test("documents, dashboards and alarms name only metrics that there are", () => {
  assert.ok(REGISTERED.size > 20, "metrics are registered in another way: this test is out of date");
  const strangers = ["README.md", ...filesUnder("infra", TOLD)].flatMap((path) =>
    (readFileSync(path, "utf8").match(METRIC) ?? [])
      .filter((name) => !REGISTERED.has(name) && !REGISTERED.has(name.replace(PART_OF_HISTOGRAM, "")))
      .map((name) => `${path} names ${name}`),
  );
  assert.deepEqual(strangers, []);
});

test("every metric is explained to operators", () => {
  const explained = new Set(readFileSync("infra/docs/operating.md", "utf8").match(METRIC));
  assert.deepEqual(
    [...REGISTERED].filter((name) => !explained.has(name)),
    [],
  );
});
