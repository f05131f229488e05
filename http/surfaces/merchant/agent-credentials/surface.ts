import type { Caller } from "../../../../engine/access/caller.ts";
import type { Users } from "../../../../engine/accounts/users.ts";
import type { AgentCredentialCreator, AgentCredentialRecord } from "../../../../engine/agents/agent-credential.ts";
import type { AgentCredentials } from "../../../../engine/agents/agent-credentials.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { LocalTime } from "../../parts/time.ts";
import { actorContext } from "../actor-names.ts";
import { oneOf } from "../resource-endpoints.ts";
import { merchantOf, merchantSurface, userOf } from "../surface.ts";
import { type AgentCredentialContext, agentCredential, seesDetails, shownOf } from "./schemas.ts";

/** The collaborators of the agent credential endpoints. */
export interface AgentCredentialOperations {
  agentCredentials: Pick<AgentCredentials, "create" | "list" | "show" | "revoke" | "revokeAll">;
  /** Names the people who created credentials. */
  users: Pick<Users, "list">;
  localTime: Pick<LocalTime, "dayOf">;
  clock: Pick<Clock, "nowMs">;
}

export const agentCredentials = merchantSurface<AgentCredentialOperations>();

/** Names the people who created and revoked credentials, for callers that may see them. */
export async function agentCredentialContext(
  operations: AgentCredentialOperations,
  caller: Caller,
  credentials: readonly Pick<AgentCredentialRecord, "createdBy" | "revokedBy">[],
): Promise<AgentCredentialContext> {
  const actors = credentials.flatMap(({ createdBy, revokedBy }) =>
    revokedBy === null || revokedBy.type === "rotation" ? [createdBy] : [createdBy, revokedBy],
  );
  const context = await actorContext<AgentCredentialCreator>(operations, caller, seesDetails(caller) ? actors : []);
  return { ...context, today: operations.localTime.dayOf(context.nowMs) };
}

export const oneAgentCredential = oneOf(agentCredentials, {
  noun: "credential",
  missing: "There is no such agent credential",
  path: "/agent-credentials",
  idParameter: { parameterName: "AgentCredentialId", description: "`ac_...`" },
  resource: agentCredential,
  find: async ({ agentCredentials: ofMerchant }, owner, id) => {
    const seen = await ofMerchant.show(owner, id);
    return seen === null ? null : shownOf(seen);
  },
  context: agentCredentialContext,
});

/** Ids of created records are derived from the operation id, so it includes the merchant. */
export function operationOf(caller: Caller, operationId: string, request: { readonly id: string }) {
  return { id: `${merchantOf(caller)}/${operationId}`, requestId: request.id };
}

export function creatorOf(caller: Caller): AgentCredentialCreator {
  return caller.type === "merchantKey" ? { type: "key", keyId: caller.merchant.keyId } : { type: "user", userId: userOf(caller).userId };
}

/** A response with a token must not be stored by caches. */
export const NO_STORE = { "Cache-Control": "no-store" } as const;
