import { listPrefix } from "../kernel/merchant-index-store.ts";
import { isInScope, type MerchantScope } from "../kernel/merchant-scope.ts";
import type { WorkflowStore } from "./workflow-store.ts";

/**
 * Searches a merchant's records of one kind by more than their indexes. Every search reads a
 * bounded number of records. Rejects with RelayError `unavailable` when the store cannot answer.
 */
export interface WorkflowSearch<R> {
  /** Returns the records whose ids begin with a text, which must name few records. */
  beginning(scope: MerchantScope, idBeginning: string): Promise<readonly R[]>;
  newest(scope: MerchantScope, limit: number): Promise<readonly R[]>;
}

/**
 * Limits the records of all merchants that have the same beginning. Ids are random, so a few
 * characters name few records.
 */
const SAME_BEGINNING_MAX = 50;

/** `indexPrefix`: the index that has all records of a merchant by time. */
export function createWorkflowSearch<R extends MerchantScope>(
  store: Pick<WorkflowStore<R>, "beginning" | "under">,
  indexPrefix: string,
): WorkflowSearch<R> {
  return {
    beginning: async (scope, idBeginning) => {
      const records = await store.beginning(idBeginning, SAME_BEGINNING_MAX);
      return records.filter((record) => isInScope(record, scope));
    },
    newest: (scope, limit) => store.under(listPrefix(indexPrefix, scope), limit, true),
  };
}
