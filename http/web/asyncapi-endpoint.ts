import { Type } from "@sinclair/typebox";
import type { Endpoint } from "../endpoint/endpoint.ts";
import type { ErrorEnvelope } from "../endpoint/error-envelope.ts";
import { surface } from "../endpoint/surface.ts";

export interface AsyncApiOperations {
  /** The document's text. */
  asyncApi(): string;
}

/** The description of the terminal's messages, beside `/openapi.json`. */
export function asyncApiEndpoints(envelope: ErrorEnvelope): Endpoint<AsyncApiOperations>[] {
  const docs = surface<AsyncApiOperations>()({ name: "docs", tags: ["Documentation"], envelope });
  return [
    docs.endpoint({
      name: "asyncApiDocument",
      method: "GET",
      path: "/asyncapi.json",
      summary: "Get the messages of terminals as an AsyncAPI document",
      auth: "none",
      responses: {
        200: {
          description: "The document.",
          body: Type.Record(Type.String(), Type.Unknown()),
          headers: { "Cache-Control": { description: "How long the document may be cached." } },
        },
      },
      handle: ({ asyncApi }) => ({ status: 200, text: asyncApi(), headers: { "Cache-Control": "no-cache" } }),
    }),
  ];
}
