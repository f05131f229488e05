import { maskPans } from "../kernel/mask.ts";
import { DISPUTE_FILE_BYTES_MAX, EVIDENCE_TYPES } from "./words.ts";

type Extension = keyof typeof EVIDENCE_TYPES;

const DOCUMENTS = ["pdf", "docx", "xlsx", "doc", "xls"] as const satisfies readonly Extension[];
export type DocumentKind = (typeof DOCUMENTS)[number];

/**
 * Returns true for macros, scripts, embedded files, started programs, loaded content that may do
 * this, and for unreadable documents. Rejects with RelayError `too_busy`.
 */
export type DocumentCheck = (kind: DocumentKind, contents: Uint8Array) => Promise<boolean>;

/** Null: the type cannot contain programs. */
export function documentKindOf(type: string): DocumentKind | null {
  return DOCUMENTS.find((kind) => EVIDENCE_TYPES[kind] === type) ?? null;
}

/** `type`: the type is not permitted, or the content does not match the extension. */
export type CheckedFile = { readonly name: string; readonly type: string } | "too_large" | "empty" | "type" | "name";

const NAME_LENGTH_MAX = 200;

export function checkFile(name: string, contents: Uint8Array): CheckedFile {
  if (contents.length === 0) return "empty";
  if (contents.length > DISPUTE_FILE_BYTES_MAX) return "too_large";
  const shown = shownName(name);
  if (shown === null) return "name";
  const extension = extensionOf(shown);
  if (extension === null || !IS[extension](contents)) return "type";
  return { name: shown, type: EVIDENCE_TYPES[extension] };
}

/** Returns null if nothing is left, or if the name could be displayed misleadingly. */
function shownName(name: string): string | null {
  const baseName = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1).trim();
  if (baseName.length === 0 || baseName.length > NAME_LENGTH_MAX || /[\p{C}\p{Zl}\p{Zp}]/u.test(baseName)) return null;
  return maskPans(baseName);
}

function extensionOf(name: string): Extension | null {
  const ending = /[^.]\.([A-Za-z]{3,4})$/.exec(name)?.[1]?.toLowerCase();
  return ending !== undefined && isExtension(ending) ? ending : null;
}

function isExtension(text: string): text is Extension {
  return Object.hasOwn(EVIDENCE_TYPES, text);
}

const begins = (signature: readonly number[]) => (contents: Uint8Array) => signature.every((byte, index) => contents[index] === byte);

const isJpeg = begins([0xff, 0xd8, 0xff]);
const isPng = begins([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const isGif = (contents: Uint8Array) => /^GIF8[79]a$/.test(latin1(contents, 0, 6));
const isWebp = (contents: Uint8Array) => latin1(contents, 0, 4) === "RIFF" && latin1(contents, 8, 12) === "WEBP";
const isPdf = begins([0x25, 0x50, 0x44, 0x46, 0x2d]);
/** Old Office documents are compound files, as other formats are. The extension decides. */
const isCompound = begins([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const isZip = begins([0x50, 0x4b, 0x03, 0x04]);

/** Brands of images that phones store: coded with HEVC, alone or as a sequence. */
const HEIC_BRAND = /^(?:heic|heix|heim|heis|hevc|hevx|hevm|hevs)$/;
const BRANDS_BYTES_MAX = 256;

/** A file begins with its main brand, a version and other brands. The first may be general. */
function isHeic(contents: Uint8Array): boolean {
  if (contents.length < 16 || latin1(contents, 4, 8) !== "ftyp") return false;
  const bytes = new DataView(contents.buffer, contents.byteOffset).getUint32(0);
  if (bytes < 16 || bytes > Math.min(BRANDS_BYTES_MAX, contents.length)) return false;
  const brands = [latin1(contents, 8, 12)];
  for (let at = 16; at + 4 <= bytes; at += 4) brands.push(latin1(contents, at, at + 4));
  return brands.some((brand) => HEIC_BRAND.test(brand));
}

function latin1(contents: Uint8Array, from: number, until: number): string {
  return String.fromCharCode(...contents.subarray(from, until));
}

const IS: Readonly<Record<Extension, (contents: Uint8Array) => boolean>> = {
  pdf: isPdf,
  png: isPng,
  jpg: isJpeg,
  jpeg: isJpeg,
  gif: isGif,
  webp: isWebp,
  heic: isHeic,
  csv: isPlainText,
  txt: isPlainText,
  docx: (contents) => isOffice(contents, "word/document.xml"),
  xlsx: (contents) => isOffice(contents, "xl/workbook.xml"),
  doc: isCompound,
  xls: isCompound,
};

/** Markup after so many characters is only a quotation. */
const MARKUP_CHARS = 65_536;
const BEGINS_WITH_MARKUP = /^\s*<[!?/a-z]/i;
const HOLDS_A_PAGE = /<(?:!doctype|html|head|body|script|iframe|svg|object|embed)[\s>/]/i;

/** The text must be UTF-8 without control characters, except for layout, and no web page. */
function isPlainText(contents: Uint8Array): boolean {
  const text = decoded(contents);
  if (text === null || /(?![\t\n\r\f])\p{Cc}/u.test(text)) return false;
  const head = text.slice(0, MARKUP_CHARS);
  return !BEGINS_WITH_MARKUP.test(head) && !HOLDS_A_PAGE.test(head);
}

function decoded(contents: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(contents);
  } catch {
    return null;
  }
}

const ACTIVE = /vbaproject|vbadata|macrosheets|activex|\/embeddings\/|\.bin$|\.exe$|\.dll$|\.js$|\.html?$/i;

/** Matches printer settings and fonts. They are harmless and in most printed documents. */
const HARMLESS = /(?:printersettings\/printersettings\d*\.bin|\.odttf)$/i;

function isOffice(contents: Uint8Array, mainPart: string): boolean {
  if (!isZip(contents)) return false;
  const names = namesInZip(contents);
  if (names === null || !names.includes("[Content_Types].xml") || !names.includes(mainPart)) return false;
  // If two parts have one name, programs differ in which one they read.
  if (new Set(names.map((name) => name.toLowerCase())).size !== names.length) return false;
  return !names.some((name) => ACTIVE.test(name) && !HARMLESS.test(name));
}

const END_BYTES = 22;
const COMMENT_BYTES_MAX = 65_535;
const END_SIGNATURE = 0x06054b50;
const ENTRY_BYTES = 46;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRIES_MAX = 5_000;

/** Reads the central directory. Returns null if it is invalid or larger than that of a document. */
function namesInZip(contents: Uint8Array): string[] | null {
  const view = new DataView(contents.buffer, contents.byteOffset, contents.byteLength);
  const end = endOfZip(view);
  if (end === null) return null;
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  if (count > ENTRIES_MAX) return null;
  const names: string[] = [];
  for (let index = 0; index < count; index += 1) {
    if (at + ENTRY_BYTES > end || view.getUint32(at, true) !== ENTRY_SIGNATURE) return null;
    const [name, extra, comment] = [view.getUint16(at + 28, true), view.getUint16(at + 30, true), view.getUint16(at + 32, true)];
    const from = at + ENTRY_BYTES;
    if (from + name > end) return null;
    names.push(new TextDecoder().decode(contents.subarray(from, from + name)));
    at = from + name + extra + comment;
  }
  return at === end ? names : null;
}

/** Finds the record at the end of an archive. A comment that fits exactly may follow it. */
function endOfZip(view: DataView): number | null {
  const first = Math.max(0, view.byteLength - END_BYTES - COMMENT_BYTES_MAX);
  for (let at = view.byteLength - END_BYTES; at >= first; at -= 1) {
    if (view.getUint32(at, true) === END_SIGNATURE && at + END_BYTES + view.getUint16(at + 20, true) === view.byteLength) return at;
  }
  return null;
}
