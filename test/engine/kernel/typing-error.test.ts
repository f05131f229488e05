import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isOneErrorApart, unchangedParts } from "../../../engine/kernel/typing-error.ts";

/** Every text that one typing error makes of another. */
function typos(text: string, alphabet: string): Set<string> {
  const made = new Set<string>();
  for (let at = 0; at <= text.length; at += 1) {
    const [before, rest] = [text.slice(0, at), text.slice(at)];
    for (const added of alphabet) {
      made.add(before + added + rest);
      if (rest !== "") made.add(before + added + rest.slice(1));
    }
    if (rest !== "") made.add(before + rest.slice(1));
    if (rest.length > 1) made.add(before + rest.charAt(1) + rest.charAt(0) + rest.slice(2));
  }
  made.delete(text);
  return made;
}

const words = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 7 });

test("accepts exactly the texts that one typing error makes", () => {
  fc.assert(
    fc.property(words, words, (one, other) => {
      assert.equal(isOneErrorApart(one, other), typos(one, "abc").has(other));
      assert.equal(isOneErrorApart(one, other), isOneErrorApart(other, one));
    }),
  );
});

test("one typing error leaves the head or the tail of a text unchanged", () => {
  fc.assert(
    fc.property(words, (text) => {
      const { head, tail } = unchangedParts(text);
      for (const typo of typos(text, "abc")) assert.ok(typo.startsWith(head) || typo.endsWith(tail), `${text} ${typo}`);
    }),
  );
});
