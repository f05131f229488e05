/** What a credential of an AI agent may be permitted to do. Of links it is its own that it reads and cancels. */
export const AGENT_SCOPES = ["links:create", "links:read", "links:cancel", "transactions:read", "analytics:read"] as const;
