import type { Locale } from "../accounts/account.ts";
import type { EXPORT_FAILURES, EXPORT_FORMATS, EXPORT_LISTS, EXPORT_STATES } from "./words.ts";

export type ExportList = (typeof EXPORT_LISTS)[number];

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export type ExportState = (typeof EXPORT_STATES)[number];

export type ExportFailure = (typeof EXPORT_FAILURES)[number];

/** Time from READY or FAILED until an export is removed. */
export const EXPORT_KEPT_MS = 24 * 3_600_000;

/**
 * Limits for a merchant in one environment: exports that are queued or running, and exports in any
 * state.
 */
export const EXPORTS_UNDER_WAY_MAX = 2;
export const EXPORTS_KEPT_MAX = 50;

/** A CSV of this size has about four million rows. */
export const EXPORT_FILE_BYTES_MAX = 512 * 1_048_576;

/** Maximum size of all files of a merchant in one environment. */
export const EXPORT_MERCHANT_BYTES_MAX = 2 * EXPORT_FILE_BYTES_MAX;

/**
 * Maximum number of attempts for an export. An export that ends a process might end the next one
 * too.
 */
export const EXPORT_ATTEMPTS_MAX = 5;

/** The user or key that requested the export. */
export type ExportActor = { readonly type: "user"; readonly userId: string } | { readonly type: "key" };

/** Members of the list's query, in the form that its endpoint accepts. */
export type ExportFilters = { readonly [member: string]: string | number | boolean };

export interface ExportOrder {
  readonly list: ExportList;
  readonly filters: ExportFilters;
  readonly format: ExportFormat;
  /** Names of the list's columns, in the order of the file. */
  readonly columns: readonly string[];
  /** Language of headings, numbers and dates. */
  readonly lang: Locale;
  /** Whether a column contains personal data. */
  readonly personalData: boolean;
}

/**
 * A file of rows that one node at a time creates in the background. The states mean:
 *
 *   QUEUED   The export waits for its turn, or for what it reads.
 *   RUNNING  A node creates it until `leaseUntilMs`. Then its home begins again.
 *   READY    The file exists until `expiresAtMs`.
 *   FAILED   `failure` is the reason.
 */
export interface ExportRecord {
  readonly schema: 1;
  /** `exp_` and 24 lower-case letters or digits. */
  readonly id: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  readonly order: ExportOrder;
  readonly createdBy: ExportActor;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly state: ExportState;
  /** Number of attempts. */
  readonly attempts: number;
  /** The attempt that has the export while RUNNING; empty otherwise. */
  readonly leaseOf: string;
  readonly leaseUntilMs: number | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly failure: ExportFailure | null;
  /** The random name of the file in the folder of exports if READY. It is never shown. */
  readonly file: string | null;
  readonly rows: number | null;
  readonly bytes: number | null;
  /** When the export and its file are removed; null until it has ended. */
  readonly expiresAtMs: number | null;
  /** When the export is processed next: to begin, to begin again, or to be removed. */
  readonly nextAtMs: number | null;
}
