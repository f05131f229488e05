import { type DemoRelay, memberAt, textAt } from "./demo-relay.ts";

const DECLINED_CARD = "4000000000000002";

/** What a bar sells by a link. */
const OFFERS = [
  ["A cake for Saturday", 3_800],
  ["A table for eight, deposit", 8_000],
  ["Catering for an office", 24_500],
  ["Two tickets for the concert", 4_990],
  ["A box of wine", 11_400],
  ["A voucher", 5_000],
] as const;

/** Creates the payment link with this number; its id. */
export async function createLink(relay: DemoRelay, number: number, members: object = {}): Promise<string> {
  const [description, amountMinor] = OFFERS[number % OFFERS.length] ?? OFFERS[0];
  const order = { description, amountMinor, reference: `ORDER-${String(number).padStart(5, "0")}`, ...members };
  return textAt(await relay.shop("POST", "/payment-links", order), "data", "id");
}

/** A customer pays the link; the uuid of its payment. */
export async function payLink(relay: DemoRelay, id: string): Promise<string> {
  await relay.pressPay(id);
  await relay.atGateway(`${id}.1`, "pay");
  await relay.until(`/payment-links/${id}`, (answer) => memberAt(answer, "data", "state") === "PAID");
  return `${id}.1`;
}

/** The customer's card is declined, and the link stays open. */
export async function declineLink(relay: DemoRelay, id: string): Promise<void> {
  await relay.pressPay(id);
  await relay.atGateway(`${id}.1`, "pay", DECLINED_CARD);
}

export async function refund(relay: DemoRelay, uuid: string): Promise<void> {
  await relay.shop("POST", `/transactions/${uuid}/refund`, {});
}
