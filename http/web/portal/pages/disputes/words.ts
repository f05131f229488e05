import type { DisputeItemJson, DisputeJson, EvidenceFileJson } from "../../../../surfaces/merchant/disputes/schemas.ts";

export type Status = DisputeItemJson["status"];
export type Category = DisputeJson["category"];
export type EvidenceKind = EvidenceFileJson["category"];

/** All of them; the relay decides by DISPUTE_STATES and their kin of the engine. */
export const STATUSES = [
  "ALERT",
  "OPEN",
  "EVIDENCE_REQUIRED",
  "UNDER_REVIEW",
  "WON",
  "LOST",
  "EXPIRED",
] as const satisfies readonly Status[];
export const STAGES = ["INQUIRY", "CHARGEBACK", "PRE_ARBITRATION"] as const satisfies readonly DisputeJson["stage"][];
export const CATEGORIES = [
  "FRAUD",
  "NOT_RECEIVED",
  "NOT_AS_DESCRIBED",
  "DUPLICATE",
  "CANCELLED_RECURRING",
  "OTHER",
] as const satisfies readonly Category[];

/** Farther ahead no answer is due: within so many days are all that are to be answered, the most urgent first. */
export const DUE_DAYS_MAX = "400";

/** Where a dispute is opened, with the list's filters behind it. */
export function disputeHref(id: string, query = ""): string {
  return `/portal/disputes/${encodeURIComponent(id)}${query === "" ? "" : `?${query}`}`;
}

/** The list, narrowed to this. */
export function disputesHref(filters: Readonly<Record<string, string>>): string {
  return `/portal/disputes?${new URLSearchParams({ view: "list", ...filters }).toString()}`;
}

/** A line of the list may be an alert, which has a page of its own. */
export function itemHref({ kind, id }: Pick<DisputeItemJson, "kind" | "id">, query = ""): string {
  return kind === "dispute" ? disputeHref(id, query) : `/portal/alerts/${encodeURIComponent(id)}`;
}
