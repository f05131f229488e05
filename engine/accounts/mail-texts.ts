import type { MerchantRole } from "../access/merchant-user-grant.ts";
import { composeMail, type MailText } from "../mails/mail-text.ts";
import type { Locale } from "./account.ts";

/** The portal's mails to people say what to do and until when. */
export interface MailTexts {
  invitation(locale: Locale, facts: { merchantName: string; role: MerchantRole; token: string; expiresAtMs: number }): MailText;
  passwordReset(locale: Locale, facts: { token: string; expiresAtMs: number }): MailText;
  /** To who may not have done it: tells what happened, and what to do then. */
  passwordChanged(locale: Locale, facts: { atMs: number }): MailText;
  /** An administrator has removed all second factors. */
  factorsReset(locale: Locale, facts: { atMs: number }): MailText;
}

export interface MailTextsOptions {
  /** Where people reach the portal; without a slash at its end. */
  publicUrl(): string;
  /** The installation's time zone (IANA), in which times are written. */
  timeZone: string;
}

export function createMailTexts({ publicUrl, timeZone }: MailTextsOptions): MailTexts {
  const time = (locale: Locale, atMs: number) => timeInMails(locale, atMs, timeZone);
  return {
    invitation: (locale, { merchantName, role, token, expiresAtMs }) =>
      TEXTS[locale].invitation({
        ...{ merchantName, role: ROLES[locale][role] },
        url: `${publicUrl()}/portal/invitation/${token}`,
        until: time(locale, expiresAtMs),
      }),
    passwordReset: (locale, { token, expiresAtMs }) =>
      TEXTS[locale].passwordReset({ url: `${publicUrl()}/portal/reset/${token}`, until: time(locale, expiresAtMs) }),
    passwordChanged: (locale, { atMs }) => TEXTS[locale].passwordChanged({ url: `${publicUrl()}/portal`, at: time(locale, atMs) }),
    factorsReset: (locale, { atMs }) => TEXTS[locale].factorsReset({ url: `${publicUrl()}/portal`, at: time(locale, atMs) }),
  };
}

/** A time as mails write it, with the name of its zone. */
export function timeInMails(locale: Locale, atMs: number, timeZone: string): string {
  return `${TIME[locale](timeZone).format(atMs)} (${timeZone})`;
}

const FORMAT = { dateStyle: "full", timeStyle: "short" } as const;
const TIME: Readonly<Record<Locale, (timeZone: string) => Intl.DateTimeFormat>> = {
  it: (timeZone) => new Intl.DateTimeFormat("it-IT", { ...FORMAT, timeZone }),
  en: (timeZone) => new Intl.DateTimeFormat("en-GB", { ...FORMAT, timeZone }),
};

/** What the portal calls the roles. */
export const ROLES: Readonly<Record<Locale, Readonly<Record<MerchantRole, string>>>> = {
  it: { OWNER: "Titolare", ADMIN: "Amministratore", FINANCE: "Contabilità", DEVELOPER: "Sviluppatore", VIEWER: "Sola lettura" },
  en: { OWNER: "Owner", ADMIN: "Administrator", FINANCE: "Finance", DEVELOPER: "Developer", VIEWER: "Viewer" },
};

interface Texts {
  invitation(facts: { merchantName: string; role: string; url: string; until: string }): MailText;
  passwordReset(facts: { url: string; until: string }): MailText;
  passwordChanged(facts: { url: string; at: string }): MailText;
  factorsReset(facts: { url: string; at: string }): MailText;
}

const TEXTS: Readonly<Record<Locale, Texts>> = {
  it: {
    invitation: ({ merchantName, role, url, until }) =>
      composeMail(
        "it",
        `Invito al portale di ${merchantName}`,
        "Buongiorno,",
        `hai ricevuto un invito al portale dei pagamenti di ${merchantName} con il ruolo "${role}".`,
        {
          lead: "Per accettare, apri questo indirizzo e scegli una password; se hai già un account, usa la sua password:",
          button: "Accetta l’invito",
          url,
        },
        `L'invito vale una sola volta, fino a ${until}.`,
        "Dopo la password ti verrà chiesto un secondo fattore: un'app di autenticazione o una passkey. Tieni il telefono a portata di mano.",
        { note: "Se non ti aspettavi questo invito, ignora questo messaggio: se non lo accetti, non succede nulla." },
      ),
    passwordReset: ({ url, until }) =>
      composeMail(
        "it",
        "Nuova password per il portale dei pagamenti",
        "Buongiorno,",
        "qualcuno, probabilmente tu, ha chiesto una nuova password per il tuo account.",
        { lead: "Per sceglierla, apri questo indirizzo:", button: "Scegli la nuova password", url },
        `Il link vale una sola volta, fino a ${until}. Il secondo fattore resta quello di prima, e tutte le sessioni aperte verranno chiuse.`,
        { note: "Se non l'hai chiesta tu, ignora questo messaggio: la tua password non cambia." },
      ),
    passwordChanged: ({ url, at }) =>
      composeMail(
        "it",
        "La tua password è stata cambiata",
        "Buongiorno,",
        `la password del tuo account è stata cambiata ${at}. Tutte le sessioni sono state chiuse; il secondo fattore non è cambiato.`,
        "Se l'hai cambiata tu, non devi fare nulla.",
        `Se non l'hai cambiata tu, chiedi subito una nuova password con "Password dimenticata?" su ${url} e avvisa il titolare dell'esercizio.`,
      ),
    factorsReset: ({ url, at }) =>
      composeMail(
        "it",
        "Il tuo secondo fattore è stato rimosso",
        "Buongiorno,",
        `un amministratore ha rimosso ${at} il secondo fattore del tuo account: app di autenticazione, passkey e codici di recupero. Tutte le sessioni sono state chiuse.`,
        { lead: "Accedi con la tua password e configura subito un nuovo secondo fattore:", button: "Accedi", url },
        "Se non l'hai chiesto tu, configura comunque il nuovo fattore, scegli una nuova password e avvisa chi gestisce il portale.",
      ),
  },
  en: {
    invitation: ({ merchantName, role, url, until }) =>
      composeMail(
        "en",
        `Invitation to the portal of ${merchantName}`,
        "Hello,",
        `you are invited to the payments portal of ${merchantName} with the role "${role}".`,
        {
          lead: "To accept, open this address and choose a password; if you already have an account, use its password:",
          button: "Accept the invitation",
          url,
        },
        `The invitation works once, until ${until}.`,
        "After the password you are asked for a second factor: an authenticator app or a passkey. Keep your phone at hand.",
        { note: "If you did not expect this invitation, ignore this message: unless you accept it, nothing happens." },
      ),
    passwordReset: ({ url, until }) =>
      composeMail(
        "en",
        "New password for the payments portal",
        "Hello,",
        "somebody, probably you, asked for a new password for your account.",
        { lead: "To choose it, open this address:", button: "Choose the new password", url },
        `The link works once, until ${until}. Your second factor stays as it is, and all open sessions will end.`,
        { note: "If you did not ask for it, ignore this message: your password does not change." },
      ),
    passwordChanged: ({ url, at }) =>
      composeMail(
        "en",
        "Your password was changed",
        "Hello,",
        `the password of your account was changed on ${at}. All sessions have ended; your second factor has not changed.`,
        "If you changed it, there is nothing to do.",
        `If you did not change it, ask for a new password at once with "Forgot your password?" at ${url}, and tell the owner of your shop.`,
      ),
    factorsReset: ({ url, at }) =>
      composeMail(
        "en",
        "Your second factor was removed",
        "Hello,",
        `an administrator removed the second factor of your account on ${at}: authenticator app, passkeys and recovery codes. All sessions have ended.`,
        { lead: "Sign in with your password and enrol a new second factor at once:", button: "Sign in", url },
        "If you did not ask for this, enrol the factor anyway, choose a new password, and tell the people who run the portal.",
      ),
  },
};
