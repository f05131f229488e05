import { type AgentRateMemory, createAgentRate } from "../../../../http/auth/agent-rate.ts";
import { openRateLimit } from "../../../../http/auth/rate-limiter.ts";
import type { AgentCalls } from "../../../../http/surfaces/agents/surface.ts";
import type { ShardMetrics } from "../../observability/metrics.ts";
import { createRateLimits, type OtherNodes } from "../shared/rate-limits.ts";

export interface AgentCallParts {
  memory: AgentRateMemory;
  monotonicMs(): number;
  /** Null for a single node. */
  others: OtherNodes | null;
  metrics: Pick<ShardMetrics, "agentCalled">;
}

/**
 * Counts agents' requests in a shard. The limit of a credential applies across all nodes, like
 * limits of addresses. The limit of a node applies to the node only.
 */
export function composeAgentCalls({ memory, monotonicMs, others, metrics }: AgentCallParts): AgentCalls {
  const { credentials, merchants, firsts, node } = memory;
  const admit = createAgentRate({
    credentials: createRateLimits([credentials], monotonicMs, others).of(credentials.bucket),
    merchants: openRateLimit(merchants, monotonicMs),
    firsts: openRateLimit(firsts, monotonicMs),
    node: openRateLimit(node, monotonicMs),
  });
  return { admit, ended: metrics.agentCalled };
}
