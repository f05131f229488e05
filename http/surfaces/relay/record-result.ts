import { RESULT_BODY_BYTES_MAX } from "../../../engine/kernel/limits.ts";
import { contradictedMember } from "../../../engine/payments/contradicted-member.ts";
import type { ResultOutcome } from "../../../engine/terminals/terminals.ts";
import { unreadPosting } from "../../endpoint/unread-body.ts";
import { TextBody } from "../parts/relay-envelope.ts";
import { TerminalParams } from "../parts/schemas.ts";
import { RESULT_EXAMPLE, ResultPayload } from "../parts/terminal-messages.ts";
import { relay } from "./surface.ts";

const TEXTS: Record<ResultOutcome["type"], string> = {
  recorded: "Result recorded",
  repeated: "Result was recorded before",
  conflict: "Another result was recorded before, or the command belongs to another terminal; this result is kept as a conflict",
};

export const recordResult = relay.endpoint({
  name: "recordResult",
  method: "POST",
  path: "/api/v1/{terminalId}/receipt",
  tags: ["Terminals"],
  summary: "Store the result of a command",
  description:
    "200 means that the result is stored; without a 200 the terminal posts again. The first result of a uuid counts: the same result again changes nothing, and a different one is kept as a conflict. A result without a uuid or without a certain outcome is kept for operators and refused with 400. A body that cannot be read (no JSON, another content type, too long, or with two different values of a member that says which payment it is, its amount, its currency or its outcome) is also kept, and refused with 400, 415 or 413. A byte order mark is ignored.",
  auth: "basic",
  needs: "act",
  bodyBytesMax: RESULT_BODY_BYTES_MAX,
  // A result is never lost because of its content: members nested too deep are replaced before it is stored (mask.ts), as over STOMP.
  bodyNesting: "any",
  refusesRepeated: contradictedMember,
  params: TerminalParams,
  body: ResultPayload,
  bodyExample: RESULT_EXAMPLE,
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
