import type { Locale } from "../accounts/account.ts";
import type { EXPORT_FAILURES, EXPORT_FORMATS, EXPORT_LISTS, EXPORT_STATES } from "./words.ts";

export type ExportList = (typeof EXPORT_LISTS)[number];

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export type ExportState = (typeof EXPORT_STATES)[number];

export type ExportFailure = (typeof EXPORT_FAILURES)[number];

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
