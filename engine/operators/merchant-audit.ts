import type { AuditEntry, AuditOutcome } from "./audit-entry.ts";
import type { AuditLog } from "./audit-store.ts";

export interface MerchantAuditFilter {
  /** Id or name of what was changed. */
  subject?: string;
  requestId?: string;
  outcome?: AuditOutcome["type"];
  fromMs?: number;
  /** First millisecond after the range. */
  untilMs?: number;
}

export interface MerchantAuditPage {
  items: { id: string; entry: AuditEntry }[];
  /** The id after which the next page begins; null at the end. A page that was looked for in vain may be empty and have one. */
  next: string | null;
}

/** A merchant's own audit log, newest first. Rejects with RelayError `unavailable` when the store cannot answer. */
export interface MerchantAudit {
  page(merchantId: string, query: { filter: MerchantAuditFilter; before: string; limit: number }): Promise<MerchantAuditPage>;
}

/** Entries that are read at once where not all are wanted, and for one page: whoever filters for what is rare goes on with the next page. */
const READ_AT_ONCE = 500;
const READ_MAX = 2_000;

export function createMerchantAudit(log: Pick<AuditLog, "pageOfMerchant">): MerchantAudit {
  return {
    page: async (merchantId, { filter, before, limit }) => {
      const { fromMs, untilMs, subject, requestId, outcome } = filter;
      const wantsAll = subject === undefined && requestId === undefined && outcome === undefined;
      const atOnce = wantsAll ? limit + 1 : READ_AT_ONCE;
      const items: MerchantAuditPage["items"] = [];
      let last = before;
      for (let read = 0; read < READ_MAX; read += atOnce) {
        const entries = await log.pageOfMerchant(merchantId, { before: last, limit: atOnce, fromMs, untilMs });
        for (const [index, one] of entries.entries()) {
          last = one.id;
          if (!matches(one.entry, filter)) continue;
          items.push(one);
          if (items.length < limit) continue;
          const isLast = index === entries.length - 1 && entries.length < atOnce;
          return { items, next: isLast ? null : last };
        }
        if (entries.length < atOnce) return { items, next: null };
      }
      return { items, next: last };
    },
  };
}

function matches(entry: AuditEntry, { subject, requestId, outcome }: MerchantAuditFilter): boolean {
  if (subject !== undefined && entry.subject !== subject) return false;
  if (requestId !== undefined && entry.requestId !== requestId) return false;
  return outcome === undefined || entry.outcome.type === outcome;
}
