import { Type } from "@sinclair/typebox";
import type { CreateLink } from "../../../engine/links/create-link.ts";
import type { Links } from "../../../engine/links/links.ts";
import type { UseLink } from "../../../engine/links/use-link.ts";
import { type ErrorEnvelope, USUAL_STATUS } from "../../endpoint/error-envelope.ts";
import { surface } from "../../endpoint/surface.ts";
import type { LocalTime } from "../parts/time.ts";

/** What the pay-by-link endpoints use. */
export interface LinkOperations {
  createLink: CreateLink;
  useLink: UseLink;
  /** Processes a notification of the gateway. */
  notified: Links["notified"];
  localTime: LocalTime;
}

/** Error body of the pay-by-link endpoints: `error` for an invalid request, a record with `message` otherwise. */
export const LinkError = Type.Object(
  {
    status: Type.Literal("error"),
    error: Type.String({ description: "What went wrong." }),
    message: Type.Optional(Type.String({ description: "The same text; absent for an invalid request." })),
    txId: Type.Optional(Type.String({ description: "The payment's id, if there is a payment to ask about later." })),
    resultCode: Type.Optional(Type.String({ description: "The gateway's result code, if it refused." })),
  },
  { title: "LinkError" },
);

const envelope: ErrorEnvelope & { schema: typeof LinkError } = {
  schema: LinkError,
  status: USUAL_STATUS,
  body: (code, message) =>
    code === "invalid_request" ? { status: "error", error: message } : { status: "error", error: message, message },
};

export const links = surface<LinkOperations>()({ name: "links", tags: ["Payment links"], envelope });
