import { type Static, Type } from "@sinclair/typebox";
import { MAIL_KINDS } from "../../../engine/mails/mail.ts";
import { MAIL_STATES } from "../../../engine/mails/mail-record.ts";
import { words } from "../parts/schemas.ts";

const Time = Type.String({ description: "ISO 8601 UTC." });
const orNull = <T extends Parameters<typeof Type.Optional>[0]>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

const mailMembers = {
  id: Type.String(),
  kind: words(MAIL_KINDS, { title: "MailKind" }),
  to: Type.String(),
  merchantId: orNull(Type.String(), "Null for a mail of no merchant."),
  state: Type.Union(
    MAIL_STATES.map((state) => Type.Literal(state)),
    {
      title: "MailState",
      description:
        "QUEUED: it waits for its next attempt, or in the outbox where nothing sends mail. SENT: a server has taken it. FAILED: the server refused the address for good. EXPIRED: it was not sent for as long as it was worth something.",
    },
  ),
  attempts: Type.Integer(),
  createdAt: Time,
  expiresAt: Type.String({ description: "Until when it is tried. ISO 8601 UTC." }),
  endedAt: orNull(Time, "Null while it is QUEUED."),
};
/** A mail in the list: who was written to, about what, and what became of it. */
export const MailSchema = Type.Object(mailMembers, { title: "AdminMail" });
/** The same with its text, as long as it waits in the outbox. */
export const MailWithText = Type.Object(
  {
    ...mailMembers,
    subject: orNull(Type.String(), "Null as `text` is."),
    text: orNull(Type.String(), "Null where mails are sent (RELAY_SMTP_URL), and once the mail has ended."),
  },
  { title: "AdminMailWithText" },
);

export type MailJson = Static<typeof MailSchema>;
export type MailWithTextJson = Static<typeof MailWithText>;
