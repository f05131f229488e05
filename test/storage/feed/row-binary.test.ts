import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RowBinary } from "../../../storage/feed/row-binary.ts";

/** Reads texts back: each with its length before it (LEB128). */
function textsIn(bytes: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      length += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    texts.push(bytes.toString("utf8", at, at + length));
    at += length;
  }
  return texts;
}

function bytesOf(write: (rows: RowBinary) => void): Buffer {
  const rows = new RowBinary();
  write(rows);
  rows.endRow();
  return Buffer.concat(rows.chunks);
}

describe("rows in RowBinary", () => {
  const lengths = [1, 39, 40, 41, 42, 43, 63, 64, 126, 127, 128, 129, 16_383, 16_384, 2_097_151, 2_097_152];
  const cases: { name: string; texts: string[] }[] = [
    { name: "nothing", texts: [] },
    { name: "empty texts", texts: ["", ""] },
    { name: "characters of one byte a unit, of two, three and four", texts: ["a\0\n\u007f", "è\u0080", "€", "😀"] },
    {
      name: "texts whose length takes one byte more, in each alphabet",
      texts: ["x", "è", "€", "😀"].flatMap((c) => lengths.map((n) => c.repeat(n))),
    },
    { name: "a text larger than a piece, between small ones", texts: ["before\n", "€".repeat(1_000_000), "after\n"] },
    { name: "more than a piece in small texts", texts: Array.from({ length: 30_000 }, (_, n) => `${n} ${"é€😀x".repeat(10)}\n`) },
  ];
  for (const { name, texts } of cases) {
    it(`holds ${name}, in order`, () => {
      const rows = new RowBinary();
      for (const text of texts) {
        rows.text(text);
        rows.endRow();
      }
      assert.deepEqual(textsIn(Buffer.concat(rows.chunks)), texts);
      assert.ok(rows.chunks.every((chunk) => chunk.length > 0));
    });
  }

  it("writes half of a character as U+FFFD", () => {
    const texts = ["\ud83d", "a\udc00b", `${"x".repeat(100)}\ud83d`, "\ude00\ud83d"];
    const written = textsIn(
      bytesOf((rows) => {
        for (const text of texts) rows.text(text);
      }),
    );
    assert.deepEqual(written, ["\ufffd", "a\ufffdb", `${"x".repeat(100)}\ufffd`, "\ufffd\ufffd"]);
  });

  it("writes numbers with their lowest byte first", () => {
    const numbers = [
      0,
      1,
      -1,
      255,
      -256,
      2 ** 31,
      2 ** 32 - 1,
      2 ** 32,
      -(2 ** 32),
      2 ** 32 + 1,
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
    ];
    const bytes = bytesOf((rows) => {
      for (const number of numbers) rows.int64(number);
    });
    assert.deepEqual(
      numbers.map((_, index) => bytes.readBigInt64LE(8 * index)),
      numbers.map((number) => BigInt(number)),
    );
    assert.deepEqual(
      bytesOf((rows) => rows.uint64(Number.MAX_SAFE_INTEGER)),
      Buffer.from("ffffffffffff1f00", "hex"),
    );
    assert.deepEqual(
      bytesOf((rows) => rows.uint32(2 ** 32 - 2)),
      Buffer.from("feffffff", "hex"),
    );
    assert.deepEqual(
      bytesOf((rows) => rows.bool(true)),
      Buffer.from("01", "hex"),
    );
    assert.deepEqual(
      bytesOf((rows) => rows.timeOrNull(null)),
      Buffer.from("01", "hex"),
    );
    assert.deepEqual(
      bytesOf((rows) => rows.timeOrNull(1_000)),
      Buffer.from("00e803000000000000", "hex"),
    );
    assert.equal(bytesOf((rows) => rows.day(Date.UTC(2148, 11, 31, 23, 59, 59, 999))).readUInt16LE(), 65_378);
  });

  const wrong: {
    name: "text" | "bool" | "uint32" | "uint64" | "int64" | "time" | "timeOrNull" | "day";
    values: unknown[];
  }[] = [
    { name: "text", values: [undefined, null, 1, true, ["a"], {}] },
    { name: "bool", values: [undefined, null, 1, "true"] },
    { name: "uint32", values: [undefined, null, "1", -1, 1.5, 2 ** 32, Number.NaN] },
    { name: "uint64", values: [undefined, null, "1", -1, 0.5, 2 ** 53, Number.POSITIVE_INFINITY] },
    { name: "int64", values: [undefined, null, "1", 0.5, 2 ** 53, -(2 ** 53), 1e30, 1n] },
    { name: "time", values: [undefined, null, "1", -1, 1.5, Date.UTC(2149, 0, 1), Number.NaN] },
    { name: "timeOrNull", values: [undefined, "", -1, 8.64e15] },
    { name: "day", values: [undefined, null, -1, 0.5, Date.UTC(2149, 0, 1)] },
  ];
  for (const { name, values } of wrong) {
    it(`refuses what is no ${name}, and keeps nothing of its row`, () => {
      const rows = new RowBinary();
      rows.text("before");
      rows.endRow();
      for (const value of values) {
        rows.text("x".repeat(400_000));
        assert.throws(() => Reflect.apply(rows[name], rows, [value]), /a (text|truth value|number|time) /);
        rows.dropRow();
      }
      rows.text("after");
      rows.endRow();
      assert.deepEqual(textsIn(Buffer.concat(rows.chunks)), ["before", "after"]);
    });
  }

  it("gives rows that were ended only", () => {
    const rows = new RowBinary();
    rows.text("begun");
    assert.deepEqual(rows.chunks, []);
    rows.endRow();
    rows.text("x".repeat(2_000_000));
    assert.deepEqual(textsIn(Buffer.concat(rows.chunks)), ["begun"]);
  });
});
