import { cutText } from "../kernel/cut-text.ts";

export type MailLocale = "it" | "en";

/**
 * A part of a mail, which is written as plain text and as HTML: a paragraph, facts with their
 * labels, a button (in the plain text its address after `lead`), or a quiet note.
 */
export type MailBlock =
  | string
  | { readonly facts: readonly (readonly [label: string, value: string])[] }
  | { readonly lead: string; readonly button: string; readonly url: string }
  | { readonly note: string };

export interface MailBody {
  readonly locale: MailLocale;
  readonly blocks: readonly MailBlock[];
}

/**
 * A mail in words, with its plain text. `mailHtml` makes the HTML of the body; without one the mail
 * is plain text only.
 */
export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly body?: MailBody;
}

const SUBJECT_LENGTH_MAX = 180;

/** Characters that could end the line of a header. */
const LINE_BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/**
 * Composes a mail. The subject stays in one line and within the limit of mails, whatever is in it.
 */
export function composeMail(locale: MailLocale, subject: string, ...blocks: readonly MailBlock[]): Required<MailText> {
  const line = subject.replaceAll(LINE_BREAKS, " ").trim();
  return {
    subject: line.length > SUBJECT_LENGTH_MAX ? `${cutText(line, SUBJECT_LENGTH_MAX - 1)}…` : line,
    text: `${blocks.map(plain).join("\n\n")}\n`,
    body: { locale, blocks },
  };
}

function plain(block: MailBlock): string {
  if (typeof block === "string") return block;
  if ("facts" in block) return block.facts.map(([label, value]) => `${label}: ${value}`).join("\n");
  return "note" in block ? block.note : `${block.lead}\n${block.url}`;
}

/** Texts of merchants stay within one line. Lines of their own could look like the relay's text. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{C}]+/gu, " ").trim();
}
