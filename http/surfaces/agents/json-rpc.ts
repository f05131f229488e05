import { type Static, Type } from "@sinclair/typebox";
import type { ErrorCode } from "../../../engine/kernel/errors.ts";
import { type ErrorEnvelope, USUAL_STATUS } from "../../endpoint/error-envelope.ts";

/** Of JSON-RPC 2.0, section 5.1. */
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
const INTERNAL_ERROR = -32_603;
/** The first of those that a server defines itself. */
const SERVER_ERROR = -32_000;

export const McpError = Type.Object(
  {
    jsonrpc: Type.Literal("2.0"),
    error: Type.Object({
      code: Type.Integer({ description: "Error code of JSON-RPC 2.0 and the Model Context Protocol." }),
      message: Type.String(),
      data: Type.Optional(
        Type.Unknown({
          description: "Details of the error. The relay's own errors have `code` and, if it is known, `retryAfterSeconds`.",
        }),
      ),
    }),
    id: Type.Union([Type.String(), Type.Number(), Type.Null()], {
      description: "The id of the message; null if the relay rejected the request before it read the message.",
    }),
  },
  { title: "McpError" },
);

const CODES: { readonly [Code in ErrorCode]?: number } = {
  invalid_request: INVALID_REQUEST,
  unsupported_media_type: INVALID_REQUEST,
  payload_too_large: INVALID_REQUEST,
  internal: INTERNAL_ERROR,
};

/** Errors of requests to the endpoint itself. Those of a tool are results of that tool. */
export const mcpEnvelope: ErrorEnvelope & { schema: typeof McpError } = {
  schema: McpError,
  status: USUAL_STATUS,
  body: (code: ErrorCode, message): Static<typeof McpError> => errorBody(code, message, {}),
  answer: ({ code, message, retryAfterSeconds }) => ({
    status: USUAL_STATUS[code],
    body: errorBody(code, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }),
};

function errorBody(code: ErrorCode, message: string, more: object): Static<typeof McpError> {
  return { jsonrpc: "2.0", error: { code: CODES[code] ?? SERVER_ERROR, message, data: { code, ...more } }, id: null };
}
