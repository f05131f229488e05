import assert from "node:assert/strict";
import { type CallToolResult, Client, StreamableHTTPClientTransport, type VersionNegotiationMode } from "@modelcontextprotocol/client";

/**
 * The generations of the Model Context Protocol, with the mode in which the official client uses
 * each, and the version that it negotiates.
 */
export const MCP_GENERATIONS: readonly { version: string; mode: VersionNegotiationMode }[] = [
  { version: "2025-11-25", mode: "legacy" },
  { version: "2026-07-28", mode: { pin: "2026-07-28" } },
];

/** Connects the official client as an AI agent with its token. */
export async function connectAgent(url: string, token: string, mode: VersionNegotiationMode): Promise<Client> {
  const client = new Client({ name: "agent-of-tests", version: "1.0.0" }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
  return client;
}

/**
 * Makes a call that succeeds. Returns its structured content, which the client has checked against
 * the tool's output schema.
 */
export async function callDone(client: Client, name: string, args: Record<string, unknown> = {}): Promise<unknown> {
  const result = await client.callTool({ name, arguments: args });
  assert.notEqual(result.isError, true, textOf(result));
  assert.ok(result.structuredContent !== undefined, `${name} has no structured content`);
  return result.structuredContent;
}

/** Makes a call that is rejected. Returns the reason. */
export async function callRefused(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const result = await client.callTool({ name, arguments: args });
  assert.equal(result.isError, true, textOf(result));
  assert.equal(result.structuredContent, undefined);
  return textOf(result);
}

export function textOf({ content }: Pick<CallToolResult, "content">): string {
  return content.map((one) => (one.type === "text" ? one.text : `(${one.type})`)).join("\n");
}
