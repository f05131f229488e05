import type { Locale } from "../accounts/account.ts";
import type { MailText } from "../accounts/mail-texts.ts";
import type { PortalLinkRecord } from "./portal-link.ts";

/** What is written about a payment link of the portal: plain text. */
export interface PortalLinkMailTexts {
  /** To the customer: what is to be paid, to whom, where and until when. */
  link(locale: Locale, facts: { merchantName: string; link: PortalLinkRecord }): MailText;
  /** To the merchant's people: it was paid. Without the customer's data. */
  paid(locale: Locale, facts: { merchantName: string; link: PortalLinkRecord }): MailText;
}
