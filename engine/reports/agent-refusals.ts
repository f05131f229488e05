import type { AgentCredentials } from "../agents/agent-credentials.ts";
import type { MerchantParty } from "../kernel/merchant-scope.ts";

/** The newest credentials, to which a report is limited. */
const CREDENTIALS_MAX = 100;

/** The refusals of an AI agent's credential since it was created. */
export interface RefusedAgent {
  readonly credentialId: string;
  /** The merchant's name for it. */
  readonly name: string;
  /** Refused orders for links, by the limit that refused them. */
  readonly refused: { readonly [limit: string]: number };
}

/**
 * Reads the refusals by the limits of a merchant's agents. It includes the newest credentials,
 * active or not.
 */
export interface AgentRefusals {
  of(owner: MerchantParty): Promise<readonly RefusedAgent[]>;
}

/** Reads the refusals from the credentials, which count them. */
export function createAgentRefusals(agents: Pick<AgentCredentials, "list">): AgentRefusals {
  return {
    of: async (owner) => {
      const { items } = await agents.list(owner, { limit: CREDENTIALS_MAX, cursor: null, state: null });
      return items.map(({ credential, use }) => ({ credentialId: credential.id, name: credential.name, refused: use.refused }));
    },
  };
}
