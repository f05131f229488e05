import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/**
 * HTTP signatures as draft-cavage-http-signatures-10 describes them, and `hs2019` of later drafts, with shared secrets (http/gateway/PROTOCOL.md):
 * an HMAC over the request line's target with its query, the host, a date, a salt and, for POST, the digest of the body. One file
 * both signs and verifies; it reads no clock and makes no salt of its own.
 */

export type SignatureAlgorithm = "hmac-sha256" | "hmac-sha512";

/** A request as it is on the wire. Header names are lower-case; a header that came more than once has its values joined by ", ". */
export interface SignedRequest {
  method: string;
  /** Path and query, as in the request line. */
  target: string;
  header(name: string): string | undefined;
  body: Uint8Array;
}

/** The parameters of a `Signature` header; not to be trusted before `verifySignature`. */
export interface SignatureParameters {
  keyId: string;
  algorithm: SignatureAlgorithm;
  /** Names of the signed headers, in order. A signer that names none signs `date` alone. */
  headers: readonly string[];
  /** Seconds since the epoch, if the signer gave them. */
  created: number | null;
  expires: number | null;
  signature: Buffer;
}

export type SignatureVerdict =
  /** `nonce` identifies this request: its signed date and salt. */
  { type: "verified"; keyId: string; nonce: string; salt: string } | { type: "refused"; reason: string };

/** Maximum difference between a signer's clock and ours. For as long a request could be repeated and has to be remembered. */
export const SIGNATURE_SKEW_MAX_MS = 300_000;

/** A signature over all headers in use takes a few hundred characters. */
const PARAMETERS_LENGTH_MAX = 4_096;
const SIGNED_HEADERS_MAX = 32;

export const SALT_LENGTH_MAX = 128;

const HASHES: Record<SignatureAlgorithm, string> = { "hmac-sha256": "sha256", "hmac-sha512": "sha512" };
const SHA512_BYTES = 64;

class SignatureMalformed extends Error {}

/** The `Digest` header of a body. */
export function digestHeader(body: Uint8Array): string {
  return `SHA-256=${createHash("sha256").update(body).digest("base64")}`;
}

/** The headers of a signed request, in addition to `Host`. */
export function signRequest(options: {
  method: "GET" | "POST";
  target: string;
  host: string;
  body: Uint8Array;
  keyId: string;
  secret: string;
  algorithm: SignatureAlgorithm;
  atMs: number;
  /** Never used before with this key. */
  salt: string;
}): { [name: string]: string } {
  const { method, target, host, body, keyId, secret, algorithm, atMs, salt } = options;
  const headers: { [name: string]: string } = { date: new Date(atMs).toUTCString(), "x-signature-salt": salt };
  const names = ["(request-target)", "host", "date", "x-signature-salt"];
  if (method === "POST") {
    headers["digest"] = digestHeader(body);
    names.push("digest");
  }
  const text = signingString({ headers: names, created: null, expires: null }, method, target, (name) =>
    name === "host" ? host : headers[name],
  );
  const signature = createHmac(HASHES[algorithm], secret).update(text).digest("base64");
  headers["authorization"] = `Signature keyId="${keyId}",algorithm="${algorithm}",headers="${names.join(" ")}",signature="${signature}"`;
  return headers;
}

/**
 * Verifies a signature: returns the signer, or why it is refused. `secretOf` returns null for an unknown key; the refusal then has the same
 * text and takes the same time as for a wrong signature.
 */
export function verifySignature(request: SignedRequest, secretOf: (keyId: string) => string | null, nowMs: number): SignatureVerdict {
  try {
    const parameters = parseSignature(request);
    requireCovered(request, parameters);
    requireTimely(request, parameters, nowMs);
    const salt = saltOf(request);
    const text = signingString(parameters, request.method, request.target, request.header);
    const secret = secretOf(parameters.keyId);
    const expected = createHmac(HASHES[parameters.algorithm], secret ?? "no such key")
      .update(text)
      .digest();
    const matches = sameBytes(expected, parameters.signature);
    if (secret === null || !matches) return refused("does not match the request");
    // After the signature: a digest that is not signed proves nothing.
    if (request.method === "POST") requireDigest(request);
    const time = parameters.headers.includes("date") ? (request.header("date") ?? "") : String(parameters.created);
    return { type: "verified", keyId: parameters.keyId, nonce: `${time} ${salt}`, salt };
  } catch (error) {
    if (error instanceof SignatureMalformed) return refused(error.message);
    throw error;
  }
}

/** The text that is signed: one line for each name, in order. */
function signingString(
  { headers, created, expires }: { headers: readonly string[]; created: number | null; expires: number | null },
  method: string,
  target: string,
  header: (name: string) => string | undefined,
): string {
  const lines = headers.map((name) => {
    switch (name) {
      case "(request-target)":
        return `(request-target): ${method.toLowerCase()} ${target}`;
      case "(created)":
        return `(created): ${required(created, "has no created, which the signature covers")}`;
      case "(expires)":
        return `(expires): ${required(expires, "has no expires, which the signature covers")}`;
      default: {
        if (name.startsWith("(")) throw new SignatureMalformed(`covers ${name}, which is not supported`);
        return `${name}: ${required(header(name), `covers the header ${name}, which the request does not have`).trim()}`;
      }
    }
  });
  return lines.join("\n");
}

const PARAMETER = /\s*([A-Za-z]+)\s*=\s*(?:"([^"]*)"|(\d{1,12}))\s*(?:,|$)/y;

function parseSignature({ header }: SignedRequest): SignatureParameters {
  const authorization = header("authorization") ?? "";
  const text = /^signature\s+/i.test(authorization) ? authorization.replace(/^signature\s+/i, "") : header("signature");
  if (text === undefined) throw new SignatureMalformed("is missing: the header Authorization must have the scheme Signature");
  if (text.length > PARAMETERS_LENGTH_MAX) throw new SignatureMalformed(`is longer than ${PARAMETERS_LENGTH_MAX} characters`);
  const found = new Map<string, string>();
  PARAMETER.lastIndex = 0;
  while (PARAMETER.lastIndex < text.length) {
    const [whole, name, quoted, number] = PARAMETER.exec(text) ?? [];
    if (whole === undefined || name === undefined) throw new SignatureMalformed('is not a list of name="value"');
    if (found.has(name)) throw new SignatureMalformed(`gives ${name} twice`);
    found.set(name, quoted ?? number ?? "");
  }
  const parameter = (name: string) => required(found.get(name) || undefined, `has no ${name}`);
  const headers = headersOf(found.get("headers"));
  if (headers.length > SIGNED_HEADERS_MAX) throw new SignatureMalformed(`covers more than ${SIGNED_HEADERS_MAX} headers`);
  if (new Set(headers).size < headers.length) throw new SignatureMalformed("covers a header twice");
  const signature = parameter("signature");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(signature)) throw new SignatureMalformed("is not Base64");
  const signatureBytes = Buffer.from(signature, "base64");
  return {
    keyId: parameter("keyId"),
    algorithm: algorithmOf(found.get("algorithm"), signatureBytes),
    headers,
    created: secondsOf(found.get("created"), "created"),
    expires: secondsOf(found.get("expires"), "expires"),
    signature: signatureBytes,
  };
}

/**
 * The algorithm that the signer names, or, without a name or with `hs2019` ("that of the key"), the one of the two whose signatures have this length: a secret here
 * is good for both.
 */
function algorithmOf(text: string | undefined, signature: Buffer): SignatureAlgorithm {
  const name = text?.toLowerCase();
  if (name === "hmac-sha256" || name === "hmac-sha512") return name;
  if (name === undefined || name === "hs2019") return signature.length === SHA512_BYTES ? "hmac-sha512" : "hmac-sha256";
  throw new SignatureMalformed("has an algorithm other than hmac-sha256, hmac-sha512 and hs2019");
}

function headersOf(text: string | undefined): readonly string[] {
  if (text === undefined) return ["date"];
  if (text.trim() === "") throw new SignatureMalformed("has an empty list of headers");
  return text.trim().toLowerCase().split(/\s+/);
}

function secondsOf(text: string | undefined, name: string): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,12}$/.test(text)) throw new SignatureMalformed(`has a ${name} that is not a number of seconds`);
  return Number(text);
}

function requireCovered({ method }: SignedRequest, { headers }: SignatureParameters): void {
  const needed = ["(request-target)", "host", "x-signature-salt", ...(method === "POST" ? ["digest"] : [])];
  const missing = needed.filter((name) => !headers.includes(name));
  if (missing.length > 0) throw new SignatureMalformed(`does not cover ${missing.join(", ")}`);
  if (!headers.includes("date") && !headers.includes("(created)")) throw new SignatureMalformed("covers neither date nor (created)");
}

function requireTimely({ header }: SignedRequest, { headers, created, expires }: SignatureParameters, nowMs: number): void {
  if (headers.includes("date")) {
    const dateMs = Date.parse(header("date") ?? "");
    if (Number.isNaN(dateMs)) throw new SignatureMalformed("has a Date that is not an HTTP date");
    requireNear(dateMs, "Date", nowMs);
  }
  if (headers.includes("(created)") && created !== null) requireNear(created * 1_000, "created", nowMs);
  if (expires !== null && expires * 1_000 < nowMs) throw new SignatureMalformed("has expired");
}

function requireNear(timeMs: number, name: string, nowMs: number): void {
  if (Math.abs(timeMs - nowMs) <= SIGNATURE_SKEW_MAX_MS) return;
  throw new SignatureMalformed(`has a ${name} more than ${SIGNATURE_SKEW_MAX_MS / 1_000} seconds from the relay's clock`);
}

function saltOf({ header }: SignedRequest): string {
  const salt = header("x-signature-salt") ?? "";
  if (salt === "" || salt.length > SALT_LENGTH_MAX) {
    throw new SignatureMalformed(`needs an X-signature-salt of 1 to ${SALT_LENGTH_MAX} characters`);
  }
  return salt;
}

function requireDigest({ header, body }: SignedRequest): void {
  const digest = header("digest") ?? "";
  if (!/^sha-256=/i.test(digest)) throw new SignatureMalformed("needs a Digest of the form SHA-256=<Base64>");
  if (sameBytes(Buffer.from(digest.slice(8), "base64"), createHash("sha256").update(body).digest())) return;
  throw new SignatureMalformed("has a Digest that does not match the body");
}

function required<T>(value: T | null | undefined, reason: string): T {
  if (value === undefined || value === null) throw new SignatureMalformed(reason);
  return value;
}

function sameBytes(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

function refused(reason: string): SignatureVerdict {
  return { type: "refused", reason: `The signature ${reason}.` };
}
