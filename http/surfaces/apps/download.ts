import { Type } from "@sinclair/typebox";
import type { AppPackage } from "../../../engine/apps/app-version.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { isTerminalId } from "../../../engine/kernel/identifiers.ts";
import { isNamedIn } from "../../endpoint/entity-tag.ts";
import { apps } from "./surface.ts";

/** File names of packages contain only these characters. */
const FILE_NAME = "^[A-Za-z0-9_-][A-Za-z0-9._-]*$";

const header = (description: string) => Type.Optional(Type.String({ maxLength: 256, description }));

const fileHeaders = {
  ETag: { description: "ETag of the package's bytes, which never change under one file name." },
  "Accept-Ranges": { description: "bytes" },
  "Cache-Control": { description: "The package may be cached forever." },
  "Content-Disposition": { description: "`attachment`, with the file name" },
};

/** On a 304 too, which renews what the caller has. */
const FOREVER = "public, max-age=31536000, immutable";

const APK = "application/vnd.android.package-archive";

export const downloadPackage = apps.endpoint({
  name: "downloadAppPackage",
  method: "GET",
  path: "/api/v1/app/download/{filename}",
  tags: ["Terminals"],
  summary: "Download an app package",
  description:
    "Each request may ask for one range; a request for several ranges gets the whole package. The relay sends as fast as the terminal reads, up to its own limit. The login is optional. A download is counted if the terminal sends its login, or calls from the address of its last poll or WebSocket session.",
  auth: "optionalBasic",
  rateLimit: { bucket: "app-download", perSecond: 50 },
  params: Type.Object({
    filename: Type.String({ minLength: 1, maxLength: 128, pattern: FILE_NAME, errorMessage: "is not the name of a package" }),
  }),
  query: Type.Object({
    terminalId: Type.Optional(
      Type.String({
        maxLength: 64,
        description: "A part of the address that a terminal receives; the relay uses it to count the terminal's download.",
      }),
    ),
  }),
  headers: Type.Object({
    range: header("`bytes=from-to`"),
    "if-range": header("The relay sends the range only if this ETag still matches; otherwise it sends the whole package."),
    "if-none-match": header("The response is 304 if this ETag still matches."),
    "x-terminal-id": header("Used to count the download if the address does not name the terminal."),
  }),
  responses: {
    200: { description: "The whole package.", file: true, contentType: APK, headers: fileHeaders },
    206: {
      description: "A part of the package.",
      file: true,
      contentType: APK,
      headers: { ...fileHeaders, "Content-Range": { description: "`bytes from-to/size`" } },
    },
    304: {
      description: "The caller already has the package.",
      headers: { ETag: fileHeaders.ETag, "Cache-Control": fileHeaders["Cache-Control"] },
    },
    416: {
      description: "The range lies outside the package.",
      body: Type.Object({ status: Type.Literal("error"), error: Type.String(), message: Type.String() }),
      headers: { "Content-Range": { description: "`bytes */size`" } },
    },
    ...apps.errors(400, 404, 429, 503),
  },
  handle: async ({ appCatalog, packages, recordInstall }, { params: { filename }, query, headers, caller, request: { ipAddress } }) => {
    // Only names of a version's package are opened, whatever else is in the folder.
    const version = appCatalog.byFileName(filename);
    if (version?.package == null) throw notFound();
    const stored = version.package;
    const etag = `"${stored.md5}"`;
    if (isNamedIn(headers["if-none-match"], etag)) {
      return { status: 304, headers: { ETag: etag, "Cache-Control": FOREVER } };
    }
    const range = requestedRange(stored, etag, headers);
    if (range === "outside") {
      const message = `range: the package has ${stored.bytes} bytes`;
      return { status: 416, headers: { "Content-Range": `bytes */${stored.bytes}` }, body: { status: "error", error: message, message } };
    }
    const open = await packages.open(filename);
    if (open === null) throw notFound();
    const terminalId = query.terminalId ?? headers["x-terminal-id"];
    const { start, end } = range ?? { start: 0, end: stored.bytes - 1 };
    const file = {
      offset: start,
      length: end - start + 1,
      read: open.read,
      close: (complete: boolean) => {
        // A failure to close a file that was only read does not matter.
        open.close().catch(() => {});
        // When the last byte has been sent, the terminal has the whole file, in however many parts.
        if (complete && end === stored.bytes - 1 && terminalId !== undefined && isTerminalId(terminalId)) {
          recordInstall.downloaded({ caller, ipAddress }, terminalId, version.id);
        }
      },
    };
    const common = {
      ETag: etag,
      "Accept-Ranges": "bytes",
      "Cache-Control": FOREVER,
      "Content-Disposition": `attachment; filename="${filename}"`,
    };
    if (range === null) return { status: 200, file, headers: common };
    return { status: 206, file, headers: { ...common, "Content-Range": `bytes ${start}-${end}/${stored.bytes}` } };
  },
});

/** `bytes=5-9`, `bytes=5-`, `bytes=-5` (RFC 9110, 14.1.2). Packages with range parsers call more unsatisfiable than the RFC does. */
const ONE_RANGE = /^\s*bytes\s*=\s*(\d{0,15})-(\d{0,15})\s*$/i;

/** Null for the whole package: no range, an unknown form, several ranges, or a range for another ETag. */
function requestedRange(
  { bytes }: AppPackage,
  etag: string,
  headers: { range?: string; "if-range"?: string },
): { start: number; end: number } | "outside" | null {
  const [, first = "", last = ""] = ONE_RANGE.exec(headers.range ?? "") ?? [];
  if (first === "" && last === "") return null;
  if (headers["if-range"] !== undefined && headers["if-range"].trim() !== etag) return null;
  // The last bytes; the file may have fewer than requested.
  const start = first === "" ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === "" || last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (first !== "" && last !== "" && Number(last) < start) return null;
  return start < bytes ? { start, end } : "outside";
}

function notFound(): RelayError {
  return new RelayError("not_found", "There is no such package");
}
