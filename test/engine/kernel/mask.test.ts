import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { MASK_DEPTH_MAX, MASKED, maskJson, maskPans, maskPanValue, maskSchemePans } from "../../../engine/kernel/mask.ts";

const VISA = "4111111111111111";
const MASKED_VISA = "411111******1111";

/** A number of the given length with a right check digit. */
const luhnNumber = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 11, maxLength: 18 }).map((digits) => {
  const sum = digits
    .toReversed()
    .reduce((total, digit, index) => total + (index % 2 === 1 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2), 0);
  return [...digits, (10 - (sum % 10)) % 10].join("");
});

describe("a text", () => {
  for (const [text, masked] of [
    [VISA, MASKED_VISA],
    [`card ${VISA}.`, `card ${MASKED_VISA}.`],
    ["4111 1111 1111 1111", MASKED_VISA],
    ["4111-1111-1111-1111", MASKED_VISA],
    ["4111\u00a01111\u20131111 -1111", MASKED_VISA],
    ["3782 822463 10005", "378282*****0005"],
    [`12 ${VISA} 0525`, `12 ${MASKED_VISA} 0525`],
    [`PAN${VISA}X`, `PAN${MASKED_VISA}X`],
    [`{"pan":"${VISA}"}`, `{"pan":"${MASKED_VISA}"}`],
    [`;${VISA}=25121010000012300000?`, `${MASKED_VISA}=${MASKED}`],
    [`${VISA}D25121010000012300000F`, `${MASKED_VISA}=${MASKED}`],
    [`%B${VISA}^ROSSI/MARIO^2512101?`, `${MASKED_VISA}^${MASKED}`],
    ["4111111111111112", "4111111111111112"],
    [MASKED_VISA, MASKED_VISA],
    ["1050", "1050"],
    ["550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"],
    ["41111111-1111-4111-9111-111111111111", "41111111-1111-4111-9111-111111111111"],
  ] as const) {
    it(`${JSON.stringify(text)} becomes ${JSON.stringify(masked)}`, () => {
      assert.equal(maskPans(text), masked);
    });
  }

  it("never shows a card number, whatever stands around it", () => {
    const around = fc.string({ maxLength: 10 });
    fc.assert(
      fc.property(luhnNumber, around, around, (pan, before, after) => {
        fc.pre(!/\d[ \-\u00a0\u2010-\u2013]{0,2}$/.test(before) && !/^[ \-\u00a0\u2010-\u2013]{0,2}\d/.test(after));
        assert.equal(maskPans(before + pan + after).includes(pan), false);
      }),
    );
  });

  it("never shows a card number written in groups beside other numbers", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 99 }), { maxLength: 4 }), (numbers) => {
        assert.equal(maskPans(`${numbers.join(" ")} 5500 0000 0000 0004`).includes("0000 0004"), false);
      }),
    );
  });

  it("never shows a card number, wherever in a text without digits it stands", () => {
    for (let before = 0; before < 40; before += 1) {
      for (const pan of ["4111111111111111", "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "100000000008"]) {
        const text = `${"x".repeat(before)}${pan}${"y".repeat(20)}`;
        assert.notEqual(maskPans(text), text, text);
      }
    }
  });

  it("keeps uuids", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.array(fc.constantFrom(" ", "x", "/", '"'), { maxLength: 3 }), (uuid, around) => {
        const text = `${around.join("")}${uuid} ${uuid}`;
        assert.equal(maskPans(text), text);
      }),
    );
  });

  it("of the largest result is masked in a moment, however it is built", () => {
    const started = performance.now();
    for (const piece of [
      "1",
      "1 ",
      "1-",
      "12345678901 ",
      "1234567890123456789 ",
      "1234567890123456789=",
      "b1234567890123^",
      "1111111-",
      "4111 ",
    ]) {
      maskPans(piece.repeat(Math.floor(65_536 / piece.length)));
    }
    assert.ok(performance.now() - started < 2_000);
  });
});

describe("an identifier", () => {
  for (const [text, masked] of [
    [VISA, MASKED_VISA],
    ["5500000000000004", "550000******0004"],
    ["374245455400126", "374245*****0126"],
    ["000000000000000", "000000000000000"],
    ["9780201379624", "9780201379624"],
    ["100000000008", "100000000008"],
  ] as const) {
    it(`${text} becomes ${masked}`, () => assert.equal(maskSchemePans(text), masked));
  }
});

describe("a value that is a card number by its name", () => {
  for (const [text, masked] of [
    ["4111111111111112", "411111******1112"],
    [MASKED_VISA, MASKED_VISA],
    ["************1111", "************1111"],
    ["1111", "1111"],
    ["51111", "*1111"],
    ["41111111111111111111", "411111**********1111"],
  ] as const) {
    it(`${text} becomes ${masked}`, () => assert.equal(maskPanValue(text), masked));
  }
});

describe("a JSON value", () => {
  for (const [title, value, masked] of [
    ["a number", { n: 4111111111111111 }, { n: MASKED_VISA }],
    ["a number that lost its last digits", { n: 6011000990139424000 }, { n: "601100*********4000" }],
    ["nested", { a: [{ b: [VISA] }] }, { a: [{ b: [MASKED_VISA] }] }],
    ["a member's name", { [VISA]: 1 }, { [MASKED_VISA]: 1 }],
    ["pan of any check digit", { pan: "4111111111111112" }, { pan: "411111******1112" }],
    ["cardNumber as a number", { cardNumber: 4111111111111112 }, { cardNumber: "411111******1112" }],
    [
      "tracks",
      { track2: "x", Track2Data: "y", "track-1": { raw: "z" } },
      { track2: MASKED, Track2Data: MASKED, "track-1": { raw: MASKED } },
    ],
    ["verification values", { cvv: "123", CVV2: 123, card: { cvc: "1" } }, { cvv: MASKED, CVV2: MASKED, card: { cvc: MASKED } }],
    [
      "PINs, not whether there was one",
      { pin: "1234", pinBlock: "AB", pinEntered: true },
      { pin: MASKED, pinBlock: MASKED, pinEntered: true },
    ],
  ] as const) {
    it(`is masked: ${title}`, () => assert.deepEqual(maskJson(value), masked));
  }

  it("keeps what only looks like it", () => {
    const value = {
      uuid: "4111111111111111",
      amount: 100000000008,
      amountAuthorized: "000000001057",
      company: "Panini",
      shipping: "track",
      pinpad: "A1",
      pan: null,
      cancels: "550e8400-e29b-41d4-a716-446655440000",
      timestamp: "2026-11-21T03:34:34.123+01:00",
      ok: true,
    };
    assert.deepEqual(maskJson(value), value);
  });

  it("keeps all JSON that has no long digits", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!/\d{9}|e\+|pan|pin|cv|track|cav|__proto__/i.test(text) && !/\d[ -]{1,2}\d/.test(text));
        assert.deepEqual(JSON.parse(JSON.stringify(maskJson(value))), JSON.parse(text));
      }),
    );
  });

  it("has null where a number is beyond all numbers, as its JSON text would", () => {
    const value = JSON.parse('{"a":1e400,"amount":-1e400,"pan":1e400,"uuid":[1e400]}');
    assert.deepEqual(maskJson(value), JSON.parse(JSON.stringify(value)));
  });

  it("is cut where it is nested too deep", () => {
    const deep = maskJson(JSON.parse(`${"[".repeat(20_000)}"${VISA}"${"]".repeat(20_000)}`));
    assert.equal(JSON.stringify(deep), `${"[".repeat(MASK_DEPTH_MAX)}"${MASKED}"${"]".repeat(MASK_DEPTH_MAX)}`);
  });

  it("loses __proto__ members", () => {
    assert.equal(JSON.stringify(maskJson(JSON.parse('{"a":{"__proto__":{"x":1}}}'))), '{"a":{}}');
  });
});
