import type { TransactionItemJson } from "../../../../surfaces/merchant/transaction-schemas.ts";
import { Badge } from "../../components/badge.tsx";
import { text } from "../../i18n/texts.ts";

export function TransactionStatus({ status }: Pick<TransactionItemJson, "status">) {
  const { transactions } = text();
  return <Badge kind={status === "OK" ? "good" : "bad"}>{transactions.statuses[status]}</Badge>;
}
