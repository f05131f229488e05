import type { AuditEntry, AuditOutcome } from "./audit.ts";

/**
 * The log of administrative changes. Endpoints are written to it by their declaration (`audit` in http/endpoint/endpoint.ts); what changes something
 * outside of a request calls `record` itself. Rejects with RelayError `unavailable` when the store cannot answer.
 */
export interface AuditLog {
  /** Stores an entry, usually `begun`; answers with its id. A change is not begun before this has resolved. */
  record(entry: AuditEntry): Promise<string>;
  /** Tells what came of it. The change has happened by then, so that this failing is for the log of the node and not for the caller. */
  settle(id: string, entry: AuditEntry, outcome: AuditOutcome): Promise<void>;
  /** Newest first; `before` is the last id of the page before, empty for the first. */
  page(page: { before: string; limit: number }): Promise<{ id: string; entry: AuditEntry }[]>;
}
