import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LOCALES } from "../../../engine/accounts/account.ts";
import { createSubscriptionMailTexts } from "../../../engine/subscriptions/mail-texts.ts";
import { SUBSCRIPTION_MAILS } from "../../../engine/subscriptions/subscription.ts";
import { attempt, charge, link, subscription, TERMS, tokenOf } from "./machine-world.ts";

const texts = createSubscriptionMailTexts({ publicUrl: () => "https://relay.example", timeZone: "Europe/Rome" });
/** 26 November 2026, 15:30 in Rome. */
const AT_MS = Date.UTC(2026, 10, 26, 14, 30);
const dunning = { failedAtMs: AT_MS, terms: TERMS, step: 0, stays: false };

describe("the mails about subscriptions", () => {
  test("names the merchant, the amount and the page in both languages", () => {
    const record = subscription("ACTIVE", { charge: charge([link(1)]), livemode: true });
    for (const kind of SUBSCRIPTION_MAILS) {
      for (const locale of LOCALES) {
        const { subject, text } = texts[kind](locale, { merchantName: "Bar Centrale", record });
        assert.match(subject, /^Bar Centrale: /);
        assert.ok(text.includes(`\nhttps://relay.example/s/${tokenOf(1)}\n`));
        assert.match(text, locale === "it" ? /^Buongiorno Ada,\n/ : /^Hello Ada,\n/);
        assert.match(text, locale === "it" ? /29,00\u00a0€/ : /€29\.00/);
        assert.match(text, /"Gym"/);
        assert.doesNotMatch(text, /prova|test:|ada@example/);
      }
    }
    const test = texts.payment("en", { merchantName: "Bar", record: { ...record, livemode: false } });
    assert.match(test.subject, /^\[TEST\] /);
    assert.match(test.text, /This is a test: nothing is charged\./);
  });

  test("announces the next card charge after a failure, or asks the customer to pay if there is none", () => {
    const soft = subscription("PAST_DUE", { charge: charge([attempt(1, "failed")], { failedAtMs: AT_MS }), dunning });
    assert.match(
      texts.failed("en", { merchantName: "Bar", record: soft }).text,
      /same card again on Friday.* 27 November 2026.*15:30 \(Europe\/Rome\)/,
    );
    assert.match(texts.step("it", { merchantName: "Bar", record: soft }).text, /con la stessa carta venerdì 27 novembre 2026/);
    for (const record of [
      { ...soft, charge: charge([attempt(1, "failed", { hard: true })], { failedAtMs: AT_MS }) },
      { ...soft, collection: "LINK" as const },
      { ...soft, dunning: { ...dunning, step: 2 } },
    ]) {
      assert.match(texts.failed("en", { merchantName: "Bar", record }).text, /\nTo pay, open the page/);
    }
  });

  test("keeps the texts of merchants and customers within a line, and a subject within its maximum length", () => {
    const record = subscription("ACTIVE", { customer: { name: "Ada\n\nPay elsewhere", email: "a@example.org", locale: "en" } });
    const { subject, text } = texts.payment("en", { merchantName: `Bar\r\nBcc: x${"y".repeat(300)}`, record });
    assert.doesNotMatch(subject, /[\r\n]/);
    assert.ok(subject.length <= 200);
    assert.match(text, /^Hello Ada Pay elsewhere,\n/);
  });
});
