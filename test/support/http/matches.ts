import assert from "node:assert/strict";

/**
 * Asserts that `actual` matches `expected`. Members of objects that `expected` does not name are
 * ignored, lists are compared item by item, a regular expression has to match a string, and
 * `undefined` requires an absent member.
 */
export function assertMatches(actual: unknown, expected: unknown, message?: string): void {
  assert.deepEqual(pick(actual, expected), shown(actual, expected), message);
}

/** Returns the part of `actual` that the pattern names. */
function pick(actual: unknown, expected: unknown): unknown {
  if (Array.isArray(expected)) return Array.isArray(actual) ? actual.map((item, index) => pick(item, expected[index])) : actual;
  if (!isObject(expected) || !isObject(actual)) return actual;
  return Object.fromEntries(Object.keys(expected).map((name) => [name, pick(actual[name], expected[name])]));
}

/** Returns the pattern. Each regular expression that matches is replaced by the matched text. */
function shown(actual: unknown, expected: unknown): unknown {
  if (expected instanceof RegExp) return typeof actual === "string" && expected.test(actual) ? actual : expected;
  if (Array.isArray(expected)) return expected.map((item, index) => shown(Array.isArray(actual) ? actual[index] : undefined, item));
  if (!isObject(expected)) return expected;
  return Object.fromEntries(
    Object.entries(expected).map(([name, value]) => [name, shown(isObject(actual) ? actual[name] : undefined, value)]),
  );
}

function isObject(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof RegExp);
}

/** Returns a member by its path. Fails if a value on the path is not an object. */
export function member(value: unknown, ...path: string[]): unknown {
  let at = value;
  for (const name of path) {
    assert.ok(isObject(at), `there is no ${path.join(".")} in ${JSON.stringify(value)}`);
    at = at[name];
  }
  return at;
}

/** Returns a text by its path. */
export function textMember(value: unknown, ...path: string[]): string {
  const found = member(value, ...path);
  assert.ok(typeof found === "string", `${path.join(".")} is not a text in ${JSON.stringify(value)}`);
  return found;
}

/** Returns a value that must be a list. */
export function listOf(value: unknown): unknown[] {
  assert.ok(Array.isArray(value), `not a list: ${JSON.stringify(value)}`);
  return value;
}
