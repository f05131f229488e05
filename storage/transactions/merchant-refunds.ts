import type { ObjectRow } from "../../engine/payments/object-row.ts";
import { LATEST_MS } from "../feed/row-binary.ts";
import { objectsOf, type Sql } from "./newest-rows.ts";

/** The clocks of two nodes differ by less. A refund cannot be older than its payment by more. */
const CLOCKS_MS = 86_400_000;

/**
 * Returns a table of a merchant's refunded amounts since a time, with the columns `refundedUuid`
 * and `refunded`. It includes waiting refunds.
 */
export function refundsSince(merchantId: string, fromMs: number, waiting: readonly ObjectRow[]): Sql {
  const range = { fromMs: fromMs - CLOCKS_MS, untilMs: LATEST_MS };
  const columns = ["uuid", "state", "amount_minor"] as const;
  const { text, parameters } = objectsOf({ merchantId }, columns, { kinds: ["refund"], ...range }, { objects: waiting }, "refunds");
  return {
    text: `(SELECT uuid AS refundedUuid, sum(amount_minor) AS refunded FROM ${text} WHERE state = 'done' GROUP BY refundedUuid)`,
    parameters,
  };
}
