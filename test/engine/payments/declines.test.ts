import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GATEWAY_RESULT } from "../../../engine/gateway/gateway.ts";
import { DECLINE_CODES, DECLINE_REASONS, type DeclineFacts, declineReasonOf, declineWordsOf } from "../../../engine/payments/declines.ts";
import { SCENARIOS } from "../../../infra/sandbox/terminal/outcomes.ts";

const REASONS: readonly (readonly [what: string, facts: DeclineFacts, reason: string | null])[] = [
  ["two digits of ISO 8583", { actionCode: "51" }, "insufficient_funds"],
  ["three digits of ISO 8583", { actionCode: "116" }, "insufficient_funds"],
  ["a code with spaces and in lower case", { actionCode: " z3 " }, "offline"],
  ["a code of the card gateway", { actionCode: "GW_10001" }, "declined"],
  ["the name of a reason, as providers of stored cards use it", { actionCode: "insufficient_funds" }, "insufficient_funds"],
  ["a message without a code", { message: "Carta  scaduta" }, "expired_card"],
  ["a code before a message of another reason", { actionCode: "54", message: "INSUFFICIENT FUNDS" }, "expired_card"],
  ["a message beside a code that names no reason", { actionCode: "100", message: "PIN ERRATO" }, "incorrect_pin"],
  [
    "an unsupported service, which the sandbox's terminal reports as a format error",
    { actionCode: "904", message: "NOT SUPPORTED" },
    "not_supported",
  ],
  ["a state of Satispay beside a message that names no reason", { message: "DECLINED", satispayStatus: "CANCELED" }, "satispay_cancelled"],
  ["an unknown code with an unknown message", { actionCode: "777", message: "HELLO" }, null],
  ["an approval", { actionCode: "000", message: "APPROVED" }, null],
  ["a code that networks use for different reasons", { actionCode: "78" }, null],
  ["nothing", { actionCode: null, message: null, satispayStatus: null }, null],
  ["the name of a member of every object", { actionCode: "constructor", message: "__proto__" }, null],
];

describe("reasons of declined payments", () => {
  for (const [what, facts, reason] of REASONS) {
    it(`reads ${what}`, () => assert.equal(declineReasonOf(facts), reason));
  }

  it("has each code and each message once", () => {
    const all = DECLINE_REASONS.flatMap((reason) => [...DECLINE_CODES[reason].codes, ...DECLINE_CODES[reason].texts]);
    assert.deepEqual(
      all.filter((one, index) => all.indexOf(one) !== index),
      [],
    );
    assert.ok(all.every((one) => one === one.toUpperCase()));
  });

  it("knows every code with which the card gateway and the sandbox's terminal decline", () => {
    const { completed, ...declined } = GATEWAY_RESULT;
    const ofTerminal = [...SCENARIOS.values()].filter(({ approved }) => !approved).map(({ actionCode }) => actionCode);
    for (const actionCode of [...Object.values(declined), ...ofTerminal])
      assert.notEqual(declineReasonOf({ actionCode }), null, actionCode);
    assert.equal(declineReasonOf({ actionCode: completed }), null);
  });

  it("has a phrase and sentences in both languages", () => {
    for (const reason of DECLINE_REASONS) {
      const [en, it] = [declineWordsOf(reason, "en"), declineWordsOf(reason, "it")];
      for (const words of [en, it]) {
        assert.match(words.reason, /^\p{Lu}.*[^.]$/u, reason);
        assert.match(words.next, /^\p{Lu}.*\.$/u, reason);
      }
      assert.notEqual(en.reason, it.reason);
      assert.notEqual(en.next, it.next);
    }
  });

  it("never asks the shop to keep a card, and warns of confronting a customer, for codes that ask to retain the card", () => {
    const retain = ["04", "07", "33", "34", "35", "36", "37", "38", "41", "43", "67"];
    const pickUp = Array.from({ length: 11 }, (_, index) => String(200 + index));
    for (const actionCode of [...retain, ...pickUp]) {
      const reason = declineReasonOf({ actionCode });
      assert.ok(reason !== null, actionCode);
      const { next } = declineWordsOf(reason, "en");
      assert.match(next, /^Do not keep the card, do not confront the customer,.* call your acquirer\.$/);
      assert.match(declineWordsOf(reason, "it").next, /^Non trattenere la carta, non affrontare il cliente .*acquirer\.$/);
    }
  });
});
