import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { AGENT_CREDENTIAL_EXAMPLE, agentCredentialJson } from "./agent-credential-json.ts";
import { AgentCredential } from "./schemas.ts";
import { AgentCredentialParams, agentCredentials, creatorOf, noSuchCredential, operationOf } from "./surface.ts";

export const revokeAgentCredential = agentCredentials.endpoint({
  name: "revokeAgentCredential",
  method: "DELETE",
  path: `${MERCHANT_BASE}/agent-credentials/{id}`,
  summary: "Revoke a credential of an AI agent",
  description:
    "Every node rejects the credential's next call. Links that it created can still be paid; cancel those that are not wanted. If the credential has already ended, the response shows it unchanged. A person may revoke credentials of both environments.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "administer agents",
  noStepUp: "Revoking takes access away and gives none, and a token that leaked has to end at once.",
  rateLimit: PORTAL_RATE,
  params: AgentCredentialParams,
  audit: { action: "agent-credential.revoke" },
  responses: {
    200: {
      description: "Revoked.",
      body: okOf(AgentCredential),
      example: { status: "ok", data: { ...AGENT_CREDENTIAL_EXAMPLE, state: "REVOKED" } },
    },
    ...agentCredentials.errors(400, 401, 403, 404, 429, 503),
  },
  handle: async (operations, { caller, params, operationId, request }) => {
    const operation = operationOf(caller, operationId, request);
    const owner = merchantOwnerOf(caller);
    const revoke = (livemode: boolean) =>
      operations.agentCredentials.revoke({ ...owner, livemode }, params.id, creatorOf(caller), operation);
    // A person also ends what a key of the other environment made.
    const seen = (await revoke(owner.livemode)) ?? (caller.type === "merchantUser" ? await revoke(!owner.livemode) : null);
    if (seen === null) throw noSuchCredential();
    return { status: 200, body: ok(await agentCredentialJson(operations, caller, seen)) };
  },
});
