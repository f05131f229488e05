import assert from "node:assert/strict";
import { test } from "node:test";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { createPatternCompiler, PATTERN_INSTRUCTIONS_MAX } from "../../../http/auth/pattern.ts";

const patterns = createPatternCompiler();

function refusal(pattern: string): RelayError {
  try {
    patterns.compile(pattern);
  } catch (error) {
    if (error instanceof RelayError) return error;
    throw error;
  }
  assert.fail(`accepted ${pattern.slice(0, 40)}`);
}

test("matches the whole id and nothing less", () => {
  const table: [pattern: string, text: string, expected: boolean][] = [
    ["POS[0-9]+", "POS12", true],
    ["POS[0-9]+", "XPOS12", false],
    ["POS[0-9]+", "POS12X", false],
    ["A|AB", "AB", true],
    ["^POS$", "POS", true],
    ["", "", true],
    ["(?i)pos", "POS", true],
    ["[0-9]{8}-[A-Z]{2,4}", "12345678-ABC", true],
    ["[]a]{2}", "]a", true],
    ["[[:digit:]]{3}", "123", true],
    ["POS\\.1", "POSx1", false],
  ];
  for (const [pattern, text, expected] of table) assert.equal(patterns.compile(pattern)(text), expected, `${pattern} on ${text}`);
});

test("ends on patterns that explode in engines that backtrack", () => {
  const text = `${"a".repeat(63)}!`;
  for (const pattern of ["(a+)+$", "(a|a)*b", "(a*)*b", "(.*a){20}b", "(a?){32}a{32}b", "([a-z]+)*[0-9]"]) {
    assert.equal(patterns.compile(pattern)(text), false, pattern);
  }
});

test("refuses patterns that grow too large, before they are compiled", () => {
  const table = [
    "(((a{1000}){1000}){1000})",
    "(a{1000})".repeat(200),
    `(${"a".repeat(500)}){1000}`,
    "(((a{10}){10}){10}){10}",
    "(?:a?){1000}(?:a?){1000}",
    "((((a?){10}){10}){10})",
    "[)]((a){900}){900}",
    "(\\){900}){900}",
    "a{3000}",
    "a{2,}".repeat(400) + "(a{900,})".repeat(20),
  ];
  const before = process.cpuUsage();
  for (const pattern of table) assert.equal(refusal(pattern).code, "invalid_request", pattern.slice(0, 40));
  const used = process.cpuUsage(before);
  assert.ok(used.user + used.system < 1_000_000, "a refusal costs next to nothing");
});

test("refuses what is not linear or not a pattern, with the reason", () => {
  for (const pattern of ["(a)\\1", "a(?=b)", "a(?!b)", "(?<=a)b", "(", "a)", "[", "*", "a**", "\\Qa.b\\E", "\\", "a".repeat(2_049)]) {
    assert.match(refusal(pattern).message, /^The pattern is not accepted: ./, pattern.slice(0, 40));
  }
});

test("takes a plain pattern of the longest permitted length", () => {
  assert.ok(PATTERN_INSTRUCTIONS_MAX > 2_048);
  assert.equal(patterns.compile("a".repeat(2_048))("a".repeat(2_048)), true);
});
