import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { ErrorEnvelope } from "../endpoint/error-envelope.ts";
import { USUAL_STATUS } from "../endpoint/error-envelope.ts";

/** Error body of the terminal, partner and administration endpoints: the same text under both names that clients read. */
export const ErrorBody = Type.Object({
  status: Type.Literal("error"),
  error: Type.String({ description: "What went wrong." }),
  message: Type.String({ description: "The same text." }),
});

export const relayEnvelope: ErrorEnvelope & { schema: typeof ErrorBody } = {
  schema: ErrorBody,
  status: USUAL_STATUS,
  body: (_code, message): Static<typeof ErrorBody> => ({ status: "error", error: message, message }),
};

/** Success envelope. */
export function okBody<T extends TSchema>(data: T) {
  return Type.Object({ status: Type.Literal("ok"), data });
}

/** `{status: "ok", data: <text>}`. */
export const TextBody = okBody(Type.String());
