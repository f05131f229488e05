import type { Endpoint } from "../../../endpoint/endpoint.ts";
import type { MerchantOperations } from "../surface.ts";
import { listReconciliation } from "./list-reconciliation.ts";
import { reconciliationFile } from "./reconciliation-file.ts";
import { showReconciliation } from "./show-reconciliation.ts";
import type { ReconciliationOperations } from "./surface.ts";

/** The endpoints of a merchant's closed days. */
export const reconciliationEndpoints: Endpoint<ReconciliationOperations & MerchantOperations>[] = [
  listReconciliation,
  showReconciliation,
  reconciliationFile,
];
