/** What a mail is about; its metric and its line in the administrators' list. */
export const MAIL_KINDS = [
  "invitation",
  "password-reset",
  "security-notice",
  "payment-link",
  "payment-link-paid",
  "dispute-received",
  "dispute-reminder",
  "subscription-payment",
  "subscription-failed",
  "subscription-reminder",
  "subscription-recovered",
] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** A mail that is owed. Its text may hold a link with a token: it is stored sealed, and never logged. */
export interface Mail {
  /** Unique, of letters, digits and `_.-`, and no secret: a mail with the same id is the same mail. */
  id: string;
  kind: MailKind;
  /** One address. */
  to: string;
  subject: string;
  /** Plain text. */
  text: string;
  /** Whose it is; null for none. */
  merchantId: string | null;
}

/**
 * The port to whoever delivers mail; ends within a minute. Rejects with MailNotSent where it is not known or temporary; `refused` for good (no such
 * address).
 */
export interface Mailer {
  send(mail: Mail): Promise<"sent" | "refused">;
}

/** The mail was not taken, or it is not known whether it was. The message is for the log: it quotes nothing of the mail, and no address. */
export class MailNotSent extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "MailNotSent";
  }
}
