import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { dashboardPanels } from "./dashboard.ts";
import { documentedMetrics, METRICS_PAGE, metricsAskedFor } from "./metrics-table.ts";
import { promtool, promtoolMissing } from "./promtool.ts";
import { alertRules } from "./rules.ts";

/** What has neither a panel nor an alert, and why an operator does not miss it. */
const NOT_WATCHED: readonly [metrics: RegExp, because: string][] = [
  [/^relay_outbox_depth_capped$/, "a depth of 100,000 says the same"],
  [/^relay_store_last_sync_seconds$/, "one sync of many: the histogram of commits has them all"],
  [/^relay_process_cpu_(?:user|system)_seconds_total$/, "the processor's panel has their sum"],
  [/^relay_process_(?:virtual_memory|heap)_bytes$/, "addresses and reservations: what is in use counts"],
  [/^relay_nodejs_version_info$/, "relay_build_info has it"],
  [/^relay_nodejs_eventloop_lag_/, "of the main thread alone: relay_event_loop_delay_seconds has each thread"],
  [/^relay_nodejs_active_/, "for who looks for a leak in the program"],
  [/^relay_nodejs_heap_(?:size_total|space_size_(?:total|used|available))_bytes$/, "parts and bounds of the heap in use"],
];

/** Labels that Prometheus adds, or makes of a histogram. */
const LABELS_OF_PROMETHEUS = ["job", "instance", "le"];

describe("the dashboard", () => {
  const panels = dashboardPanels();

  it("has panels that each ask something, have a place of their own, and an id of their own", () => {
    assert.ok(panels.length > 20);
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    const taken = new Map<string, string>();
    for (const { title, type, targets = [], gridPos } of panels) {
      assert.ok(type === "row" || targets.length > 0, `${title} asks nothing`);
      assert.ok(gridPos.x + gridPos.w <= 24, `${title} is too wide`);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          assert.equal(taken.get(`${x} ${y}`), undefined, `${title} lies on another`);
          taken.set(`${x} ${y}`, title);
        }
      }
      // A restarted node begins at 0 again.
      for (const { expr } of targets)
        assert.doesNotMatch(expr, /(?<!\b(?:rate|increase)\()\brelay_\w+_total\b/, `${title} shows a counter as it is`);
    }
  });

  it("tells series apart only by labels that the metric has by its row in the table", () => {
    const meanings = new Map(documentedMetrics().map(({ name, meaning }) => [name, meaning]));
    let compared = 0;
    for (const { title, targets = [] } of panels) {
      for (const { expr, legendFormat } of targets) {
        const labels = [
          ...[...expr.matchAll(/\bby \(([^)]+)\)/g)].flatMap(([, list = ""]) => list.split(/, ?/)),
          ...[...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label),
        ].filter((label) => !LABELS_OF_PROMETHEUS.includes(label));
        for (const metric of metricsAskedFor(expr)) {
          for (const label of labels) {
            compared += 1;
            assert.match(meanings.get(metric) ?? "", new RegExp(`\`${label}\\b`), `${title}: ${metric} has no ${label} by ${METRICS_PAGE}`);
          }
        }
      }
    }
    assert.ok(compared > 40, "labels are written in another way: this test is out of date");
  });

  it("shows every metric of the table that no alert watches, but those that nobody misses", () => {
    const watched = new Set(
      [...panels.flatMap(({ targets = [] }) => targets), ...alertRules()].flatMap(({ expr }) => metricsAskedFor(expr)),
    );
    const names = documentedMetrics().map(({ name }) => name);
    const isMissed = (name: string) => !NOT_WATCHED.some(([metrics]) => metrics.test(name));
    assert.deepEqual(
      names.filter((name) => !watched.has(name) && isMissed(name)),
      [],
      "neither on the dashboard, nor in an alert, nor in NOT_WATCHED",
    );
    for (const [metrics] of NOT_WATCHED) {
      const excepted = names.filter((name) => metrics.test(name));
      assert.ok(excepted.length > 0, `there is no metric like ${metrics}`);
      assert.deepEqual(
        excepted.filter((name) => watched.has(name)),
        [],
        `${metrics} is watched`,
      );
    }
  });
});

describe("Prometheus", { skip: await promtoolMissing() }, () => {
  it("takes what every panel asks", async () => {
    const folder = await mkdtemp(join(tmpdir(), "relay-panels-"));
    try {
      const file = join(folder, "rules.yml");
      const rules = dashboardPanels()
        .flatMap(({ targets = [] }) => targets)
        .map(({ expr }, index) => ({
          record: `panel:${index}`,
          expr: expr.replaceAll("$job", "relay").replaceAll("$__rate_interval", "5m"),
        }));
      await writeFile(file, JSON.stringify({ groups: [{ name: "panels", rules }] }));
      assert.match(await promtool("check", "rules", file), new RegExp(`SUCCESS: ${rules.length} rules found`));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
