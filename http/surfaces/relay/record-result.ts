import { Type } from "@sinclair/typebox";
import { RESULT_BODY_BYTES_MAX } from "../../../engine/kernel/limits.ts";
import type { ResultOutcome } from "../../../engine/terminals/terminals.ts";
import { unreadPosting } from "../../endpoint/unread-body.ts";
import { TerminalParams } from "../identifier-params.ts";
import { TextBody } from "../relay-envelope.ts";
import { relay } from "./surface.ts";

const TEXTS: Record<ResultOutcome["type"], string> = {
  recorded: "Result recorded",
  repeated: "Result was recorded before",
  conflict: "Another result was recorded before and stands, or the command is another terminal's; this one is kept beside it",
};

export const recordResult = relay.endpoint({
  name: "recordResult",
  method: "POST",
  path: "/api/v1/{terminalId}/receipt",
  summary: "Stores the result of a command",
  description:
    "200 means stored; without it the terminal posts again. The first result of a uuid stands: the same again changes nothing, a different one is kept as a conflict. A posting without a uuid or without an outcome that is certain is kept for operators and answered 400; so is what cannot be read at all (no JSON, another content type, too long), which is answered 400, 415 or 413. A byte order mark is ignored.",
  auth: "basic",
  bodyBytesMax: RESULT_BODY_BYTES_MAX,
  // A result is never lost for what is in it: what lies too deep is replaced before it is stored (mask.ts), as over STOMP.
  bodyNesting: "any",
  params: TerminalParams,
  body: Type.Object({}, { additionalProperties: true, description: "A payment, scan or print result; free-form beside uuid and outcome." }),
  bodyExample: {
    uuid: "7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11",
    result: "OK",
    amount: 1050,
    authCode: "123456",
    brand: "VISA",
    pan: "453201******0366",
  },
  responses: {
    200: { description: "Stored.", body: TextBody, example: { status: "ok", data: TEXTS.recorded } },
    ...relay.errors(400, 401, 403, 413, 415, 503),
  },
  handle: async ({ recordResult }, { params, body, caller }) => {
    const outcome = await recordResult.byCaller(caller, params.terminalId, body);
    return { status: 200, body: { status: "ok", data: TEXTS[outcome.type] } };
  },
  keepUnread: ({ recordResult }, { params, caller, body }) => recordResult.unreadByCaller(caller, params.terminalId, unreadPosting(body)),
});
