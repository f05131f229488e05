import type { MerchantParty } from "../kernel/merchant-scope.ts";
import type { ExportActor, ExportOrder, ExportRecord } from "./export.ts";

export interface ExportOperation {
  /** The same for every attempt at one request. */
  readonly id: string;
}

/** Which of a merchant's exports somebody sees: all of them, or those that this one has asked for. */
export type ExportsSeen = "all" | ExportActor;

/** The contents of a file, in pieces. */
export interface ExportContents {
  readonly record: ExportRecord;
  pieces(): AsyncIterable<Uint8Array>;
}

/**
 * The exports of merchants, from any thread of any node. What is another merchant's, of the other environment, asked for by somebody else, or over, is null as if it were
 * not there. Every method rejects with RelayError `unavailable` when the store cannot answer.
 */
export interface Exports {
  /**
   * Idempotent by the operation's id. `too_many`: EXPORTS_UNDER_WAY_MAX of the merchant are queued or running. `full`: EXPORTS_KEPT_MAX are kept. `no_folder`: this
   * installation has no folder for files that all of its nodes share.
   */
  create(
    owner: MerchantParty,
    order: ExportOrder,
    createdBy: ExportActor,
    operation: ExportOperation,
  ): Promise<{ type: "created"; record: ExportRecord } | { type: "too_many" | "full" | "no_folder" }>;
  find(owner: MerchantParty, seen: ExportsSeen, id: string): Promise<ExportRecord | null>;
  /** Newest first. `next` null: no more. Throws RelayError `invalid_request` for a cursor that is none. */
  list(
    owner: MerchantParty,
    seen: ExportsSeen,
    query: { readonly limit: number; readonly cursor: string | null },
  ): Promise<{ items: readonly ExportRecord[]; next: string | null }>;
  /** `not_ready`: there is no file of it (yet). */
  open(owner: MerchantParty, seen: ExportsSeen, id: string): Promise<ExportContents | "not_ready" | null>;
}
