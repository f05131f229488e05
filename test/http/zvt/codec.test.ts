import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bcd, nibbles, readBcd, readDigits, readVariableLength, variableLength } from "../../../http/zvt/bytes.ts";
import { decodeCodePage437, encodeCodePage437 } from "../../../http/zvt/code-page-437.ts";
import { describeFrame } from "../../../http/zvt/describe-frame.ts";
import { type Field, readFields, writeFields } from "../../../http/zvt/fields.ts";
import { encodeFrame, type Frame, FrameReader } from "../../../http/zvt/frame.ts";
import { readAuthorization, readRegistration, readRepeatReceipt } from "../../../http/zvt/requests.ts";
import { berLength, readBerLength, readTlvs, type Tlv, writeTlvs } from "../../../http/zvt/tlv.ts";
import { bytesOf, hexOf } from "./bytes-of.ts";

const ALL_CLASSES = new Set(Array.from({ length: 256 }, (_, index) => index));

function framesOf(chunks: readonly Uint8Array[], dataBytesMax = 0xffff): (Frame | string)[] {
  const reader = new FrameReader({ dataBytesMax, classes: ALL_CLASSES });
  const frames: (Frame | string)[] = [];
  for (const chunk of chunks) {
    reader.feed(chunk);
    for (let next = reader.next(); next !== null; next = reader.next()) {
      frames.push(next);
      if (typeof next === "string") return frames;
    }
  }
  return frames;
}

function plain(frames: readonly (Frame | string)[]): unknown[] {
  return frames.map((frame) => (typeof frame === "string" ? frame : [frame.command, hexOf(frame.data)]));
}

const bytes = (maxLength: number) => fc.uint8Array({ maxLength });
const frame = fc.record({ command: fc.integer({ min: 0, max: 0xffff }), data: bytes(600) });

test("reads back every frame that it writes, however the bytes are cut", () => {
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 6 }), fc.array(fc.nat(4_000), { maxLength: 20 }), (frames, places) => {
      const all = Buffer.concat(frames.map(encodeFrame));
      const cuts = [0, ...places.map((place) => Math.min(place, all.length)).sort((a, b) => a - b), all.length];
      const chunks = cuts.slice(1).map((cut, index) => all.subarray(cuts[index], cut));
      assert.deepEqual(plain(framesOf(chunks)), plain(frames));
      assert.deepEqual(plain(framesOf([...all].map((byte) => Uint8Array.of(byte)))), plain(frames));
    }),
    { numRuns: 60 },
  );
});

for (const { length, head } of [
  { length: 0, head: "06 D3 00" },
  { length: 254, head: "06 D3 FE" },
  { length: 255, head: "06 D3 FF FF 00" },
  { length: 256, head: "06 D3 FF 00 01" },
  { length: 65_535, head: "06 D3 FF FF FF" },
]) {
  test(`writes the length ${length} of a frame as ${head}, little-endian`, () => {
    const written = encodeFrame({ command: 0x06d3, data: new Uint8Array(length).fill(7) });
    const headBytes = bytesOf(head);
    assert.equal(hexOf(written.subarray(0, headBytes.length)), head);
    assert.equal(written.length, headBytes.length + length);
    assert.deepEqual(
      framesOf([written]).map((read) => (typeof read === "string" ? read : read.data.length)),
      [length],
    );
  });
}

test("a length of a frame that is written big-endian is not the same frame", () => {
  const [read] = framesOf([bytesOf(`06 D3 FF 01 00 ${"07 ".repeat(256)}`)]);
  assert.ok(read !== undefined && typeof read !== "string");
  assert.equal(read.data.length, 1);
});

test("reads a short frame whose length is written in the long form", () => {
  assert.deepEqual(plain(framesOf([bytesOf("06 01 FF 02 00 AA BB")])), [[0x0601, "AA BB"]]);
});

test("refuses a frame above the limit when its head is there, and keeps nothing of it", () => {
  const reader = new FrameReader({ dataBytesMax: 4_096, classes: ALL_CLASSES });
  reader.feed(bytesOf("06 01 FF 01 10"));
  assert.equal(reader.next(), "frame_too_large");
  reader.feed(new Uint8Array(1_000_000));
  assert.equal(reader.bufferedBytes, 0);
  assert.equal(reader.next(), "frame_too_large");
});

for (const { name, sent } of [
  { name: "the serial framing (DLE STX)", sent: "10 02 06 00" },
  { name: "TLS", sent: "16 03 01" },
  { name: "HTTP", sent: "47" },
]) {
  test(`tells at the first byte that ${name} is another protocol`, () => {
    const reader = new FrameReader({ dataBytesMax: 4_096, classes: new Set([0x05, 0x06, 0x08, 0x0f, 0x80, 0x84]) });
    reader.feed(bytesOf(sent).subarray(0, 1));
    assert.equal(reader.next(), "not_zvt");
  });
}

test("no bytes make a reader throw, or keep more than it was fed", () => {
  fc.assert(
    fc.property(fc.array(bytes(300), { maxLength: 20 }), (chunks) => {
      const reader = new FrameReader({ dataBytesMax: 4_096, classes: ALL_CLASSES });
      let fed = 0;
      for (const chunk of chunks) {
        fed += chunk.length;
        reader.feed(chunk);
        for (let next = reader.next(); next !== null && typeof next !== "string"; next = reader.next()) fed -= 3 + next.data.length;
        assert.ok(reader.bufferedBytes <= Math.max(0, fed));
        assert.ok(reader.bufferedBytes <= 4_096 + 5 + chunk.length);
      }
    }),
    { numRuns: 200 },
  );
});

test("no data makes a parser throw", () => {
  fc.assert(
    fc.property(bytes(400), fc.integer({ min: 0, max: 0xffff }), (data, command) => {
      readFields(data);
      readTlvs(data);
      readRegistration(data);
      readAuthorization(data);
      readRepeatReceipt(data);
      decodeCodePage437(data);
      describeFrame({ command, data });
    }),
    { numRuns: 1_000 },
  );
});

test("BCD: reads back every number that it writes, and refuses nibbles above 9", () => {
  fc.assert(fc.property(fc.nat(999_999_999_999), (value) => readBcd(bcd(value, 6) ?? new Uint8Array(0)) === value));
  assert.equal(hexOf(bcd(1_234, 6) ?? new Uint8Array(0)), "00 00 00 00 12 34");
  assert.equal(bcd(1_000_000_000_000, 6), null);
  assert.equal(bcd(-1, 6), null);
  assert.equal(bcd(1.5, 6), null);
  assert.equal(readDigits(bytesOf("1A")), null);
  assert.equal(readDigits(bytesOf("A1")), null);
  assert.equal(nibbles("123"), null);
});

test("LLVAR and LLLVAR: reads back every length, and refuses bytes without F", () => {
  for (const size of [2, 3] as const) {
    for (let length = 0; length < 10 ** size; length += 1) {
      assert.equal(readVariableLength(variableLength(length, size) ?? new Uint8Array(0), 0, size), length);
    }
    assert.equal(variableLength(10 ** size, size), null);
  }
  assert.equal(hexOf(variableLength(12, 2) ?? new Uint8Array(0)), "F1 F2");
  assert.equal(readVariableLength(bytesOf("01 02"), 0, 2), null);
  assert.equal(readVariableLength(bytesOf("F1 FA"), 0, 2), null);
  assert.equal(readVariableLength(bytesOf("F1"), 0, 2), null);
});

for (const { length, written } of [
  { length: 127, written: "7F" },
  { length: 128, written: "81 80" },
  { length: 255, written: "81 FF" },
  { length: 256, written: "82 01 00" },
  { length: 65_535, written: "82 FF FF" },
]) {
  test(`writes the length ${length} of a TLV element as ${written}, big-endian`, () => {
    assert.equal(hexOf(berLength(length)), written);
    assert.deepEqual(readBerLength(bytesOf(written), 0), { value: length, size: bytesOf(written).length });
  });
}

test("refuses lengths of TLV that no frame can hold", () => {
  assert.equal(readBerLength(bytesOf("80"), 0), null);
  assert.equal(readBerLength(bytesOf("83 01 00 00"), 0), null);
  assert.equal(readTlvs(bytesOf("26 04 0A 02 06")), null);
});

test("TLV: reads back all elements that it writes", () => {
  const tag = fc.constantFrom(0x07, 0x0a, 0x12, 0x25, 0x26, 0x1f07, 0x1f10, 0x1f8101);
  fc.assert(
    fc.property(fc.array(fc.record({ tag, value: bytes(300) }), { maxLength: 10 }), (elements) => {
      const read: Tlv[] | null = readTlvs(writeTlvs(elements));
      assert.deepEqual(
        read?.map(({ tag, value }) => [tag, hexOf(value)]),
        elements.map(({ tag, value }) => [tag, hexOf(value)]),
      );
    }),
  );
});

test("bitmaps: reads back all fields that it writes", () => {
  const field = fc.oneof(
    fc.record({ tag: fc.constant(0x04), value: fc.uint8Array({ minLength: 6, maxLength: 6 }) }),
    fc.record({ tag: fc.constant(0x27), value: fc.uint8Array({ minLength: 1, maxLength: 1 }) }),
    fc.record({ tag: fc.constant(0x22), value: bytes(99) }),
    fc.record({ tag: fc.constant(0x3c), value: bytes(999) }),
    fc.record({ tag: fc.constant(0x06), value: bytes(500) }),
  );
  fc.assert(
    fc.property(fc.array(field, { maxLength: 10 }), (fields: Field[]) => {
      assert.deepEqual(
        readFields(writeFields(fields))?.map(({ tag, value }) => [tag, hexOf(value)]),
        fields.map(({ tag, value }) => [tag, hexOf(value)]),
      );
    }),
  );
});

test("refuses to write a bitmap that nobody could read", () => {
  assert.throws(() => writeFields([{ tag: 0x04, value: new Uint8Array(5) }]), RangeError);
  assert.throws(() => writeFields([{ tag: 0x22, value: new Uint8Array(100) }]), RangeError);
  assert.throws(() => writeFields([{ tag: 0x99, value: new Uint8Array(1) }]), RangeError);
});

test("code page 437: reads back what it has, and writes a question mark for the rest", () => {
  for (let code = 0x20; code < 0x100; code += 1) {
    if (code === 0x7f) continue;
    assert.deepEqual([...encodeCodePage437(decodeCodePage437(Uint8Array.of(code)))], [code]);
  }
  assert.equal(hexOf(encodeCodePage437("äöüßÄÖÜ")), "84 94 81 E1 8E 99 9A");
  // With a combining diaeresis.
  assert.equal(hexOf(encodeCodePage437("a\u0308")), "84");
  assert.equal(hexOf(encodeCodePage437("€\u{1f600}\n")), "3F 3F 3F");
});

/** Frames of real registers, with what they say. */
const RECORDED: { sent: string; says: string }[] = [
  { sent: "06 00 06 12 34 56 DE 09 78", says: "0600 password=**** config=de currency=0978" },
  { sent: "06 01 0A 04 00 00 00 00 12 34 49 09 78", says: "0601 04=000000001234 49=0978" },
  { sent: "05 01 00", says: "0501" },
  { sent: "06 50 03 12 34 56", says: "0650 (3 bytes)" },
  { sent: "06 93 03 12 34 56", says: "0693 (3 bytes)" },
  { sent: "06 70 05 06 03 1B 01 01", says: "0670 (5 bytes)" },
  { sent: "06 1A 00", says: "061a" },
  { sent: "06 1B 08 12 34 56 29 12 34 56 78", says: "061b (8 bytes)" },
  { sent: "06 23 03 87 FF FF", says: "0623 87=ffff" },
  { sent: "06 00 04 12 34 56 BA", says: "0600 password=**** config=ba" },
  { sent: "05 01 03 12 34 56", says: "0501 (3 bytes)" },
  { sent: "06 01 0C 04 00 00 00 00 12 34 49 09 78 06 00", says: "0601 04=000000001234 49=0978 06=(0 bytes)" },
  { sent: "06 E0 08 F0 05 F9 01 F1 F0 F1 61", says: '06e0 f0=05 f9=01 f1="a"' },
  { sent: "06 18 00", says: "0618" },
  { sent: "06 22 0E 04 00 00 00 00 05 00 49 09 78 01 0A 06 00", says: "0622 (14 bytes)" },
  {
    sent: "06 00 10 00 00 00 B6 09 78 03 01 06 06 26 04 0A 02 06 D3",
    says: "0600 password=**** config=b6 currency=0978 03=01 06=(6 bytes)",
  },
  { sent: "06 01 07 04 00 00 00 00 03 14", says: "0601 04=000000000314" },
  { sent: "06 01 09 04 00 00 00 00 03 14 02 0A", says: "0601 04=000000000314 02=0a" },
  { sent: "06 20 03 00 00 00", says: "0620 (3 bytes)" },
  { sent: "06 B0 00", says: "06b0" },
  { sent: "06 02 00", says: "0602" },
  { sent: "80 00 00", says: "8000" },
  { sent: "84 66 00", says: "8466" },
  {
    sent: "04 0F 48 27 00 04 00 00 00 00 12 34 0B 00 00 17 0C 10 20 30 0D 11 25 0E 28 12 19 70 22 F0 F8 67 99 EE EE EE EE 12 34 29 12 34 56 78 87 00 42 49 09 78 8A 05 8B F0 F9 67 69 72 6F 63 61 72 64 00 8C 02 3B 31 32 33 34 35 36 00 00",
    says: '040f 27=00 04=000000001234 0b=000017 0c=102030 0d=1125 0e=**** 19=70 22=**** 29=12345678 87=0042 49=0978 8a=05 8b="girocard\\u0000" 8c=02 3b=3132333435360000',
  },
];

for (const { sent, says } of RECORDED) {
  test(`reads and writes the recorded ${sent.slice(0, 44)}`, () => {
    const read = framesOf([bytesOf(sent)]);
    assert.equal(read.length, 1);
    const [only] = read;
    assert.ok(only !== undefined && typeof only !== "string");
    assert.equal(hexOf(encodeFrame(only)), sent);
    assert.equal(describeFrame(only), says);
  });
}

test("the bitmaps of the recorded 04-0F are written again byte for byte", () => {
  const sent = RECORDED.at(-1)?.sent ?? "";
  const data = bytesOf(sent).subarray(3);
  assert.equal(hexOf(writeFields(readFields(data) ?? [])), hexOf(data));
});

test("reads the registrations of three registers", () => {
  assert.deepEqual(readRegistration(bytesOf("12 34 56 DE 09 78")), {
    ...{ password: "123456", configByte: 0xde, currency: "0978", textBlocks: false, lineWidth: null },
  });
  assert.deepEqual(readRegistration(bytesOf("12 34 56 BA")), {
    ...{ password: "123456", configByte: 0xba, currency: null, textBlocks: false, lineWidth: null },
  });
  assert.deepEqual(readRegistration(bytesOf("00 00 00 B6 09 78 03 01 06 06 26 04 0A 02 06 D3")), {
    ...{ password: "000000", configByte: 0xb6, currency: "0978", textBlocks: true, lineWidth: null },
  });
  assert.equal(readRegistration(bytesOf("12 34 56")), null);
  assert.equal(readRegistration(bytesOf("12 34 56 DE 09")), null);
});

for (const { name, data, read } of [
  { name: "an amount", data: "04 00 00 00 00 03 14", read: { type: "payment", amountCents: 314, currency: null } },
  {
    name: "an amount, a currency and an empty container",
    data: "04 00 00 00 00 12 34 49 09 78 06 00",
    read: { type: "payment", amountCents: 1_234, currency: "0978" },
  },
  { name: "a payment type", data: "04 00 00 00 00 12 34 19 40", read: { type: "payment", amountCents: 1_234, currency: null } },
  { name: "no amount", data: "49 09 78", read: { type: "unreadable" } },
  { name: "nothing", data: "", read: { type: "unreadable" } },
  { name: "two amounts", data: "04 00 00 00 00 12 34 04 00 00 00 00 12 35", read: { type: "unreadable" } },
  { name: "a nibble above 9", data: "04 00 00 00 00 12 3A", read: { type: "unreadable" } },
  { name: "an unknown bitmap", data: "04 00 00 00 00 12 34 99 01", read: { type: "unreadable" } },
  { name: "half an amount", data: "04 00 00 00", read: { type: "unreadable" } },
  { name: "an amount of 0", data: "04 00 00 00 00 00 00", read: { type: "zeroAmount" } },
  { name: "a card number", data: "04 00 00 00 00 12 34 22 F0 F8 47 11 11 11 11 11 11 11", read: { type: "cardData" } },
  { name: "a card verification value", data: "04 00 00 00 00 12 34 3A 12 3F", read: { type: "cardData" } },
  { name: "a vending machine's status count", data: "04 00 00 00 00 03 14 02 0A", read: { type: "vending" } },
]) {
  test(`06-01 with ${name} is ${read.type}`, () => {
    assert.deepEqual(readAuthorization(bytesOf(data)), read);
  });
}

test("nothing of a card and no password is in a description", () => {
  const secret = "4111111111111111";
  const sent = [
    `06 01 1E 04 00 00 00 00 12 34 22 F0 F8 ${secret} 0E 28 12 3A 98 7F 3D 65 43 21 01 01`,
    "06 00 06 65 43 21 DE 09 78",
    "06 1B 08 65 43 21 29 12 34 56 78",
    `06 E0 15 F1 F1 F8 ${Buffer.from(` ${secret} `).toString("hex")}`,
  ];
  for (const hex of sent) {
    const [read] = framesOf([bytesOf(hex)]);
    assert.ok(read !== undefined && typeof read !== "string", hex);
    const said = describeFrame(read);
    for (const planted of [secret, "654321", "987f", "2812"]) assert.ok(!said.includes(planted), said);
  }
});
