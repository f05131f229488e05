import type { CallEntry, WorkflowEntry } from "../kernel/activity-log.ts";

export interface LogFilter {
  readonly fromMs?: number;
  /** First millisecond after the range. */
  readonly untilMs?: number;
  readonly objectId?: string;
  readonly requestId?: string;
  readonly outcome?: "done" | "refused" | "failed";
}

export interface LogQuery {
  readonly filter: LogFilter;
  /** The id of the last entry of the page before; null: from the newest. */
  readonly after: string | null;
  readonly limit: number;
}

/** An entry as it is read: its id tells it from all others, and a later one has a greater one. */
export type Logged<Entry> = Omit<Entry, "merchantId"> & { readonly id: string };

export interface LogPage<Entry> {
  readonly items: readonly Logged<Entry>[];
  /** The id after which the next page begins; null at the end. */
  readonly next: string | null;
}

/** A merchant's own entries of the activity log, newest first. Rejects with RelayError `unavailable` where they cannot be read now. */
export interface MerchantLogs {
  workflow(merchantId: string, query: LogQuery, gone?: AbortSignal): Promise<LogPage<WorkflowEntry>>;
  calls(merchantId: string, query: LogQuery, gone?: AbortSignal): Promise<LogPage<CallEntry>>;
}

/** `<13 digits of milliseconds>-<writer>-<count>`: in the order of time, and never twice. */
const ENTRY_ID = /^\d{13}-[A-Za-z0-9._-]{1,100}$/;

export function isLogEntryId(text: string): boolean {
  return ENTRY_ID.test(text);
}
