import { type ErrorCode, RelayError } from "../../../engine/kernel/errors.ts";
import { maskSchemePans } from "../../../engine/kernel/mask.ts";

export type PlatformErrorType = "api_error" | "card_error" | "idempotency_error" | "invalid_request_error";

/** What the platform's clients read of an error besides its message. Absent members are not written. */
export interface PlatformErrorDetails {
  readonly status: 400 | 401 | 402 | 403 | 404 | 409 | 429 | 500 | 503;
  readonly type: PlatformErrorType;
  readonly code?: string;
  readonly declineCode?: string;
  readonly networkDeclineCode?: string;
  readonly param?: string;
  /** The id of a charge, and a whole payment intent as it stands now. */
  readonly charge?: string;
  readonly paymentIntent?: object;
  /** Tells client libraries whether to send the request again; without it they decide by the status. */
  readonly shouldRetry?: boolean;
  /** Whether the same request with the same idempotency key gets this answer again, or is executed anew. */
  readonly stored: boolean;
}

/** An error that this surface tells in the platform's own words. */
export class PlatformError extends RelayError {
  readonly details: PlatformErrorDetails;

  constructor(message: string, details: PlatformErrorDetails, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(RELAY_CODES[details.status], message, options);
    this.name = "PlatformError";
    // It may quote a name that the caller chose.
    this.details = details.param === undefined ? details : { ...details, param: maskSchemePans(details.param) };
  }
}

const RELAY_CODES: Readonly<Record<PlatformErrorDetails["status"], ErrorCode>> = {
  400: "invalid_request",
  401: "unauthorized",
  402: "invalid_request",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  429: "rate_limited",
  500: "internal",
  503: "unavailable",
};

/** A member that is not as it must be. Nothing of the request was done, so a corrected one may use the same key. */
export function invalidParam(param: string, message: string, code?: string): PlatformError {
  return new PlatformError(message, {
    ...{ status: 400, type: "invalid_request_error", param, stored: false },
    ...(code === undefined ? {} : { code }),
  });
}

/** Keys and client secrets, which clients put into addresses by mistake and errors carry into their logs. */
const SECRET = /(?:[sp]k_|whsec_|[\w-]*_secret_)[\w-]*/g;

/** A short text of the caller without what nobody may read in an error. */
export function withoutSecrets(text: string): string {
  return text.replace(SECRET, "...");
}

const PATH_SHOWN_MAX = 200;

/** The answer for everything under the API's base that is not there, in the platform's words. */
export function unrecognizedUrl(method: string, path: string): PlatformError {
  const shown = withoutSecrets(path.replace(/[^\x21-\x7e]/g, "?").slice(0, PATH_SHOWN_MAX));
  return new PlatformError(`Unrecognized request URL (${method}: ${shown}).`, {
    status: 404,
    type: "invalid_request_error",
    stored: false,
  });
}

/** What is not there, is another merchant's, or is of the other environment. */
export function noSuch(what: string, id: string, param = "id"): PlatformError {
  const quoted = /^[A-Za-z0-9_.-]{1,64}$/.test(id) && withoutSecrets(id) === id ? `: '${id}'` : "";
  return new PlatformError(`No such ${what}${quoted}`, {
    ...{ status: 404, type: "invalid_request_error", code: "resource_missing", param, stored: false },
  });
}

/** The state of the object forbids it; the same request later is refused as well, or is another request. */
export function refusedByState(
  message: string,
  details: { code: string; param?: string; charge?: string; paymentIntent?: object },
): PlatformError {
  return new PlatformError(message, { ...details, status: 400, type: "invalid_request_error", stored: true });
}

/** What decides is not known yet: the same request again finds out. */
export function lockTimeout(message: string): PlatformError {
  return new PlatformError(
    message,
    { status: 409, type: "invalid_request_error", code: "lock_timeout", shouldRetry: true, stored: false },
    { retryAfterSeconds: 1 },
  );
}

/** Whether the gateway did it is not known: the same request with the same key goes on where this one ended. */
export function notConfirmed(message: string): PlatformError {
  return new PlatformError(message, { status: 503, type: "api_error", shouldRetry: true, stored: false }, { retryAfterSeconds: 1 });
}

export function forbidden(message: string, code: string): PlatformError {
  return new PlatformError(message, { status: 403, type: "invalid_request_error", code, stored: false });
}
