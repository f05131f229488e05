import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";

interface Panel {
  id: number;
  title: string;
  type: string;
  gridPos: { h: number; w: number; x: number; y: number };
  targets?: { expr: string }[];
}

it("every panel of the dashboard asks something, has a place of its own, and an id of its own", () => {
  const { panels } = JSON.parse(readFileSync("infra/monitoring/dashboard.json", "utf8")) as { panels: Panel[] };
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
