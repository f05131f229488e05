import type { ClientRequest, IncomingMessage } from "node:http";
import httpSignature from "http-signature";

/** HTTP signatures as another implementation (npm http-signature) makes and reads them; what ours is held against. */

export interface SignAs {
  keyId: string;
  secret: string;
  algorithm?: "hmac-sha256" | "hmac-sha512";
  /** Names of what is signed; all that the protocol wants when absent. */
  headers?: string[];
}

/** Signs a request before it is sent; its headers have to be set. */
export function signIndependently(request: ClientRequest, { keyId, secret, algorithm = "hmac-sha256", headers }: SignAs): void {
  const needed = ["(request-target)", "host", "date", "x-signature-salt", ...(request.method === "POST" ? ["digest"] : [])];
  httpSignature.signRequest(request, { keyId, key: secret, algorithm, headers: headers ?? needed });
}

/** Who signed a request that a server got, or null for a signature that does not hold. */
export function verifyIndependently(request: IncomingMessage, secret: string): { keyId: string; headers: string[] } | null {
  // The library reads what a server gets; its type declarations say what a client sends.
  const parse: unknown = httpSignature.parseRequest;
  if (typeof parse !== "function") throw new Error("http-signature cannot parse");
  const parsed = parse.call(undefined, request);
  return httpSignature.verifyHMAC(parsed, secret) ? parsed.params : null;
}
