import { PORTAL_ACCOUNTS } from "../../../engine/accounts/account-store.ts";
import { ADMINISTRATOR_FACTORS } from "../../../engine/administrators/administrator-factors-store.ts";
import { CLAIMS, claimExpiresAtMs } from "../../../engine/idempotency/idempotency-store.ts";
import { available, type Entry, type Kv, type Operation, prefixRange } from "../../../engine/kernel/kv.ts";
import { MAILS, mailExpiresAtMs } from "../../../engine/mails/mail-store.ts";
import { MADE_KEYS, MERCHANT_SECRETS, madeKeysExpireAtMs } from "../../../engine/partners/merchant-store.ts";
import { PARTNERS, partnerExpiresAtMs } from "../../../engine/partners/partner-store.ts";
import { GATEWAY_ACCOUNTS, SERVICE_SETTINGS } from "../../../engine/tables/record-store.ts";
import { WEBHOOK_ENDPOINTS } from "../../../engine/webhooks/webhook-endpoint-store.ts";

/** Records with encrypted secrets, by the prefix of their keys. */
export interface SealedRecords {
  prefix: string;
  /** The expiry of a record, which writing it again must not change; null if it does not expire, absent if none does. */
  expiresAtMs?(value: unknown): number | null;
}

/** A store with encrypted secrets has to add its records here, or a rotation of the key leaves them out. */
export const SEALED_RECORDS: readonly SealedRecords[] = [
  { prefix: PARTNERS, expiresAtMs: partnerExpiresAtMs },
  { prefix: GATEWAY_ACCOUNTS.prefix },
  { prefix: SERVICE_SETTINGS.prefix },
  { prefix: MERCHANT_SECRETS },
  { prefix: MADE_KEYS, expiresAtMs: madeKeysExpireAtMs },
  { prefix: WEBHOOK_ENDPOINTS },
  { prefix: PORTAL_ACCOUNTS },
  { prefix: ADMINISTRATOR_FACTORS },
];

/** There may be very many of these, so they are read only if the key has changed. */
export const MANY_SEALED_RECORDS: readonly SealedRecords[] = [
  { prefix: CLAIMS, expiresAtMs: claimExpiresAtMs },
  { prefix: MAILS, expiresAtMs: mailExpiresAtMs },
];

const PAGE = 500;

/**
 * Encrypts every secret of these records again: `renewed` returns the new record, or null if nothing has to be done. A record that changes
 * meanwhile is read again. Resolves with the number of records written.
 */
export async function renewSealedRecords(kv: Kv, kinds: readonly SealedRecords[], renewed: (value: unknown) => unknown): Promise<number> {
  let written = 0;

  async function renew(entry: Entry, expiresAtMs: SealedRecords["expiresAtMs"]): Promise<void> {
    for (let found: Entry | null = entry; found !== null; found = await kv.get(entry.key)) {
      const value = renewed(JSON.parse(found.value));
      if (value === null) return;
      const put = { type: "put", key: entry.key, value: JSON.stringify(value) } as const;
      const until = expiresAtMs?.(value) ?? null;
      const operations: Operation[] = [until === null ? put : { ...put, expiresAtMs: until }];
      const result = await kv.commit({ checks: [{ key: entry.key, version: found.version }], operations });
      if (result.type === "conflict") continue;
      written += 1;
      return;
    }
  }

  for (const { prefix, expiresAtMs } of kinds) {
    let { from, to } = prefixRange(prefix);
    for (;;) {
      const page = await available(() => kv.scan({ from, to, limit: PAGE }));
      for (const entry of page) await available(() => renew(entry, expiresAtMs));
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) break;
      from = `${last.key}\u0001`;
    }
  }
  return written;
}
