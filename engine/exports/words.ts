/**
 * The lists of the portal that can be exported. An export has the rows of one list, with its
 * filters.
 */
export const EXPORT_LISTS = ["transactions", "payment-links", "disputes", "subscriptions"] as const;
export const EXPORT_FORMATS = ["CSV", "XLSX"] as const;
export const EXPORT_STATES = ["QUEUED", "RUNNING", "READY", "FAILED"] as const;
/**
 * The reason why an export failed.
 *
 * - too_many_rows: an XLSX has room for XLSX_ROWS_MAX rows, a CSV for all.
 * - too_large: the file would be larger than EXPORT_FILE_BYTES_MAX.
 * - no_room: the files of all exports have reached their limit, or too little of the disk is free.
 * - unavailable: the rows could not be read for an hour.
 * - interrupted: EXPORT_ATTEMPTS_MAX attempts began, and none of them ended.
 * - not_permitted: the user who requested it may no longer export.
 * - internal: anything else.
 */
export const EXPORT_FAILURES = [
  "too_many_rows",
  "too_large",
  "no_room",
  "unavailable",
  "interrupted",
  "not_permitted",
  "internal",
] as const;
/** A sheet is in memory while it is produced. This many rows need about 240 MB. */
export const XLSX_ROWS_MAX = 50_000;
