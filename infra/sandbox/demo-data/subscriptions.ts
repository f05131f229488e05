import { type DemoRelay, textAt } from "./demo-relay.ts";

/** Cards on file of the sandbox's gateway (infra/sandbox/gateway/README.md). */
export type DemoCard = "card_sandbox_ok" | "card_sandbox_declined" | "card_sandbox_expired" | "card_sandbox_recovers";

const CUSTOMERS = ["Ada Rossi", "Bruno Greco", "Chiara Conti", "Dario Villa", "Elena Ferri", "Fabio Monti", "Gaia Serra", "Irene Costa"];

export async function createPlan(relay: DemoRelay, members: object): Promise<string> {
  return textAt(await relay.shop("POST", "/plans", { interval: "MONTH", ...members }), "data", "id");
}

export async function retirePlan(relay: DemoRelay, id: string): Promise<void> {
  await relay.shop("PATCH", `/plans/${id}`, { active: false });
}

/** The subscription of the customer with this number; without a card each cycle is paid by a link. */
export async function subscribe(relay: DemoRelay, planId: string, number: number, card?: DemoCard): Promise<string> {
  const name = CUSTOMERS[number % CUSTOMERS.length] ?? "";
  const email = `${name.toLowerCase().replace(" ", ".")}@example.com`;
  const paid = card === undefined ? {} : { collection: "CARD", methodId: card };
  return textAt(await relay.shop("POST", "/subscriptions", { planId, customer: { name, email, locale: "en" }, ...paid }), "data", "id");
}

export async function change(relay: DemoRelay, id: string, what: "pause" | "cancel", body?: object): Promise<void> {
  await relay.shop("POST", `/subscriptions/${id}/${what}`, body);
}
