import type { DisputeParty } from "../disputes/disputes.ts";
import type { Links } from "../links/links.ts";
import { isMerchantId } from "../partners/merchant.ts";
import type { MerchantStore } from "../partners/merchant-store.ts";
import type { MerchantTransactions } from "../payments/merchant-transactions.ts";

/** What the payment is that a network speaks of, as its merchant has it. */
export interface FedPayment {
  readonly uuid: string;
  readonly terminalId: string;
  /** CARD, PAYBYLINK, ... */
  readonly method: string;
}

/** Whose a case or an alert is, and what payment it is about. Both reject with RelayError `unavailable` where that cannot be read. */
export interface FeedParties {
  /** Deactivated ones too: their customers complain all the same. Null where there is no such merchant. */
  party(merchantId: string): Promise<DisputeParty | null>;
  /** Null where it is not among the merchant's own. */
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
      // Links are at hand, also where ClickHouse is away.
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
