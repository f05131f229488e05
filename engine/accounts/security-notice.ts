import { cutText } from "../kernel/cut-text.ts";
import { composeMail, type MailText } from "../mails/mail-text.ts";
import type { Locale } from "./account.ts";

/** What a person is told by mail, so that it sees what somebody else did with its account. */
export type SecurityChange =
  | "password changed"
  | "authenticator app added"
  | "authenticator app removed"
  | "passkey added"
  | "passkey removed"
  | "recovery codes replaced";

const SUBJECT: Record<Locale, string> = {
  en: "Your sign-in to the payments portal was changed",
  it: "Il suo accesso al portale dei pagamenti è stato modificato",
};

export const SECURITY_CHANGES: Record<Locale, Record<SecurityChange, string>> = {
  en: {
    "password changed": "The password was changed. All other sessions were ended.",
    "authenticator app added": "An authenticator app was added as second factor.",
    "authenticator app removed": "The authenticator app was removed.",
    "passkey added": "A passkey was added.",
    "passkey removed": "A passkey was removed.",
    "recovery codes replaced": "New recovery codes were created. The previous ones no longer work.",
  },
  it: {
    "password changed": "La password è stata cambiata. Tutte le altre sessioni sono state chiuse.",
    "authenticator app added": "È stata aggiunta un'app di autenticazione come secondo fattore.",
    "authenticator app removed": "L'app di autenticazione è stata rimossa.",
    "passkey added": "È stata aggiunta una passkey.",
    "passkey removed": "È stata rimossa una passkey.",
    "recovery codes replaced": "Sono stati creati nuovi codici di recupero. Quelli precedenti non valgono più.",
  },
};

const LABELS: Record<Locale, { readonly when: string; readonly from: string; readonly otherwise: string }> = {
  en: {
    ...{ when: "When", from: "From" },
    otherwise: "If you did not do this, ask for a new password at once, and tell the owner of your shop.",
  },
  it: {
    ...{ when: "Quando", from: "Da" },
    otherwise: "Se non è stato lei, chieda subito una nuova password e avvisi il titolare del suo esercizio.",
  },
};

const WHERE_LENGTH_MAX = 200;

/** Composes a notice. */
export function securityNotice(
  change: SecurityChange,
  { locale, atMs, ipAddress, userAgent }: { locale: Locale; atMs: number; ipAddress: string; userAgent: string },
): MailText {
  const where = cutText(userAgent === "" ? ipAddress : `${ipAddress}, ${userAgent}`, WHERE_LENGTH_MAX);
  const { when, from, otherwise } = LABELS[locale];
  const at = `${new Date(atMs).toISOString().slice(0, 19)}Z`;
  const facts = [[when, at] as const, [from, where] as const];
  return composeMail(locale, SUBJECT[locale], SECURITY_CHANGES[locale][change], { facts }, otherwise);
}
