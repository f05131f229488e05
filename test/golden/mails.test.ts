import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { createMailTexts } from "../../engine/accounts/mail-texts.ts";
import { createOwnersMailTexts } from "../../engine/accounts/owners-mail-texts.ts";
import { securityNotice } from "../../engine/accounts/security-notice.ts";
import type { Shop } from "../../engine/branding/branding.ts";
import { createDisputeMailTexts } from "../../engine/disputes/mail-texts.ts";
import { MAIL_KINDS, type MailKind } from "../../engine/mails/mail.ts";
import { mailHtml } from "../../engine/mails/mail-html.ts";
import type { MailLocale, MailText } from "../../engine/mails/mail-text.ts";
import { createPortalLinkMailTexts } from "../../engine/portal-links/mail-texts.ts";
import { createSubscriptionMailTexts } from "../../engine/subscriptions/mail-texts.ts";
import { dispute } from "../engine/disputes/machine-world.ts";
import { attempt as linkAttempt, portalLink } from "../engine/portal-links/machine-world.ts";
import { attempt, charge, link, subscription, TERMS } from "../engine/subscriptions/machine-world.ts";

/** 26 November 2026, 15:30 in Rome. */
const AT_MS = Date.UTC(2026, 10, 26, 14, 30);
const merchantName = "Bar <b>Centrale</b>";
const addresses = { publicUrl: () => "https://relay.example", portalUrl: () => "https://relay.example", timeZone: "Europe/Rome" };
const portal = createMailTexts(addresses);
const owners = createOwnersMailTexts(addresses);
const links = createPortalLinkMailTexts(addresses);
const disputes = createDisputeMailTexts(addresses);
const subscriptions = createSubscriptionMailTexts(addresses);
const dunning = { failedAtMs: AT_MS, terms: TERMS, step: 0, stays: false };
const pastDue = subscription("PAST_DUE", { charge: charge([attempt(1, "failed")], { failedAtMs: AT_MS }), dunning });
const client = { atMs: AT_MS, ipAddress: "192.0.2.1", userAgent: "Firefox" };

/** One or more examples of each kind. */
const EXAMPLES: Readonly<Record<MailKind, Readonly<Record<string, (locale: MailLocale) => MailText>>>> = {
  invitation: { usual: (locale) => portal.invitation(locale, { merchantName, role: "FINANCE", token: "token-1", expiresAtMs: AT_MS }) },
  "password-reset": { usual: (locale) => portal.passwordReset(locale, { token: "token-2", expiresAtMs: AT_MS }) },
  "security-notice": {
    "password changed": (locale) => portal.passwordChanged(locale, { atMs: AT_MS }),
    "factors reset": (locale) => portal.factorsReset(locale, { atMs: AT_MS }),
    "passkey added": (locale) => securityNotice("passkey added", { locale, ...client }),
    "to owners": (locale) =>
      owners(locale, { merchantName, atMs: AT_MS, change: { type: "webhook created", host: "shop.example" } }),
  },
  "payment-link": { usual: (locale) => links.link(locale, { merchantName, link: portalLink() }) },
  "payment-link-paid": {
    usual: (locale) => links.paid(locale, { merchantName, link: portalLink([linkAttempt(1, "paid")], { state: "PAID" }) }),
  },
  "dispute-received": { usual: (locale) => disputes.received(locale, { merchantName, dispute: dispute("OPEN") }) },
  "dispute-reminder": { usual: (locale) => disputes.reminder(locale, { merchantName, dispute: dispute("OPEN"), leadMs: 3 * 86_400_000 }) },
  "subscription-payment": {
    first: (locale) => subscriptions.payment(locale, { merchantName, record: subscription("INCOMPLETE", { charge: charge([link(1)]) }) }),
    renewal: (locale) => subscriptions.payment(locale, { merchantName, record: subscription("ACTIVE", { charge: charge([link(1)]) }) }),
  },
  "subscription-failed": { usual: (locale) => subscriptions.failed(locale, { merchantName, record: pastDue }) },
  "subscription-reminder": {
    usual: (locale) => subscriptions.step(locale, { merchantName, record: { ...pastDue, dunning: { ...dunning, step: 2 } } }),
  },
  "subscription-recovered": {
    usual: (locale) => subscriptions.recovered(locale, { merchantName, record: subscription("ACTIVE", { charge: charge([link(1)]) }) }),
  },
  "subscription-cancelled": {
    "at once": (locale) => subscriptions.cancelled(locale, { merchantName, record: subscription("CANCELLED", { cancelledBy: "customer" }) }),
    later: (locale) => subscriptions.cancelled(locale, { merchantName, record: subscription("ACTIVE", { cancelsAtPeriodEnd: true }) }),
  },
};

const LOGO = { id: "a".repeat(32), type: "image/png", width: 480, height: 160, bytes: 3 } as const;
const SHOPS: Readonly<Record<string, Shop | null>> = {
  branded: { name: merchantName, color: "#ffcc00", logo: LOGO },
  plain: { name: merchantName, color: null, logo: null },
  portal: null,
};

function htmlOf({ subject, body }: MailText, shop: Shop | null): string {
  assert.ok(body !== undefined, "the mail has no body");
  return mailHtml(subject, body, shop);
}

/** The heading and the parts below it. */
function partsOf(html: string): string[] {
  return html.slice(html.indexOf("<h1"), html.indexOf("\n</td>")).split("\n");
}

/** All mails in words; and the layout around them, once for each kind of sender. */
function written(): unknown {
  const ofKind = (kind: MailKind) =>
    Object.entries(EXAMPLES[kind]).flatMap(([example, compose]) =>
      (["it", "en"] as const).map((locale) => {
        const mail = compose(locale);
        return [`${kind}, ${example}, ${locale}`, { subject: mail.subject, text: mail.text.split("\n"), html: partsOf(htmlOf(mail, null)) }];
      }),
    );
  const empty = { subject: "Subject", text: "", body: { locale: "en", blocks: [] } } as const;
  const layouts = Object.entries(SHOPS).map(([name, shop]) => [name, htmlOf(empty, shop).split("\n")]);
  return { mails: Object.fromEntries(MAIL_KINDS.flatMap(ofKind)), layouts: Object.fromEntries(layouts) };
}

describe("mails", () => {
  it("keeps the texts and the HTML of the golden file", () => {
    const file = new URL("mails.json", import.meta.url);
    if (process.env["UPDATE_GOLDEN"] === "1" || !existsSync(file)) writeFileSync(file, `${JSON.stringify(written(), null, 2)}\n`);
    assert.deepEqual(written(), JSON.parse(readFileSync(file, "utf8")), "run this test with UPDATE_GOLDEN=1 and look at the difference");
  });

  for (const kind of MAIL_KINDS) {
    it(`${kind}: the HTML says the same as the text, escapes every value and loads nothing`, () => {
      for (const compose of Object.values(EXAMPLES[kind])) {
        for (const locale of ["it", "en"] as const) {
          const mail = compose(locale);
          for (const shop of Object.values(SHOPS)) {
            const html = htmlOf(mail, shop);
            assert.doesNotMatch(html, /<b>|<script|\bon\w+=|undefined/);
            assert.deepEqual(
              [...html.matchAll(/(?:src|background)="([^"]*)"|url\(/g)].map(([, source]) => source),
              shop?.logo === LOGO ? ["cid:logo@relay"] : [],
            );
            const words = html.replace(/<style>[\s\S]*?<\/style>|<[^>]*>/g, " ").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&#39;", "'").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
            const squeezed = words.replaceAll(/\s+/g, " ");
            for (const line of mail.text.split("\n").flatMap((one) => one.split(/: /))) {
              assert.ok(squeezed.includes(line.replaceAll(/\s+/g, " ").trim()), `the HTML lacks "${line}"`);
            }
          }
        }
      }
    });
  }

  it("keeps subjects within one line, whatever a merchant is called", () => {
    const evil = "Bar\r\nBcc: eve@evil.example\u2028\u0000";
    for (const { subject } of [
      portal.invitation("en", { merchantName: evil, role: "OWNER", token: "t", expiresAtMs: AT_MS }),
      links.link("en", { merchantName: evil, link: portalLink() }),
      subscriptions.payment("it", { merchantName: evil, record: pastDue }),
      owners("en", { merchantName: evil, atMs: AT_MS, change: { type: "more changes" } }),
    ]) {
      assert.doesNotMatch(subject, /[\p{Cc}\p{Zl}\p{Zp}]/u);
      assert.ok(subject.length <= 200);
    }
  });
});
