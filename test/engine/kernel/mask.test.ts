import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { MASK_DEPTH_MAX, MASKED, maskJson, maskPans, maskPanValue, maskSchemePans } from "../../../engine/kernel/mask.ts";

const VISA = "4111111111111111";
const MASKED_VISA = "411111******1111";

/** A number of the given length with a right check digit. */
const luhnNumber = fc
  .array(fc.integer({ min: 0, max: 9 }), { minLength: 11, maxLength: 18 })
  .map((digits) => withCheckDigit(digits.join("")));

/** A card number as schemes issue it. */
const schemeNumber = fc
  .tuple(
    fc.constantFrom(
      ["4", 16],
      ["51", 16],
      ["55", 16],
      ["2221", 16],
      ["2720", 16],
      ["34", 15],
      ["37", 15],
      ["36", 14],
      ["3528", 16],
      ["6011", 16],
    ),
    fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 14, maxLength: 14 }),
  )
  .map(([[prefix, length], digits]) => withCheckDigit(`${prefix}${digits.join("")}`.slice(0, Number(length) - 1)));
const digitRun = fc.stringMatching(/^[0-9]{2,12}$/);
const SEPARATORS = [" ", "  ", "\t", "\n", "\r\n", ".", ",", "/", "-", "\u00a0", "\u2013", "\u200b", "\u200d", "\ufeff"];

function withCheckDigit(digits: string): string {
  const sum = [...digits]
    .toReversed()
    .map(Number)
    .reduce((total, digit, index) => total + (index % 2 === 1 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

function digitsOf(text: string): string {
  return text.replace(/[^0-9*]/g, "");
}

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
    ["4111.1111.1111.1111", MASKED_VISA],
    ["4111/1111/1111/1111", MASKED_VISA],
    ["4111, 1111, 1111, 1111", MASKED_VISA],
    ["4111\t1111\n1111\r\n1111", MASKED_VISA],
    ["4111     1111     1111     1111", MASKED_VISA],
    ["4111.1111 1111/1111", MASKED_VISA],
    ["3782.822463.10005", "378282*****0005"],
    ["4.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1", MASKED_VISA],
    ["4\u200b111\u2060111\ufeff1111 1\u00ad1111", MASKED_VISA],
    ["4111\u200b \u200b1111 1111 1111", MASKED_VISA],
    [`20261125${VISA}0525`, `20261125${MASKED_VISA}0525`],
    [`0000${VISA}`, `0000${MASKED_VISA}`],
    [`${VISA}123`, `${MASKED_VISA}123`],
    ["000378282246310005", "000378********0005"],
    ["5A084111111111111111", `5A08${MASKED_VISA}`],
    ["9F2608C2C12B098F3DA6E3 5A08 4111111111111111 5F3401", `9F2608C2C12B098F3DA6E3 5A08 ${MASKED_VISA} 5F3401`],
    ["5a08411111111111111f5f24032512315f", "5a08411111111111111f5f24032512315f"],
    ["5A08378282246310005F5F2403251231", "5A08378282*****0005F5F2403251231"],
    ["5A 08 41 11 11 11 11 11 11 11 5F 34 01 00", `5A 08 ${MASKED_VISA} 5F 34 01 00`],
    ["5A0A6799998900000200010F5F3401", "5A0A679999*********0010F5F3401"],
    ["5711 4111111111111111 D25122010123456789 5F2403", `5711 ${MASKED_VISA}=${MASKED} 5F2403`],
    ["57114111111111111111D251220101234567895A084111111111111111", `5711${MASKED_VISA}=${MASKED}5A08${MASKED_VISA}`],
    ["57 11 41 11 11 11 11 11 11 11 D2 51 22 01 01 23 45 67 89 5F24", `57 11 ${MASKED_VISA}=${MASKED} 5F24`],
    ["9F6B115413330089020011D2512101012345678F9F02", `9F6B11541333******0011=${MASKED}9F02`],
    ["57106799998900000200010D2512201F", `5710679999*********0010=${MASKED}`],
    ["ABC1234111111111111111D25122010000F", `ABC123${MASKED_VISA}=${MASKED}`],
    [`99${VISA}D25122010000F`, `99${MASKED_VISA}=${MASKED}`],
    ["4111111111111112", "4111111111111112"],
    [MASKED_VISA, MASKED_VISA],
    ["1050", "1050"],
    ["GB82WEST12345698765432, GB82WEST41111111111111", "GB82WEST12345698765432, GB82WEST41111111111111"],
    [`IT40X${VISA}00000000`, `IT40X${MASKED_VISA}00000000`],
    ["25/11/2026 17.09.08, 10,50 20,00", "25/11/2026 17.09.08, 10,50 20,00"],
    ["192.168.100.100, 10.20.30.40", "192.168.100.100, 10.20.30.40"],
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

  it("four times as long as the largest result is masked in a moment, however it is built", () => {
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
      "4",
      "4.",
      "4111.",
      "411 ",
      "\u200b",
      "4\u200b",
      "4        ",
      "1         ",
      "57134111111111111111",
      "5A08",
      "5A0841111111111",
      "57114111111111111111D",
      `${VISA}D251220`,
      VISA,
      "12345678901/",
      "a1234567-",
    ]) {
      // In quadratic time it would be minutes. Time of the processor: on a busy machine the clock tells nothing of the code.
      const text = piece.repeat(Math.floor((4 * 65_536) / piece.length));
      const started = process.cpuUsage();
      maskPans(text);
      maskSchemePans(text);
      const { user, system } = process.cpuUsage(started);
      assert.ok(user + system < 2_000_000, JSON.stringify(piece));
    }
  });

  it("never shows a scheme's card number within a longer run of digits", () => {
    fc.assert(
      fc.property(schemeNumber, digitRun, digitRun, (pan, before, after) => {
        assert.equal(maskPans(before + pan + after).includes(pan), false);
        assert.equal(maskSchemePans(before + pan + after).includes(pan), false);
      }),
    );
  });

  it("never shows a scheme's card number, whatever stands between its groups", () => {
    const between = fc.array(fc.constantFrom(...SEPARATORS), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(schemeNumber, fc.array(between, { minLength: 3, maxLength: 3 }), fc.boolean(), (pan, gaps, wide) => {
        const groups = pan.match(wide ? /^(\d{4})(\d{6})(\d+)$/ : /^(\d{4})(\d{4})(\d{4})(\d+)$/)?.slice(1) ?? [];
        const text = groups.map((group, index) => (index === 0 ? group : `${gaps[index - 1]}${group}`)).join("");
        assert.notEqual(groups.length, 0);
        assert.doesNotMatch(digitsOf(maskPans(`a ${text} b`)), new RegExp(pan));
        assert.doesNotMatch(digitsOf(maskSchemePans(`a ${text} b`)), new RegExp(pan));
      }),
    );
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

describe("identifiers that are no card numbers", () => {
  const random = (seed: number) => {
    let state = seed;
    return () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
  };
  const next = random(20_261_125);
  const digits = (count: number) => Array.from({ length: count }, () => Math.floor(next() * 10)).join("");
  const hex = (count: number) => Array.from({ length: count }, () => Math.floor(next() * 16).toString(16)).join("");
  const gtin = (body: string) => {
    const sum = [...body].toReversed().reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 3 : 1), 0);
    return `${body}${(10 - (sum % 10)) % 10}`;
  };
  const iban = (account: string) => {
    const spelled = [...`${account}IT00`].map((character) => Number.parseInt(character, 36)).join("");
    return `IT${String(98n - (BigInt(spelled) % 97n)).padStart(2, "0")}${account}`;
  };
  const time = () => new Date(Date.UTC(2020, 0, 1) + Math.floor(next() * 14 * 365 * 86_400_000));
  const compact = () => time().toISOString().replace(/\D/g, "");

  // At most this share of them is masked. What is 0 is never masked by its form; the others are as likely to look like a card as any number is.
  for (const [kind, sample, shareMax] of [
    ["GTIN-8, 12 and 13", () => gtin(digits([7, 11, 12][Math.floor(next() * 3)] ?? 12)), 0],
    ["GTIN-14", () => gtin(`${1 + Math.floor(next() * 2)}${digits(12)}`), 0],
    ["IMEI", () => withCheckDigit(`35${digits(12)}`), 0],
    ["timestamp", () => time().toISOString(), 0],
    ["timestamp of digits", () => compact().slice(0, 14), 0],
    ["timestamp of digits with milliseconds", compact, 0],
    ["milliseconds and microseconds since 1970", () => `${time().getTime()}${next() < 0.5 ? "" : digits(3)}`, 0],
    ["nanoseconds since 1970", () => `${time().getTime()}${digits(6)}`, 0.08],
    ["ICCID of a SIM", () => withCheckDigit(`893901${digits(12)}`), 0.03],
    ["order number of a year", () => `${time().getFullYear()}-${digits(6)}`, 0],
    ["order number of up to 12 digits", () => digits(6 + Math.floor(next() * 7)), 0],
    ["telephone number", () => `+39 3${digits(2)} ${digits(7)}`, 0],
    ["IBAN", () => iban(`X05428${digits(17)}`), 0],
    ["UUID without dashes", () => hex(32), 0.002],
    ["SHA-256", () => hex(64), 0.004],
    ["16 random digits", () => digits(16), 0.04],
    ["20 random digits", () => digits(20), 0.15],
    ["coordinates", () => `${(next() * 180 - 90).toFixed(7)}, ${(next() * 360 - 180).toFixed(7)}`, 0],
    ["IPv4 addresses", () => `${Array.from({ length: 4 }, () => Math.floor(next() * 256)).join(".")},10.0.0.1`, 0],
    [
      "lines of a receipt",
      () => `${digits(4)} ${digits(2)},${digits(2)}\n${digits(4)} ${digits(1)},${digits(2)}\n${digits(6)} ${digits(2)},${digits(2)}`,
      0.001,
    ],
    [
      "date and amounts",
      () => `${compact().slice(6, 8)}/${compact().slice(4, 6)}/2026 ${digits(2)},${digits(2)} ${digits(1)}.${digits(3)},${digits(2)}`,
      0.001,
    ],
  ] as const) {
    it(`${kind}: at most ${shareMax * 100} % are masked`, (context) => {
      const count = 20_000;
      let masked = 0;
      for (let index = 0; index < count; index += 1) {
        const text = sample();
        if (maskSchemePans(text) !== text) masked += 1;
      }
      context.diagnostic(`${((100 * masked) / count).toFixed(2)} % masked`);
      assert.ok(masked / count <= shareMax, `${masked} of ${count}`);
    });
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
      latitude: 45.46420351234568,
      share: 0.30000000000000004,
      weight: 53862381.49685827,
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

  it("is given back as it is where nothing in it is masked, and is never changed itself", () => {
    const clean = { uuid: "u-1", amount: 1_234, card: { brand: "VISA", list: [1, { a: "b" }, null] } };
    assert.equal(maskJson(clean), clean);
    const value = { clean, list: ["x", { first: 1, [VISA]: 2, pan: VISA, last: clean }] };
    const before = structuredClone(value);
    const masked = maskJson(value);
    assert.deepEqual(value, before);
    assert.deepEqual(masked, { clean, list: ["x", { first: 1, [MASKED_VISA]: 2, pan: MASKED_VISA, last: clean }] });
    // In the order in which the members came, so that the same posting has the same text.
    assert.equal(JSON.stringify(masked), JSON.stringify(value).replaceAll(VISA, MASKED_VISA));
  });

  it("is masked by a name as the first time, however many names came between", () => {
    const named = () => maskJson({ pan: "12345678901234", cvv: "123", company: "Pantry", [`track2 ${VISA}`]: VISA });
    const first = named();
    for (let name = 0; name < 2_000; name += 1) assert.deepEqual(maskJson({ [`name ${name}`]: VISA }), { [`name ${name}`]: MASKED_VISA });
    assert.deepEqual(named(), first);
    assert.deepEqual(first, { pan: "123456****1234", cvv: MASKED, company: "Pantry", [`track2 ${MASKED_VISA}`]: MASKED });
  });
});
