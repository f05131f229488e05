import type { ClientRequest, IncomingMessage } from "node:http";
import httpSignature from "http-signature";

/**
 * Options for HTTP signatures by an independent implementation (npm http-signature), with which the
 * relay's own is compared.
 */

export interface SignAs {
  keyId: string;
  secret: string;
  algorithm?: "hmac-sha256" | "hmac-sha512";
  /** Names of the signed headers. By default they are all that the protocol requires. */
  headers?: string[];
}

/** Signs a request before it is sent, after its headers are set. */
export function signIndependently(request: ClientRequest, { keyId, secret, algorithm = "hmac-sha256", headers }: SignAs): void {
  const needed = ["(request-target)", "host", "date", "x-signature-salt", ...(request.method === "POST" ? ["digest"] : [])];
  httpSignature.signRequest(request, { keyId, key: secret, algorithm, headers: headers ?? needed });
}

/** Returns the signer of a received request, or null for an invalid signature. */
export function verifyIndependently(request: IncomingMessage, secret: string): { keyId: string; headers: string[] } | null {
  // The library reads requests that a server receives, but its types describe requests that a
  // client sends.
  const parse: unknown = httpSignature.parseRequest;
  if (typeof parse !== "function") throw new Error("http-signature cannot parse");
  const parsed = parse.call(undefined, request);
  return httpSignature.verifyHMAC(parsed, secret) ? parsed.params : null;
}
