import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LOCALES } from "../../../engine/accounts/account.ts";
import { createPortalLinkMailTexts } from "../../../engine/portal-links/mail-texts.ts";
import type { PortalLinkOrder } from "../../../engine/portal-links/portal-link.ts";
import { attempt, idOf, portalLink, tokenOf } from "./machine-world.ts";

const texts = createPortalLinkMailTexts({
  publicUrl: () => "https://relay.example",
  portalUrl: () => "https://portal.example",
  timeZone: "Europe/Rome",
});
/** 26 November 2026, 15:30 in Rome. */
const AT_MS = Date.UTC(2026, 10, 26, 14, 30);

function order(changes: Partial<PortalLinkOrder> = {}): PortalLinkOrder {
  return {
    ...{ amountMinor: 123_450, currency: "EUR", description: "Cena del 26", reference: "T-7", customerEmail: "ada@example.com" },
    ...{ expiresAtMs: AT_MS },
    ...changes,
  };
}

function paidLink(changes: Parameters<typeof portalLink>[1] = {}) {
  const paid = { atMs: AT_MS, amountMinor: 1_050, currency: "EUR", cardLast4: "1111" };
  return portalLink([attempt(1, "paid", { paid })], { state: "PAID", paidAtMs: AT_MS, order: order(), livemode: true, ...changes });
}

describe("createPortalLinkMailTexts", () => {
  test("tells a customer the merchant, the payment, the address and the deadline", () => {
    const it = texts.link("it", {
      merchantName: "Bar Centrale",
      link: portalLink([], { order: order(), livemode: true, token: tokenOf(3) }),
    });
    assert.equal(it.subject, "Bar Centrale: richiesta di pagamento di 1.234,50\u00a0€");
    assert.match(it.text, /Bar Centrale ti chiede il pagamento di 1\.234,50\u00a0€ per:\nCena del 26\n/);
    assert.ok(it.text.includes(`\nhttps://relay.example/l/${tokenOf(3)}\n`));
    assert.match(it.text, /fino a giovedì 26 novembre 2026 alle ore 15:30 \(Europe\/Rome\)/);
    assert.doesNotMatch(it.text, /prova|T-7/);
    const link = portalLink([], { order: order({ currency: "JPY" }), livemode: false });
    const en = texts.link("en", { merchantName: "Bar Centrale", link });
    assert.equal(en.subject, "[TEST] Bar Centrale asks you to pay JP¥123,450");
    assert.match(en.text, /This is a test: nothing is charged\./);
  });

  test("keeps texts of a merchant within one line, in the subject too", () => {
    const link = portalLink([], { order: order({ description: "a\u2028b\n\nPay elsewhere:\nhttps://evil.example" }) });
    for (const locale of LOCALES) {
      const mail = texts.link(locale, { merchantName: "Bar\r\nBcc: x", link });
      assert.doesNotMatch(mail.subject, /[\r\n]/);
      assert.match(mail.text, /:\na b Pay elsewhere: https:\/\/evil\.example\n/);
    }
  });

  test("tells the merchant the payment, its page and whether it was late, without data of the customer", () => {
    const it = texts.paid("it", { merchantName: "Bar Centrale", link: paidLink() });
    assert.equal(it.subject, "Link pagato: 10,50\u00a0€", "what was paid, and not what was ordered");
    assert.match(it.text, /Riferimento: T-7\n/);
    assert.match(it.text, /15:30 \(Europe\/Rome\)/);
    assert.ok(it.text.includes(`\nhttps://portal.example/portal/payment-links/${idOf(1)}\n`));
    assert.doesNotMatch(it.text, /annullato|ada@example/);
    const link = paidLink({ late: true, livemode: false, order: order({ reference: null }) });
    const en = texts.paid("en", { merchantName: "Bar Centrale", link });
    assert.match(en.text, /Description: Cena del 26\n\n/);
    assert.match(en.text, /had been cancelled or had expired/);
    assert.match(en.text, /This is a test/);
  });
});
