import type { Endpoint } from "../../../endpoint/endpoint.ts";
import type { MerchantOperations } from "../surface.ts";
import { createAgentCredential } from "./create-agent-credential.ts";
import { listAgentCredentials } from "./list-agent-credentials.ts";
import { revokeAgentCredential } from "./revoke-agent-credential.ts";
import { revokeAllAgentCredentials } from "./revoke-all-agent-credentials.ts";
import { showAgentCredential } from "./show-agent-credential.ts";
import type { AgentCredentialOperations } from "./surface.ts";

/** The endpoints of the credentials of a merchant's AI agents, for its people and for its keys. */
export const agentCredentialEndpoints: Endpoint<AgentCredentialOperations & MerchantOperations>[] = [
  listAgentCredentials,
  createAgentCredential,
  showAgentCredential,
  revokeAgentCredential,
  revokeAllAgentCredentials,
];
