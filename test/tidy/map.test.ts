import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { SUBJECTS } from "./subjects.ts";

/** The tree has a line for each folder in these. */
const SHOWN = ["engine", "storage", "http", "http/surfaces", "infra", "infra/node", "test"];

const ARCHITECTURE = readFileSync("ARCHITECTURE.md", "utf8");

/** The paths that the tree names, in its order. */
const TREE = pathsOf(chapter("The tree"));

for (const folder of SHOWN) {
  test(`the tree has one line for each folder of ${folder}/`, () => {
    const folders = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${folder}/${name}`)
      .sort();
    const shown = TREE.filter((path) => dirname(path) === folder && !path.endsWith(".ts")).sort();
    assert.deepEqual(shown, folders);
  });
}

test("the tree names nothing that is absent", () => {
  assert.deepEqual(
    TREE.filter((path) => !existsSync(path)),
    [],
  );
});

test("the tree and the rules of imports have the subjects in the order of SUBJECTS", () => {
  const [, list = ""] = /only subjects before it:([^.]*)\./.exec(chapter("Who imports whom")) ?? [];
  assert.deepEqual(
    [...list.matchAll(/`([^`]+)`/g)].map(([, subject]) => subject),
    SUBJECTS,
  );
  assert.deepEqual(
    TREE.filter((path) => dirname(path) === "engine"),
    SUBJECTS.map((subject) => `engine/${subject}`),
  );
});

function chapter(heading: string): string {
  const [, text] = ARCHITECTURE.split(`\n## ${heading}\n`);
  assert.ok(text !== undefined, `ARCHITECTURE.md has no chapter "${heading}"`);
  return text.split("\n## ")[0] ?? "";
}

function pathsOf(text: string): string[] {
  const [, tree = ""] = text.split("```\n");
  const above: string[] = [];
  return tree
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [, indent = "", name = ""] = /^((?: {2})*)([\w.-]+\/|[\w.-]+\.ts) +\S/.exec(line) ?? [];
      assert.notEqual(name, "", `the tree of ARCHITECTURE.md has a line of another form: ${line}`);
      above.splice(indent.length / 2);
      above.push(name.replace("/", ""));
      return above.join("/");
    });
}
