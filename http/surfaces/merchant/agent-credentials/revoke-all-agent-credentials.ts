import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { RevokedAgentCredentials } from "./schemas.ts";
import { agentCredentials, creatorOf, operationOf } from "./surface.ts";

export const revokeAllAgentCredentials = agentCredentials.endpoint({
  name: "revokeAllAgentCredentials",
  method: "POST",
  path: `${MERCHANT_BASE}/agent-credentials/revoke-all`,
  summary: "Revoke all credentials of AI agents",
  description: "Revokes all usable credentials; every node rejects the next call of each. Links that they created can still be paid.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "administer agents",
  noStepUp: "Revoking takes access away and gives none, and tokens that leaked have to end at once.",
  rateLimit: PORTAL_RATE,
  audit: { action: "agent-credential.revoke-all", subject: () => "all" },
  responses: {
    200: { description: "How many.", body: okOf(RevokedAgentCredentials), example: { status: "ok", data: { revoked: 3 } } },
    ...agentCredentials.errors(400, 401, 403, 429, 503),
  },
  handle: async (operations, { caller, operationId, request }) => {
    const operation = operationOf(caller, operationId, request);
    const revoked = await operations.agentCredentials.revokeAll(merchantOwnerOf(caller), creatorOf(caller), operation);
    return { status: 200, body: ok({ revoked: revoked.length }) };
  },
});
