import assert from "node:assert/strict";
import { test } from "node:test";
import { WEIGHTS_MAX, weighApp } from "../../../../bench/portal/weights.ts";

const kb = (bytes: number) => (bytes / 1_024).toFixed(1);

for (const app of ["portal", "operators"] as const) {
  test(`the first load and every page of ${app} stay within their limits`, async (t) => {
    const { firstBytes, firstRequests, pages } = await weighApp(app);
    t.diagnostic(`first load ${kb(firstBytes)} KB in ${firstRequests} requests`);
    assert.ok(firstBytes <= WEIGHTS_MAX.firstBytes, `${firstBytes} bytes`);
    assert.ok(firstRequests <= WEIGHTS_MAX.firstRequests, `${firstRequests} requests`);
    assert.ok(pages.length >= 8, "the pages are no files of their own any more");
    for (const { name, bytes } of pages) {
      t.diagnostic(`${name}: ${kb(bytes)} KB in all`);
      assert.ok(bytes <= WEIGHTS_MAX.pageBytes, `${name} needs ${bytes} bytes`);
    }
  });
}

test("the chart library is a file that is loaded with the first chart", async () => {
  const { chartBytes, areChartsLazy } = await weighApp("portal");
  assert.ok(chartBytes > 0 && chartBytes <= WEIGHTS_MAX.chartBytes, `${chartBytes} bytes`);
  assert.ok(areChartsLazy, "the chart library is loaded before there is a chart");
});
