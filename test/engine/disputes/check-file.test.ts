import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkFile } from "../../../engine/disputes/check-file.ts";

const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "utf8") : Buffer.from(part)))));

/** Makes an uncompressed archive with these names and no contents. */
export function zip(...names: string[]): Uint8Array {
  const heads: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const name of names) {
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(name.length, 26);
    heads.push(head, Buffer.from(name));
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    entries.push(entry, Buffer.from(name));
    at += 30 + name.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(names.length, 8);
  end.writeUInt16LE(names.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return new Uint8Array(Buffer.concat([...heads, directory, end]));
}

const PDF = bytes("%PDF-1.7\n");
const PNG = bytes([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]);
const JPG = bytes([0xff, 0xd8, 0xff, 0xe0]);
const COMPOUND = bytes([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const XLSX = zip("[Content_Types].xml", "xl/workbook.xml", "xl/printerSettings/printerSettings1.bin");
const XLSM = zip("[Content_Types].xml", "xl/workbook.xml", "xl/vbaProject.bin");
const DOCX = zip("[Content_Types].xml", "word/document.xml");
const HTML = bytes("<!DOCTYPE html><script>alert(1)</script>");
const MB = 1_048_576;

const padded = (head: Uint8Array, length: number) => {
  const all = new Uint8Array(length);
  all.fill(0x20);
  all.set(head);
  return all;
};

describe("checkFile", () => {
  const TAKEN: [name: string, contents: Uint8Array, type: string][] = [
    ["a.pdf", PDF, "application/pdf"],
    ["A.PDF", PDF, "application/pdf"],
    ["9.9.pdf", padded(PDF, Math.floor(9.9 * MB)), "application/pdf"],
    ["10.pdf", padded(PDF, 10 * MB), "application/pdf"],
    ["a.png", PNG, "image/png"],
    ["a.jpg", JPG, "image/jpeg"],
    ["a.jpeg", JPG, "image/jpeg"],
    ["a.gif", bytes("GIF89a", [1, 0, 1, 0]), "image/gif"],
    ["a.webp", bytes("RIFF", [4, 0, 0, 0], "WEBPVP8 "), "image/webp"],
    ["a.heic", bytes([0, 0, 0, 24], "ftypheic", [0, 0, 0, 0], "mif1heic"), "image/heic"],
    ["IMG_1.HEIC", bytes([0, 0, 0, 24], "ftypmif1", [0, 0, 0, 0], "mif1heic", "\n"), "image/heic"],
    ["a.csv", bytes("date;amount\r\n2026-01-31;12,50 \u20ac\n"), "text/csv"],
    ["a.csv", bytes([0xef, 0xbb, 0xbf], "a,b\n1 < 2,x"), "text/csv"],
    ["a.txt", bytes("Dear bank,\n\tit was 3 < 4.\n"), "text/plain"],
    ["a.docx", DOCX, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
    ["a.xlsx", XLSX, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
    ["a.doc", COMPOUND, "application/msword"],
    ["a.xls", COMPOUND, "application/vnd.ms-excel"],
  ];
  for (const [name, contents, type] of TAKEN) {
    it(`accepts ${name} of ${contents.length} bytes as ${type}`, () => assert.deepEqual(checkFile(name, contents), { name, type }));
  }

  const REFUSED: [what: string, name: string, contents: Uint8Array, why: string][] = [
    ["10.1 MB", "a.pdf", padded(PDF, Math.ceil(10.1 * MB)), "too_large"],
    ["one byte too many", "a.pdf", padded(PDF, 10 * MB + 1), "too_large"],
    ["nothing", "a.pdf", new Uint8Array(), "empty"],
    ["HTML", "a.html", HTML, "type"],
    ["HTML that is called a PDF", "a.pdf", HTML, "type"],
    ["HTML that is called a picture", "a.png", HTML, "type"],
    ["HTML that is called a table", "a.csv", HTML, "type"],
    ["HTML that is called a text", "a.txt", bytes("\n  <html>"), "type"],
    ["HTML behind a byte order mark", "a.txt", bytes([0xef, 0xbb, 0xbf], "<p>"), "type"],
    ["HTML within a text", "a.csv", bytes("a,b\n<script src=x>"), "type"],
    ["SVG that is called a text", "a.txt", bytes('<?xml version="1.0"?><svg/>'), "type"],
    ["a picture of another kind", "a.gif", PNG, "type"],
    ["an archive of pieces that holds no WebP", "a.webp", bytes("RIFF", [4, 0, 0, 0], "WAVEfmt "), "type"],
    ["a film that is called a picture", "a.heic", bytes([0, 0, 0, 20], "ftypisom", [0, 0, 0, 0], "isom"), "type"],
    ["brands that are cut off", "a.heic", bytes([0, 0, 1, 0], "ftypheic", [0, 0, 0, 0]), "type"],
    ["a document with two parts of one name", "a.docx", zip("[Content_Types].xml", "word/document.xml", "word/Document.xml"), "type"],
    ["SVG", "a.svg", bytes("<svg/>"), "type"],
    ["xlsm", "a.xlsm", XLSM, "type"],
    ["xlsm that is called xlsx", "a.xlsx", XLSM, "type"],
    ["docm that is called docx", "a.docx", zip("[Content_Types].xml", "word/document.xml", "word/vbaProject.bin"), "type"],
    ["a document with a file in it", "a.docx", zip("[Content_Types].xml", "word/document.xml", "word/embeddings/oleObject1.bin"), "type"],
    ["an archive that is called xlsx", "a.xlsx", zip("a.exe"), "type"],
    ["a sheet that is called docx", "a.docx", XLSX, "type"],
    ["an archive without its end", "a.xlsx", XLSX.subarray(0, XLSX.length - 4), "type"],
    ["an archive with something behind it", "a.xlsx", bytes([...XLSX], "x"), "type"],
    ["an archive that counts wrong", "a.xlsx", wrongCount(XLSX), "type"],
    ["a picture that is called a PDF", "a.pdf", PNG, "type"],
    ["a PDF with something before it", "a.pdf", bytes("x%PDF-1.7"), "type"],
    ["an old document that is called docx", "a.docx", COMPOUND, "type"],
    ["NUL in a table", "a.csv", bytes("a,b\u0000"), "type"],
    ["what is not UTF-8", "a.txt", bytes([0xff, 0xfe, 0x41, 0x00]), "type"],
    ["a program", "a.exe", bytes("MZ"), "type"],
    ["no ending", "receipt", PDF, "type"],
    ["nothing but an ending", ".pdf", PDF, "type"],
    ["another ending behind it", "a.pdf.exe", PDF, "type"],
    ["a name of no characters", "folder/", PDF, "name"],
    ["a name with a line end", "a\n.pdf", PDF, "name"],
    ["a name that is turned round", "a\u202efdp.pdf", PDF, "name"],
    ["a name that is too long", `${"a".repeat(200)}.pdf`, PDF, "name"],
  ];
  for (const [what, name, contents, why] of REFUSED) it(`rejects ${what}`, () => assert.equal(checkFile(name, contents), why));

  it("removes folders and card numbers from a name", () => {
    assert.deepEqual(checkFile("C:\\evidence\\4111111111111111.pdf", PDF), { name: "411111******1111.pdf", type: "application/pdf" });
    assert.deepEqual(checkFile("../../etc/a.pdf", PDF), { name: "a.pdf", type: "application/pdf" });
  });
});

function wrongCount(archive: Uint8Array): Uint8Array {
  const copy = Buffer.from(archive);
  copy.writeUInt16LE(1, copy.length - 22 + 10);
  return new Uint8Array(copy);
}
