import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import type { RelayError } from "../../../engine/kernel/errors.ts";
import { CallLimitReached } from "../../../engine/partners/merchant-calls.ts";
import { REQUEST_ID_HEADER, WIRE_NAMES } from "../../compat/wire-names.ts";
import type { ResponseHeadersOf } from "../../endpoint/endpoint.ts";
import { type ErrorEnvelope, USUAL_STATUS } from "../../endpoint/error-envelope.ts";

/** Part of the interface: client libraries take an origin and nothing behind it. */
export const COMPAT_BASE = "/v1";

/** Clients are told not to repeat a request by themselves that would have to wait longer than this. */
const WAIT_SECONDS_MAX = 2;

const PlatformErrorBody = Type.Object(
  {
    error: Type.Object({
      type: Type.String(),
      code: Type.Optional(Type.String()),
      message: Type.String(),
    }),
  },
  { title: "PlatformError" },
);

/** Every error under COMPAT_BASE. */
export const platformEnvelope: ErrorEnvelope & { schema: typeof PlatformErrorBody } = {
  schema: PlatformErrorBody,
  status: USUAL_STATUS,
  body: (code, message) => ({ error: { type: typeOf(USUAL_STATUS[code]), message } }),
  answer: (error) => {
    const status = USUAL_STATUS[error.code];
    const code = error.code === "rate_limited" ? "rate_limit" : error.detail;
    return {
      status,
      body: { error: { type: typeOf(status), ...(code === undefined ? {} : { code }), message: error.message } },
      headers: headersOfError(error),
    };
  },
};

function typeOf(status: number): string {
  return status >= 500 ? "api_error" : "invalid_request_error";
}

function headersOfError(error: RelayError): { [name: string]: string } {
  if (error.code === "unavailable" || error.code === "too_busy") return { [WIRE_NAMES.shouldRetry]: "true" };
  if (!(error instanceof CallLimitReached)) return {};
  const { limit, resetSeconds } = error;
  return {
    "RateLimit-Limit": String(limit),
    "RateLimit-Remaining": "0",
    "RateLimit-Reset": String(resetSeconds),
    ...(resetSeconds > WAIT_SECONDS_MAX ? { [WIRE_NAMES.shouldRetry]: "false" } : {}),
  };
}

/** The id of a request in the platform's form: `req_` and 24 letters or digits. */
export function platformRequestId(requestId: string): string {
  return `req_${createHash("sha256").update(requestId).digest("hex").slice(0, 24)}`;
}

/** Headers of every response under COMPAT_BASE. */
export const platformHeaders: ResponseHeadersOf = (_header, requestId) => ({ [REQUEST_ID_HEADER]: platformRequestId(requestId) });
