import type { ServiceCode } from "../access/partner-grant.ts";
import type { Stored } from "../kernel/stored.ts";
import type { MerchantCount, MerchantRecord, MerchantStatus } from "./merchant.ts";

/** One change of one merchant, stored as a whole or not at all. */
export interface MerchantChange {
  /** The new record and the version that it replaces; 0: the id must be free. */
  merchant: Stored<MerchantRecord>;
  /** What the record was before; null for a new one. */
  before: MerchantRecord | null;
  /** The partner's new count and the version that it replaces; null where the change counts nothing. */
  count: Stored<MerchantCount> | null;
  /** The sealed secrets of a service that is configured by this change. */
  secrets: { service: ServiceCode; sealed: string } | null;
}

/** `taken`: there is a merchant with this id already. `stale`: something else has changed first; load again. */
export type MerchantChangeOutcome = "committed" | "taken" | "stale";

/**
 * Where merchants are kept. Every method rejects with RelayError `unavailable` when the store cannot answer; after a failed commit it is
 * not known whether it happened.
 */
export interface MerchantStore {
  load(merchantId: string): Promise<Stored<MerchantRecord> | null>;
  /** By the SHA-256 (hex) of one of its keys, deactivated or not. */
  byKey(keySha256: string): Promise<MerchantRecord | null>;
  /** Version 0 for a partner that never had one. */
  count(partnerId: number): Promise<Stored<MerchantCount>>;
  /** A partner's merchants by id after `after`; of both kinds where `status` is null. */
  page(partnerId: number, query: { after: string; limit: number; status: MerchantStatus | null }): Promise<MerchantRecord[]>;
  /** As `MerchantChange.secrets` left them. */
  sealedSecrets(merchantId: string, service: ServiceCode): Promise<string | null>;
  commit(change: MerchantChange): Promise<MerchantChangeOutcome>;
}
