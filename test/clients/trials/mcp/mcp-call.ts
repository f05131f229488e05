/** What an MCP client is asked to do; the programs get it as JSON on their standard input. */
export interface McpQuestion {
  readonly url: string;
  readonly token: string;
  readonly calls: readonly { readonly name: string; readonly arguments: { readonly [name: string]: unknown } }[];
}

/**
 * Connects, lists the tools and makes the calls. Resolves with `{version, tools, results}`, the version as it was agreed and each result as the client gives it; in the
 * place of a result that the client rejects, or of all of it where it cannot connect, `{error}`.
 */
export type McpCaller = (question: McpQuestion) => Promise<unknown>;
