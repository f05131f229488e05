import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestNode } from "../../support/node/node.ts";
import { documentedMetrics, metricsIn } from "./metrics-table.ts";

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);

test("a node answers the metrics of the page, each of its type, and no others", async (t) => {
  const node = await startTestNode({ RELAY_CLICKHOUSE_URL: "http://127.0.0.1:1" });
  t.after(() => node.stop());
  const text = await (await fetch(`${node.url}/metrics`)).text();
  const answered = metricsIn(text);
  const isThere = (name: string) => answered.some((other) => other.name === name);
  const documented = documentedMetrics().filter(({ name, on }) => on !== "cluster" && (on !== "set up" || isThere(name)));
  assert.deepEqual(answered.sort(byName), documented.map(({ name, type }) => ({ name, type })).sort(byName));
  // What only grows is a counter, and what is one grows only.
  for (const { name, type } of documented) {
    if (name.startsWith("relay_nodejs_")) continue;
    assert.equal(name.endsWith("_total"), type === "counter", `${name} is a ${type}`);
  }
});
