import assert from "node:assert/strict";
import { test } from "node:test";
import { WEIGHTS_MAX, weighPortal } from "../../../../bench/portal/weights.ts";

test("the first load, the charts and every page stay within their limits", async (t) => {
  const { firstBytes, chartBytes, areChartsLazy, catalogues, pages } = await weighPortal();
  t.diagnostic(`first load ${(firstBytes / 1_024).toFixed(1)} KB, charts ${(chartBytes / 1_024).toFixed(1)} KB`);
  assert.equal(catalogues, 2);
  assert.ok(firstBytes <= WEIGHTS_MAX.firstBytes, `${firstBytes} bytes`);
  assert.ok(chartBytes > 0 && chartBytes <= WEIGHTS_MAX.chartBytes, `${chartBytes} bytes`);
  assert.ok(areChartsLazy, "the chart library is loaded before there is a chart");
  assert.ok(pages.length >= 8, "the pages are no files of their own any more");
  for (const { name, bytes } of pages) {
    t.diagnostic(`${name}: ${(bytes / 1_024).toFixed(1)} KB in all`);
    assert.ok(bytes <= WEIGHTS_MAX.pageBytes, `${name} needs ${bytes} bytes`);
  }
});
