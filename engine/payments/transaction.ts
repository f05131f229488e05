/** How something was paid, or what was done instead. PAYBYLINK is a link payment in the transactions list. */
export type TransactionMethod = "CARD" | "SATISPAY" | "VOUCHER" | "RECEIPT" | "UNKNOWN" | "SCAN" | "PRINT" | "PAYBYLINK";

/** OK is approved, KO declined; there is nothing between, a result without an outcome is not a transaction. */
export type TransactionStatus = "OK" | "KO";

/** Free-form members that a terminal sent (voucher, receipt), masked; values are JSON. */
export type FreeForm = { [member: string]: unknown };

/**
 * A terminal's result in the form that everyone gets (infra/docs/results.md), with the time as
 * milliseconds UTC; the HTTP surface writes `createdAt` as local time.
 */
export interface Transaction {
  uuid: string;
  /** When the relay stored the result, milliseconds since the epoch; never changes for a uuid. */
  createdAtMs: number;
  method: TransactionMethod;
  status: TransactionStatus;
  /** Minor units; 0 for SCAN and PRINT. */
  amountCents: number;
  currency: string;
  terminalId?: string;
  merchantId?: string;
  message?: string;
  auth?: { authCode?: string; stan?: string; actionCode?: string };
  card?: { brand?: string; maskedPan?: string; entry?: "MAN" | "ICC" | "NFC" };
  satispay?: { paymentId?: string; status?: string; outcome?: string; store?: string; codeIdentifier?: string };
  provider?: { name?: string; model?: string; clientVersion?: string };
  voucher?: FreeForm;
  /** Of any method: the receipt, or the slip of a payment (slip.ts). */
  receipt?: FreeForm;
  scan?: { scannedValue: string | null; barcodeFormat: string | null; scanResult: "OK" | "CANCELLED" | "ERROR" };
  print?: { printResult: "OK" | "KO"; errorDescription: string | null };
}
