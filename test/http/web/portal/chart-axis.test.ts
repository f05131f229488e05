import assert from "node:assert/strict";
import { test } from "node:test";
import { shareAxis } from "../../../../http/web/portal/components/chart-figures.ts";

for (const { values, axis, title } of [
  { title: "begins below values that are close to one", values: [0.93, 0.98, null, 0.95], axis: [0.9, 1] },
  { title: "spans at least ten percent", values: [0.97, 0.98], axis: [0.9, 1] },
  { title: "spans as much where all values are one", values: [1, 1], axis: [0.9, 1] },
  { title: "ends at the next step", values: [0.61, 0.72], axis: [0.6, 0.75] },
  { title: "begins at a value that is a step", values: [0.65, 0.8], axis: [0.65, 0.8] },
  { title: "begins at zero if a value is in the lower half", values: [0.49, 0.98], axis: [0, 1] },
  { title: "begins at zero for small shares, and ends close above them", values: [0, 0.02], axis: [0, 0.0216] },
  { title: "is whole if all values are zero", values: [0, 0], axis: [0, 1] },
  { title: "has no ends without values", values: [null], axis: null },
]) {
  test(`the axis of shares ${title}`, () => {
    const found = shareAxis([{ values }]);
    assert.deepEqual(found === null ? null : [found.from, Number(found.to.toFixed(4))], axis);
  });
}

test("the axis of shares covers a compared series too", () => {
  assert.deepEqual(shareAxis([{ values: [0.95] }, { values: [0.72] }]), { from: 0.7, to: 0.95 });
});
