import { inflateRawSync } from "node:zlib";

/** The files of a zip archive, read by its directory at the end. A reader of its own: what wrote the file is not to say what is in it. */
export function unzip(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from("PK\u0005\u0006", "latin1"));
  const count = archive.readUInt16LE(end + 10);
  let at = archive.readUInt32LE(end + 16);
  const files = new Map<string, Buffer>();
  for (let index = 0; index < count; index += 1) {
    const [method, bytes] = [archive.readUInt16LE(at + 10), archive.readUInt32LE(at + 20)];
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset));
    const name = archive.toString("utf8", at + 46, at + 46 + (nameLength ?? 0));
    const local = archive.readUInt32LE(at + 42);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const packed = archive.subarray(start, start + bytes);
    files.set(name, method === 0 ? packed : inflateRawSync(packed));
    at += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0);
  }
  return files;
}

export interface ReadCell {
  /** What it looks like: a text, a number (also of a date), a formula. */
  readonly type: "text" | "number" | "formula";
  readonly value: string;
  /** How a number is shown. */
  readonly format: string;
}

export interface ReadSheet {
  readonly name: string;
  readonly rows: readonly (readonly (ReadCell | null)[])[];
}

/** The first sheet of a workbook. */
export function readXlsx(file: Buffer): ReadSheet {
  const files = unzip(file);
  const text = (name: string) => files.get(name)?.toString("utf8") ?? "";
  const strings = [...text("xl/sharedStrings.xml").matchAll(/<si>(.*?)<\/si>/gs)].map(([, si = ""]) =>
    [...si.matchAll(/<t[^>]*?(?:\/>|>(.*?)<\/t>)/gs)].map(([, part = ""]) => unescaped(part)).join(""),
  );
  const styles = text("xl/styles.xml");
  const formats = new Map(
    [...styles.matchAll(/<numFmt ([^>]*?)\/>/g)].map(([, attributes = ""]) => [
      attribute(attributes, "numFmtId"),
      unescaped(attribute(attributes, "formatCode")),
    ]),
  );
  const cellXfs = /<cellXfs[^>]*>(.*?)<\/cellXfs>/s.exec(styles)?.[1] ?? "";
  const xfs = [...cellXfs.matchAll(/<xf ([^>]*?)\/?>/g)].map(([, attributes = ""]) => formats.get(attribute(attributes, "numFmtId")) ?? "");
  const sheet = text([...files.keys()].find((name) => /^xl\/worksheets\/sheet[^/]*\.xml$/.test(name)) ?? "");
  const rows = [...sheet.matchAll(/<row [^>]*?(?:\/>|>(.*?)<\/row>)/gs)].map(([, row = ""]) => {
    const cells: (ReadCell | null)[] = [];
    for (const [, attributes = "", inside = ""] of row.matchAll(/<c ([^>]*?)(?:\/>|>(.*?)<\/c>)/gs)) {
      const column = columnOf(attribute(attributes, "r"));
      while (cells.length < column) cells.push(null);
      const raw = /<v>(.*?)<\/v>/s.exec(inside)?.[1];
      const format = xfs[Number(attribute(attributes, "s"))] ?? "";
      if (inside.includes("<f>")) cells.push({ type: "formula", value: inside, format });
      else if (raw === undefined) cells.push(null);
      else if (attribute(attributes, "t") === "s") cells.push({ type: "text", value: strings[Number(raw)] ?? "", format });
      else cells.push({ type: "number", value: raw, format });
    }
    return cells;
  });
  return { name: unescaped(/<sheet [^>]*name="([^"]*)"/.exec(text("xl/workbook.xml"))?.[1] ?? ""), rows };
}

/** A date of a sheet as its clocks show it. */
export function clockOf(serial: string): string {
  return new Date(Math.round((Number(serial) - 25_569) * 86_400_000))
    .toISOString()
    .slice(0, "YYYY-MM-DDTHH:MM:SS".length)
    .replace("T", " ");
}

function attribute(attributes: string, name: string): string {
  return new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";
}

function columnOf(address: string): number {
  const letters = /^[A-Z]+/.exec(address)?.[0] ?? "A";
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function unescaped(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&#39;", "'")
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll("&amp;", "&");
}
