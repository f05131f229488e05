/** What an AI agent may be permitted to do. It reads and cancels only links that it created. */
export const AGENT_SCOPES = ["links:create", "links:read", "links:cancel", "transactions:read", "analytics:read"] as const;
