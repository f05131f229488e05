import type { Locale } from "../../engine/accounts/account.ts";
import { fromMinorUnits } from "../../engine/kernel/money.ts";
import type { PortalLinkMailTexts } from "../../engine/portal-links/mail-texts.ts";
import type { PortalLinkOrder } from "../../engine/portal-links/portal-link.ts";

export interface PortalLinkMailTextsOptions {
  /** Where customers' browsers reach the relay; without a slash at its end. */
  publicUrl(): string;
  /** The same for the portal. */
  portalUrl(): string;
  /** The installation's time zone (IANA), in which times are written. */
  timeZone: string;
}

export function createPortalLinkMailTexts({ publicUrl, portalUrl, timeZone }: PortalLinkMailTextsOptions): PortalLinkMailTexts {
  return {
    link: (locale, { merchantName, link: { token, order } }) =>
      TEXTS[locale].link({
        ...{ merchantName, amount: amountOf(order), description: order.description, url: `${publicUrl()}/l/${token}` },
        until: `${TIME[locale](timeZone).format(order.expiresAtMs)} (${timeZone})`,
      }),
    paid: (locale, { merchantName, link: { id, order, late } }) =>
      TEXTS[locale].paid({
        ...{ merchantName, amount: amountOf(order), description: order.description, late },
        url: `${portalUrl()}/portal/payment-links/${id}`,
      }),
  };
}

const FORMAT = { dateStyle: "full", timeStyle: "short" } as const;
const TIME: Readonly<Record<Locale, (timeZone: string) => Intl.DateTimeFormat>> = {
  it: (timeZone) => new Intl.DateTimeFormat("it-IT", { ...FORMAT, timeZone }),
  en: (timeZone) => new Intl.DateTimeFormat("en-GB", { ...FORMAT, timeZone }),
};

function amountOf({ amountMinor, currency }: PortalLinkOrder): string {
  return `${fromMinorUnits(amountMinor, currency)} ${currency}`;
}

interface Texts {
  link(facts: { merchantName: string; amount: string; description: string; url: string; until: string }): { subject: string; text: string };
  paid(facts: { merchantName: string; amount: string; description: string; late: boolean; url: string }): { subject: string; text: string };
}

const TEXTS: Readonly<Record<Locale, Texts>> = {
  it: {
    link: ({ merchantName, amount, description, url, until }) => ({
      subject: `Pagamento di ${amount} a ${merchantName}`,
      text: lines(
        "Buongiorno,",
        `${merchantName} ti chiede di pagare ${amount} per:\n${description}`,
        `Per pagare con carta, apri questo indirizzo:\n${url}`,
        `Puoi pagare fino a ${until}.`,
        "Se non ti aspettavi questo messaggio, ignoralo: non succede nulla.",
      ),
    }),
    paid: ({ merchantName, amount, description, late, url }) => ({
      subject: `Pagato: ${amount} a ${merchantName}`,
      text: lines(
        "Buongiorno,",
        `un link di pagamento di ${merchantName} è stato pagato: ${amount} per:\n${description}`,
        ...(late ? ["È stato pagato dopo l'annullamento o la scadenza: decidi se tenere il pagamento o rimborsarlo."] : []),
        `I dettagli sono nel portale:\n${url}`,
      ),
    }),
  },
  en: {
    link: ({ merchantName, amount, description, url, until }) => ({
      subject: `Payment of ${amount} to ${merchantName}`,
      text: lines(
        "Hello,",
        `${merchantName} asks you to pay ${amount} for:\n${description}`,
        `To pay by card, open this address:\n${url}`,
        `You can pay until ${until}.`,
        "If you did not expect this message, ignore it: nothing happens without you.",
      ),
    }),
    paid: ({ merchantName, amount, description, late, url }) => ({
      subject: `Paid: ${amount} to ${merchantName}`,
      text: lines(
        "Hello,",
        `a payment link of ${merchantName} was paid: ${amount} for:\n${description}`,
        ...(late ? ["It was paid after it had been cancelled or had expired: decide whether you keep the payment or refund it."] : []),
        `The details are in the portal:\n${url}`,
      ),
    }),
  },
};

function lines(...paragraphs: string[]): string {
  return `${paragraphs.join("\n\n")}\n`;
}
