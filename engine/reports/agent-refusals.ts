import type { AgentCredentials } from "../agents/agent-credentials.ts";
import type { MerchantParty } from "../kernel/merchant-scope.ts";

/** Credentials whose refusals a report tells of: the newest. */
const CREDENTIALS_MAX = 100;

/** What a credential of an AI agent was refused since it was made. */
export interface RefusedAgent {
  readonly credentialId: string;
  /** As its merchant calls it. */
  readonly name: string;
  /** Orders for links, by the limit that refused them. */
  readonly refused: { readonly [limit: string]: number };
}

/** What the limits of a merchant's agents have refused: of its newest credentials, whether they still count or not. */
export interface AgentRefusals {
  of(owner: MerchantParty): Promise<readonly RefusedAgent[]>;
}

/** Over their credentials, which count it. */
export function createAgentRefusals(agents: Pick<AgentCredentials, "list">): AgentRefusals {
  return {
    of: async (owner) => {
      const { items } = await agents.list(owner, { limit: CREDENTIALS_MAX, cursor: null, state: null });
      return items.map(({ credential, use }) => ({ credentialId: credential.id, name: credential.name, refused: use.refused }));
    },
  };
}
