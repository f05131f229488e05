import { type Static, Type } from "@sinclair/typebox";
import type { ErrorCode } from "../../../engine/kernel/errors.ts";
import { type ErrorEnvelope, USUAL_STATUS } from "../../endpoint/error-envelope.ts";

/** Codes in addition to the usual ones, each used by one endpoint or a few. */
const REASONS = [
  "merchant_exists",
  "merchant_limit_reached",
  "merchant_inactive",
  "service_not_permitted",
  "webhook_limit_reached",
  "users_full",
  "user_exists",
  "owner_active",
] as const;
export type Reason = (typeof REASONS)[number];

/** The one error body of the whole API. */
export const PartnerApiError = Type.Object(
  {
    success: Type.Literal(false),
    error: Type.String({ description: "The error as a text for people." }),
    code: Type.String({
      description: `Error code for programs: ${[...Object.keys(USUAL_STATUS), ...REASONS].join(", ")}. Further codes may be added.`,
    }),
  },
  { title: "PartnerApiError" },
);

export const partnerApiEnvelope: ErrorEnvelope & { schema: typeof PartnerApiError } = {
  schema: PartnerApiError,
  status: { ...USUAL_STATUS, duplicate: 409 },
  body: (code: ErrorCode, message): Static<typeof PartnerApiError> => ({ success: false, error: message, code }),
};

/** An expected refusal in the one error body. */
export function refusal<S extends 403 | 409>(status: S, code: Reason, error: string) {
  return { status, body: { success: false as const, error, code } };
}
