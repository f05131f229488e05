import { PDFArray, PDFDict, PDFDocument, PDFName, type PDFObject, PDFStream } from "@cantoo/pdf-lib";
import { find, read } from "cfb";
import { unzipSync } from "fflate";
import type { DocumentKind } from "../../engine/disputes/check-file.ts";

/**
 * Whether opening a document can run a program, open another file in it, or load something that runs from elsewhere. Rejects for a document that cannot be read.
 */
export async function hasActiveContent(kind: DocumentKind, contents: Uint8Array): Promise<boolean> {
  switch (kind) {
    case "pdf":
      return isActivePdf(contents);
    case "doc":
    case "xls":
      return isActiveCompound(kind, contents);
    case "docx":
    case "xlsx":
      return isActiveArchive(contents);
  }
}

/** Members of a PDF's dictionaries that hold a script, another file, or a form that has scripts. */
const ACTIVE_KEYS = new Set(["JavaScript", "JS", "EmbeddedFiles", "EmbeddedFile", "EF", "RichMedia", "RichMediaContent", "XFA"]);
/** Names of actions, of annotations and of types that run or hold something. */
const ACTIVE_NAMES = new Set([
  "JavaScript",
  "Launch",
  "GoToE",
  "ImportData",
  "EmbeddedFile",
  "FileAttachment",
  "RichMedia",
  "RichMediaExecute",
]);
/** The same in the bytes: an object that the library leaves out as damaged may be read by another program. */
const ACTIVE_BYTES = /\/(?:JavaScript|Launch|GoToE|EmbeddedFiles?|FileAttachment|RichMedia)(?![A-Za-z])/;

async function isActivePdf(contents: Uint8Array): Promise<boolean> {
  const text = Buffer.from(contents.buffer, contents.byteOffset, contents.byteLength).toString("latin1");
  // A name may have any of its characters as a code.
  if (ACTIVE_BYTES.test(text.replace(/#([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))))) return true;
  // Actions, scripts and files are members of dictionaries; what has none cannot run or hold anything.
  if (!text.includes("<<")) return false;
  // With the empty password that everyone opens it with; one that needs another cannot be looked into.
  const { context } = await PDFDocument.load(contents, {
    ...{ password: "", updateMetadata: false, preserveXFA: true, parseSpeed: Number.POSITIVE_INFINITY },
  });
  const left: PDFObject[] = context.enumerateIndirectObjects().map(([, object]) => object);
  for (let object = left.pop(); object !== undefined; object = left.pop()) {
    if (object instanceof PDFName) {
      if (ACTIVE_NAMES.has(object.decodeText())) return true;
    } else if (object instanceof PDFArray) left.push(...object.asArray());
    else {
      const dict = object instanceof PDFDict ? object : object instanceof PDFStream ? object.dict : null;
      for (const [key, value] of dict?.entries() ?? []) {
        if (ACTIVE_KEYS.has(key.decodeText())) return true;
        left.push(value);
      }
    }
  }
  return false;
}

/** Storages of macros and of other documents within a Word or Excel file of before 2007. */
const ACTIVE_STORAGE = /\/(?:macros|vba|_vba_project(?:_cur)?|objectpool|mbd[0-9a-f]{8}|[^/]?ole10native|package)(?:\/|$)/i;
const MAIN_STREAMS = { doc: ["/WordDocument"], xls: ["/Workbook", "/Book"] } as const;

function isActiveCompound(kind: "doc" | "xls", contents: Uint8Array): boolean {
  const file = read(contents, { type: "buffer" });
  if (file.FullPaths.some((path) => ACTIVE_STORAGE.test(path))) return true;
  const main = MAIN_STREAMS[kind].map((path) => find(file, path)).find((stream) => stream !== null);
  if (main === undefined) throw new Error(`the document has no ${MAIN_STREAMS[kind].join(" or ")}`);
  return kind === "xls" && hasMacroSheet(Uint8Array.from(main.content));
}

const SHEET_RECORD = 0x0085;
const PASSWORD_RECORD = 0x002f;
/** Types of sheets: macros of Excel 4.0, and modules of Visual Basic. */
const ACTIVE_SHEETS = new Set([1, 6]);

/** Whether one of a workbook's sheets holds macros. True for an encrypted workbook, which does not say. */
function hasMacroSheet(workbook: Uint8Array): boolean {
  const view = new DataView(workbook.buffer, workbook.byteOffset, workbook.byteLength);
  for (let at = 0; at + 4 <= view.byteLength; ) {
    const [type, length] = [view.getUint16(at, true), view.getUint16(at + 2, true)];
    if (type === PASSWORD_RECORD) return true;
    if (type === SHEET_RECORD && length >= 6 && at + 10 <= view.byteLength && ACTIVE_SHEETS.has(view.getUint8(at + 9))) return true;
    at += 4 + length;
  }
  return false;
}

/** Of a part that names others; a document with many links has some hundred kilobytes. */
const RELATIONS_BYTES_MAX = 4_194_304;

function isActiveArchive(contents: Uint8Array): boolean {
  let isTooLarge = false;
  const parts = unzipSync(contents, {
    filter: ({ name, originalSize }) => {
      if (!/(?:\.rels|\[Content_Types\]\.xml)$/i.test(name)) return false;
      isTooLarge ||= originalSize > RELATIONS_BYTES_MAX;
      return originalSize <= RELATIONS_BYTES_MAX;
    },
  });
  return isTooLarge || Object.values(parts).some((part) => isActivePart(new TextDecoder("utf-8", { fatal: true }).decode(part)));
}

/**
 * Whether a part of relations names something outside the document, other than the target of a link that a reader follows by a click. Written as XML would be by no
 * program (a document type, characters as codes), nobody knows without its own reader what it says.
 */
function isActivePart(xml: string): boolean {
  if (/&#|<!DOCTYPE|<!ENTITY|macroEnabled|\0/i.test(xml)) return true;
  const outside = xml.match(/TargetMode\s*=\s*(["'])\s*External\s*\1/gi)?.length ?? 0;
  const links = xml.match(/<[^<>]*>/g)?.filter((tag) => LINK.test(tag) && /TargetMode\s*=\s*(["'])\s*External\s*\1/i.test(tag)).length ?? 0;
  return outside !== links;
}

const LINK = /\sType\s*=\s*(["'])[^"']*\/relationships\/hyperlink\1/;
