import { Client, StreamableHTTPClientTransport, type VersionNegotiationMode } from "@modelcontextprotocol/client";
import type { McpCaller } from "./mcp-call.ts";

/** The official client of this project's own packages, held to one generation of the protocol. */
export function clientHeldTo(mode: VersionNegotiationMode): McpCaller {
  return async ({ url, token, calls }) => {
    const client = new Client({ name: "terminal-relay-trial", version: "1.0.0" }, { versionNegotiation: { mode } });
    try {
      await client.connect(
        new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
      );
    } catch (error) {
      return { error: messageOf(error) };
    }
    try {
      const { tools } = await client.listTools();
      const results: unknown[] = [];
      for (const call of calls) {
        results.push(
          await client.callTool({ ...call, arguments: { ...call.arguments } }).catch((error: unknown) => ({ error: messageOf(error) })),
        );
      }
      return { version: client.getNegotiatedProtocolVersion(), tools: tools.map(({ name }) => name), results };
    } finally {
      await client.close();
    }
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
