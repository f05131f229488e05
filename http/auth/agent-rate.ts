import { createHash } from "node:crypto";
import { RelayError } from "../../engine/kernel/errors.ts";
import { type Admission, createRateLimitMemory, type RateLimitBucket, type RateLimitMemory } from "./rate-limiter.ts";

/** Part of the interface: requests in any one second of one credential, and of all together at one node. A call costs some milliseconds of a thread that answers payments too. */
export const AGENT_REQUESTS_PER_SECOND = 10;
export const AGENT_NODE_REQUESTS_PER_SECOND = 20;

/**
 * This part of the node's limit is for the first requests of each merchant in any one second: a few merchants that ask without pause leave it to the others. An agent
 * that connects sends three.
 */
export const AGENT_FIRST_REQUESTS_PER_SECOND = 12;
export const AGENT_FIRST_REQUESTS = 3;

/** Credentials, or merchants, with a request in one second: no more than the limit of the node are admitted. */
const AGENTS_COUNTED = 1_024;

/** What the threads of a node share of these limits. */
export interface AgentRateMemory {
  readonly credentials: RateLimitMemory;
  readonly merchants: RateLimitMemory;
  readonly firsts: RateLimitMemory;
  readonly node: RateLimitMemory;
}

/** Once a node. */
export function createAgentRateMemory(threads: number): AgentRateMemory {
  return {
    credentials: createRateLimitMemory("agentCredentials", AGENT_REQUESTS_PER_SECOND, threads, AGENTS_COUNTED),
    merchants: createRateLimitMemory("agentMerchants", AGENT_NODE_REQUESTS_PER_SECOND, threads, AGENTS_COUNTED),
    firsts: createRateLimitMemory("agentFirsts", AGENT_FIRST_REQUESTS_PER_SECOND, threads, 1),
    node: createRateLimitMemory("agents", AGENT_NODE_REQUESTS_PER_SECOND - AGENT_FIRST_REQUESTS_PER_SECOND, threads, 1),
  };
}

export interface AgentRateBuckets {
  /** Of each credential, by its id. */
  credentials: RateLimitBucket;
  /** Of all credentials of each merchant at this node, by its id: which of its requests are its first. */
  merchants: RateLimitBucket;
  /** Of all merchants at this node: the first requests of each in a second, and the others. */
  firsts: RateLimitBucket;
  node: RateLimitBucket;
}

/** Admits requests of agents. What its own limit refuses a credential takes nothing of the node's, so one that asks too often leaves the others their share. */
export function createAgentRate({
  credentials,
  merchants,
  firsts,
  node,
}: AgentRateBuckets): (agent: { credentialId: string; merchantId: string }) => Promise<void> {
  return async ({ credentialId, merchantId }) => {
    if (typeof (await taken(credentials, credentialId)) !== "number")
      throw limited(`This credential may send ${credentials.perSecond} requests a second`);
    const left = await taken(merchants, merchantId);
    const isFirst = typeof left === "number" && left >= merchants.perSecond - AGENT_FIRST_REQUESTS;
    if (isFirst && typeof (await firsts.take(0, 0)) === "number") return;
    if (typeof (await node.take(0, 0)) !== "number") throw limited("Too many requests from AI agents at once; retry shortly");
  };
}

function taken(bucket: RateLimitBucket, id: string): Admission | Promise<Admission> {
  const digest = createHash("sha256").update(id).digest();
  return bucket.take(digest.readInt32BE(0), digest.readInt32BE(4));
}

function limited(message: string): RelayError {
  return new RelayError("rate_limited", message, { retryAfterSeconds: 1 });
}
