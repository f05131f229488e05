import assert from "node:assert/strict";
import { AGENT_SCOPES } from "../../../engine/access/words.ts";
import type { HttpClient } from "../http/http-client.ts";
import { listOf, member, textMember } from "../http/matches.ts";
import type { Relay } from "../node/relay.ts";

/** A link within the limits of `newAgent`. Each order needs its own key. */
export const AGENT_ORDER = { idempotencyKey: "order-1", amountMinor: 1_050, currency: "EUR", description: "Dinner on Thursday" } as const;

export const AGENT_LIMITS = { perLinkMaxMinor: 5_000, perDayMinor: 20_000, totalMinor: 100_000 } as const;

/** Creates a credential with the merchant's secret key, with every scope by default. */
export async function newAgentCredential(key: HttpClient, members: object = {}): Promise<{ id: string; token: string }> {
  const order = { name: "Booking assistant", scopes: AGENT_SCOPES, limits: AGENT_LIMITS, ...members };
  const made = await key.post("/api/merchant/agent-credentials", order);
  assert.equal(made.status, 201, made.text);
  return { id: textMember(made.body, "data", "credential", "id"), token: textMember(made.body, "data", "token") };
}

/** An agent that calls tools without a client library. */
export interface Agent {
  credentialId: string;
  token: string;
  /** Makes a call that succeeds. Returns its structured content. */
  done(tool: string, args: object): Promise<unknown>;
  /** Makes a call that is rejected. Returns the reason. */
  refused(tool: string, args: object): Promise<string>;
}

export async function newAgent(relay: Relay, { key }: { key: HttpClient }, members: object = {}): Promise<Agent> {
  const { id: credentialId, token } = await newAgentCredential(key, members);
  const client = relay.client({ authorization: `Bearer ${token}` });
  async function call(name: string, args: object): Promise<unknown> {
    const answer = await client.post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
    assert.equal(answer.status, 200, answer.text);
    return member(answer.body, "result");
  }
  return {
    credentialId,
    token,
    done: async (tool, args) => {
      const result = await call(tool, args);
      assert.notEqual(member(result, "isError"), true, JSON.stringify(result));
      return member(result, "structuredContent");
    },
    refused: async (tool, args) => {
      const result = await call(tool, args);
      assert.equal(member(result, "isError"), true, JSON.stringify(result));
      return textMember(listOf(member(result, "content"))[0], "text");
    },
  };
}
