import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import type { BlockMethod } from "./block-compression.ts";
import { CLICKHOUSE_CODE, ClickHouseError } from "./clickhouse-error.ts";

/** The users; passwords are compared as digests, in constant time. */
export interface Credentials {
  admin: { username: string; password: string };
  reader: { username: string; password: string };
}

export type Role = "admin" | "reader";

/** A way to compress a response that its client's Accept-Encoding allows. */
export type HttpEncoding = "gzip" | "deflate" | "br" | "lz4";

/** The options of a request in addition to its text. */
export interface RequestOptions {
  query: string;
  format: string;
  settings: Map<string, string>;
  parameters: Map<string, string>;
  encoding: HttpEncoding | null;
  /** How the response is compressed in ClickHouse's own way, before any `encoding`; null: not at all. */
  blocks: BlockMethod | null;
  /** The revision of ClickHouse's protocol that the client wants the Native format of; 0: none. */
  protocolVersion: number;
}

/** Parameters that are taken without an effect. */
const IGNORED_PARAMETERS = new Set([
  // Read elsewhere.
  ...["user", "password", "query_id"],
  // Every response is sent when its query has ended, and a query ends when its client leaves.
  ...["wait_end_of_query", "buffer_size", "http_wait_end_of_query", "http_response_buffer_size"],
  ...["send_progress_in_http_headers", "http_headers_progress_interval_ms", "cancel_http_readonly_queries_on_client_close"],
  // A session would keep nothing: there are no temporary tables, and SET is refused. There are no quotas either, no stack traces, and no log of queries.
  ...["session_id", "session_timeout", "close_session", "quota_key", "stacktrace", "log_comment"],
]);

/** A response that is to be compressed is compressed in the first of these that its client knows. */
const ENCODINGS: readonly HttpEncoding[] = ["gzip", "deflate", "br", "lz4"];

/** Parameters with a number above this are not those of ClickHouse. */
const PROTOCOL_VERSION_MAX = 999_999;

const DATABASES = new Set(["relay", "default"]);

/** Authenticates a request by X-ClickHouse-User and -Key, by Basic, or by the parameters user and password. Throws ClickHouseError. */
export function authenticate(request: IncomingMessage, url: URL, credentials: Credentials): Role {
  const { username, password } = givenBy(request, url);
  for (const role of ["admin", "reader"] as const) {
    if (credentials[role].username === username && same(credentials[role].password, password)) return role;
  }
  // With 401 browsers and drivers ask for a password; ClickHouse answers 403 to a wrong one.
  const status = username === "" ? 401 : 403;
  throw new ClickHouseError(
    CLICKHOUSE_CODE.authenticationFailed,
    "AUTHENTICATION_FAILED",
    "Authentication failed: password is incorrect, or there is no user with such name.",
    status,
  );
}

/**
 * Reads the parameters of the address and the headers. Throws ClickHouseError for a database other than the relay's, and for what a parameter asks of
 * ClickHouse that this server cannot do. Whatever is no parameter of the interface is a setting.
 */
export function optionsOf(request: IncomingMessage, url: URL): RequestOptions {
  const options: RequestOptions = {
    query: "",
    format: headerOf(request, "x-clickhouse-format") ?? "TabSeparated",
    settings: new Map(),
    parameters: new Map(),
    encoding: null,
    blocks: null,
    protocolVersion: 0,
  };
  const header = headerOf(request, "x-clickhouse-database");
  if (header !== undefined) assertDatabase(header);
  if (/^multipart\//i.test(headerOf(request, "content-type") ?? "")) {
    throw notImplemented("Multipart bodies (external tables, parameters in a form) are not supported; send the query as the body.");
  }
  for (const [name, value] of url.searchParams) readParameter(options, name, value);
  if (flag(url, "enable_http_compression")) options.encoding = encodingOf(headerOf(request, "accept-encoding") ?? "");
  if (flag(url, "decompress")) {
    throw notImplemented("'decompress' (bodies in ClickHouse's own compression) is not supported; use Content-Encoding.");
  }
  const method = blockMethodOf(url.searchParams.get(METHOD_PARAMETER) ?? "LZ4");
  if (flag(url, "compress")) options.blocks = method;
  if (flag(url, "session_check")) {
    throw new ClickHouseError(CLICKHOUSE_CODE.sessionNotFound, "SESSION_NOT_FOUND", "Session not found: sessions are not kept.", 404);
  }
  return options;
}

/** Which compression `compress` is. */
const METHOD_PARAMETER = "network_compression_method";

/** Read as a whole, and not one after the other: their order must not matter. */
const READ_AS_A_WHOLE = new Set(["enable_http_compression", "compress", "decompress", "session_check", METHOD_PARAMETER]);

function readParameter(options: RequestOptions, name: string, value: string): void {
  if (name === "query") options.query = value;
  else if (name === "default_format") options.format = value;
  else if (name === "database") assertDatabase(value);
  else if (name === "client_protocol_version") options.protocolVersion = protocolVersionOf(value);
  else if (name === "role") {
    throw new ClickHouseError(CLICKHOUSE_CODE.accessDenied, "ACCESS_DENIED", "Roles cannot be changed.", 403);
  } else if (name.startsWith("param_")) options.parameters.set(name.slice("param_".length), value);
  else if (!IGNORED_PARAMETERS.has(name) && !READ_AS_A_WHOLE.has(name)) options.settings.set(name, value);
}

const TRUE = new Set(["1", "true"]);

function flag(url: URL, name: string): boolean {
  const value = url.searchParams.get(name) ?? "0";
  if (TRUE.has(value)) return true;
  if (value === "0" || value === "false" || value === "") return false;
  throw badArguments(`'${name}' is 0 or 1.`);
}

/** How an error is compressed, for drivers that read nothing else, whatever else of their request was wrong. */
export function compressionOfError(request: IncomingMessage): Pick<RequestOptions, "blocks" | "encoding"> {
  const parameters = new URLSearchParams((request.url ?? "").split("?").slice(1).join("?"));
  const asked = (name: string): boolean => TRUE.has(parameters.get(name) ?? "");
  const encoding = asked("enable_http_compression") ? encodingOf(headerOf(request, "accept-encoding") ?? "") : null;
  const method = parameters.get(METHOD_PARAMETER)?.toUpperCase() === "NONE" ? "NONE" : "LZ4";
  return { blocks: asked("compress") ? method : null, encoding };
}

function blockMethodOf(value: string): BlockMethod {
  const name = value.toUpperCase();
  if (name === "NONE") return name;
  // The same for who reads it.
  if (name === "LZ4" || name === "LZ4HC") return "LZ4";
  throw notImplemented(`'${METHOD_PARAMETER}' is LZ4, LZ4HC or NONE; other compression is not supported.`);
}

function protocolVersionOf(value: string): number {
  const version = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (version <= PROTOCOL_VERSION_MAX) return version;
  throw badArguments("'client_protocol_version' is a number.");
}

function encodingOf(accepted: string): HttpEncoding | null {
  const names = accepted
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => !/;\s*q=0(\.0*)?$/.test(entry))
    .map((entry) => entry.split(";", 1)[0]);
  return ENCODINGS.find((encoding) => names.includes(encoding)) ?? null;
}

/** Reads the body, decompressed as its Content-Encoding says. Throws ClickHouseError beyond `bytesMax`. */
export async function bodyOf(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes: Buffer = chunk;
    length += bytes.length;
    if (length > bytesMax) throw tooLarge(bytesMax);
    chunks.push(bytes);
  }
  return decompressed(Buffer.concat(chunks), headerOf(request, "content-encoding"), bytesMax);
}

/** The text of a body. Throws ClickHouseError if it is not UTF-8. */
export function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw badArguments("The body is not UTF-8; binary formats are not supported.");
  }
}

const DECOMPRESS = new Map([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  ["br", promisify(brotliDecompress)],
]);

async function decompressed(bytes: Buffer, encoding: string | undefined, bytesMax: number): Promise<Buffer> {
  if (encoding === undefined || encoding === "identity" || bytes.length === 0) return bytes;
  const decompress = DECOMPRESS.get(encoding);
  if (decompress === undefined) {
    throw notImplemented("Content-Encoding must be gzip, deflate or br.");
  }
  try {
    return await decompress(bytes, { maxOutputLength: bytesMax });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(bytesMax);
    throw badArguments("The body does not match its Content-Encoding.");
  }
}

function tooLarge(bytesMax: number): ClickHouseError {
  return new ClickHouseError(CLICKHOUSE_CODE.queryIsTooLarge, "QUERY_IS_TOO_LARGE", `The body may have at most ${bytesMax} bytes.`, 413);
}

function badArguments(text: string): ClickHouseError {
  return new ClickHouseError(CLICKHOUSE_CODE.badArguments, "BAD_ARGUMENTS", text, 400);
}

function notImplemented(text: string): ClickHouseError {
  return new ClickHouseError(CLICKHOUSE_CODE.notImplemented, "NOT_IMPLEMENTED", text, 501);
}

function givenBy(request: IncomingMessage, url: URL): { username: string; password: string } {
  const user = headerOf(request, "x-clickhouse-user");
  if (user !== undefined) return { username: user, password: headerOf(request, "x-clickhouse-key") ?? "" };
  const basic = /^Basic ([A-Za-z0-9+/=_-]+)$/i.exec(request.headers.authorization ?? "")?.[1];
  if (basic !== undefined) {
    const text = Buffer.from(basic, "base64").toString("utf8");
    const colon = text.indexOf(":");
    return colon < 0 ? { username: text, password: "" } : { username: text.slice(0, colon), password: text.slice(colon + 1) };
  }
  return { username: url.searchParams.get("user") ?? "", password: url.searchParams.get("password") ?? "" };
}

function assertDatabase(name: string): void {
  if (name === "" || DATABASES.has(name)) return;
  throw new ClickHouseError(81, "UNKNOWN_DATABASE", "The only database is 'relay'.", 404);
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function same(expected: string, given: string): boolean {
  return timingSafeEqual(digest(expected), digest(given));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
