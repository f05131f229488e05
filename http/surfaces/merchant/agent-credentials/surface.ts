import { Type } from "@sinclair/typebox";
import type { Caller } from "../../../../engine/access/caller.ts";
import type { Users } from "../../../../engine/accounts/users.ts";
import type { AgentCredentialCreator } from "../../../../engine/agents/agent-credential.ts";
import type { AgentCredentials } from "../../../../engine/agents/agent-credentials.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { LocalTime } from "../../parts/time.ts";
import { merchantOf, merchantSurface, userOf } from "../surface.ts";

/** What the endpoints of agents' credentials use. */
export interface AgentCredentialOperations {
  agentCredentials: Pick<AgentCredentials, "create" | "list" | "show" | "revoke" | "revokeAll">;
  /** Of credentials that people made, who they are. */
  users: Pick<Users, "list">;
  localTime: Pick<LocalTime, "dayOf">;
  clock: Pick<Clock, "nowMs">;
}

export const agentCredentials = merchantSurface<AgentCredentialOperations>();

export const AgentCredentialParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, parameterName: "AgentCredentialId", description: "`ac_...`" }),
});

/** The one answer for what is not there, is another merchant's, or is of the other environment. */
export function noSuchCredential(): RelayError {
  return new RelayError("not_found", "There is no such agent credential");
}

/** Ids of what is made are derived from it, so it says whose request it is. */
export function operationOf(caller: Caller, operationId: string, request: { readonly id: string }) {
  return { id: `${merchantOf(caller)}/${operationId}`, requestId: request.id };
}

export function creatorOf(caller: Caller): AgentCredentialCreator {
  return caller.type === "merchantKey" ? { type: "key", keyId: caller.merchant.keyId } : { type: "user", userId: userOf(caller).userId };
}

/** A response with a token must not be stored by caches. */
export const NO_STORE = { "Cache-Control": "no-store" } as const;
