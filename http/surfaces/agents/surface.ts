import type { AgentGrant } from "../../../engine/access/agent-grant.ts";
import type { Caller } from "../../../engine/access/caller.ts";
import type { AgentCallOutcome } from "../../../engine/agents/agent-credential.ts";
import type { AgentCredentials } from "../../../engine/agents/agent-credentials.ts";
import type { ExecuteOnce } from "../../../engine/idempotency/execute-once.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { MerchantTransactions } from "../../../engine/payments/merchant-transactions.ts";
import { surface } from "../../endpoint/surface.ts";
import type { LocalTime } from "../parts/time.ts";
import { mcpEnvelope } from "./json-rpc.ts";

/** Where agents call, and the only place that their tokens open. */
export const MCP_PATH = "/mcp";

/** What the tools of AI agents use. Whose data it is says the credential alone. */
export interface AgentOperations {
  agentCredentials: Pick<AgentCredentials, "createLink" | "listLinks" | "findLink" | "cancelLink" | "noteCall">;
  agentCalls: AgentCalls;
  merchantTransactions: Pick<MerchantTransactions, "page" | "find" | "sums">;
  executeOnce: ExecuteOnce;
  /** The page where the link with this token is paid. */
  paymentLinkUrl(token: string): string;
  localTime: LocalTime;
  clock: Pick<Clock, "nowMs">;
}

export interface AgentCalls {
  /** Counts a request. Rejects with RelayError `rate_limited` beyond what a credential, or all of them together at this node, may ask in a second. */
  admit(agent: AgentGrant): Promise<void>;
  /** A call of a tool has ended; for metrics. `tool` is one of the relay's own words. */
  ended(tool: string, outcome: AgentCallOutcome): void;
}

export const agents = surface<AgentOperations>()({
  name: "agents",
  tags: ["AI agents"],
  envelope: mcpEnvelope,
  admit: async ({ agentCalls }, { caller }) => {
    await agentCalls.admit(agentOf(caller));
    return undefined;
  },
});

export function agentOf(caller: Caller): AgentGrant {
  if (caller.type === "agent") return caller.agent;
  throw new RelayError("unauthorized", "The token of an AI agent's credential is required");
}
