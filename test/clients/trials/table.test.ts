import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { CLIENT_TRIALS } from "./all.ts";
import { nameOf } from "./run-trials.ts";
import { type ClientTrial, TRIAL_GROUPS, type TrialGroup } from "./trial.ts";

const PAGE = "infra/docs/clients.md";

const cell = (text: string) => text.replaceAll("|", "\\|");
const rowOf = ({ client, version, tried, result }: ClientTrial) => `| ${[client, version, tried, result].map(cell).join(" | ")} |\n`;
const rowsOf = (group: TrialGroup) => CLIENT_TRIALS.filter((trial) => trial.group === group).map(rowOf);

test("the tables of clients are the list of trials that run (UPDATE_GOLDEN=1 writes them anew)", () => {
  const text = readFileSync(PAGE, "utf8");
  const whole = TRIAL_GROUPS.reduce((page, group) => {
    const table = new RegExp(
      `(\n## ${group}\n(?:(?!\n## )[^])*?\n\\| client \\| version \\| tried \\| result \\|\n\\|---\\|---\\|---\\|---\\|\n)(?:\\|.*\n)*`,
    );
    assert.match(page, table);
    return page.replace(table, (_, head: string) => head + rowsOf(group).join(""));
  }, text);
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(PAGE, whole);
  assert.equal(readFileSync(PAGE, "utf8"), whole);
});

test("every row says what was tried and what came of it, each in one line, and is there once", () => {
  const poor = CLIENT_TRIALS.filter((trial) =>
    [trial.client, trial.version, trial.tried, trial.result].some((text) => text.trim() === "" || text.includes("\n")),
  );
  assert.deepEqual(poor.map(nameOf), []);
  const names = CLIENT_TRIALS.map((trial) => `${nameOf(trial)} ${trial.tried}`);
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
});
