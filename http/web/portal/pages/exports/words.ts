import type { ExportJson } from "../../../../surfaces/merchant/exports/schemas.ts";
import { text } from "../../i18n/texts.ts";

export type ExportListName = ExportJson["list"];
export type ExportFormat = ExportJson["format"];

export interface ExportScope {
  list: ExportListName;
  /** The current filters of the list. */
  query: Readonly<Record<string, string>>;
}

export const EXPORTS_HREF = "/portal/exports";

/** Whether the export may still change. */
export function isUnderWay({ state }: Pick<ExportJson, "state">): boolean {
  return state === "QUEUED" || state === "RUNNING";
}

/** Explains in words why the export failed. */
export function failureText({ failure }: Pick<ExportJson, "failure">): string {
  const { failures } = text().exports;
  // The relay may report reasons that this version does not know.
  const known: Readonly<Record<string, string>> = failures;
  return (failure === null ? undefined : known[failure]) ?? failures.internal;
}

/** Names the person or the key that requested the export. */
export function creatorText({ creator, createdBy }: Pick<ExportJson, "creator" | "createdBy">): string {
  const { key, formerUser } = text().exports;
  return { user: createdBy, key, former_user: formerUser }[creator];
}
