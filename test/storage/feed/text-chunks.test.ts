import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TextChunks } from "../../../storage/feed/text-chunks.ts";

describe("text that grows as bytes", () => {
  const cases: { name: string; texts: string[] }[] = [
    { name: "nothing", texts: [] },
    { name: "empty texts", texts: ["", ""] },
    { name: "lines of one byte a unit, of two, three and four", texts: ['{"a":1}\n', "è\n", "€\n", "😀\n"] },
    { name: "a text larger than a piece, between small ones", texts: ["before\n", "€".repeat(1_000_000), "after\n"] },
    { name: "more than a piece in small texts", texts: Array.from({ length: 30_000 }, (_, n) => `${n} ${"é€😀x".repeat(10)}\n`) },
  ];
  for (const { name, texts } of cases) {
    it(`holds ${name}, in order`, () => {
      const held = new TextChunks();
      for (const text of texts) held.add(text);
      assert.equal(Buffer.concat(held.chunks).toString(), texts.join(""));
      assert.ok(held.chunks.every((chunk) => chunk.length > 0));
    });
  }
});
