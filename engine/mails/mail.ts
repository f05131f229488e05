import type { LogoFile } from "../branding/branding.ts";

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
  "subscription-cancelled",
] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

export interface MailRoom {
  /** Mails of all merchants that wait. */
  readonly queuedMax: number;
  /** Mails of one merchant that wait; of one address where a mail belongs to no merchant. */
  readonly waitingMax: number;
  /** Mails of one merchant that are sent in an hour; the others wait for their turn. Null: only the server for mail sets the pace. */
  readonly perHourMax: number | null;
}

/**
 * Mails that tell of security and of deadlines have rooms of their own, so that no other mail, which
 * a user or a key causes at will, keeps them from being sent.
 */
const MAIL_ROOMS = {
  security: { queuedMax: 10_000, waitingMax: 1_000, perHourMax: 200 },
  deadlines: { queuedMax: 10_000, waitingMax: 1_000, perHourMax: 200 },
  /** An account asks for three in an hour at most (engine/accounts/password-reset.ts). */
  passwords: { queuedMax: 10_000, waitingMax: 10, perHourMax: null },
  /** An hour's fifty are a team of five with all its mails, several times over. */
  ordinary: { queuedMax: 10_000, waitingMax: 1_000, perHourMax: 50 },
  /** There are as many as there are subscriptions due. */
  subscriptions: { queuedMax: 10_000, waitingMax: 5_000, perHourMax: null },
} as const satisfies { [name: string]: MailRoom };
export type MailRoomName = keyof typeof MAIL_ROOMS;

const ROOM_OF_KIND: { readonly [Kind in MailKind]: MailRoomName } = {
  invitation: "ordinary",
  "password-reset": "passwords",
  "security-notice": "security",
  "payment-link": "ordinary",
  "payment-link-paid": "ordinary",
  "dispute-received": "deadlines",
  "dispute-reminder": "deadlines",
  "subscription-payment": "subscriptions",
  "subscription-failed": "subscriptions",
  "subscription-reminder": "subscriptions",
  "subscription-recovered": "subscriptions",
  "subscription-cancelled": "subscriptions",
};

/** The room of a kind, and all kinds that share it. */
export function roomOf(kind: MailKind): MailRoom & { readonly name: MailRoomName; readonly kinds: readonly MailKind[] } {
  const name = ROOM_OF_KIND[kind];
  return { ...MAIL_ROOMS[name], name, kinds: MAIL_KINDS.filter((other) => ROOM_OF_KIND[other] === name) };
}

/** Mails of all rooms that wait at most. */
export const QUEUED_MAX = Object.values(MAIL_ROOMS).reduce((sum, { queuedMax }) => sum + queuedMax, 0);

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
  /** The same as HTML, which loads nothing; absent in mails that older versions queued. */
  html?: string;
  /** The logo that the HTML shows. */
  logo?: LogoFile;
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
