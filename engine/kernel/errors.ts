import { maskSchemePans } from "./mask.ts";

/**
 * The errors that are reported to callers. Each HTTP surface maps every code to its own envelope
 * and status, so a new code does not compile until each of them has decided.
 */
export type ErrorCode =
  | "invalid_request"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "upgrade_required"
  | "duplicate"
  | "conflict"
  /**
   * The maximum number of commands waits for the terminal. This is not a rate limit of the caller.
   */
  | "terminal_queue_full"
  | "rate_limited"
  | "too_busy"
  | "payload_too_large"
  /** The request line and the headers are too large. */
  | "head_too_large"
  | "unsupported_media_type"
  | "expectation_failed"
  | "request_timeout"
  | "unavailable"
  | "internal";

/** A further detail for programs beyond the code, if the surface has a word for it. */
export type ErrorDetail =
  | "api_key_expired"
  | "secret_key_required"
  /**
   * The portal rejects the request: the person's role does not permit it, it needs a fresh second
   * factor, or it does not come from the portal's own page.
   */
  | "role"
  | "step_up_required"
  /** The key belongs to the other environment than its merchant. */
  | "other_environment"
  | "csrf"
  /** A password is not sufficient: an administrator signs in with a second factor. */
  | "second_factor_required"
  /** The outcome at the gateway is unknown (so far). */
  | "outcome_unknown"
  /** The first request with this key is still in progress, and was not rejected. */
  | "idempotency_key_in_use"
  /** The same was requested a short time ago. */
  | "too_soon";

/** An error with a public message. `cause` is only for the log and never reaches a caller. */
export class RelayError extends Error {
  readonly code: ErrorCode;
  /** Seconds after which a retry makes sense, if known. */
  readonly retryAfterSeconds: number | undefined;
  readonly detail: ErrorDetail | undefined;

  constructor(code: ErrorCode, publicMessage: string, options: { cause?: unknown; retryAfterSeconds?: number; detail?: ErrorDetail } = {}) {
    // The message may quote a request. It is returned, logged and stored for repetitions.
    super(maskSchemePans(publicMessage), options.cause === undefined ? {} : { cause: options.cause });
    this.name = "RelayError";
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.detail = options.detail;
  }
}
