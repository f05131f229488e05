import { type DemoRelay, textAt } from "./demo-relay.ts";

/** Nothing listens at this port, so each delivery fails. */
const NOBODY = "http://127.0.0.1:1/hooks";

/** An endpoint that takes its webhooks at `url`, and one that does not. */
export async function createWebhooks(relay: DemoRelay, url: string): Promise<void> {
  await relay.shop("POST", "/webhooks", { url, events: ["*"], description: "Order system" });
  const events = ["payment_link.paid", "dispute.created"];
  await relay.shop("POST", "/webhooks", { url: NOBODY, events, description: "Bookkeeping, switched off" });
}

export interface DemoAgent {
  id: string;
  token: string;
}

const LIMITS = { perLinkMaxMinor: 5_000, perDayMinor: 20_000, totalMinor: 100_000 };

export async function createAgent(relay: DemoRelay, name: string, members: object = {}): Promise<DemoAgent> {
  const scopes = ["links:create", "links:read", "transactions:read", "analytics:read"];
  const made = await relay.shop("POST", "/agent-credentials", { name, scopes, limits: LIMITS, expiresInDays: 90, ...members });
  return { id: textAt(made, "data", "credential", "id"), token: textAt(made, "data", "token") };
}

/** The agent creates a payment link; above its limits the relay refuses that. */
export async function agentLink(relay: DemoRelay, { token }: DemoAgent, amountMinor: number): Promise<void> {
  const order = { amountMinor, currency: "EUR", description: "Dinner on Thursday", idempotencyKey: relay.uuid() };
  await relay.agent(token, "create_payment_link", order);
}

export async function revokeAgent(relay: DemoRelay, { id }: DemoAgent): Promise<void> {
  await relay.shop("DELETE", `/agent-credentials/${id}`);
}

export async function createExport(relay: DemoRelay, order: object): Promise<void> {
  await relay.shop("POST", "/exports", { lang: "en", ...order });
}
