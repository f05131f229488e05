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
  merchantId: orNull(Type.String(), "Null if the mail belongs to no merchant."),
  state: Type.Union(
    MAIL_STATES.map((state) => Type.Literal(state)),
    {
      title: "MailState",
      description:
        "QUEUED: the mail waits for its next attempt, or stays in the outbox if no mail server is configured. SENT: a mail server has accepted it. FAILED: the mail server refused the address permanently. EXPIRED: the mail could not be sent while it was still useful.",
    },
  ),
  attempts: Type.Integer(),
  createdAt: Time,
  expiresAt: Type.String({ description: "The relay tries to send the mail until this time. ISO 8601 UTC." }),
  endedAt: orNull(Time, "When the mail was sent, failed or expired. Null while it is QUEUED."),
};
/** A mail in the list: who was written to, about what, and what became of it. */
export const MailSchema = Type.Object(mailMembers, { title: "AdminMail" });
/** The same with its text, as long as it waits in the outbox. */
export const MailWithText = Type.Object(
  {
    ...mailMembers,
    subject: orNull(Type.String(), "Null whenever `text` is null."),
    text: orNull(Type.String(), "The mail's text. Null if the installation sends mails (RELAY_SMTP_URL), and after the mail has ended."),
  },
  { title: "AdminMailWithText" },
);

export type MailJson = Static<typeof MailSchema>;
export type MailWithTextJson = Static<typeof MailWithText>;
