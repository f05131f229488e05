import type { PartnerRecord, PartnerUnique } from "./partner.ts";

export const PARTNER_TABLE = "partners";
/** Must never change. */
export const PARTNER_PARTS = 16;

/** Where partners are kept. Rejects with RelayError `unavailable` when the store cannot answer. */
export interface PartnerStore {
  /** Those of one of `PARTNER_PARTS` parts (engine/tables/replicated-table.ts) by id, deleted ones too. */
  load(part: number): Promise<ReadonlyMap<string, StoredPartner>>;
  find(id: number): Promise<StoredPartner | null>;
  /** Stores a partner under the next id, unless something of it is another's. */
  create(build: (id: number) => PartnerRecord): Promise<{ type: "created"; record: PartnerRecord } | PartnerTaken>;
  /** `stale`: it was changed since `before` was read. */
  replace(before: StoredPartner, after: PartnerRecord): Promise<{ type: "replaced" } | { type: "stale" } | PartnerTaken>;
}

export interface StoredPartner {
  record: PartnerRecord;
  version: number;
}

export interface PartnerTaken {
  type: "taken";
  what: PartnerUnique;
}
