import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import { openSharedCounts } from "../../../../engine/kernel/shared-counts.ts";
import type { Links } from "../../../../engine/links/links.ts";
import type { AuditLog } from "../../../../engine/operators/audit-store.ts";
import { createMerchantAudit } from "../../../../engine/operators/merchant-audit.ts";
import { createMerchantStore } from "../../../../engine/partners/merchant-store.ts";
import type { OwnMerchant } from "../../../../engine/partners/own-merchant.ts";
import { createAttentionStore } from "../../../../engine/payments/attention-store.ts";
import type { MerchantTransactions } from "../../../../engine/payments/merchant-transactions.ts";
import { createMerchantSearch, type MerchantSearchOptions } from "../../../../engine/search/merchant-search.ts";
import type { CloudConfig } from "../../../../engine/settings/cloud-config.ts";
import { createMerchantAttention } from "../../../../engine/settings/merchant-attention.ts";
import { createMerchantTerminals } from "../../../../engine/settings/merchant-terminals.ts";
import { createOfflineTasks } from "../../../../engine/settings/offline-tasks.ts";
import { createOpeningHours } from "../../../../engine/settings/opening-hours.ts";
import type { TerminalsByMerchant } from "../../../../engine/settings/terminals-by-merchant.ts";
import type { Terminals } from "../../../../engine/terminals/terminals.ts";
import { createWaitPlaces } from "../../../../engine/terminals/wait-places.ts";
import type { OpeningHoursOperations } from "../../../../http/surfaces/merchant/opening-hours.ts";
import type { ReadOperations } from "../../../../http/surfaces/merchant/reads.ts";
import type { SearchOperations } from "../../../../http/surfaces/merchant/search/search.ts";
import type { LocalTime } from "../../../../http/surfaces/parts/time.ts";
import type { ShardBoot } from "../../boot/shard-boot.ts";

/**
 * Limits concurrent downloads of a merchant on this node. Each occupies a query of ClickHouse for
 * minutes.
 */
const DOWNLOADS_MAX = 2;

export interface MerchantPortalParts {
  boot: Pick<ShardBoot, "open">;
  kv: Kv;
  clock: Clock;
  terminals: Terminals;
  links: Links;
  merchantTransactions: MerchantTransactions;
  byMerchant: TerminalsByMerchant;
  configOf(terminalId: string): CloudConfig | undefined;
  audit: AuditLog;
  ownMerchant: OwnMerchant;
  localTime: LocalTime;
  /** The sources of the search besides transactions and terminals. */
  searched: Omit<MerchantSearchOptions, "transactions" | "terminals">;
}

/**
 * The parts that merchants read in the portal and with their secret keys, in addition to those that
 * other surfaces share.
 */
export function composeMerchantPortal(
  parts: MerchantPortalParts,
): OpeningHoursOperations &
  SearchOperations &
  Omit<
    ReadOperations,
    | "merchantLogs"
    | "portalLinkTasks"
    | "subscriptionTasks"
    | "disputeTasks"
    | "disputes"
    | "alerts"
    | "terminals"
    | "localTime"
    | "clock"
    | "timers"
  > {
  const { boot, kv, clock, terminals, links, merchantTransactions, byMerchant, configOf, audit, ownMerchant, localTime } = parts;
  const merchants = createMerchantStore(kv);
  // The table of waiting lookups has room for these too. No sender has such keys.
  const downloads = createWaitPlaces(openSharedCounts(boot.open.waits), () => DOWNLOADS_MAX);
  const place = (merchantId: string) => `download of ${merchantId}`;
  const openingHours = createOpeningHours({ ownMerchant, merchantTransactions, offsetMs: localTime.offsetMs, clock });
  const merchantTerminals = createMerchantTerminals({ byMerchant, configOf, terminals, clock });
  return {
    merchantTransactions,
    merchantTerminals,
    openingHours,
    offlineTasks: createOfflineTasks({ openingHours, merchantTerminals, clock }),
    merchantSearch: createMerchantSearch({ ...parts.searched, transactions: merchantTransactions, terminals: merchantTerminals }),
    merchantAttention: createMerchantAttention({ byMerchant, items: createAttentionStore(kv), terminals, clock }),
    merchantAudit: createMerchantAudit(audit),
    merchantName: async (merchantId) => (await merchants.load(merchantId))?.record.merchantName ?? merchantId,
    links,
    downloads: {
      take: (merchantId) => downloads.take(place(merchantId)),
      giveBack: (merchantId) => downloads.giveBack(place(merchantId)),
    },
  };
}
