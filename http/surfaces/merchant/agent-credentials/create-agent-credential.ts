import { AGENT_CREDENTIALS_MAX, NO_AGENT_LIMITS, NO_AGENT_USE } from "../../../../engine/agents/agent-credential.ts";
import { AGENT_DAYS_DEFAULT, AGENT_LINKS_PER_HOUR_DEFAULT } from "../../../../engine/agents/words.ts";
import { ok, okOf, refusal } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { AgentCredentialWithToken, agentCredential, CreateAgentCredential, shownOf } from "./schemas.ts";
import { agentCredentials, creatorOf, NO_STORE, oneAgentCredential, operationOf } from "./surface.ts";

const DAY_MS = 86_400_000;

export const createAgentCredential = agentCredentials.endpoint({
  name: "createAgentCredential",
  refusesUnknown: "access",
  method: "POST",
  path: `${MERCHANT_BASE}/agent-credentials`,
  summary: "Create a credential of an AI agent",
  description: `The response has the token with which the agent calls \`/mcp\`; it is not shown again. A merchant may have at most ${AGENT_CREDENTIALS_MAX} usable credentials at a time.`,
  auth: "merchantUserOrKey",
  may: "administer agents",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  body: CreateAgentCredential,
  bodyExample: {
    ...{ name: agentCredential.example.name, scopes: agentCredential.example.scopes },
    limits: { perLinkMaxMinor: 20_000, perDayMinor: 50_000, totalMinor: 500_000 },
  },
  // The response contains the token.
  idempotency: "sealed",
  audit: { action: "agent-credential.create", subject: ({ body: { name } }) => name },
  responses: {
    201: {
      description: "Created.",
      body: okOf(AgentCredentialWithToken),
      headers: { "Cache-Control": { description: "no-store" } },
      example: { status: "ok", data: { credential: agentCredential.example, token: "ak_merchant_..." } },
    },
    ...agentCredentials.errors(400, 401, 403, 413, 415, 429, 503),
    409: {
      description: `The merchant already has ${AGENT_CREDENTIALS_MAX} usable credentials (credentials_full). Or the same \`Idempotency-Key\` was used with another body.`,
      body: agentCredentials.envelope.schema,
    },
  },
  handle: async (operations, { caller, body, operationId, request }) => {
    const { name, scopes, limits, ipAllow = [], expiresInDays = AGENT_DAYS_DEFAULT } = body;
    const order = {
      ...{ name, scopes, ipAllow },
      limits: limits === undefined ? NO_AGENT_LIMITS : { currency: "EUR", linksPerHour: AGENT_LINKS_PER_HOUR_DEFAULT, ...limits },
      expiresAtMs: operations.clock.nowMs() + expiresInDays * DAY_MS,
    };
    const operation = operationOf(caller, operationId, request);
    const proof = caller.type === "merchantKey" ? caller.merchant.proof : undefined;
    const outcome = await operations.agentCredentials.create(merchantOwnerOf(caller), order, creatorOf(caller), operation, proof);
    if (outcome.type === "full") {
      return refusal(
        409,
        "credentials_full",
        `A merchant may have ${AGENT_CREDENTIALS_MAX} usable credentials at a time; revoke one first`,
      );
    }
    const { credential, token } = outcome;
    const shown = shownOf({ credential, use: NO_AGENT_USE, linksInHour: 0 });
    const json = await oneAgentCredential.json(operations, caller, shown);
    return { status: 201, body: ok({ credential: json, token }), headers: NO_STORE };
  },
});
