import type { MerchantTransactionFilter } from "./merchant-transactions.ts";

/** A row of ClickHouse as a search shows it: a result, or the life of a command that ended. No personal data. */
export interface FedHit {
  readonly type: "result" | "life";
  readonly terminalId: string;
  readonly uuid: string;
  /** The method of a result, the service of a command. */
  readonly what: string;
  readonly state: string;
  readonly amountMinor: number;
  readonly currency: string | null;
  /** The administered merchant's. */
  readonly merchantId: string | null;
  readonly atMs: number;
  readonly sentAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly unsolicited: boolean;
}

/** `uuids`: rows of any time. `filter`: results of the last days, which are searched by what is no whole uuid. */
export interface FedWanted {
  readonly uuids: readonly string[];
  readonly filter?: Pick<MerchantTransactionFilter, "wanted">;
}

/** What ClickHouse has of this, at most some dozen rows, the newest first. Rejects with RelayError `unavailable` and `too_busy`, and once `gone` is aborted. */
export type FedSearch = (wanted: FedWanted, gone?: AbortSignal) => Promise<FedHit[]>;
