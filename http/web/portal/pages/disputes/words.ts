import { DISPUTE_LIST as FILTERS } from "../../../../surfaces/merchant/disputes/list.ts";
import type { DisputeItemJson, DisputeJson, EvidenceFileJson } from "../../../../surfaces/merchant/disputes/schemas.ts";
import { type FilterValues, type ListDeclaration, listHref, objectHref } from "../../list/declaration.ts";

export type Category = DisputeJson["category"];
export type EvidenceKind = EvidenceFileJson["category"];

export const DISPUTE_LIST = {
  page: "disputes",
  path: "/disputes",
  // The relay accepts any text here. The page does not ask for ids that no terminal can have.
  filters: { ...FILTERS, terminalId: { type: "text", pattern: "^[A-Za-z0-9._-]{1,64}$", maxLength: 64 } },
} as const satisfies ListDeclaration;

/**
 * No response is due later than this, so the filter shows all disputes to answer, most urgent
 * first.
 */
export const DUE_DAYS_MAX = "400";

/** The address of the list with these filters. Without `view` the page shows the board. */
export function disputesHref(filters: FilterValues): string {
  return listHref("disputes", { view: "list", ...filters });
}

/** Links an item to its own page, because the list may contain alerts. */
export function itemHref({ kind, id }: Pick<DisputeItemJson, "kind" | "id">, query = ""): string {
  return kind === "dispute" ? objectHref("disputes", id, query) : objectHref("alerts", id);
}
