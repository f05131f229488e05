import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { withDelivery } from "../../../engine/payments/command.ts";
import { buildPayment, readPaymentRequest, writePayload } from "../../../engine/payments/payment-request.ts";
import { TERMINAL_FAMILIES, type TerminalFamily } from "../../../engine/payments/tags.ts";

const acceptance = { sender: "partner:1", acceptedAtMs: 1_000, request: "r1" };
const pay = { uuid: "a1", amount: 1050, service: "PAYCC" };
const tagged = { ...pay, service: "PAYTAG", tagDF8103: "3132", tagDF8102: "4a4b", tagDF8109: "32", tagDF8105: null };

function payloadOf(body: object, family: TerminalFamily | null = null): { [member: string]: unknown } {
  return JSON.parse(buildPayment(readPaymentRequest(body, "T1"), family, acceptance).payload);
}

function refused(body: unknown, message: RegExp, pathTerminalId: string | null = "T1"): void {
  assert.throws(
    () => readPaymentRequest(body, pathTerminalId),
    (error) => error instanceof RelayError && error.code === "invalid_request" && message.test(error.message),
  );
}

describe("a payment request", () => {
  it("becomes a command with its method, expiry and payload", () => {
    const command = buildPayment(readPaymentRequest({ ...pay, description: "Table 4" }, "T1"), null, acceptance);
    assert.deepEqual(command, {
      uuid: "a1",
      terminalId: "T1",
      kind: "payment",
      service: "PAYCC",
      amountCents: 1050,
      method: "CARD",
      sender: "partner:1",
      acceptedAtMs: 1_000,
      expiresAtMs: 61_000,
      payload: '{"uuid":"a1","amount":1050,"service":"PAYCC","description":"Table 4","terminalId":"T1"}',
      request: "r1",
    });
  });

  for (const [service, type, method] of [
    ["PAYCC", undefined, "CARD"],
    ["PAYCC", "CARD", "CARD"],
    ["PAYCC", null, "CARD"],
    ["PAYTAG", "CARD", "CARD"],
    ["VERIFYTAG", undefined, "CARD"],
    ["PAYBP", "VOUCHER", "VOUCHER"],
    ["PAYSAT", undefined, "SATISPAY"],
    ["PAYSAT", "RECEIPT", "RECEIPT"],
  ] as const) {
    it(`is ${method} for service ${service} and type ${type}`, () => {
      assert.equal(readPaymentRequest({ ...pay, service, type }, "T1").method, method);
    });
  }

  for (const [title, body, message] of [
    ["no object", [], /JSON object/],
    ["null", null, /JSON object/],
    ["a text", "PAYCC", /JSON object/],
    ["no uuid", { ...pay, uuid: undefined }, /^uuid/],
    ["a uuid of odd characters", { ...pay, uuid: "a/b" }, /^uuid/],
    ["a uuid too long", { ...pay, uuid: "a".repeat(65) }, /^uuid/],
    ["a uuid that is a number", { ...pay, uuid: 7 }, /^uuid/],
    ["a uuid that is a path word", { ...pay, uuid: "status" }, /^uuid/],
    ["no amount", { ...pay, amount: undefined }, /^amount is required$/],
    ["an amount of null", { ...pay, amount: null }, /^amount is required$/],
    ["no service", { ...pay, service: undefined }, /^service is required: one of PAYCC/],
    ["a currency that is none", { ...pay, currency: "XQX" }, /^currency must be an ISO 4217 code/],
    ["an empty currency", { ...pay, currency: "" }, /^currency/],
    ["a currency that is no text", { ...pay, currency: 978 }, /^currency/],
    ["amount 0", { ...pay, amount: 0 }, /^amount/],
    ["a negative amount", { ...pay, amount: -1 }, /^amount/],
    ["a fractional amount", { ...pay, amount: 10.5 }, /^amount/],
    ["an amount beyond safe integers", { ...pay, amount: 2 ** 53 }, /^amount/],
    ["an amount of 13 digits", { ...pay, amount: 1_000_000_000_000 }, /^amount must be an integer of minor units, 1 to 999999999999$/],
    ["an amount as text", { ...pay, amount: "1050" }, /^amount/],
    ["no service", { ...pay, service: undefined }, /^service/],
    ["an unknown service", { ...pay, service: "PAYXX" }, /^service/],
    ["a service in lower case", { ...pay, service: "paycc" }, /^service/],
    ["another service's type", { ...pay, type: "SATISPAY" }, /^type/],
    ["an unknown type", { ...pay, type: "CASH" }, /^type/],
    ["cardType 3", { ...pay, cardType: 3 }, /^cardType/],
    ["cardType as text", { ...pay, cardType: "1" }, /^cardType/],
    ["another terminalId than the path's", { ...pay, terminalId: "T2" }, /^terminalId differs/],
    ["a terminalId of odd characters", { ...pay, terminalId: "T 1" }, /^terminalId/],
    ["an odd number of hex digits", { ...pay, tagDF8102: "123" }, /^tagDF8102/],
    ["a tag that is no hex", { ...pay, tagDF8105: "zz" }, /^tagDF8105/],
    ["an empty tag", { ...pay, tagDF8109: "" }, /^tagDF8109/],
    ["a token mode that there is not", { ...pay, tagDF8109: "31" }, /^tagDF8109 must be 30, 32 or 36, or null$/],
    ["a token mode encoded twice", { ...pay, tagDF8109: "3332" }, /^tagDF8109/],
    ["a tag that is a number", { ...pay, tagDF8103: 32 }, /^tagDF8103/],
    ["a tag too long", { ...pay, tagDF8103: "31".repeat(256) }, /^tagDF8103/],
  ] as const) {
    it(`is refused with ${title}`, () => refused(body, message));
  }

  it("needs the terminal in the body where the path names none", () => {
    assert.equal(readPaymentRequest({ ...pay, terminalId: "T9" }, null).terminalId, "T9");
    refused(pay, /^terminalId is required/, null);
    refused({ ...pay, terminalId: 9 }, /^terminalId/, null);
  });

  it("does not check VERIFYTAG's amount and sends 0", () => {
    for (const amount of [undefined, -5, "x", 100]) assert.equal(payloadOf({ ...pay, service: "VERIFYTAG", amount })["amount"], 0);
  });

  it("leaves an absent cardType absent and passes a given one on", () => {
    assert.equal("cardType" in payloadOf(pay), false);
    assert.equal(payloadOf({ ...pay, cardType: 2 })["cardType"], 2);
  });

  it("takes an amount of 12 digits", () => {
    assert.equal(payloadOf({ ...pay, amount: 999_999_999_999 })["amount"], 999_999_999_999);
  });

  it("takes each token mode that there is, as it is", () => {
    for (const tagDF8109 of ["30", "32", "36"]) assert.equal(payloadOf({ ...pay, tagDF8109 })["privativeTags"], `DF8109=${tagDF8109}`);
  });

  it("never quotes a value in its message", () => {
    refused({ ...pay, uuid: "4111 1111 1111 1111" }, /^(?!.*4111)/);
    assert.throws(() => payloadOf({ ...pay, "4111111111111111": 2 ** 60 }), /^RelayError: a member contains/);
    assert.throws(() => payloadOf({ ...pay, order: 2 ** 60 }), /order contains a number/);
  });
});

describe("the payload that a terminal gets", () => {
  it("carries the tags both ways and as given where the family is unknown", () => {
    assert.deepEqual(payloadOf(tagged), {
      ...tagged,
      terminalId: "T1",
      privativeTags: "DF8102=4a4b##DF8103=3132##DF8109=32",
      additionalField47data: "DF8102024A4BDF8103023132DF81090132",
    });
  });

  for (const [family, has, lacks] of [
    ["privative-tags", "privativeTags", "additionalField47data"],
    ["field-47", "additionalField47data", "privativeTags"],
    ["no-tags", "additionalField47data", "privativeTags"],
  ] as const) {
    it(`carries the tags in ${has} for the family ${family}, beside the originals`, () => {
      const payload = payloadOf(tagged, TERMINAL_FAMILIES[family]);
      assert.equal(has in payload, true);
      assert.equal(lacks in payload, false);
      assert.equal(payload["tagDF8102"], "4a4b");
      assert.equal(payload["service"], "PAYTAG");
    });
  }

  it("has no tag member where no tag was given", () => {
    assert.deepEqual(payloadOf({ ...pay, tagDF8105: null }), { ...pay, tagDF8105: null, terminalId: "T1" });
  });

  it("writes the length of a long tag in two octets", () => {
    assert.match(String(payloadOf({ ...pay, tagDF8105: "41".repeat(200) })["additionalField47data"]), /^DF810581C8(41){200}$/);
  });

  it("is refused for VERIFYTAG on a family without the tag services", () => {
    assert.throws(() => payloadOf({ ...pay, service: "VERIFYTAG" }, TERMINAL_FAMILIES["no-tags"]), /VERIFYTAG is not supported/);
    assert.equal(payloadOf({ ...pay, service: "VERIFYTAG" }, TERMINAL_FAMILIES["field-47"])["service"], "VERIFYTAG");
  });

  it("drops what only the relay writes and what changes nothing about the payment", () => {
    const body = { ...pay, serverTime: "x", redelivered: true, attempt: 9, cancels: "b", expiresAt: null, privativeTags: null };
    assert.deepEqual(payloadOf(body), { ...pay, terminalId: "T1" });
  });

  it("is refused with what only the relay writes and what would change when it is paid, or its tags", () => {
    for (const name of ["expiresAt", "privativeTags", "additionalField47data"]) {
      assert.throws(() => payloadOf({ ...pay, [name]: "x" }), {
        code: "invalid_request",
        message: `${name} is set by the relay; leave it out`,
      });
    }
  });

  it("has the currency in letters, as it was named in letters or by number", () => {
    for (const currency of ["USD", "usd", "840"]) {
      assert.deepEqual(payloadOf({ ...pay, currency }), { ...pay, terminalId: "T1", currency: "USD" });
    }
    assert.deepEqual(payloadOf({ ...pay, currency: null }), { ...pay, terminalId: "T1", currency: null });
  });

  it("is the caller's members in their order, the relay's own in the place of theirs or at the end", () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string()));
    const word = fc.constantFrom("uuid", "amount", "service", "terminalId", "a", "b");
    const name = fc.oneof(word, fc.constantFrom("7", 'é"\n'), fc.stringMatching(/^[a-z]{1,3}$/));
    const reserved = fc.subarray(["cancels", "attempt", "serverTime", "__proto__"]);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, value)),
        fc.dictionary(word, fc.option(value, { nil: undefined })),
        reserved,
        (members, fixed, dropped) => {
          const texts = [...members, ...dropped.map((its) => [its, 1])].map(([its, of]) => `${JSON.stringify(its)}:${JSON.stringify(of)}`);
          const kept = Object.fromEntries(members);
          assert.equal(writePayload(JSON.parse(`{${texts.join(",")}}`), fixed), JSON.stringify({ ...kept, ...fixed }));
          // As most of them are: what the relay fixes is as it came.
          assert.equal(writePayload(kept, { ...kept, ...fixed }), JSON.stringify({ ...kept, ...fixed }));
        },
      ),
    );
  });

  it("never carries __proto__", () => {
    assert.equal(
      JSON.stringify(payloadOf(JSON.parse('{"uuid":"a1","amount":1,"service":"PAYCC","__proto__":{"x":1}}'))).includes("__proto__"),
      false,
    );
    assert.throws(() => payloadOf(JSON.parse('{"uuid":"a1","amount":1,"service":"PAYCC","meta":[{"__proto__":1}]}')), RelayError);
  });

  it("is bounded in depth and length", () => {
    const deep = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`);
    assert.throws(() => payloadOf({ ...pay, deep }), /deep is nested too deep/);
    assert.throws(() => payloadOf({ ...pay, note: "x".repeat(40_000) }), /too long/);
  });

  it("keeps every free-form member and stays JSON when the delivery is added", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().filter((key) => key !== "__proto__"),
          fc.jsonValue({ maxDepth: 3, noUnicodeString: false }),
        ),
        (extra) => {
          fc.pre(!JSON.stringify(extra).includes("__proto__") && !/\d{16}|e\+/.test(JSON.stringify(extra)));
          const documented = {
            type: null,
            cardType: null,
            tagDF8102: null,
            tagDF8103: null,
            tagDF8105: null,
            tagDF8109: null,
            terminalId: "T1",
          };
          const body = { ...JSON.parse(JSON.stringify(extra)), ...documented, ...pay };
          const command = buildPayment(readPaymentRequest(body, "T1"), null, acceptance);
          const text = withDelivery(command.payload, { expiresAtMs: 1, serverTimeMs: 2, attempt: 2 });
          const expected = {
            ...body,
            expiresAt: new Date(1).toISOString(),
            serverTime: new Date(2).toISOString(),
            redelivered: true,
            attempt: 2,
          };
          assert.deepEqual(JSON.parse(text), expected);
        },
      ),
    );
  });
});
