import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { ErrorEnvelope } from "../../endpoint/error-envelope.ts";
import { USUAL_STATUS } from "../../endpoint/error-envelope.ts";
import { responseTitle } from "./response-title.ts";

/**
 * The error body of the terminal, partner and administration endpoints. The text is under both
 * names that clients read.
 */
export const ErrorBody = Type.Object(
  {
    status: Type.Literal("error"),
    error: Type.String({ description: "What went wrong." }),
    message: Type.String({ description: "The same text as `error`." }),
  },
  { title: "RelayError" },
);

/** The error body of a 429 that may have two reasons. */
export const QueueFullBody = Type.Object(
  {
    ...ErrorBody.properties,
    code: Type.Optional(
      Type.Literal("terminal_queue_full", {
        description: "Present only if no more commands may wait for the terminal. This is not a rate limit.",
      }),
    ),
  },
  { title: "TerminalQueueFull" },
);

export const relayEnvelope: ErrorEnvelope & { schema: typeof ErrorBody } = {
  schema: ErrorBody,
  status: USUAL_STATUS,
  body: (code, message): Static<typeof QueueFullBody> => {
    const body = { status: "error", error: message, message } as const;
    return code === "terminal_queue_full" ? { ...body, code } : body;
  },
};

/** The envelope of a success. */
export function okBody<T extends TSchema>(data: T, options = responseTitle(data)) {
  return Type.Object({ status: Type.Literal("ok"), data }, options);
}

export const TextBody = okBody(Type.String(), { title: "TextResponse" });
