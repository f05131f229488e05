import { randomUUID } from "node:crypto";
import type { TransactionRow } from "../../engine/payments/feed-row.ts";

const TERMINALS = 5_000;

/** What makes rows differ from those of a run: who sent them, when (milliseconds UTC), and the merchant, where they are one's. */
export interface ResultRowOptions {
  sender: string;
  nowMs: number;
  shop?: string;
}

/** The n-th row of a card payment that was approved, or every twentieth time refused, at one of 5,000 terminals. */
export function resultRow(n: number, { sender, nowMs, shop }: ResultRowOptions): TransactionRow {
  const row: TransactionRow = {
    type: "transaction",
    version: nowMs * 1_000 + n,
    transaction: {
      uuid: randomUUID(),
      terminalId: `T${String(n % TERMINALS).padStart(6, "0")}`,
      createdAtMs: nowMs,
      method: "CARD",
      status: n % 20 === 0 ? "KO" : "OK",
      amountCents: 100 + (n % 9_900),
      currency: "EUR",
      message: "Transaction approved",
      auth: { authCode: String(100_000 + (n % 900_000)), stan: String(n % 1_000_000), actionCode: "000" },
      card: { brand: "MAESTRO", maskedPan: "453957******1486", entry: "NFC" },
      provider: { name: "relay", model: "A920", clientVersion: "3.1.0" },
    },
    kind: "payment",
    sender,
    unsolicited: false,
    amountDiffers: false,
    life: {
      service: "PAYCC",
      amountCents: 100 + (n % 9_900),
      state: "done",
      acceptedAtMs: nowMs - 4_000,
      sentAtMs: nowMs - 3_900,
      finishedAtMs: nowMs,
      channel: "poll",
      attempt: 1,
    },
  };
  return shop === undefined ? row : { ...row, shop };
}
