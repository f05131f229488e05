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
    description: "Free-form: one JSON-RPC 2.0 message of the Model Context Protocol. Lists of messages are not accepted.",
  },
);

const Answer = Type.Object(
  {},
  { additionalProperties: true, description: "Free-form: the JSON-RPC 2.0 response to the message, which is a result or an error." },
);

export const callMcp = agents.endpoint({
  name: "callMcp",
  method: "POST",
  path: MCP_PATH,
  takesSlash: true,
  summary: "Send a message of the Model Context Protocol",
  description:
    "The Model Context Protocol over Streamable HTTP, in both its generations (2025-11-25 and earlier, and 2026-07-28): configure an MCP client with the address and the token. There are no sessions and no event streams: the response to every message is JSON, GET and DELETE get 405, and `subscriptions/listen` is an unknown method. `tools/list` returns the tools that the credential's scopes permit, with the JSON schemas of their arguments and results. If a tool rejects a call, its result says so, with `isError`. A credential may send 10 requests a second, and all credentials together 20 a second at each node (429, with `Retry-After`).",
  auth: "agent",
  bodyBytesMax: BODY_BYTES_MAX,
  deadlineMs: DEADLINE_MS,
  headers: Type.Object({
    "mcp-protocol-version": header("The protocol version that the client has negotiated."),
    "mcp-method": header("From 2026-07-28 on, the `method` of the message."),
    "mcp-name": header("From 2026-07-28 on, the name of the tool."),
  }),
  body: Message,
  bodyExample: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
  responses: {
    200: { description: "The response to the message.", body: Answer, example: { jsonrpc: "2.0", id: 1, result: { tools: [] } } },
    202: { description: "The message was a notification, which has no response." },
    ...agents.errors(400, 401, 403, 413, 415, 429, 503),
    404: { description: "There is no such method; this is how version 2026-07-28 answers it.", body: agents.envelope.schema },
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
