import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createIntegerText } from "../../../engine/kernel/integer-text.ts";

const time = fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 });
const step = fc.integer({ min: -3_000_000, max: 3_000_000 });

test("numbers are written as String writes them, whatever was written before", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.double(), time)), (numbers) => {
      const text = createIntegerText();
      for (const number of numbers) assert.equal(text(number), String(number));
    }),
  );
});

test("so are times, and versions, that come one after the other", () => {
  fc.assert(
    fc.property(time, fc.constantFrom(1, 1_024), fc.array(step, { maxLength: 50 }), (start, factor, steps) => {
      const text = createIntegerText();
      let number = start * factor;
      for (const by of steps) {
        number += by;
        assert.equal(text(number), String(number));
      }
    }),
  );
});

test("the numbers around a group of digits are written whole", () => {
  const text = createIntegerText();
  const edges = [
    0,
    1,
    999_999,
    1_000_000,
    1_000_001,
    1_000_999,
    1_001_000,
    1_999_999,
    2_000_000,
    Number.MAX_SAFE_INTEGER,
    2 ** 60,
    1_000_000.5,
  ];
  for (const number of [...edges, ...edges.reverse()]) assert.equal(text(number), String(number));
});
