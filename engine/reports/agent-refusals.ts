import type { PortalLinkOwner } from "../portal-links/portal-links.ts";

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
  of(owner: PortalLinkOwner): Promise<readonly RefusedAgent[]>;
}
