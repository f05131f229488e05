import { type Mail, type Mailer, MailNotSent } from "../../engine/mails/mail.ts";
import { LOGO_CID } from "../../engine/mails/mail-html.ts";

/** A whole attempt, connection and turn in the pool included; less than the lease of an attempt, so that none is sent twice because it was slow. */
const DEADLINE_MS = 60_000;

/** What each step may take: a server that does not answer within it will not, and the mail is tried again. */
const CONNECT_MS = 10_000;
const GREETING_MS = 10_000;
const SILENCE_MS = 20_000;

/** Connections of one shard, and how long one waits for the next mail: an installation has several shards, and servers allow few. */
const CONNECTIONS_MAX = 2;
const IDLE_MS = 10_000;
const MAILS_PER_CONNECTION_MAX = 100;

/** A reply of a server is a line or two. */
const RESPONSE_BYTES_MAX = 16_384;

export interface SmtpOptions {
  host: string;
  port: number;
  /** TLS from the first byte (smtps). */
  secure: boolean;
  /** Refuses a server that does not offer STARTTLS; says nothing where `secure` is set. */
  requireTls: boolean;
  login: { user: string; password: string } | null;
  /** The sender, as `name <address>` or an address. */
  from: string;
  /** For tests: certificates that are trusted beside the usual. */
  ca?: string;
  deadlineMs?: number;
}

export interface SmtpMailer extends Mailer {
  /** Ends idle connections; mails under way fail, and are tried again. */
  close(): void;
}

/** Hands mails to an SMTP server. Nothing of a mail, and nothing that the server says, gets into an error: servers repeat addresses. */
export function createSmtpMailer({ host, port, secure, requireTls, login, from, ca, deadlineMs = DEADLINE_MS }: SmtpOptions): SmtpMailer {
  let transport: ReturnType<typeof connect> | null = null;

  /** The library is loaded with the first mail. */
  async function connect() {
    const { createTransport } = await import("nodemailer");
    const made = createTransport(
      {
        ...{ pool: true, maxConnections: CONNECTIONS_MAX, maxMessages: MAILS_PER_CONNECTION_MAX, idleTimeout: IDLE_MS },
        // A connection that closes leaves it unknown whether the mail was taken: it is tried again by its schedule, not at once.
        maxRequeues: 0,
        ...{ host, port, secure, requireTLS: requireTls && !secure },
        ...{ connectionTimeout: CONNECT_MS, greetingTimeout: GREETING_MS, socketTimeout: SILENCE_MS, dnsTimeout: CONNECT_MS },
        maxResponseSize: RESPONSE_BYTES_MAX,
        ...(login === null ? {} : { auth: { user: login.user, pass: login.password } }),
        tls: { minVersion: "TLSv1.2", ...(ca === undefined ? {} : { ca }) },
        ...{ logger: false, debug: false, disableFileAccess: true, disableUrlAccess: true },
      },
      { from },
    );
    // Without a listener a pooled connection that breaks while nothing is sent would end the process.
    made.on("error", () => undefined);
    return made;
  }

  const domain = /@([A-Za-z0-9.-]+)>?$/.exec(from)?.[1] ?? "localhost";
  return {
    send: async (mail) => {
      try {
        transport ??= connect();
        await (await transport).sendMail({ ...contentOf(mail), signal: AbortSignal.timeout(deadlineMs) });
        return "sent";
      } catch (error) {
        if (isRefusal(error)) return "refused";
        throw new MailNotSent(reasonOf(error));
      }
    },
    close: () => void transport?.then((made) => made.close()),
  };

  function contentOf({ id, to, subject, text, html, logo }: Mail) {
    return {
      // As an object it is one address, whatever it looks like; a text would be read as a list.
      to: { name: "", address: to },
      subject,
      text,
      ...(html === undefined ? {} : { html }),
      ...(logo === undefined ? {} : { attachments: [attached(logo)] }),
      // The same for every attempt, so that servers and readers can tell a repetition.
      messageId: `<${id}@${domain}>`,
      // Nobody's absence note is answered to a machine (RFC 3834).
      headers: { "Auto-Submitted": "auto-generated" },
    };
  }
}

/** The HTML shows the logo by this id. A file name lets readers without HTML see what it is. */
function attached({ type, contents }: NonNullable<Mail["logo"]>) {
  const filename = `logo.${type.slice("image/".length)}`;
  return { filename, content: Buffer.from(contents), contentType: type, cid: LOGO_CID, contentDisposition: "inline" as const };
}

/**
 * Refused for good: by the reply to this recipient. What the server has against the relay (its login, its sender, relaying: 530, 5.7.x) or against
 * the moment may be put right while the mail is still worth something.
 */
function isRefusal(error: unknown): boolean {
  const { code, command, responseCode, response } = factsOf(error);
  if (code !== "EENVELOPE" || command !== "RCPT TO") return false;
  return responseCode !== null && responseCode >= 550 && responseCode <= 559 && !/^\d{3}[ -]5\.7\./.test(response);
}

/** Only codes: of the library, of the command and of the reply. */
function reasonOf(error: unknown): string {
  const { code, command, responseCode } = factsOf(error);
  const parts = [code, command === "" ? "" : `after ${command}`, responseCode === null ? "" : `answered ${responseCode}`];
  const known = parts.filter((part) => part !== "");
  return known.length === 0 ? "not sent" : known.join(", ");
}

const COMMANDS = /^(?:CONN|API|EHLO|HELO|STARTTLS|AUTH(?: [A-Z0-9-]{1,20})?|MAIL FROM|RCPT TO|DATA|RSET)$/;

function factsOf(error: unknown): { code: string; command: string; responseCode: number | null; response: string } {
  const facts: { readonly [name: string]: unknown } = error instanceof Error ? { ...error } : {};
  const { code, command, responseCode, response } = facts;
  return {
    code: typeof code === "string" && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? code : "",
    command: typeof command === "string" && COMMANDS.test(command) ? command : "",
    responseCode: typeof responseCode === "number" ? responseCode : null,
    response: typeof response === "string" ? response : "",
  };
}
