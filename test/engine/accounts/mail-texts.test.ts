import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LOCALES } from "../../../engine/accounts/account.ts";
import { createMailTexts } from "../../../engine/accounts/mail-texts.ts";

const texts = createMailTexts({ publicUrl: () => "https://relay.example", timeZone: "Europe/Rome" });
/** 26 November 2026, 15:30 in Rome. */
const AT_MS = Date.UTC(2026, 10, 26, 14, 30);
const INVITATION = { merchantName: "Bar Centrale", role: "FINANCE", token: "token-1", expiresAtMs: AT_MS } as const;

describe("mails of the portal", () => {
  test("an invitation says where, as what, how and until when, in the installation's time", () => {
    const it = texts.invitation("it", INVITATION);
    assert.equal(it.subject, "Invito al portale di Bar Centrale");
    assert.match(it.text, /\nhttps:\/\/relay\.example\/portal\/invitation\/token-1\n/);
    assert.match(it.text, /"Contabilità"/);
    assert.match(it.text, /giovedì 26 novembre 2026 alle ore 15:30 \(Europe\/Rome\)/);
    const en = texts.invitation("en", INVITATION);
    assert.equal(en.subject, "Invitation to the portal of Bar Centrale");
    assert.match(en.text, /\nhttps:\/\/relay\.example\/portal\/invitation\/token-1\n/);
    assert.match(en.text, /"Finance"/);
    assert.match(en.text, /Thursday,? 26 November 2026 at 15:30 \(Europe\/Rome\)/);
  });

  test("a reset has its link and its end", () => {
    for (const locale of LOCALES) {
      const { text } = texts.passwordReset(locale, { token: "token-2", expiresAtMs: AT_MS });
      assert.match(text, /\nhttps:\/\/relay\.example\/portal\/reset\/token-2\n/);
      assert.match(text, /26 [Nn]ovember|26 novembre/);
    }
  });

  test("notices have a link to the portal, and no token", () => {
    for (const locale of LOCALES) {
      for (const { text } of [texts.passwordChanged(locale, { atMs: AT_MS }), texts.factorsReset(locale, { atMs: AT_MS })]) {
        assert.match(text, /https:\/\/relay\.example\/portal\b(?!\/)/);
        assert.match(text, /15:30/);
      }
    }
  });

  test("a customer is told who asks for what, where it is paid and until when", () => {
    const link = { merchantName: "Bar Centrale", amountMinor: 123_450, currency: "EUR", description: "Cena del 26", token: "token-3" };
    const it = texts.paymentLink("it", { ...link, expiresAtMs: AT_MS, livemode: true });
    assert.equal(it.subject, "Bar Centrale: richiesta di pagamento di 1.234,50\u00a0€");
    assert.match(it.text, /Bar Centrale ti chiede il pagamento di 1\.234,50\u00a0€ per:\nCena del 26\n/);
    assert.match(it.text, /\nhttps:\/\/relay\.example\/l\/token-3\n/);
    assert.match(it.text, /fino a giovedì 26 novembre 2026 alle ore 15:30 \(Europe\/Rome\)/);
    assert.doesNotMatch(it.text, /prova/);
    const en = texts.paymentLink("en", { ...link, currency: "JPY", expiresAtMs: AT_MS, livemode: false });
    assert.equal(en.subject, "[TEST] Bar Centrale asks you to pay JP¥123,450");
    assert.match(en.text, /This is a test: nothing is charged\./);
    assert.match(en.text, /\nhttps:\/\/relay\.example\/l\/token-3\n/);
  });

  test("what a merchant writes stays within its line, in the subject too", () => {
    const link = { amountMinor: 1, currency: "EUR", token: "t", expiresAtMs: AT_MS, livemode: true };
    for (const locale of LOCALES) {
      const mail = texts.paymentLink(locale, {
        ...link,
        merchantName: "Bar\r\nBcc: x",
        description: "a\u2028b\n\nPay elsewhere:\nhttps://evil.example",
      });
      assert.doesNotMatch(mail.subject, /[\r\n]/);
      assert.match(mail.text, /:\na b Pay elsewhere: https:\/\/evil\.example\n/);
    }
  });

  test("the merchant is told of a paid link what was paid and where it stands, and that it came late", () => {
    const paid = {
      ...{ merchantName: "Bar Centrale", linkId: "pl_1", amountMinor: 1_050, currency: "EUR", description: "Cena", reference: "T-7" },
      ...{ paidAtMs: AT_MS, late: false, livemode: true },
    };
    const it = texts.paymentLinkPaid("it", paid);
    assert.equal(it.subject, "Link pagato: 10,50\u00a0€");
    assert.match(it.text, /Riferimento: T-7\n/);
    assert.match(it.text, /\nhttps:\/\/relay\.example\/portal\/payment-links\/pl_1\n/);
    assert.doesNotMatch(it.text, /annullato/);
    const en = texts.paymentLinkPaid("en", { ...paid, reference: null, late: true, livemode: false });
    assert.match(en.text, /Description: Cena\n\n/);
    assert.match(en.text, /had been cancelled or had expired/);
    assert.match(en.text, /This is a test/);
  });
});
