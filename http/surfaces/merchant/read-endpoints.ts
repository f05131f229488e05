import type { Endpoint } from "../../endpoint/endpoint.ts";
import { exportMerchantTransactions } from "./export-transactions.ts";
import { findMerchantTerminal } from "./find-terminal.ts";
import { findMerchantTransaction } from "./find-transaction.ts";
import { listMerchantAudit } from "./list-audit.ts";
import { listMerchantCallLog } from "./list-call-log.ts";
import { listMerchantTerminals } from "./list-terminals.ts";
import { listMerchantTransactions } from "./list-transactions.ts";
import { listMerchantWorkflowLog } from "./list-workflow-log.ts";
import { merchantOverview } from "./overview.ts";
import type { ReadOperations } from "./reads.ts";
import type { MerchantOperations } from "./surface.ts";
import { merchantTransactionReceipt } from "./transaction-receipt.ts";

/** The endpoints by which a merchant reads its payments, terminals and logs. */
export const readEndpoints: Endpoint<ReadOperations & MerchantOperations>[] = [
  merchantOverview,
  listMerchantTransactions,
  exportMerchantTransactions,
  findMerchantTransaction,
  merchantTransactionReceipt,
  listMerchantTerminals,
  findMerchantTerminal,
  listMerchantAudit,
  listMerchantWorkflowLog,
  listMerchantCallLog,
];
