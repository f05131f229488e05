import { Type } from "@sinclair/typebox";
import { type CallOutcome, callTool, noteUnknownTool, toolsOf } from "./call-tool.ts";
import { answerMcp, type McpTools } from "./mcp-server.ts";
import { type AgentOperations, agentOf, agents, MCP_PATH } from "./surface.ts";
import type { AgentTool, ToolCall } from "./tool.ts";
import { AGENT_TOOLS } from "./tools/all.ts";

/** The gateway is asked about a link that is to be cancelled. */
const DEADLINE_MS = 20_000;

/** Arguments of a tool have some hundred bytes; some clients tell much of themselves in `initialize`. */
const BODY_BYTES_MAX = 65_536;

const header = (description: string) => Type.Optional(Type.String({ maxLength: 255, description }));

const Message = Type.Object(
  {},
  {
    additionalProperties: true,
    description: "Free-form: one JSON-RPC 2.0 message of the Model Context Protocol. Lists of messages are not taken.",
  },
);

const Answer = Type.Object(
  {},
  { additionalProperties: true, description: "Free-form: the JSON-RPC 2.0 answer to the message, a result or an error." },
);

export const callMcp = agents.endpoint({
  name: "callMcp",
  method: "POST",
  path: MCP_PATH,
  takesSlash: true,
  summary: "Send a message of the Model Context Protocol",
  description:
    "The Model Context Protocol over Streamable HTTP, of both its generations (2025-11-25 and earlier ones, and 2026-07-28): give the address and the token to an MCP client, and it does the rest. Without sessions and without streams of events: every message is answered by JSON, GET and DELETE by 405, `subscriptions/listen` as an unknown method. `tools/list` has the tools of the credential's scopes, with JSON schemas of what they take and answer. What a tool refuses is its result, with `isError`. A credential may send 10 requests a second, and all of a node's together 20 (429, with `Retry-After`).",
  auth: "agent",
  bodyBytesMax: BODY_BYTES_MAX,
  deadlineMs: DEADLINE_MS,
  headers: Type.Object({
    "mcp-protocol-version": header("The version of the protocol, as the client has agreed it."),
    "mcp-method": header("From 2026-07-28 on, the message's `method`."),
    "mcp-name": header("The same of a tool's name."),
  }),
  body: Message,
  bodyExample: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
  responses: {
    200: { description: "The answer to the message.", body: Answer, example: { jsonrpc: "2.0", id: 1, result: { tools: [] } } },
    202: { description: "The message was a notification, which has no answer." },
    ...agents.errors(400, 401, 403, 413, 415, 429, 503),
    404: { description: "There is no such method, as version 2026-07-28 answers it.", body: agents.envelope.schema },
  },
  handle: async (operations, { caller, body, headers, request }) => {
    const call = { agent: agentOf(caller), requestId: request.id, gone: request.gone };
    const { status, text } = await answerMcp(toolsFor(operations, call), { message: body, headers });
    switch (status) {
      case 200:
        return { status, text };
      case 400:
        return { status, text };
      case 404:
        return { status, text };
      case 202:
        return { status };
      default:
        throw new Error(`the package of the Model Context Protocol answers ${status}`);
    }
  },
});

function toolsFor(operations: AgentOperations, call: Omit<ToolCall, "args">): McpTools {
  return {
    list: toolsOf(AGENT_TOOLS, call.agent).map(describedTool),
    call: async (name, args) => {
      const tool = AGENT_TOOLS.find((known) => known.name === name);
      if (tool !== undefined) return resultOf(await callTool(operations, tool, { ...call, args }));
      noteUnknownTool(operations, { ...call, args });
      return null;
    },
  };
}

function describedTool({ name, title, description, input, output, effects }: AgentTool): McpTools["list"][number] {
  const { readOnly, destructive } = effects;
  return {
    ...{ name, title, description },
    inputSchema: { type: "object", ...input },
    outputSchema: { type: "object", ...output },
    // The same call twice is never worse than once, and nothing but the merchant's own payments is touched.
    annotations: { title, readOnlyHint: readOnly, destructiveHint: destructive, idempotentHint: true, openWorldHint: false },
  };
}

function resultOf(outcome: CallOutcome) {
  const content = [{ type: "text" as const, text: outcome.text }];
  return outcome.type === "done" ? { content, structuredContent: { ...outcome.structured } } : { content, isError: true };
}
