import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { type Figures, isLongFile, logicIn, measure, TABLES } from "./size.ts";

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

test("a table that may be long has no if, no loop and no function with a block body", () => {
  assert.notDeepEqual(logicIn(["test/tidy/size.ts"]), [], "Biome finds no logic where there is some");
  assert.deepEqual(logicIn(TABLES), []);
});

test("a table that is excepted is a long file", () => {
  assert.deepEqual(
    TABLES.filter((path) => !isLongFile(path)),
    [],
  );
});
