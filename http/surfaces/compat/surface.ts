import { createHash } from "node:crypto";
import type { ErrorCode, RelayError } from "../../../engine/kernel/errors.ts";
import { maskSchemePans } from "../../../engine/kernel/mask.ts";
import { CallLimitReached } from "../../../engine/partners/merchant-calls.ts";
import { REQUEST_ID_HEADER, WIRE_NAMES } from "../../compat/wire-names.ts";
import type { ResponseHeadersOf } from "../../endpoint/endpoint.ts";
import { type ErrorEnvelope, USUAL_STATUS } from "../../endpoint/error-envelope.ts";
import { IDEMPOTENCY_KEY_LENGTH_MAX } from "../../endpoint/idempotency.ts";
import { surface } from "../../endpoint/surface.ts";
import { admit } from "./admission.ts";
import { compatIdempotency } from "./idempotency-policy.ts";
import type { CompatOperations } from "./operations.ts";
import { PlatformError, type PlatformErrorDetails, unrecognizedUrl } from "./platform-error.ts";
import { CompatError } from "./schemas.ts";
import { versionHeaders, versionIn } from "./versions.ts";

/** Part of the interface: client libraries take an origin and nothing behind it. */
export const COMPAT_BASE = "/v1";

/** Clients are told not to repeat a request by themselves that would have to wait longer than this. */
const WAIT_SECONDS_MAX = 2;

/** Codes of errors that the server itself or the engine raises; what the API refuses by itself is a PlatformError. */
const CODES: Readonly<Record<ErrorCode, Pick<PlatformErrorDetails, "type" | "code" | "shouldRetry">>> = {
  invalid_request: { type: "invalid_request_error" },
  unauthorized: { type: "invalid_request_error" },
  forbidden: { type: "invalid_request_error" },
  not_found: { type: "invalid_request_error" },
  method_not_allowed: { type: "invalid_request_error" },
  upgrade_required: { type: "invalid_request_error" },
  duplicate: { type: "invalid_request_error" },
  conflict: { type: "invalid_request_error", code: "lock_timeout", shouldRetry: true },
  terminal_queue_full: { type: "invalid_request_error", code: "rate_limit" },
  rate_limited: { type: "invalid_request_error", code: "rate_limit" },
  too_busy: { type: "api_error", shouldRetry: true },
  payload_too_large: { type: "invalid_request_error" },
  head_too_large: { type: "invalid_request_error" },
  unsupported_media_type: { type: "invalid_request_error" },
  expectation_failed: { type: "invalid_request_error" },
  request_timeout: { type: "invalid_request_error" },
  unavailable: { type: "api_error", shouldRetry: true },
  internal: { type: "api_error" },
};

/** Every error under COMPAT_BASE. */
export const platformEnvelope: ErrorEnvelope & { schema: typeof CompatError } = {
  schema: CompatError,
  status: USUAL_STATUS,
  body: (code, message) => bodyOf({ ...CODES[code] }, message),
  answer: (error) => {
    const details = error instanceof PlatformError ? error.details : null;
    const told = details ?? withDetail(CODES[error.code], error);
    return {
      status: details?.status ?? USUAL_STATUS[error.code],
      body: bodyOf(told, error.message),
      headers: { ...retryHeader(told.shouldRetry), ...limitHeaders(error) },
    };
  },
};

type Told = Omit<PlatformErrorDetails, "status" | "stored">;

function withDetail(of: Told, { detail }: RelayError): Told {
  return detail === undefined ? of : { ...of, code: detail };
}

function bodyOf({ type, code, declineCode, networkDeclineCode, param, charge, paymentIntent }: Told, message: string) {
  return {
    error: {
      ...(charge === undefined ? {} : { charge }),
      ...(code === undefined ? {} : { code }),
      ...(declineCode === undefined ? {} : { decline_code: declineCode }),
      message,
      ...(networkDeclineCode === undefined ? {} : { network_decline_code: networkDeclineCode }),
      ...(param === undefined || param === "" ? {} : { param }),
      ...(paymentIntent === undefined ? {} : { payment_intent: paymentIntent }),
      type,
    },
  };
}

function retryHeader(shouldRetry: boolean | undefined): { readonly [name: string]: string } {
  return shouldRetry === undefined ? {} : { [WIRE_NAMES.shouldRetry]: String(shouldRetry) };
}

function limitHeaders(error: RelayError): { readonly [name: string]: string } {
  if (!(error instanceof CallLimitReached)) return {};
  const { limit, resetSeconds } = error;
  return {
    "RateLimit-Limit": String(limit),
    "RateLimit-Remaining": "0",
    "RateLimit-Reset": String(resetSeconds),
    ...(resetSeconds > WAIT_SECONDS_MAX ? retryHeader(false) : {}),
  };
}

/** The id of a request in the platform's form: `req_` and 24 letters or digits. */
export function platformRequestId(requestId: string): string {
  return `req_${createHash("sha256").update(requestId).digest("hex").slice(0, 24)}`;
}

/**
 * Headers of every response under COMPAT_BASE: the request's id, and the version that the request names. Of a request that names none, the merchant's version is in
 * the answer, which is made once the merchant is known.
 */
export const platformHeaders: ResponseHeadersOf = (header, requestId) => {
  const given = header(WIRE_NAMES.version.toLowerCase()) || header("platform-version");
  const version = given === "" ? null : versionIn(given);
  const key = header("idempotency-key");
  return {
    [REQUEST_ID_HEADER]: platformRequestId(requestId),
    ...(version === null ? {} : versionHeaders(version)),
    ...(isKeyShown(key) ? { "Idempotency-Key": key } : {}),
  };
};

function isKeyShown(key: string): boolean {
  return key !== "" && key.length <= IDEMPOTENCY_KEY_LENGTH_MAX && maskSchemePans(key) === key;
}

/** The platform's newer paths, of which there is none here: its clients understand no other envelope there either. */
const NEWER_BASE = "/v2";

/** How the server answers what none of the endpoints takes. */
export const COMPAT_FACES = [COMPAT_BASE, NEWER_BASE].map((under) => ({
  ...{ under, envelope: platformEnvelope, headersOf: platformHeaders, notFound: unrecognizedUrl },
}));

/** Answers to what is mistaken in a request, before anything is done: a corrected one may use the same idempotency key. */
const FREEING: ReadonlySet<number> = new Set([400, 404]);

export const compat = surface<CompatOperations>()({
  name: "compat",
  tags: ["Compatible API"],
  envelope: platformEnvelope,
  headersOf: platformHeaders,
  admit,
  idempotency: compatIdempotency({
    isFinal: (error) => error instanceof PlatformError && error.details.stored,
    frees: (error) => error instanceof PlatformError && !error.details.stored && FREEING.has(error.details.status),
    differs: () =>
      new PlatformError("Idempotency-Key: was used for a request with another path or other parameters. Use a new key.", {
        ...{ status: 400, type: "idempotency_error", stored: false },
      }),
    running: () =>
      new PlatformError(
        "Idempotency-Key: the first request with this key is still in progress.",
        { status: 409, type: "invalid_request_error", code: "idempotency_key_in_use", shouldRetry: true, stored: false },
        { retryAfterSeconds: 1 },
      ),
    requestIdOf: platformRequestId,
  }),
});
