import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PDFDocument, PDFName, PDFString } from "@cantoo/pdf-lib";
import { utils, write } from "cfb";
import { strToU8, zipSync } from "fflate";
import type { DocumentKind } from "../../../engine/disputes/check-file.ts";
import { createDocumentCheck } from "../../../http/documents/document-check.ts";

const bytes = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));

/** A PDF of one page, changed by `change`. With object streams, nothing of it can be read in the bytes. */
async function pdf(change: (document: PDFDocument) => unknown = () => undefined, useObjectStreams = true): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  document.addPage().drawText("Invoice 17");
  await change(document);
  return document.save({ useObjectStreams });
}

/** An action when the document is opened. */
const opening = (action: { [member: string]: string }) => (document: PDFDocument) =>
  document.catalog.set(PDFName.of("OpenAction"), document.context.register(document.context.obj(action)));

/** A file of the form of Word and Excel before 2007. */
function compound(...streams: [path: string, content: Uint8Array][]): Uint8Array {
  const file = utils.cfb_new();
  for (const [path, content] of streams) utils.cfb_add(file, path, [...content]);
  return new Uint8Array(write(file, { type: "buffer" }));
}

/** A workbook's stream with a sheet of this type. */
function workbook(sheetType: number, isEncrypted = false): Uint8Array {
  const record = (type: number, ...data: number[]) => [type & 0xff, type >> 8, data.length, 0, ...data];
  return Uint8Array.from([
    ...record(0x0809, 0, 6, 5, 0),
    ...(isEncrypted ? record(0x002f, 0, 0) : []),
    ...record(0x0085, 0, 0, 0, 0, 0, sheetType, 2, 0, 65, 66),
    ...record(0x000a),
  ]);
}

const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

function word(relations: string, more: { [name: string]: string } = {}): Uint8Array {
  const parts = {
    "[Content_Types].xml": "<Types/>",
    "word/document.xml": "<w/>",
    "word/_rels/settings.xml.rels": `<Relationships>${relations}</Relationships>`,
    ...more,
  };
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])));
}

const relation = (type: string, more: string) =>
  `<Relationship Id="r1" Type="${RELATIONS}/${type}" Target="http://elsewhere.example/t" ${more}/>`;

const HARMLESS: [what: string, kind: DocumentKind, contents: Uint8Array][] = [
  ["a PDF", "pdf", await pdf()],
  ["a PDF without object streams", "pdf", await pdf(undefined, false)],
  ["a PDF with a link to a page of the web", "pdf", await pdf(opening({ S: "URI" }))],
  ["a PDF that is locked against changes", "pdf", await pdf((document) => document.encrypt({ ownerPassword: "o", userPassword: "" }))],
  ["a PDF without anything", "pdf", bytes("%PDF-1.7\n")],
  ["a damaged PDF that holds no object", "pdf", bytes("%PDF-1.7 0.25")],
  ["a Word file of before 2007", "doc", compound(["/WordDocument", bytes("text")], ["/1Table", bytes("t")])],
  ["an Excel file of before 2007", "xls", compound(["/Workbook", workbook(0)])],
  ["a Word file", "docx", word(relation("image", ""))],
  ["a Word file with a link", "docx", word(relation("hyperlink", 'TargetMode="External"'))],
];

const ACTIVE: [what: string, kind: DocumentKind, contents: Uint8Array][] = [
  ["a PDF with JavaScript", "pdf", await pdf((document) => document.addJavaScript("a", "app.alert(1)"))],
  ["a PDF that opens with JavaScript", "pdf", await pdf(opening({ S: "JavaScript" }))],
  ["a PDF that starts a program", "pdf", await pdf(opening({ S: "Launch" }))],
  [
    "a PDF that starts a program, its name written in codes",
    "pdf",
    bytes("%PDF-1.7\n1 0 obj<</OpenAction<</S/#4caunch/F(x)>>>>endobj\n%%EOF"),
  ],
  ["a PDF with a file in it", "pdf", await pdf((document) => document.attach(bytes("MZ"), "x.exe"))],
  ["a PDF with a form of XML", "pdf", await pdf((document) => document.catalog.set(PDFName.of("XFA"), PDFString.of("x")))],
  [
    "a PDF with JavaScript that is locked against changes",
    "pdf",
    await pdf((document) => {
      document.addJavaScript("a", "app.alert(1)");
      document.encrypt({ ownerPassword: "o", userPassword: "" });
    }),
  ],
  ["a PDF that needs a password", "pdf", await pdf((document) => document.encrypt({ ownerPassword: "o", userPassword: "u" }))],
  ["a PDF that takes minutes to read", "pdf", bytes(`%PDF-1.7\n${"1 0 obj<<".repeat(200_000)}`)],
  ["a Word file of before 2007 with macros", "doc", compound(["/WordDocument", bytes("t")], ["/Macros/VBA/_VBA_PROJECT", bytes("x")])],
  [
    "a Word file of before 2007 with a file in it",
    "doc",
    compound(["/WordDocument", bytes("t")], ["/ObjectPool/_1/\u0001Ole10Native", bytes("x")]),
  ],
  ["another document by its beginning", "doc", compound(["/Something", bytes("t")])],
  [
    "the beginning of a Word file alone",
    "doc",
    new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ...new Array<number>(504).fill(0)]),
  ],
  [
    "an Excel file of before 2007 with Visual Basic",
    "xls",
    compound(["/Workbook", workbook(0)], ["/_VBA_PROJECT_CUR/VBA/dir", bytes("x")]),
  ],
  ["an Excel file of before 2007 with a sheet of macros", "xls", compound(["/Workbook", workbook(1)])],
  ["an encrypted Excel file of before 2007", "xls", compound(["/Workbook", workbook(0, true)])],
  ["a Word file with a template from elsewhere", "docx", word(relation("attachedTemplate", 'TargetMode="External"'))],
  ["a Word file with a picture from elsewhere", "docx", word(relation("image", "TargetMode = 'External'"))],
  [
    "a Word file whose link hides a template",
    "docx",
    word(relation("hyperlink", 'TargetMode="External"') + relation("attachedTemplate", 'x=">" TargetMode="External"')),
  ],
  ["a Word file that says it in codes", "docx", word(relation("attachedTemplate", 'TargetMode="&#69;xternal"'))],
  ["a Word file in another encoding", "docx", word("", { "word/_rels/document.xml.rels": "\ufeff\u0000" })],
  [
    "a Word file with macros by its type",
    "docx",
    word("", { "[Content_Types].xml": "<Default ContentType='application/vnd.ms-word.document.macroEnabled.main+xml'/>" }),
  ],
  ["an Excel file with a workbook elsewhere", "xlsx", word(relation("externalLinkPath", 'TargetMode="External"'))],
];

describe("documents", { concurrency: 2 }, () => {
  const isActive = createDocumentCheck({ checkMs: 20_000 });
  for (const [what, kind, contents] of HARMLESS) it(`takes ${what}`, async () => assert.equal(await isActive(kind, contents), false));
  for (const [what, kind, contents] of ACTIVE.filter(([what]) => !what.includes("minutes")))
    it(`refuses ${what}`, async () => assert.equal(await isActive(kind, contents), true));

  it("refuses one that is not read in time", async () => {
    const isRead = createDocumentCheck({ checkMs: 3_000 });
    const [, kind, contents] = ACTIVE.find(([what]) => what.includes("minutes")) ?? assert.fail();
    assert.equal(await isRead(kind, contents), true);
  });

  it("refuses more than may wait", async () => {
    const isRead = createDocumentCheck({ checkMs: 1 });
    const answers = await Promise.allSettled(Array.from({ length: 12 }, () => isRead("pdf", bytes("%PDF-1.7"))));
    const refused = answers.filter((answer) => answer.status === "rejected");
    assert.equal(refused.length, 2);
    for (const answer of refused) assert.equal(answer.reason.code, "too_busy");
  });
});
