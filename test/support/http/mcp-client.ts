import assert from "node:assert/strict";
import { type CallToolResult, Client, StreamableHTTPClientTransport, type VersionNegotiationMode } from "@modelcontextprotocol/client";

/** The generations of the Model Context Protocol: how the official client is held to each, and what it has agreed then. */
export const MCP_GENERATIONS: readonly { version: string; mode: VersionNegotiationMode }[] = [
  { version: "2025-11-25", mode: "legacy" },
  { version: "2026-07-28", mode: { pin: "2026-07-28" } },
];

/** The official client, connected as an AI agent with its token. */
export async function connectAgent(url: string, token: string, mode: VersionNegotiationMode): Promise<Client> {
  const client = new Client({ name: "agent-of-tests", version: "1.0.0" }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
  return client;
}

/** A call that is done; answers with its structured content, which the client has checked against the tool's output schema. */
export async function callDone(client: Client, name: string, args: Record<string, unknown> = {}): Promise<unknown> {
  const result = await client.callTool({ name, arguments: args });
  assert.notEqual(result.isError, true, textOf(result));
  assert.ok(result.structuredContent !== undefined, `${name} has no structured content`);
  return result.structuredContent;
}

/** A call that is refused; answers with the reason. */
export async function callRefused(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const result = await client.callTool({ name, arguments: args });
  assert.equal(result.isError, true, textOf(result));
  assert.equal(result.structuredContent, undefined);
  return textOf(result);
}

export function textOf({ content }: Pick<CallToolResult, "content">): string {
  return content.map((one) => (one.type === "text" ? one.text : `(${one.type})`)).join("\n");
}
