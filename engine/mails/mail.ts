/** What a mail is about; its metric and its line in the administrators' list. */
export type MailKind = "invitation" | "password-reset" | "security-notice";

/** A mail that is owed. Its text may hold a link with a token: it is stored sealed, and never logged. */
export interface Mail {
  /** Unique; a mail with the same id is the same mail. */
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

/** The port to whoever delivers mail. Rejects where it is not known or temporary; `refused` for good (no such address). */
export interface Mailer {
  send(mail: Mail): Promise<"sent" | "refused">;
}
