import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { type Figures, measure } from "./size.ts";

const STORED = "test/tidy/size.json";
const UPDATE = process.env["UPDATE_SIZE"];

test("the sources do not grow beyond the stored figures (test/tidy/size.ts says how to change them)", () => {
  const stored: Figures = JSON.parse(readFileSync(STORED, "utf8"));
  const { figures, tooLong } = measure();
  const allowed = (name: string, figure: number) => (UPDATE === "raise" ? figure : Math.min(figure, stored[name] ?? 0));
  const next = Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, allowed(name, figure)]));
  if (UPDATE === "1" || UPDATE === "raise") writeFileSync(STORED, `${JSON.stringify(next, null, 2)}\n`);
  assert.deepEqual(figures, next, `Too long are:\n${tooLong.join("\n")}`);
});
