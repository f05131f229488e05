import { shownOf } from "./schemas.ts";
import { creatorOf, oneAgentCredential, operationOf } from "./surface.ts";

export const revokeAgentCredential = oneAgentCredential.action({
  name: "revokeAgentCredential",
  method: "DELETE",
  path: "",
  summary: "Revoke a credential of an AI agent",
  description:
    "Every node rejects the credential's next call. Links that it created can still be paid; cancel those that are not wanted. If the credential has already ended, the response shows it unchanged. A person may revoke credentials of both environments.",
  apartByEnvironment: true,
  may: "administer agents",
  noStepUp: "Revoking takes access away and gives none, and a token that leaked has to end at once.",
  audit: { action: "agent-credential.revoke" },
  done: { description: "Revoked.", changes: { state: "REVOKED" } },
  run: async ({ agentCredentials }, owner, { caller, params, operationId, request }) => {
    const operation = operationOf(caller, operationId, request);
    const revoke = (livemode: boolean) => agentCredentials.revoke({ ...owner, livemode }, params.id, creatorOf(caller), operation);
    // A person may also revoke what a key of the other environment created.
    const seen = (await revoke(owner.livemode)) ?? (caller.type === "merchantUser" ? await revoke(!owner.livemode) : null);
    return seen === null ? null : { done: shownOf(seen) };
  },
});
