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
});
