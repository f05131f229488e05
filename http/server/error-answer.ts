import { RelayError } from "../../engine/kernel/errors.ts";
import type { AuthRequirement } from "../endpoint/endpoint.ts";
import type { ErrorEnvelope } from "../endpoint/error-envelope.ts";
import { REPLAYED_HEADERS, ReplayedError } from "../endpoint/idempotency.ts";
import type { Answer } from "./answer.ts";

const CHALLENGES: { readonly [Auth in AuthRequirement]?: string } = {
  partnerApi: 'Bearer realm="relay"',
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
  const headers: Record<string, string> = { ...more };
  if (error.code === "unauthorized" && auth !== "apiKey") {
    headers["WWW-Authenticate"] = CHALLENGES[auth] ?? 'Basic realm="relay"';
  }
  if (error instanceof ReplayedError) Object.assign(headers, REPLAYED_HEADERS);
  if (error.retryAfterSeconds !== undefined) headers["Retry-After"] = String(error.retryAfterSeconds);
  else if (error.code === "rate_limited" || error.code === "terminal_queue_full") headers["Retry-After"] = "1";
  return {
    status: envelope.status[error.code],
    contentType: "application/json",
    text: JSON.stringify(envelope.body(error.code, error.message, requestId)),
    headers,
  };
}
