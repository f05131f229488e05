import type { TSchema } from "@sinclair/typebox";
import type { ErrorCode, RelayError } from "../../engine/kernel/errors.ts";

/** An error as its surface returns it. */
export interface ErrorReply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: { readonly [name: string]: string };
}

/**
 * Defines how a surface reports errors to its callers. A new error code does not compile until
 * every surface has given it a status.
 */
export interface ErrorEnvelope {
  readonly schema: TSchema;
  readonly status: Readonly<Record<ErrorCode, number>>;
  readonly body: (code: ErrorCode, message: string, requestId: string) => unknown;
  /**
   * For a surface whose errors contain more than code and message, such as its own subclasses of
   * RelayError. It returns the whole response and replaces `status` and `body`. For a final error,
   * this response is stored for the idempotency key.
   */
  readonly answer?: (error: RelayError, requestId: string) => ErrorReply;
}

/**
 * The usual status of each code. A surface copies the table and changes codes for which it
 * documents another status.
 */
export const USUAL_STATUS: Readonly<Record<ErrorCode, number>> = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  upgrade_required: 426,
  duplicate: 400,
  conflict: 409,
  terminal_queue_full: 429,
  rate_limited: 429,
  too_busy: 503,
  payload_too_large: 413,
  head_too_large: 431,
  unsupported_media_type: 415,
  expectation_failed: 417,
  request_timeout: 408,
  unavailable: 503,
  internal: 500,
};

/** The meaning of each error status in the OpenAPI document. */
export const STATUS_MEANING: Readonly<Record<number, string>> = {
  400: "The request is not valid; the message says which member and why.",
  401: "Authentication failed, or credentials are missing.",
  403: "The caller is authenticated, but not permitted to do this.",
  404: "Not found.",
  405: "The method is not allowed; the header Allow lists the allowed ones.",
  408: "The request body did not arrive in time.",
  409: "The request conflicts with the stored state.",
  413: "The request body is too large.",
  415: "The content type of the request body is not accepted here.",
  417: "The header Expect has a value other than 100-continue.",
  426: "This path requires another protocol; the header Upgrade says which.",
  429: "Too many requests; the header Retry-After says how many seconds to wait.",
  431: "The request line and the headers together are too long.",
  500: "Internal error; the log has the cause under the request id.",
  503: "The relay could not confirm the change, or is too busy. Repeating the request is safe.",
};

/** Returns the response to an error in its surface's envelope, without the headers of its code. */
export function errorReply(envelope: ErrorEnvelope, error: RelayError, requestId: string): ErrorReply {
  if (envelope.answer !== undefined) return envelope.answer(error, requestId);
  return { status: envelope.status[error.code], body: envelope.body(error.code, error.message, requestId) };
}
