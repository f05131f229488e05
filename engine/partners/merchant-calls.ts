import type { MerchantGrant } from "../access/merchant-grant.ts";
import { RelayError } from "../kernel/errors.ts";
import type { MinuteCounts } from "../kernel/minute-counts.ts";

/** Calls of pages: of one client address for one payment. A page asks for its payment a few times, and a person confirms once or twice. */
export const PAGE_CALLS_PER_MINUTE = 60;

/** A call beyond its limit of a minute. `limit` calls are permitted; `resetSeconds` later the next one is. */
export class CallLimitReached extends RelayError {
  readonly limit: number;
  readonly resetSeconds: number;

  constructor(limit: number, waitMs: number) {
    const resetSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
    super("rate_limited", `Too many requests: ${limit} a minute are permitted`, { retryAfterSeconds: resetSeconds });
    this.limit = limit;
    this.resetSeconds = resetSeconds;
  }
}

/** Limits the calls of merchants and of the pages with their payments. Both reject with CallLimitReached, and with nothing else. */
export interface MerchantCalls {
  /** Counts a call with a merchant's secret key, over all threads and nodes. */
  admitMerchant(merchant: Pick<MerchantGrant, "merchantId" | "requestsPerMinute">): Promise<void>;
  /** Counts a call of a page for a payment, over all threads of this node. */
  admitPage(ipAddress: string, intentId: string): Promise<void>;
}

export function createMerchantCalls(counts: { merchants: MinuteCounts; pages: MinuteCounts }): MerchantCalls {
  async function admit(of: MinuteCounts, key: string, max: number): Promise<void> {
    const waitMs = await of.take(key, max);
    if (waitMs > 0) throw new CallLimitReached(max, waitMs);
  }
  return {
    admitMerchant: ({ merchantId, requestsPerMinute }) => admit(counts.merchants, merchantId, requestsPerMinute),
    admitPage: (ipAddress, intentId) => admit(counts.pages, `${ipAddress} ${intentId}`, PAGE_CALLS_PER_MINUTE),
  };
}
