import type { ExportJson } from "../../../../surfaces/merchant/exports/schemas.ts";
import { text } from "../../i18n/texts.ts";

export type ExportListName = ExportJson["list"];
export type ExportFormat = ExportJson["format"];

export interface ExportScope {
  list: ExportListName;
  /** What the list is asked with at present. */
  query: Readonly<Record<string, string>>;
}

export const EXPORTS_HREF = "/portal/exports";

/** Whether something will become of it yet. */
export function isUnderWay({ state }: Pick<ExportJson, "state">): boolean {
  return state === "QUEUED" || state === "RUNNING";
}

/** Why it failed, in words. */
export function failureText({ failure }: Pick<ExportJson, "failure">): string {
  const { failures } = text().exports;
  // Further reasons may come.
  const known: Readonly<Record<string, string>> = failures;
  return (failure === null ? undefined : known[failure]) ?? failures.internal;
}

/** Who asked for it. */
export function creatorText({ creator, createdBy }: Pick<ExportJson, "creator" | "createdBy">): string {
  const { key, formerUser } = text().exports;
  return { user: createdBy, key, former_user: formerUser }[creator];
}
