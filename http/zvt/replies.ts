import type { ZvtReceipt } from "../../engine/zvt/zvt-payments.ts";
import { bcd, nibbles, variableLength } from "./bytes.ts";
import { encodeCodePage437 } from "./code-page-437.ts";
import { COMMANDS } from "./codes.ts";
import { type Field, writeFields } from "./fields.ts";
import type { Frame } from "./frame.ts";
import { MESSAGE_CHARACTERS_MAX, SENT_FRAME_BYTES_MAX, SLIP_LINE_CHARACTERS_MAX, SLIP_LINES_MAX } from "./limits.ts";
import { type Tlv, writeTlvs } from "./tlv.ts";

/** Frames of the terminal's side. */

const NONE = new Uint8Array(0);

export const ACKNOWLEDGEMENT: Frame = { command: COMMANDS.acknowledgement, data: NONE };

/** 84-xx-00, with data where the code asks for it. */
export function negativeAcknowledgement(code: number): Frame {
  return { command: 0x8400 | code, data: NONE };
}

/** `84 1E 01 xx`: refuses a registration, and says why. */
export function registrationRefused(code: number, currency: string | null): Frame {
  return { command: 0x841e, data: Buffer.concat([Uint8Array.of(code), currency === null ? NONE : digits(currency)]) };
}

/** 06-1E: the command came to nothing. */
export function abortion(code: number, more: readonly Field[] = []): Frame {
  return { command: COMMANDS.abort, data: Buffer.concat([Uint8Array.of(code), writeFields(more)]) };
}

/** 06-0F: the command is done. */
export function completion(): Frame {
  return { command: COMMANDS.completion, data: NONE };
}

export function registrationCompletion(tid: string, currency: string | null): Frame {
  const fields = [
    { tag: 0x19, value: Uint8Array.of(0) },
    { tag: 0x29, value: digits(tid) },
    ...(currency === null ? [] : [{ tag: 0x49, value: digits(currency) }]),
  ];
  return { command: COMMANDS.completion, data: writeFields(fields) };
}

/** The answer to 05-01: the software's version, and the terminal's status. Bitmap 19 is never in it: some registers poll again at once on it. */
export function statusCompletion(version: string, status: number): Frame {
  const text = encodeCodePage437(version.slice(0, 99));
  return { command: COMMANDS.completion, data: Buffer.concat([variableLength(text.length, 3) ?? NONE, text, Uint8Array.of(status)]) };
}

/** 04-FF with the status alone: a TLV container in it makes a widespread register library fail. */
export function intermediateStatus(status: number): Frame {
  return { command: COMMANDS.intermediateStatus, data: Uint8Array.of(status) };
}

/** HHMMSS and MMDD in the zone of the installation. */
export type LocalTimeOf = (atMs: number) => { time: string; date: string };

/**
 * 04-0F, its bitmaps in the order that old registers depend on. What does not fit its bitmap is left out; a card number that is not masked
 * never goes out.
 */
export function statusInformation(receipt: ZvtReceipt, options: { currency: boolean; localTimeOf: LocalTimeOf }): Frame {
  const { time, date } = options.localTimeOf(receipt.atMs);
  const entries: [tag: number, value: Uint8Array | null][] = [
    [0x27, Uint8Array.of(receipt.resultCode)],
    [0x04, bcd(receipt.amountCents, 6)],
    [0x0b, bcd(receipt.trace, 3)],
    [0x0c, digits(time)],
    [0x0d, digits(date)],
    [0x19, receipt.entry === "ICC" || receipt.entry === "NFC" ? Uint8Array.of(0x70) : null],
    [0x22, maskedPan(receipt.maskedPan)],
    [0x29, digits(receipt.tid)],
    [0x3b, receipt.authCode === null ? null : padded(ascii(receipt.authCode).subarray(0, 8), 8)],
    [0x49, options.currency ? digits(receipt.currency) : null],
    [0x87, bcd(receipt.receiptNo, 2)],
    [0x8a, receipt.cardType === null ? null : Uint8Array.of(receipt.cardType)],
    [0x3c, receipt.message === null ? null : encodeCodePage437(receipt.message.slice(0, MESSAGE_CHARACTERS_MAX))],
    [0x8b, receipt.cardName === null ? null : Buffer.concat([ascii(receipt.cardName).subarray(0, 98), Uint8Array.of(0)])],
  ];
  const fields = entries.flatMap(([tag, value]) => (value === null ? [] : [{ tag, value }]));
  return { command: COMMANDS.statusInformation, data: writeFields(fields) };
}

/** Values of 1F07, which says whose copy a text block is. */
const COPIES = { merchant: 1, customer: 2 } as const;

export interface SlipOptions {
  textBlocks: boolean;
  lineWidth: number | null;
}

/** The slip, the merchant's copy first, as text blocks or as single lines; longer lines go on in the next. */
export function slipFrames({ slipLines, merchantSlipLines = [] }: ZvtReceipt, options: SlipOptions): Frame[] {
  return [...copyFrames(merchantSlipLines, COPIES.merchant, options), ...copyFrames(slipLines, COPIES.customer, options)];
}

function copyFrames(lines: readonly string[], copy: number, { textBlocks: inBlocks, lineWidth }: SlipOptions): Frame[] {
  const width = lineWidth ?? SLIP_LINE_CHARACTERS_MAX;
  const cut = lines.flatMap((line) => wrapped(line.normalize("NFC"), width)).slice(0, SLIP_LINES_MAX);
  const texts = cut.map((line) => encodeCodePage437(line));
  return inBlocks ? textBlocks(texts, copy) : texts.map((text, index) => printLine(text, index === texts.length - 1));
}

/** 81 says that it is the last line. */
function printLine(text: Uint8Array, last: boolean): Frame {
  return { command: COMMANDS.printLine, data: Buffer.concat([Uint8Array.of(last ? 0x81 : 0x00), text]) };
}

/** As many blocks as it takes to keep each within one segment. */
function textBlocks(texts: readonly Uint8Array[], copy: number): Frame[] {
  const blocks: Tlv[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const text of texts) {
    // Tag, length, and some room for what surrounds all lines.
    const more = text.length + 4;
    if (bytes + more > SENT_FRAME_BYTES_MAX - 40) {
      blocks.push([]);
      bytes = 0;
    }
    blocks.at(-1)?.push({ tag: 0x07, value: text });
    bytes += more;
  }
  return blocks.map((lines, index) => {
    const end = index === blocks.length - 1 ? [{ tag: 0x09, value: Uint8Array.of(0xff) }] : [];
    const elements = [
      { tag: 0x1f07, value: Uint8Array.of(copy) },
      { tag: 0x25, value: writeTlvs([...lines, ...end]) },
    ];
    return { command: COMMANDS.printTextBlock, data: writeFields([{ tag: 0x06, value: writeTlvs(elements) }]) };
  });
}

function wrapped(line: string, width: number): string[] {
  const characters = [...line];
  if (characters.length <= width) return [line];
  const parts: string[] = [];
  for (let at = 0; at < characters.length && parts.length < SLIP_LINES_MAX; at += width)
    parts.push(characters.slice(at, at + width).join(""));
  return parts;
}

/** Digits, and E for those that are hidden; of an odd number the last half byte is an F. */
function maskedPan(text: string | null): Uint8Array | null {
  if (text === null || !/^[0-9E]{1,19}$/.test(text) || text.replaceAll("E", "").length > 10) return null;
  return nibbles(text.length % 2 === 0 ? text : `${text}F`);
}

function digits(text: string): Uint8Array {
  return nibbles(text) ?? NONE;
}

function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => (/^[\x20-\x7e]$/.test(character) ? character.charCodeAt(0) : 0x3f));
}

function padded(bytes: Uint8Array, length: number): Uint8Array {
  return Buffer.concat([bytes, new Uint8Array(length - bytes.length)]);
}
