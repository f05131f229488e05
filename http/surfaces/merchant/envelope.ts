import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { ErrorCode } from "../../../engine/kernel/errors.ts";
import { type ErrorEnvelope, USUAL_STATUS } from "../../endpoint/error-envelope.ts";
import { responseTitle } from "../parts/response-title.ts";

/** The portal's codes in addition to the usual ones. Further codes may be added. */
export const PORTAL_CODES = [
  "invalid_login",
  "invalid_code",
  "role",
  "step_up_required",
  "other_environment",
  "csrf",
  "users_full",
  "user_exists",
  "last_owner",
  "last_factor",
  "used_or_expired",
  "password_too_common",
  "not_pending",
  "no_account",
  "no_address",
  "too_many",
  "not_refundable_here",
  "not_kept",
  "already_refunded",
  "partial_refund",
  "not_paid",
  "refund_refused",
  "outcome_unknown",
  "idempotency_key_in_use",
  "service_not_permitted",
  "endpoints_full",
  "endpoint_disabled",
  "not_in_state",
  "too_soon",
  "inactive",
  "no_plan",
  "plan_inactive",
  "plan_used",
  "file_type",
  "too_many_files",
  "not_open",
  "deadline_passed",
  "no_evidence",
  "under_dispute",
  "frozen",
  "no_payment",
  "network_refunds",
  "credentials_full",
  "exports_running",
  "exports_full",
  "no_folder",
  "not_ready",
  "not_closed",
  "image_type",
  "image_svg",
  "image_damaged",
  "image_animated",
  "image_dimensions",
] as const;
export type PortalCode = (typeof PORTAL_CODES)[number];

export const MerchantError = Type.Object(
  {
    status: Type.Literal("error"),
    error: Type.String({ description: "The error as a text for people." }),
    message: Type.String({ description: "The same text as `error`." }),
    code: Type.String({
      description: `Error code for programs: ${[...Object.keys(USUAL_STATUS), ...PORTAL_CODES].join(", ")}. Further codes may be added.`,
    }),
  },
  { title: "MerchantError" },
);

export const merchantEnvelope: ErrorEnvelope & { schema: typeof MerchantError } = {
  schema: MerchantError,
  status: { ...USUAL_STATUS, duplicate: 409 },
  body: (code: ErrorCode, message): Static<typeof MerchantError> => errorBody(code, message),
  answer: ({ code, detail, message }) => ({ status: merchantEnvelope.status[code], body: errorBody(detail ?? code, message) }),
};

function errorBody(code: string, message: string): Static<typeof MerchantError> {
  return { status: "error", error: message, message, code };
}

/** Returns an expected rejection in the common error body. */
export function refusal<S extends 400 | 401 | 403 | 404 | 409 | 410 | 415>(status: S, code: PortalCode, message: string) {
  return { status, body: { status: "error" as const, error: message, message, code } };
}

/** `{status: "ok", data}`. */
export const okOf = <T extends TSchema>(data: T) => Type.Object({ status: Type.Literal("ok"), data }, responseTitle(data));

export const ok = <T>(data: T) => ({ status: "ok" as const, data });
