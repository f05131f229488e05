import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { AGENT_CREDENTIAL_EXAMPLE, agentCredentialJson } from "./agent-credential-json.ts";
import { AgentCredential } from "./schemas.ts";
import { AgentCredentialParams, agentCredentials, noSuchCredential } from "./surface.ts";

export const showAgentCredential = agentCredentials.endpoint({
  name: "getAgentCredential",
  method: "GET",
  path: `${MERCHANT_BASE}/agent-credentials/{id}`,
  summary: "Get a credential of an AI agent",
  description: "Includes what the credential was used for, and its latest calls.",
  auth: "merchantUserOrAnyKey",
  apartByEnvironment: true,
  may: "look",
  rateLimit: PORTAL_RATE,
  params: AgentCredentialParams,
  responses: {
    200: { description: "The credential.", body: okOf(AgentCredential), example: { status: "ok", data: AGENT_CREDENTIAL_EXAMPLE } },
    ...agentCredentials.errors(400, 401, 404, 429, 503),
  },
  handle: async (operations, { caller, params }) => {
    const seen = await operations.agentCredentials.show(merchantOwnerOf(caller), params.id);
    if (seen === null) throw noSuchCredential();
    return { status: 200, body: ok(await agentCredentialJson(operations, caller, seen)) };
  },
});
