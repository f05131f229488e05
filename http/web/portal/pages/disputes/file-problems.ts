import { DISPUTE_FILES_MAX } from "../../../../../engine/disputes/words.ts";
import type { EvidenceFileJson } from "../../../../surfaces/merchant/disputes/schemas.ts";
import { formatNumber } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { EXTENSIONS, FILE_MEGABYTES_MAX, FILES_MEGABYTES_MAX } from "./limits.ts";

const MEGABYTE = 1_048_576;

/** The file types that the browser offers. */
export const ACCEPT = EXTENSIONS.map((extension) => `.${extension}`).join(",");

/**
 * Describes why a chosen file is not acceptable next to the stored files and the running uploads;
 * null if it is.
 */
export function fileProblem(file: File, others: readonly Pick<EvidenceFileJson, "bytes">[]): string | null {
  const { problems } = text().disputes.evidence;
  const extension = /[^.]\.([^.]+)$/.exec(file.name)?.[1]?.toLowerCase();
  if (!EXTENSIONS.some((known) => known === extension)) return problems.type;
  if (file.size === 0) return problems.empty;
  if (file.size > FILE_MEGABYTES_MAX * MEGABYTE) return problems.size(sizeText(file.size), FILE_MEGABYTES_MAX);
  if (others.length >= DISPUTE_FILES_MAX) return problems.count(DISPUTE_FILES_MAX);
  const bytes = others.reduce((sum, other) => sum + other.bytes, file.size);
  return bytes > FILES_MEGABYTES_MAX * MEGABYTE ? problems.total(FILES_MEGABYTES_MAX) : null;
}

/** Rounds up, and uses kilobytes below one megabyte, so that a file never seems empty. */
export function sizeText(bytes: number): string {
  const { size } = text().disputes.evidence;
  if (bytes >= MEGABYTE) return size.megabytes(formatNumber(Math.ceil((bytes / MEGABYTE) * 10) / 10));
  return size.kilobytes(formatNumber(Math.ceil(bytes / 1_024)));
}
