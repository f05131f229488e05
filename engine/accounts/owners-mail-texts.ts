import type { MadeByKey } from "../access/made-by-key.ts";
import type { MerchantRole } from "../access/merchant-user-grant.ts";
import { composeMail, type MailBlock, type MailText } from "../mails/mail-text.ts";
import type { KeysChange } from "../partners/replace-keys.ts";
import type { Locale } from "./account.ts";
import { type MailTextsOptions, ROLES, timeInMails } from "./mail-texts.ts";
import { SECURITY_CHANGES, type SecurityChange } from "./security-notice.ts";

/** `all factors removed`: by an administrator of the installation. */
export type FactorChange = Exclude<SecurityChange, "password changed"> | "all factors removed";

/** What owners are told of by mail. */
export type OwnersChange =
  | { readonly type: OwnerWord; readonly email: string }
  /** Users that are no owners. */
  | { readonly type: "invited by the partner" | "joined by the partner"; readonly email: string; readonly role: MerchantRole }
  | { readonly type: "factors changed"; readonly email: string; readonly change: FactorChange }
  | { readonly type: WebhookWord; readonly host: string }
  | { readonly type: "keys changed"; readonly change: KeysChange }
  /** More than are told one by one. */
  | { readonly type: "more changes" };

type OwnerWord =
  | "owner invited"
  | "owner invitation withdrawn"
  | "owner joined"
  | "owner removed"
  | "owner disabled"
  | "owner enabled"
  | "made an owner"
  | "no longer an owner";

type WebhookWord =
  | "webhook created"
  | "webhook changed"
  | "webhook removed"
  | "webhook disabled"
  | "webhook enabled"
  | "webhook secret replaced";

/** What the owners of a merchant are told of a change. */
export type OwnersMailTexts = (locale: Locale, facts: { merchantName: string; change: OwnersChange; atMs: number }) => MailText;

interface Facts {
  readonly merchantName: string;
  readonly change: OwnersChange;
  /** When, in words. */
  readonly at: string;
  /** The address of the portal, without a slash at its end. */
  readonly portal: string;
  time(atMs: number): string;
}

export function createOwnersMailTexts({ publicUrl, timeZone }: MailTextsOptions): OwnersMailTexts {
  return (locale, { merchantName, change, atMs }) => {
    const time = (ms: number) => timeInMails(locale, ms, timeZone);
    const facts = { merchantName, change, at: time(atMs), portal: `${publicUrl()}/portal`, time };
    return change.type === "keys changed" ? KEYS[locale](change.change, facts) : generalText(locale, facts);
  };
}

function generalText(locale: Locale, { merchantName, change, at, portal }: Facts): MailText {
  const { subject, hello, what, when, who, software } = GENERAL[locale];
  const also = "host" in change ? [software] : [];
  const blocks = [hello, what(change), when(at), ...also, ...who(`${portal}/audit`, `${portal}/users`)];
  return composeMail(locale, subject(merchantName), ...blocks);
}

interface GeneralTexts {
  subject(merchantName: string): string;
  readonly hello: string;
  what(change: OwnersChange): string;
  when(at: string): string;
  who(audit: string, users: string): readonly MailBlock[];
  readonly software: string;
}

const OWNERS: Readonly<Record<Locale, Readonly<Record<OwnerWord, (email: string) => string>>>> = {
  it: {
    "owner invited": (email) => `${email} è stato invitato come titolare.`,
    "owner invitation withdrawn": (email) => `L'invito di ${email} come titolare è stato ritirato.`,
    "owner joined": (email) => `${email} ha accettato l'invito ed è ora titolare.`,
    "owner removed": (email) => `${email}, titolare, è stato rimosso dagli utenti.`,
    "owner disabled": (email) => `${email}, titolare, è stato disattivato e non può più accedere.`,
    "owner enabled": (email) => `${email}, titolare, è stato riattivato.`,
    "made an owner": (email) => `${email} è ora titolare.`,
    "no longer an owner": (email) => `${email} non è più titolare.`,
  },
  en: {
    "owner invited": (email) => `${email} was invited as an owner.`,
    "owner invitation withdrawn": (email) => `The invitation of ${email} as an owner was withdrawn.`,
    "owner joined": (email) => `${email} accepted the invitation and is an owner now.`,
    "owner removed": (email) => `${email}, an owner, was removed from the users.`,
    "owner disabled": (email) => `${email}, an owner, was disabled and can no longer sign in.`,
    "owner enabled": (email) => `${email}, an owner, was enabled again.`,
    "made an owner": (email) => `${email} is an owner now.`,
    "no longer an owner": (email) => `${email} is no longer an owner.`,
  },
};

const WEBHOOKS: Readonly<Record<Locale, Readonly<Record<WebhookWord, (host: string) => string>>>> = {
  it: {
    "webhook created": (host) => `È stato creato un webhook: gli eventi vengono inviati anche a ${host}.`,
    "webhook changed": (host) => `L'indirizzo o gli eventi di un webhook sono cambiati: ora gli eventi vengono inviati a ${host}.`,
    "webhook removed": (host) => `È stato rimosso un webhook: a ${host} non viene inviato più nulla.`,
    "webhook disabled": (host) => `Un webhook è stato disattivato: a ${host} non viene inviato più nulla.`,
    "webhook enabled": (host) => `Un webhook è stato riattivato: gli eventi vengono di nuovo inviati a ${host}.`,
    "webhook secret replaced": (host) => `È stato sostituito il segreto con cui vengono firmati gli eventi per ${host}.`,
  },
  en: {
    "webhook created": (host) => `A webhook was created: events are now also sent to ${host}.`,
    "webhook changed": (host) => `The address or the events of a webhook were changed: events are now sent to ${host}.`,
    "webhook removed": (host) => `A webhook was removed: nothing is sent to ${host} any more.`,
    "webhook disabled": (host) => `A webhook was disabled: nothing is sent to ${host} any more.`,
    "webhook enabled": (host) => `A webhook was enabled: events are sent to ${host} again.`,
    "webhook secret replaced": (host) => `The secret that signs events for ${host} was replaced.`,
  },
};

const GENERAL: Readonly<Record<Locale, GeneralTexts>> = {
  it: {
    subject: (merchantName) => `Avviso di sicurezza per ${merchantName}`,
    hello: "Buongiorno,",
    what: (change) => whatOf("it", change),
    when: (at) => `Quando: ${at}.`,
    who: (audit, users) => [
      { lead: "Il registro mostra chi l'ha fatto:", button: "Apri il registro", url: audit },
      `Se nessuno di voi l'ha chiesto, controlla subito gli utenti e le sessioni, e cambia la tua password: ${users}`,
    ],
    software: "Può averlo fatto anche un vostro programma con la chiave segreta; il registro mostra solo ciò che fanno le persone.",
  },
  en: {
    subject: (merchantName) => `Security notice for ${merchantName}`,
    hello: "Hello,",
    what: (change) => whatOf("en", change),
    when: (at) => `When: ${at}.`,
    who: (audit, users) => [
      { lead: "The audit log shows who did it:", button: "Open the audit log", url: audit },
      `If none of you asked for it, check the users and sessions at once, and change your password: ${users}`,
    ],
    software: "A program of yours that has the secret key may have done it; the audit log shows only what people do.",
  },
};

function whatOf(locale: Locale, change: OwnersChange): string {
  switch (change.type) {
    case "invited by the partner":
    case "joined by the partner":
      return PARTNERS_USER[locale][change.type](change.email, ROLES[locale][change.role]);
    case "factors changed":
      return FACTORS[locale](change.email, change.change);
    case "webhook created":
    case "webhook changed":
    case "webhook removed":
    case "webhook disabled":
    case "webhook enabled":
    case "webhook secret replaced":
      return WEBHOOKS[locale][change.type](change.host);
    case "more changes":
      return MORE_CHANGES[locale];
    case "keys changed":
      // Keys have a mail of their own.
      return "";
    default:
      return OWNERS[locale][change.type](change.email);
  }
}

const MORE_CHANGES: Readonly<Record<Locale, string>> = {
  it: "In quest'ora ci sono state altre modifiche a titolari, secondi fattori, chiavi o webhook. Sono troppe per comunicarle una per una: consulta il registro.",
  en: "Owners, second factors, keys or webhooks were changed further within this hour. There are too many changes to report one by one: see the audit log.",
};

type PartnersUserWord = "invited by the partner" | "joined by the partner";

const PARTNERS_USER: Readonly<Record<Locale, Readonly<Record<PartnersUserWord, (email: string, role: string) => string>>>> = {
  it: {
    "invited by the partner": (email, role) => `Chi ti fornisce il servizio di pagamento ha invitato ${email} con il ruolo "${role}".`,
    "joined by the partner": (email, role) =>
      `${email} ha accettato l'invito di chi ti fornisce il servizio di pagamento, con il ruolo "${role}".`,
  },
  en: {
    "invited by the partner": (email, role) => `Your payment provider invited ${email} with the role "${role}".`,
    "joined by the partner": (email, role) => `${email} accepted an invitation by your payment provider, with the role "${role}".`,
  },
};

const FACTORS: Readonly<Record<Locale, (email: string, change: FactorChange) => string>> = {
  it: (email, change) =>
    `L'accesso di ${email} è stato modificato. ${change === "all factors removed" ? "Un amministratore ha rimosso il suo secondo fattore: app di autenticazione, passkey e codici di recupero." : SECURITY_CHANGES.it[change]}`,
  en: (email, change) =>
    `The sign-in of ${email} was changed. ${change === "all factors removed" ? "An administrator removed its second factor: authenticator app, passkeys and recovery codes." : SECURITY_CHANGES.en[change]}`,
};

interface MadeTexts {
  readonly ended: string;
  readonly goesOn: string;
  readonly unsure: string;
  webhook(host: string, id: string): string;
  agent(last4: string, id: string): string;
  endAt(url: string, call: string): string;
}

const MADE: Readonly<Record<Locale, MadeTexts>> = {
  it: {
    ended: "Creati con la chiave segreta precedente e terminati insieme a lei:",
    goesOn: "Creati con la chiave segreta precedente e ancora attivi. Terminate quelli che non riconoscete:",
    unsure: "Creati prima che il servizio registrasse la chiave o la persona che li ha creati. Controllate anche questi:",
    webhook: (host, id) => `webhook verso ${host} (${id})`,
    agent: (last4, id) => `credenziale di un agente, token che termina con ${last4} (${id})`,
    endAt: (url, call) => `si può terminare su ${url} (o con ${call})`,
  },
  en: {
    ended: "Created with the previous secret key, and ended with it:",
    goesOn: "Created with the previous secret key, and still active. End those that you do not recognise:",
    unsure: "Created before the service recorded which key or person creates an object. Check these too:",
    webhook: (host, id) => `webhook to ${host} (${id})`,
    agent: (last4, id) => `credential of an agent, token ending in ${last4} (${id})`,
    endAt: (url, call) => `end it at ${url} (or with ${call})`,
  },
};

const ENDED_AT: Readonly<Record<MadeByKey["type"], { page: string; call: string }>> = {
  agent_credential: { page: "agents", call: "DELETE /api/merchant/agent-credentials" },
  webhook_endpoint: { page: "webhooks", call: "DELETE /api/merchant/webhooks" },
};

/** What the former secret key made, with what ends each that goes on: the page shows one environment only. */
function madeByKey(locale: Locale, made: readonly MadeByKey[], portal: string): string[] {
  const words = MADE[locale];
  const line = ({ type, id, mark, ended }: MadeByKey) => {
    const what = type === "webhook_endpoint" ? words.webhook(mark, id) : words.agent(mark, id);
    const { page, call } = ENDED_AT[type];
    return ended ? `- ${what}` : `- ${what}: ${words.endAt(`${portal}/${page}`, `${call}/${id}`)}`;
  };
  const parts = [
    { title: words.ended, items: made.filter(({ ended }) => ended) },
    { title: words.goesOn, items: made.filter(({ ended, isCertain }) => !ended && isCertain) },
    { title: words.unsure, items: made.filter(({ ended, isCertain }) => !ended && !isCertain) },
  ];
  return parts.flatMap(({ title, items }) => (items.length === 0 ? [] : [[title, ...items.map(line)].join("\n")]));
}

const KEYS: Readonly<Record<Locale, (change: KeysChange, facts: Facts) => MailText>> = {
  it: (change, { merchantName, at, portal, time }) => {
    const url = `${portal}/keys`;
    switch (change.type) {
      case "replaced": {
        const by = change.by.type === "person" ? change.by.email : "chi ti fornisce il servizio di pagamento";
        return composeMail(
          "it",
          `Nuove chiavi API per ${merchantName}`,
          "Buongiorno,",
          ...(change.first
            ? [
                `le prime chiavi API di ${merchantName} per ${change.environment} sono state create ${at} da ${by}. Le altre chiavi restano valide.`,
              ]
            : [
                `le chiavi API di ${merchantName} per ${change.environment} sono state sostituite ${at} da ${by}. Quelle precedenti non valgono più da quel momento.`,
                "I programmi che le usano (negozio online, gestionale) non possono più incassare finché non ricevono le nuove.",
              ]),
          ...madeByKey("it", change.made, portal),
          `Se nessuno di voi l'ha chiesto, crea subito una nuova coppia su ${url}, cambia la tua password e controlla gli utenti del portale.`,
        );
      }
      case "requested":
        return composeMail(
          "it",
          `Nuove chiavi API richieste per ${merchantName}`,
          "Buongiorno,",
          `chi ti fornisce il servizio di pagamento ha chiesto ${at} nuove chiavi API di ${merchantName} per ${change.environment}. ${change.first ? "Varranno da" : "Sostituiranno quelle attuali"} ${time(change.appliesAtMs)}.`,
          `Un titolare può confermarle prima, oppure rifiutarle, su ${url}.`,
          ...madeByKey("it", change.made, portal),
          "Se non ve lo aspettavate, rifiutatele e chiedete spiegazioni a chi vi fornisce il servizio di pagamento.",
        );
      case "refused":
        return composeMail(
          "it",
          `Nuove chiavi API rifiutate per ${merchantName}`,
          "Buongiorno,",
          `le nuove chiavi API di ${merchantName} sono state rifiutate ${at} da ${change.by.type === "person" ? change.by.email : "chi ti fornisce il servizio di pagamento"}. Quelle attuali restano valide.`,
          `Le chiavi sono su ${url}.`,
        );
      case "moved":
        return composeMail(
          "it",
          `${merchantName} è ora in ${change.environment}`,
          "Buongiorno,",
          `chi ti fornisce il servizio di pagamento ha spostato ${merchantName} nell'ambiente ${change.environment} ${at}.`,
          `Le chiavi API restano nel loro ambiente: quelle dell'altro ambiente non incassano più per te. Crea le chiavi per ${change.environment} su ${url}.`,
          "Se non ve lo aspettavate, chiedete spiegazioni a chi vi fornisce il servizio di pagamento.",
        );
    }
  },
  en: (change, { merchantName, at, portal, time }) => {
    const url = `${portal}/keys`;
    switch (change.type) {
      case "replaced": {
        const by = change.by.type === "person" ? change.by.email : "your payment provider";
        return composeMail(
          "en",
          `New API keys for ${merchantName}`,
          "Hello,",
          ...(change.first
            ? [`${by} created the first API keys of ${merchantName} for ${change.environment} on ${at}. The other keys stay valid.`]
            : [
                `${by} replaced the API keys of ${merchantName} for ${change.environment} on ${at}. The previous keys have not been valid since then.`,
                "Programs that use them (a web shop, a till) cannot take payments until they have the new ones.",
              ]),
          ...madeByKey("en", change.made, portal),
          `If none of you asked for it, create a new pair at once at ${url}, change your password, and check the users of the portal.`,
        );
      }
      case "requested":
        return composeMail(
          "en",
          `New API keys requested for ${merchantName}`,
          "Hello,",
          `your payment provider requested new API keys for ${merchantName} in ${change.environment} on ${at}. They ${change.first ? "become valid on" : "replace the current ones on"} ${time(change.appliesAtMs)}.`,
          `An owner can confirm them earlier, or reject them, at ${url}.`,
          ...madeByKey("en", change.made, portal),
          "If you did not expect them, reject them, and ask your payment provider.",
        );
      case "refused":
        return composeMail(
          "en",
          `New API keys rejected for ${merchantName}`,
          "Hello,",
          `the new API keys of ${merchantName} were rejected on ${at} by ${change.by.type === "person" ? change.by.email : "your payment provider"}. The current ones stay valid.`,
          `The keys are at ${url}.`,
        );
      case "moved":
        return composeMail(
          "en",
          `${merchantName} is now in ${change.environment}`,
          "Hello,",
          `your payment provider moved ${merchantName} to the environment ${change.environment} on ${at}.`,
          `API keys keep their environment: those of the other environment no longer take payments for you. Create keys for ${change.environment} at ${url}.`,
          "If you did not expect this, ask your payment provider.",
        );
    }
  },
};
