import assert from "node:assert/strict";
import { test } from "node:test";
import type { PatternCompiler, SubscriptionRule } from "../../../engine/access/terminal-rule.ts";
import { compileTopicAccess, terminalOfTopic, topicOfTerminal, validateSubscriptionRule } from "../../../engine/access/topic-access.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";

/** Enough of a compiler for these tests: a prefix and a star; "(" is a bad pattern. */
const patterns: PatternCompiler = {
  compile(pattern) {
    if (pattern === "(") throw new RelayError("invalid_request", "bad pattern");
    return (text) => text.startsWith(pattern.slice(0, -1));
  },
};

function rule(changes: Partial<SubscriptionRule>): SubscriptionRule {
  return { terminalId: "T1", ruleType: "ANY", enabled: true, ...changes };
}

test("reads the terminal out of a topic", () => {
  const table: [destination: string, terminalId: string | null][] = [
    ["/topic/terminal/T1", "T1"],
    [topicOfTerminal("a.b-c_d"), "a.b-c_d"],
    ["/topic/terminal/", null],
    ["/topic/terminal/T1/", null],
    ["/topic/terminal/T 1", null],
    ["/topic/terminal/*", null],
    ["/topic/terminal/pay", null],
    [`/topic/terminal/${"x".repeat(65)}`, null],
    ["topic/terminal/T1", null],
    ["/queue/terminal/T1", null],
    ["/topic/terminal/../T1", null],
    ["", null],
  ];
  for (const [destination, terminalId] of table) assert.equal(terminalOfTopic(destination), terminalId, destination);
});

test("decides by the rules of the terminal that asks", () => {
  const table: [title: string, rules: SubscriptionRule[], target: string, allowed: boolean][] = [
    ["the own topic without a rule", [], "T1", true],
    ["another topic without a rule", [], "T2", false],
    ["ANY", [rule({})], "T2", true],
    ["a disabled rule", [rule({ enabled: false })], "T2", false],
    ["another terminal's rule", [rule({ terminalId: "T9" })], "T2", false],
    ["LIST that names it", [rule({ ruleType: "LIST", ruleValue: "T3, T2" })], "T2", true],
    ["LIST that does not", [rule({ ruleType: "LIST", ruleValue: "T3,T22" })], "T2", false],
    ["REGEX that matches", [rule({ ruleType: "REGEX", ruleValue: "T*" })], "T2", true],
    ["REGEX that does not", [rule({ ruleType: "REGEX", ruleValue: "P*" })], "T2", false],
    [
      "several rules, one of which allows",
      [rule({ ruleType: "REGEX", ruleValue: "P*" }), rule({ ruleType: "LIST", ruleValue: "T2" }), rule({ enabled: false })],
      "T2",
      true,
    ],
  ];
  for (const [title, rules, target, allowed] of table)
    assert.equal(compileTopicAccess(rules, patterns).mayTake("T1", target), allowed, title);
});

test("refuses rules that are not what they should be", () => {
  const table: [title: string, changes: Partial<SubscriptionRule>][] = [
    ["an odd owner", { terminalId: "T 1" }],
    ["ANY with a value", { ruleValue: "T2" }],
    ["LIST without ids", { ruleType: "LIST", ruleValue: " , " }],
    ["LIST without a value", { ruleType: "LIST" }],
    ["LIST with an odd id", { ruleType: "LIST", ruleValue: "T2,T/3" }],
    ["REGEX without a pattern", { ruleType: "REGEX" }],
    ["REGEX with a bad pattern", { ruleType: "REGEX", ruleValue: "(" }],
    ["a value too long", { ruleType: "LIST", ruleValue: "T2,".repeat(700) }],
  ];
  for (const [title, changes] of table) {
    const refused = (error: unknown) => error instanceof RelayError && error.code === "invalid_request";
    assert.throws(() => validateSubscriptionRule(rule(changes), patterns), refused, title);
    assert.throws(() => compileTopicAccess([rule({ ...changes, enabled: false })], patterns), refused, `${title}, disabled`);
  }
});
