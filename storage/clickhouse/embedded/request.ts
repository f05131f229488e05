import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { CLICKHOUSE_CODE, ClickHouseError } from "./clickhouse-error.ts";

/** The users; passwords are compared as digests, in constant time. */
export interface Credentials {
  admin: { username: string; password: string };
  reader: { username: string; password: string };
}

export type Role = "admin" | "reader";

/** The options of a request in addition to its text. */
export interface RequestOptions {
  query: string;
  format: string;
  settings: Map<string, string>;
  parameters: Map<string, string>;
  queryId: string | null;
  compress: boolean;
}

/** Parameters that are not settings and that this server ignores. */
const IGNORED_PARAMETERS = new Set([
  ...["user", "password", "session_id", "session_timeout", "session_check", "wait_end_of_query", "buffer_size", "quota_key"],
  ...["send_progress_in_http_headers", "http_headers_progress_interval_ms", "cancel_http_readonly_queries_on_client_close", "compress"],
]);

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

/** Reads the parameters of the address and the headers. Throws ClickHouseError for a database other than the relay's. */
export function optionsOf(request: IncomingMessage, url: URL): RequestOptions {
  const options: RequestOptions = {
    query: "",
    format: headerOf(request, "x-clickhouse-format") ?? "TabSeparated",
    settings: new Map(),
    parameters: new Map(),
    queryId: null,
    compress: false,
  };
  const header = headerOf(request, "x-clickhouse-database");
  if (header !== undefined) assertDatabase(header);
  for (const [name, value] of url.searchParams) readParameter(options, name, value);
  options.compress &&= /\bgzip\b/.test(headerOf(request, "accept-encoding") ?? "");
  return options;
}

function readParameter(options: RequestOptions, name: string, value: string): void {
  if (name === "query") options.query = value;
  else if (name === "default_format") options.format = value;
  else if (name === "query_id") options.queryId = value;
  else if (name === "database") assertDatabase(value);
  else if (name === "enable_http_compression") options.compress = value === "1";
  else if (name === "decompress" && value === "1") {
    throw new ClickHouseError(48, "NOT_IMPLEMENTED", "ClickHouse's own compression is not supported; use Content-Encoding.", 501);
  } else if (name === "role") {
    throw new ClickHouseError(CLICKHOUSE_CODE.accessDenied, "ACCESS_DENIED", "Roles cannot be changed.", 403);
  } else if (name.startsWith("param_")) options.parameters.set(name.slice("param_".length), value);
  else if (!IGNORED_PARAMETERS.has(name) && name !== "decompress") options.settings.set(name, value);
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
    throw new ClickHouseError(
      CLICKHOUSE_CODE.badArguments,
      "BAD_ARGUMENTS",
      "The body is not UTF-8; binary formats are not supported.",
      400,
    );
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
    throw new ClickHouseError(48, "NOT_IMPLEMENTED", "Content-Encoding must be gzip, deflate or br.", 501);
  }
  try {
    return await decompress(bytes, { maxOutputLength: bytesMax });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(bytesMax);
    throw new ClickHouseError(CLICKHOUSE_CODE.badArguments, "BAD_ARGUMENTS", "The body does not match its Content-Encoding.", 400);
  }
}

function tooLarge(bytesMax: number): ClickHouseError {
  return new ClickHouseError(CLICKHOUSE_CODE.queryIsTooLarge, "QUERY_IS_TOO_LARGE", `The body may have at most ${bytesMax} bytes.`, 413);
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
