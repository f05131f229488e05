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
        if (kind !== "cancelled") assert.match(text, locale === "it" ? /29,00\u00a0€/ : /€29\.00/);
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
      assert.match(texts.failed("en", { merchantName: "Bar", record }).text, /\nTo pay by card, open the page/);
    }
  });

  test("has a text of its own for the first payment, a renewal, a failure and each kind of end", () => {
    const subjectOf = (kind: "payment" | "failed" | "cancelled", changes: Parameters<typeof subscription>[1], state = "ACTIVE" as const) =>
      texts[kind]("en", { merchantName: "Bar", record: subscription(state, { livemode: true, ...changes }) });
    const first = texts.payment("en", { merchantName: "Bar", record: subscription("INCOMPLETE", { charge: charge([link(1)]) }) });
    assert.match(first.subject, /first payment of €29\.00/);
    assert.match(first.text, /starts with the first payment[\s\S]*You can pay until .*\(Europe\/Rome\)/);
    const renewal = subjectOf("payment", { charge: charge([link(1)]) });
    assert.match(renewal.subject, /renewal of your subscription/);
    assert.match(renewal.text, /Period: \d+ \w+ \d+ to \d+ \w+ \d+\n/);
    const failed = subscription("PAST_DUE", { charge: charge([attempt(1, "failed")], { failedAtMs: AT_MS }), dunning });
    assert.match(texts.failed("en", { merchantName: "Bar", record: failed }).text, /check that the card is valid/);
    assert.match(subjectOf("cancelled", { cancelsAtPeriodEnd: true }).text, /is cancelled\. It continues until/);
    for (const [cancelledBy, why] of [
      ["merchant", /has ended: Bar cancelled it/],
      ["customer", /has ended, as you asked/],
      ["no_first_payment", /because the first payment was not made/],
      ["dunning", /because a payment was not made/],
    ] as const) {
      const record = subscription("CANCELLED", { cancelledBy });
      assert.match(texts.cancelled("en", { merchantName: "Bar", record }).text, why);
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
