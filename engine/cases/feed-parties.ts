import type { MerchantParty } from "../kernel/merchant-scope.ts";
import type { Links } from "../links/links.ts";
import { isMerchantId } from "../partners/merchant.ts";
import type { MerchantStore } from "../partners/merchant-store.ts";
import type { MerchantTransactions } from "../payments/merchant-transactions.ts";

export interface FedPayment {
  readonly uuid: string;
  readonly terminalId: string;
  readonly method: string;
}

/** Both methods reject with RelayError `unavailable`. */
export interface FeedParties {
  /** Includes deactivated merchants, whose customers may still complain. */
  party(merchantId: string): Promise<MerchantParty | null>;
  payment(merchantId: string, uuid: string): Promise<FedPayment | null>;
}

export interface FeedPartiesOptions {
  merchants: Pick<MerchantStore, "load">;
  links: Pick<Links, "byTxId">;
  transactions: Pick<MerchantTransactions, "find">;
}

export function createFeedParties({ merchants, links, transactions }: FeedPartiesOptions): FeedParties {
  return {
    party: async (merchantId) => {
      const merchant = isMerchantId(merchantId) ? await merchants.load(merchantId) : null;
      if (merchant === null) return null;
      const { partnerId, environment } = merchant.record;
      return { merchantId, partnerId, livemode: environment === "LIVE" };
    },
    payment: async (merchantId, uuid) => {
      // Links can be read even while ClickHouse is unavailable.
      const link = await links.byTxId(uuid);
      if (link !== null && link.order.shop === merchantId && link.state === "success") {
        return { uuid: link.order.txId, terminalId: link.order.terminalId, method: "PAYBYLINK" };
      }
      const found = await transactions.find(merchantId, uuid);
      return found === null
        ? null
        : { uuid: found.transaction.uuid, terminalId: found.transaction.terminalId, method: found.transaction.method };
    },
  };
}
