import { available, type Entry, type Kv, type Operation } from "../kernel/kv.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import type { AccountRecord } from "./account.ts";

/** A part of a commit: what one store adds to the change of another, so that both happen or neither. */
export interface CommitPart {
  readonly checks: readonly { key: string; version: number }[];
  readonly operations: readonly Operation[];
}

/** One change of an account. */
export interface AccountChange {
  /** The new record, and the version that it replaces; 0: the account must not exist yet, and its e-mail address must be free. */
  readonly account: Stored<AccountRecord>;
  /** What the record was before; null for a new one. */
  readonly before: AccountRecord | null;
}

/** `taken`: another account has the e-mail address. `stale`: something else was changed first; load again. */
export type AccountOutcome = { type: "committed"; version: number } | { type: "taken" } | { type: "stale" };

/** Where accounts are kept. Every method rejects with RelayError `unavailable` when the store cannot answer. */
export interface AccountStore {
  load(accountId: string): Promise<Stored<AccountRecord> | null>;
  /** In the order of the ids; null for what is not there. */
  loadMany(accountIds: readonly string[]): Promise<(AccountRecord | null)[]>;
  /** By the address as `emailOf` gives it. */
  byEmail(email: string): Promise<Stored<AccountRecord> | null>;
  /** Stores the change together with these parts, or nothing. After a rejection it is not known whether it happened. */
  commit(change: AccountChange, also?: readonly CommitPart[]): Promise<AccountOutcome>;
}

export const PORTAL_ACCOUNTS = "portal-account/";
const EMAILS = "portal-account-email/";

/** What a person is told where the store does not answer. */
export const ACCOUNTS_AWAY = "The store could not confirm this; retry in a moment";

/** Accounts on the key-value store: `portal-account/<accountId>`, and their ids under `portal-account-email/<address in lower case>`. */
export function createAccountStore(kv: Kv): AccountStore {
  async function load(accountId: string): Promise<Stored<AccountRecord> | null> {
    const entry = await kv.get(PORTAL_ACCOUNTS + accountId);
    return entry === null ? null : { record: accountIn(entry), version: entry.version };
  }

  return {
    load: (accountId) => available(() => load(accountId), ACCOUNTS_AWAY),
    loadMany: (accountIds) =>
      available(async () => {
        if (accountIds.length === 0) return [];
        const entries = await kv.getMany(accountIds.map((accountId) => PORTAL_ACCOUNTS + accountId));
        return entries.map((entry) => (entry === null ? null : accountIn(entry)));
      }, ACCOUNTS_AWAY),
    byEmail: (email) =>
      available(async () => {
        const entry = await kv.get(EMAILS + email);
        if (entry === null) return null;
        const found = await load(readRecord<{ accountId: string }>("portalAccount", "an e-mail address", entry.value).accountId);
        // It may have been given to another account between the two reads.
        return found?.record.email === email ? found : null;
      }, ACCOUNTS_AWAY),
    commit: (change, also = []) =>
      available(async () => {
        const parts = [accountOperations(change), ...also];
        const result = await kv.commit({
          checks: parts.flatMap(({ checks }) => checks),
          operations: parts.flatMap(({ operations }) => operations),
        });
        if (result.type === "committed") return result;
        return { type: isEmailTaken(result.key) ? "taken" : "stale" };
      }, ACCOUNTS_AWAY),
  };
}

/** The change of an account as a part of another store's commit. Where its check of the e-mail address does not hold, the address is taken. */
export function accountOperations({ account: { record, version }, before }: AccountChange): CommitPart {
  const key = PORTAL_ACCOUNTS + record.accountId;
  const checks = [{ key, version }];
  const operations: Operation[] = [{ type: "put", key, value: recordText("portalAccount", record) }];
  if (before?.email !== record.email) {
    const email = EMAILS + record.email;
    checks.push({ key: email, version: 0 });
    operations.push({ type: "put", key: email, value: recordText("portalAccount", { accountId: record.accountId }) });
    if (before !== null) operations.push({ type: "delete", key: EMAILS + before.email });
  }
  return { checks, operations };
}

/** Whether a commit failed because another account has the e-mail address: by the key of the check that did not hold. */
export function isEmailTaken(key: string): boolean {
  return key.startsWith(EMAILS);
}

/** That the account is still as it was read, for a commit that is decided by it. */
export function accountUnchanged({ record, version }: Stored<AccountRecord>): CommitPart {
  return { checks: [{ key: PORTAL_ACCOUNTS + record.accountId, version }], operations: [] };
}

function accountIn({ key, value }: Entry): AccountRecord {
  return readRecord("portalAccount", key, value);
}
