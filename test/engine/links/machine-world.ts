import type { GatewayPayment } from "../../../engine/gateway/gateway.ts";
import type { FollowUp, LinkOrder, LinkRecord } from "../../../engine/links/link.ts";
import { newLink } from "../../../engine/links/rules.ts";

/** When the tables take place: a minute after the link was created. */
export const CREATED_MS = 1_700_000_000_000;
export const NOW_MS = CREATED_MS + 60_000;
export const EXPIRES_MS = CREATED_MS + 3_600_000;

export function order(changes: Partial<LinkOrder> = {}): LinkOrder {
  return {
    txId: "x1",
    terminalId: "T1",
    partnerId: 1,
    owner: "partner:1",
    amount: "12.34",
    amountMinor: 1234,
    currency: "EUR",
    description: "Order 7",
    merchantReference: "R7",
    customerEmail: "ada@example.org",
    instrument: "card",
    capture: "now",
    returnUrl: null,
    createdAtMs: CREATED_MS,
    expiresAtMs: EXPIRES_MS,
    attachment: null,
    ...changes,
  };
}

export const PAYMENT: GatewayPayment = {
  resultCode: "GW_000",
  description: "Transaction completed successfully",
  tranId: "m1",
  authCode: "A1B2",
  maskedPan: "411111******1111",
  cardBrand: "VISA",
  payerName: "Ada",
  payerLastName: "Lovelace",
};

type Changes = Partial<Omit<LinkRecord, "order">> & { order?: Partial<LinkOrder> };

/** A link in one of its states, as the table wants it. */
export function link(state: LinkRecord["state"], changes: Changes = {}): LinkRecord {
  const { order: orderChanges, ...rest } = changes;
  const created = newLink(order(orderChanges));
  const offered = { inits: 1, paymentId: "g1", paymentUrl: "https://pay.example/g1" };
  const success = { resultCode: "GW_000", description: PAYMENT.description, atMs: NOW_MS - 1, payment: PAYMENT };
  const expired = { resultCode: "GW_20002", description: "The buyer did not pay in time", atMs: EXPIRES_MS, payment: null };
  const refused = { resultCode: "GW_10001", description: "Card not authorized", atMs: NOW_MS - 1, payment: null };
  switch (state) {
    case "created":
      return { ...created, inits: 1, ...rest };
    case "waiting":
      return { ...created, ...offered, state, nextAtMs: CREATED_MS + 300_000, ...rest };
    case "watching":
      return { ...created, ...offered, state, nextAtMs: NOW_MS, ...rest };
    case "success":
      return { ...created, ...offered, state, nextAtMs: null, outcome: success, ...rest };
    case "failed":
      return { ...created, ...offered, state, nextAtMs: null, outcome: refused, ...rest };
    case "expired":
      return { ...created, ...offered, state, nextAtMs: EXPIRES_MS + 60_000, outcome: expired, ...rest };
  }
}

export function followUp(changes: Partial<FollowUp> = {}): FollowUp {
  return {
    id: "f1",
    type: "reversal",
    amountMinor: 1234,
    whole: true,
    state: "done",
    requestedAtMs: NOW_MS - 1_000,
    finishedAtMs: NOW_MS - 500,
    tranId: "m2",
    resultCode: "GW_000",
    description: "Reversed",
    ...changes,
  };
}

/** One that was asked for and never answered. */
export function unanswered(changes: Partial<FollowUp> = {}): FollowUp {
  return followUp({ state: "requested", finishedAtMs: null, tranId: null, resultCode: null, description: null, ...changes });
}

/** Outcomes of a link that was paid, as ordered or otherwise. */
export const success = (atMs = NOW_MS) => ({ resultCode: "GW_000", description: PAYMENT.description, atMs, payment: PAYMENT });
export const successWith = (amountMinor: number, currency: string) => ({
  ...success(),
  payment: { ...PAYMENT, amount: { amountMinor, currency } },
});
