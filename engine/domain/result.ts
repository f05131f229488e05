import type { CommandKind } from "./command.ts";
import type { Transaction, TransactionMethod, TransactionStatus } from "./transaction.ts";

/** A terminal's posting, read: outcome and uuid are certain, everything else is there when the terminal told it. */
export interface ReadResult {
  uuid: string;
  status: TransactionStatus;
  /** Null where the posting does not tell; the command's method is taken then. */
  method: TransactionMethod | null;
  /** Null where the posting does not tell; the command's amount is taken then. */
  amountCents: number | null;
  currency: string | null;
  /** All other members of the transaction that were recognised. */
  details: Omit<Transaction, "uuid" | "createdAtMs" | "method" | "status" | "amountCents" | "currency" | "terminalId">;
  /** What was posted, PANs masked, as JSON text. */
  raw: string;
}

export type ReadOutcome = { type: "read"; result: ReadResult } | { type: "unreadable"; uuid: string | null; reason: string; raw: string };

export type ResultContext = {
  terminalId: string;
  createdAtMs: number;
  command: { kind: CommandKind; method: TransactionMethod; amountCents: number } | null;
};
