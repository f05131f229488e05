import assert from "node:assert/strict";

const TAG = /<(\/?)([a-z]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/gi;

/** Fails where it is no well-formed XML, holds a script or reaches for anything outside, or has a place that is no number. */
export function assertPlot(svg: string): void {
  const [head = "", ...lines] = svg.split("\n");
  assert.equal(head, '<?xml version="1.0" encoding="UTF-8"?>');
  const body = lines.join("\n");
  const open: string[] = [];
  for (const [, end, name = "", , alone] of body.matchAll(TAG)) {
    if (end === "/") assert.equal(open.pop(), name);
    else if (alone === "") open.push(name);
  }
  assert.deepEqual(open, []);
  assert.doesNotMatch(body.replaceAll(TAG, ""), /<|&(?!(?:amp|lt|gt|quot|apos|#\d+);)/);
  assert.doesNotMatch(body, /<script|<foreignObject|@font-face|@import|url\(|href|NaN|Infinity|undefined|null\b/i);
}
