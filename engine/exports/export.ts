import type { Locale } from "../accounts/account.ts";

/** What can be exported: the rows of a list of the portal, with its filters. */
export const EXPORT_LISTS = ["transactions", "payment-links", "disputes", "subscriptions"] as const;
export type ExportList = (typeof EXPORT_LISTS)[number];

export const EXPORT_FORMATS = ["CSV", "XLSX"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const EXPORT_STATES = ["QUEUED", "RUNNING", "READY", "FAILED"] as const;
export type ExportState = (typeof EXPORT_STATES)[number];

/**
 * Why one failed. too_many_rows: an XLSX has room for XLSX_ROWS_MAX, a CSV for all. too_large: the file would be larger than EXPORT_FILE_BYTES_MAX. no_room: the files of
 * all exports fill what they may, or too little of the disk is free. unavailable: what it reads could not be read for an hour. interrupted: it was begun EXPORT_ATTEMPTS_MAX
 * times, and broke off each time. not_permitted: who asked for it may not export any more. internal: anything else.
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
export type ExportFailure = (typeof EXPORT_FAILURES)[number];

/** A sheet is in memory as a whole while it is made: some 240 MB for so many rows. */
export const XLSX_ROWS_MAX = 50_000;

/** How long a file is there, from when it is ready. */
export const EXPORT_KEPT_MS = 24 * 3_600_000;

/** Of one merchant in one environment: queued or running at once, and kept at once, whatever became of them. */
export const EXPORTS_UNDER_WAY_MAX = 2;
export const EXPORTS_KEPT_MAX = 50;

/** Four million rows of a CSV or so. */
export const EXPORT_FILE_BYTES_MAX = 512 * 1_048_576;

/** All files of one merchant in one environment. */
export const EXPORT_MERCHANT_BYTES_MAX = 2 * EXPORT_FILE_BYTES_MAX;

/** How often one is begun before it is given up: what ends a process may end the next one too. */
export const EXPORT_ATTEMPTS_MAX = 5;

/** Who asked for it. */
export type ExportActor = { readonly type: "user"; readonly userId: string } | { readonly type: "key" };

/** Members of the list's query, as its endpoint takes them. */
export type ExportFilters = { readonly [member: string]: string | number | boolean };

export interface ExportOrder {
  readonly list: ExportList;
  readonly filters: ExportFilters;
  readonly format: ExportFormat;
  /** Names of columns of the list, in the order of the file. */
  readonly columns: readonly string[];
  /** Of headings, numbers and dates. */
  readonly lang: Locale;
  /** Whether a column of it is about people. */
  readonly personalData: boolean;
}

/**
 * A file of rows that is made in the background, by one node at a time.
 *
 *   QUEUED   waits for its turn, or for what it reads
 *   RUNNING  a node makes it, until `leaseUntilMs` at the latest; then whoever is home begins anew
 *   READY    the file is there until `expiresAtMs`
 *   FAILED   for the reason that `failure` says
 */
export interface ExportRecord {
  readonly schema: 1;
  /** `exp_` and 24 letters or digits. */
  readonly id: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  readonly order: ExportOrder;
  readonly createdBy: ExportActor;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly state: ExportState;
  /** How often it was begun. */
  readonly attempts: number;
  /** Which attempt holds it while RUNNING; empty otherwise. */
  readonly leaseOf: string;
  readonly leaseUntilMs: number | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly failure: ExportFailure | null;
  /** READY: the name of the file in the folder of exports, which nobody can guess and which is never shown. */
  readonly file: string | null;
  readonly rows: number | null;
  readonly bytes: number | null;
  /** When it is removed with its file; null while it has not ended. */
  readonly expiresAtMs: number | null;
  /** When it is looked at next: to be begun, to be begun again, or to be removed. */
  readonly nextAtMs: number | null;
}
