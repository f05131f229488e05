import type { AgentGrant } from "../../engine/access/agent-grant.ts";
import type { Caller } from "../../engine/access/caller.ts";
import type { AgentRefusal } from "../../engine/agents/agent-credentials.ts";
import type { Refusal } from "./credential-source.ts";

/** Tokens have 55 characters; a much longer text is not one. */
const HEADER_LENGTH_MAX = 256;

/** By its beginning a token is known for one of an agent: keys of merchants and partners are not even looked for. */
const BEARER = /^bearer +(ak_merchant_[\x21-\x7e]+)$/i;

const MISSING_TOKEN: Refusal = {
  type: "refused",
  code: "unauthorized",
  message: "The token of an AI agent's credential is required: Authorization: Bearer ak_merchant_...",
};
const INVALID_TOKEN: Refusal = { type: "refused", code: "unauthorized", message: "Invalid token" };

const REFUSALS: Readonly<Record<AgentRefusal, Refusal>> = {
  revoked: { type: "refused", code: "unauthorized", message: "This credential was revoked; ask the merchant for another one" },
  expired: { type: "refused", code: "unauthorized", message: "This credential has expired; ask the merchant for another one" },
  // As a merchant's keys are, while it is deactivated.
  inactive: INVALID_TOKEN,
  environment: { type: "refused", code: "unauthorized", message: "This credential belongs to the merchant's other environment" },
  address: { type: "refused", code: "forbidden", message: "This credential may not be used from this address" },
};

/** Finds the credential of a token that came from an address: why it opens nothing where it was one, null for no token. Rejects with RelayError `unavailable`. */
export type FindAgent = (token: string, ipAddress: string) => Promise<AgentGrant | AgentRefusal | null>;

/**
 * Authentication of AI agents: `Authorization: Bearer ak_merchant_...`. Looked up by the token's hash, so the time reveals nothing about any token. Each call reads the
 * store: a credential that is revoked opens nothing from then on, at no node.
 */
export async function callerByAgentToken(
  find: FindAgent,
  { authorization, ipAddress }: { authorization: string; ipAddress: string },
): Promise<Caller | Refusal> {
  if (authorization === "") return MISSING_TOKEN;
  const token = authorization.length > HEADER_LENGTH_MAX ? undefined : BEARER.exec(authorization)?.[1];
  const found = token === undefined ? null : await find(token, ipAddress);
  if (found === null) return INVALID_TOKEN;
  return typeof found === "string" ? REFUSALS[found] : { type: "agent", agent: found };
}
