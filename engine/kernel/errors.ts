import { maskSchemePans } from "./mask.ts";

/**
 * The errors that are reported to callers. Each HTTP surface maps every code to its own envelope and status, so a new code does not compile
 * until each of them has decided.
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
  /** Commands wait for a terminal, as many as may: no rate limit of the caller. */
  | "terminal_queue_full"
  | "rate_limited"
  | "too_busy"
  | "payload_too_large"
  /** The request line and the headers. */
  | "head_too_large"
  | "unsupported_media_type"
  | "expectation_failed"
  | "request_timeout"
  | "unavailable"
  | "internal";

/** What a surface may tell programs beyond the code, where it has a word for it. */
export type ErrorDetail =
  | "api_key_expired"
  | "secret_key_required"
  /** The portal: the person's role does not permit it; a fresh second factor is needed; the request is not of the portal's own page. */
  | "role"
  | "step_up_required"
  /** The key is of the environment that its merchant is not in. */
  | "other_environment"
  | "csrf"
  /** A password alone is not enough: an administrator signs in with a second factor. */
  | "second_factor_required"
  /** Whether the gateway did it is not known (yet). */
  | "outcome_unknown"
  /** The first request with this key is still being executed: nothing was refused. */
  | "idempotency_key_in_use"
  /** The same was asked for a short time ago. */
  | "too_soon";

/** An error with a public message; `cause` is for the log only and never reaches a caller. */
export class RelayError extends Error {
  readonly code: ErrorCode;
  /** Seconds after which a retry makes sense, if known. */
  readonly retryAfterSeconds: number | undefined;
  readonly detail: ErrorDetail | undefined;

  constructor(code: ErrorCode, publicMessage: string, options: { cause?: unknown; retryAfterSeconds?: number; detail?: ErrorDetail } = {}) {
    // It may quote what was sent, and is answered, logged and kept for repetitions.
    super(maskSchemePans(publicMessage), options.cause === undefined ? {} : { cause: options.cause });
    this.name = "RelayError";
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.detail = options.detail;
  }
}
