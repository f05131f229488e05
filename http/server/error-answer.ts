import { RelayError } from "../../engine/kernel/errors.ts";
import type { AuthRequirement } from "../endpoint/endpoint.ts";
import { type ErrorEnvelope, errorReply } from "../endpoint/error-envelope.ts";
import { StoredError } from "../endpoint/idempotency.ts";
import type { Answer } from "./answer.ts";

const CHALLENGES: { readonly [Auth in AuthRequirement]?: string } = {
  partnerApi: 'Bearer realm="relay"',
  // Never Basic, although it is taken: a browser would ask for it, and remember it.
  merchantKey: 'Bearer realm="relay"',
  optionalMerchantKey: 'Bearer realm="relay"',
  merchantUserOrKey: 'Bearer realm="relay"',
  merchantUserOrAnyKey: 'Bearer realm="relay"',
  agent: 'Bearer realm="relay"',
  // No registered scheme is a cookie's, and 401 has to name one (RFC 9110, 11.6.1). With Basic a browser would ask for a password over the portal's page.
  optionalPortalSession: 'Cookie realm="relay"',
  portalSession: 'Cookie realm="relay"',
  merchantUser: 'Cookie realm="relay"',
  optionalAdminSession: 'Cookie realm="relay"',
  adminSession: 'Cookie realm="relay"',
  fullAdminSession: 'Cookie realm="relay"',
  signature: 'Signature realm="relay",headers="(request-target) host date x-signature-salt digest"',
};

/** For an error that is not a RelayError the caller gets no details. */
export function toRelayError(error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  return new RelayError("internal", "Internal error", { cause: error });
}

/** An error in its surface's envelope, with the headers that belong to its code. */
export function errorAnswer(
  error: RelayError,
  envelope: ErrorEnvelope,
  auth: AuthRequirement,
  requestId: string,
  more: { readonly [name: string]: string } = {},
): Answer {
  const stored = error instanceof StoredError ? error : null;
  const reply = stored?.reply ?? errorReply(envelope, error, requestId);
  const headers: Record<string, string> = { ...more };
  if (error.code === "unauthorized" && auth !== "apiKey") {
    headers["WWW-Authenticate"] = CHALLENGES[auth] ?? 'Basic realm="relay"';
  }
  if (error.retryAfterSeconds !== undefined) headers["Retry-After"] = String(error.retryAfterSeconds);
  else if (error.code === "rate_limited" || error.code === "terminal_queue_full") headers["Retry-After"] = "1";
  return {
    status: reply.status,
    contentType: "application/json",
    body: JSON.stringify(reply.body),
    headers: { ...headers, ...reply.headers, ...stored?.replayHeaders },
  };
}
