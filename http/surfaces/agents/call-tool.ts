import { agentMay } from "../../../engine/access/agent-grant.ts";
import type { AgentCallOutcome } from "../../../engine/agents/agent-credential.ts";
import { type ErrorCode, RelayError } from "../../../engine/kernel/errors.ts";
import { digestOf } from "../../endpoint/idempotency.ts";
import type { AgentOperations } from "./surface.ts";
import type { AgentTool, ToolCall, ToolOutcome } from "./tool.ts";

/** What a call has come to, as its agent is told: `failed` for a reason that lies with the relay. */
export type CallOutcome = ToolOutcome | { readonly type: "failed"; readonly text: string };

/** Whose fault it is; what is nobody's word is the relay's. */
const IS_REFUSAL: ReadonlySet<ErrorCode> = new Set([
  "invalid_request",
  "unauthorized",
  "forbidden",
  "not_found",
  "duplicate",
  "conflict",
  "rate_limited",
]);

/** The word for a tool that there is not: what the caller named it is the caller's text. */
const UNKNOWN_TOOL = "unknown";

/** Calls a tool, and notes it for its merchant and for metrics, with a digest of the arguments and never with them. Throws what is no RelayError, and `internal`: it is logged where it is answered. */
export async function callTool(operations: AgentOperations, tool: AgentTool, call: ToolCall): Promise<CallOutcome> {
  const note = (outcome: AgentCallOutcome) => noted(operations, tool.name, call, outcome);
  try {
    const outcome = await tool.run(operations, call);
    note(outcome.type);
    return outcome;
  } catch (error) {
    if (!(error instanceof RelayError) || error.code === "internal") {
      note("failed");
      throw error;
    }
    const type = IS_REFUSAL.has(error.code) ? "refused" : "failed";
    note(type);
    return { type, text: textOf(error) };
  }
}

/** A call of what is no tool. */
export function noteUnknownTool(operations: AgentOperations, call: ToolCall): void {
  noted(operations, UNKNOWN_TOOL, call, "refused");
}

function noted(
  { agentCredentials, agentCalls }: AgentOperations,
  tool: string,
  { agent, args }: ToolCall,
  outcome: AgentCallOutcome,
): void {
  agentCredentials.noteCall(agent, { tool, outcome, argumentsDigest: digestOf([args]) });
  agentCalls.ended(tool, outcome);
}

function textOf({ message, retryAfterSeconds }: RelayError): string {
  return retryAfterSeconds === undefined ? message : `${message} (try again in ${retryAfterSeconds} s)`;
}

/** The tools of a credential's scopes. */
export function toolsOf(all: readonly AgentTool[], agent: ToolCall["agent"]): readonly AgentTool[] {
  return all.filter(({ scope }) => agentMay(agent, scope));
}
