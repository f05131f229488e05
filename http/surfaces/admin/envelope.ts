import { type Static, Type } from "@sinclair/typebox";
import type { ErrorCode } from "../../../engine/kernel/errors.ts";
import type { ErrorEnvelope } from "../../endpoint/error-envelope.ts";
import { ErrorBody, relayEnvelope } from "../parts/relay-envelope.ts";

/** Codes of the operators' pages beyond the usual ones. Further codes may be added. */
export type AdminCode = "invalid_login" | "invalid_code" | "last_factor";

/** Error body of administration: that of terminals and partners, with a code for programs. */
export const AdminError = Type.Object(
  {
    ...ErrorBody.properties,
    code: Type.String({
      description:
        "The error, as a code for programs: that of the status (`invalid_request`, `unauthorized`, `forbidden`, `not_found`, `conflict`, `rate_limited`, `unavailable`, ...), or more exactly `invalid_login`, `invalid_code`, `step_up_required`, `second_factor_required`, `csrf`, `last_factor`. Further codes may be added.",
    }),
  },
  { title: "AdminError" },
);

export const adminEnvelope: ErrorEnvelope & { schema: typeof AdminError } = {
  schema: AdminError,
  status: relayEnvelope.status,
  body: (code: ErrorCode, message): Static<typeof AdminError> => errorBody(code, message),
  answer: ({ code, detail, message }) => ({ status: relayEnvelope.status[code], body: errorBody(detail ?? code, message) }),
};

function errorBody(code: string, message: string): Static<typeof AdminError> {
  return { status: "error", error: message, message, code };
}

/** An expected refusal in the one error body. */
export function refusal<S extends 400 | 401 | 409>(status: S, code: AdminCode, message: string) {
  return { status, body: { status: "error" as const, error: message, message, code } };
}

export const ok = <T>(data: T) => ({ status: "ok" as const, data });
