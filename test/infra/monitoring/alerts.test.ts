import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, it } from "node:test";
import { promtool, promtoolMissing } from "./promtool.ts";
import { ALERTS, alertRules } from "./rules.ts";

const RULE_TESTS = "infra/monitoring/alerts.test.yml";
const RUNBOOKS = "infra/docs/runbooks";

describe("alerts", () => {
  const rules = alertRules();

  it("each have a page of their name, with what to look at and what to do, and no page is left over", () => {
    for (const { name, runbook } of rules) {
      assert.equal(runbook, `${RUNBOOKS}/${name}.md`);
      assert.ok(existsSync(runbook), `${name} has no ${runbook}`);
      const page = readFileSync(runbook, "utf8");
      for (const part of [`# ${name}\n`, "\n## What to look at\n", "\n## What to do\n"])
        assert.ok(page.includes(part), `${runbook}: ${part}`);
      assert.match(page, /`[^`]+`/, `${runbook} says nothing to type`);
    }
    assert.deepEqual(
      readdirSync(RUNBOOKS).map((file) => basename(file, ".md")),
      rules.map(({ name }) => name).sort(),
    );
  });

  it("are each tested once where they fire and once where they do not", () => {
    const tests = readFileSync(RULE_TESTS, "utf8");
    const named = [...tests.matchAll(/^ {2}- name: (.+)$/gm)].map(([, name]) => name);
    assert.deepEqual(
      named,
      rules.flatMap(({ name }) => [`${name} fires`, `${name} is quiet`]),
    );
  });
});

describe("Prometheus", { skip: await promtoolMissing() }, () => {
  it("takes the rules", async () => {
    assert.match(await promtool("check", "rules", ALERTS), new RegExp(`SUCCESS: ${alertRules().length} rules found`));
  });

  it("fires each alert where it should, and not where all is well", async () => {
    assert.match(await promtool("test", "rules", RULE_TESTS), /SUCCESS/);
  });
});
