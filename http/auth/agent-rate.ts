import { createHash } from "node:crypto";
import { RelayError } from "../../engine/kernel/errors.ts";
import { createRateLimitMemory, type RateLimitBucket, type RateLimitMemory } from "./rate-limiter.ts";

/** Part of the interface: requests in any one second of one credential, and of all together at one node. A call costs some milliseconds of a thread that answers payments too. */
export const AGENT_REQUESTS_PER_SECOND = 10;
export const AGENT_NODE_REQUESTS_PER_SECOND = 20;

/** Credentials with a request in one second: no more than the limit of the node are admitted. */
const AGENT_CREDENTIALS_COUNTED = 1_024;

/** What the threads of a node share of these limits. */
export interface AgentRateMemory {
  readonly credentials: RateLimitMemory;
  readonly node: RateLimitMemory;
}

/** Once a node. */
export function createAgentRateMemory(threads: number): AgentRateMemory {
  return {
    credentials: createRateLimitMemory("agentCredentials", AGENT_REQUESTS_PER_SECOND, threads, AGENT_CREDENTIALS_COUNTED),
    node: createRateLimitMemory("agents", AGENT_NODE_REQUESTS_PER_SECOND, threads, 1),
  };
}

export interface AgentRateBuckets {
  /** Of each credential, by its id. */
  credentials: RateLimitBucket;
  /** Of all of them at this node. */
  node: RateLimitBucket;
}

/** Admits requests of agents. What its own limit refuses a credential takes nothing of the node's, so one that asks too often leaves the others their share. */
export function createAgentRate({ credentials, node }: AgentRateBuckets): (credentialId: string) => Promise<void> {
  return async (credentialId) => {
    const digest = createHash("sha256").update(credentialId).digest();
    const own = await credentials.take(digest.readInt32BE(0), digest.readInt32BE(4));
    if (typeof own !== "number") throw limited(`This credential may send ${credentials.perSecond} requests a second`);
    const all = await node.take(0, 0);
    if (typeof all !== "number") throw limited("Too many requests of AI agents at once");
  };
}

function limited(message: string): RelayError {
  return new RelayError("rate_limited", message, { retryAfterSeconds: 1 });
}
