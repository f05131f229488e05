import type { MerchantParty } from "../kernel/merchant-scope.ts";
import type { ExportActor, ExportOrder, ExportRecord } from "./export.ts";

export interface ExportOperation {
  /** The id is equal for every attempt at one request. */
  readonly id: string;
}

/**
 * The exports of a merchant that a caller sees: all of them, or those that this user or key has
 * requested.
 */
export type ExportsSeen = "all" | ExportActor;

export interface ExportContents {
  readonly record: ExportRecord;
  pieces(): AsyncIterable<Uint8Array>;
}

/**
 * The exports of merchants, from any thread of any node. An export is null if it belongs to another
 * merchant or environment, if it is not visible to the caller, or if it has expired. Every method
 * rejects with RelayError `unavailable` when the store cannot answer.
 */
export interface Exports {
  /**
   * Creates an export. The operation's id makes it idempotent. `too_many`: EXPORTS_UNDER_WAY_MAX
   * exports of the merchant are queued or running. `full`: EXPORTS_KEPT_MAX are stored.
   * `no_folder`: this installation has no folder that all of its nodes share.
   */
  create(
    owner: MerchantParty,
    order: ExportOrder,
    createdBy: ExportActor,
    operation: ExportOperation,
  ): Promise<{ type: "created"; record: ExportRecord } | { type: "too_many" | "full" | "no_folder" }>;
  find(owner: MerchantParty, seen: ExportsSeen, id: string): Promise<ExportRecord | null>;
  /**
   * Lists the newest exports first. `next` is null on the last page. Throws RelayError
   * `invalid_request` for an invalid cursor.
   */
  list(
    owner: MerchantParty,
    seen: ExportsSeen,
    query: { readonly limit: number; readonly cursor: string | null },
  ): Promise<{ items: readonly ExportRecord[]; next: string | null }>;
  /** `not_ready`: the export has no file (yet). */
  open(owner: MerchantParty, seen: ExportsSeen, id: string): Promise<ExportContents | "not_ready" | null>;
}
