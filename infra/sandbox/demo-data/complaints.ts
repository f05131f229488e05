import { type DemoRelay, textAt } from "./demo-relay.ts";

const DAY_MS = 86_400_000;

const STATEMENT = "The table was taken from eight until eleven.\nThe guest signed the receipt.";
const FIELDS = { customerName: "Chiara Conti", orderNumber: "ORDER-00017" };

/** A reference of a card network; each is used once. */
const reference = (relay: DemoRelay, kind: string) => `${kind}-${relay.uuid().slice(0, 13)}`;

/** The network reports a dispute, which has to be answered within `days`; its id. */
export async function dispute(relay: DemoRelay, days: number, members: object = {}): Promise<string> {
  const fed = await relay.admin("POST", "/disputes", {
    ...{ merchantId: relay.merchantId, network: "VISA", networkCaseId: reference(relay, "CASE"), stage: "CHARGEBACK" },
    ...{ amountMinor: 4_990, currency: "EUR", reasonCode: "13.1", category: "NOT_RECEIVED" },
    respondBy: new Date(relay.clock.nowMs() + days * DAY_MS).toISOString(),
    ...members,
  });
  return textAt(fed, "data", "id");
}

/** The shop challenges a dispute with a statement. */
export async function challenge(relay: DemoRelay, id: string): Promise<void> {
  await relay.shop("POST", `/disputes/${id}/respond`, { action: "CHALLENGE", statement: STATEMENT, fields: FIELDS });
}

export async function accept(relay: DemoRelay, id: string): Promise<void> {
  await relay.shop("POST", `/disputes/${id}/respond`, { action: "ACCEPT" });
}

export async function verdict(relay: DemoRelay, id: string, result: "WON" | "LOST"): Promise<void> {
  await relay.admin("POST", `/disputes/${id}/verdict`, { result });
}

/** The network wants more evidence, of which the shop has prepared a draft. */
export async function evidenceWanted(relay: DemoRelay, id: string, days: number): Promise<void> {
  const respondBy = new Date(relay.clock.nowMs() + days * DAY_MS).toISOString();
  await relay.admin("POST", `/disputes/${id}/evidence-requested`, { respondBy, stage: "PRE_ARBITRATION" });
  await relay.shop("PUT", `/disputes/${id}/draft`, { statement: STATEMENT, fields: FIELDS });
}

/** An alert before a dispute; its id. */
export async function alert(relay: DemoRelay, members: object = {}): Promise<string> {
  const fed = await relay.admin("POST", "/alerts", {
    ...{ merchantId: relay.merchantId, source: "ETHOCA", networkRef: reference(relay, "ALERT"), category: "FRAUD" },
    ...{ amountMinor: 4_990, currency: "EUR" },
    ...members,
  });
  return textAt(fed, "data", "id");
}

export async function decline(relay: DemoRelay, id: string): Promise<void> {
  await relay.shop("POST", `/alerts/${id}/decline`, { reason: "The customer has the goods" });
}

/** The network has refunded the payment itself. */
export async function resolve(relay: DemoRelay, id: string): Promise<void> {
  await relay.admin("POST", `/alerts/${id}/resolve`);
}

/** Small amounts are refunded at once. */
export async function refundSmallAmounts(relay: DemoRelay): Promise<void> {
  await relay.shop("PUT", "/alert-rules", {
    ...{ enabled: true, currency: "EUR", dailyCountMax: 10, dailyAmountMaxMinor: 50_000, seen: 0 },
    rules: [{ id: "small-amounts", amountMaxMinor: 4_000, sources: ["ETHOCA"], categories: null, methods: null }],
  });
}
