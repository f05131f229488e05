import type { TransactionItemJson } from "../../../../surfaces/merchant/transaction-schemas.ts";
import { Badge } from "../../components/badge.tsx";
import { text } from "../../i18n/texts.ts";

/** Shows the outcome of a transaction, or that its payment was refunded. */
export function TransactionStatus({ item: { status, refundState, isPayment } }: { item: Status }) {
  const { transactions } = text();
  if (refundState !== "NONE") return <Badge kind="warn">{transactions.refundStates[refundState]}</Badge>;
  if (!isPayment) return <Badge>{transactions.notPayment}</Badge>;
  return <Badge kind={status === "OK" ? "good" : "bad"}>{transactions.statuses[status]}</Badge>;
}

type Status = Pick<TransactionItemJson, "status" | "refundState" | "isPayment">;
