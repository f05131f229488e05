import type { SecondFactors } from "../accounts/account.ts";
import { ACCOUNTS_AWAY, type CommitPart } from "../accounts/account-store.ts";
import type { FactorAccounts } from "../accounts/factor-accounts.ts";
import { available, type Kv, type Operation } from "../kernel/kv.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";

/** The second factors of an administrator, as stored; there is no record before the first. */
export interface AdministratorFactors extends SecondFactors {
  schema: 1;
  /** For the authenticator, which shows whose it is. */
  username: string;
}

export interface AdministratorFactorsStore extends Omit<FactorAccounts<AdministratorFactors>, "load"> {
  /** The factors of an administrator of this name; none at all where nothing is stored. */
  load(accountId: string, username: string): Promise<Stored<AdministratorFactors>>;
  /** That they are still as they were read, for a commit that is decided by them. */
  unchanged(stored: Stored<AdministratorFactors>): CommitPart;
}

export const ADMINISTRATOR_FACTORS = "administrator-factors/";

/** Where an administrator's authenticator secret is sealed for. */
export function administratorTotpPlace(accountId: string): string {
  return `${ADMINISTRATOR_FACTORS}${accountId}/totp`;
}

/** Second factors of administrators on the key-value store: `administrator-factors/<accountId>`. */
export function createAdministratorFactorsStore(kv: Kv): AdministratorFactorsStore {
  const keyOf = (accountId: string) => ADMINISTRATOR_FACTORS + accountId;

  function change({ record: { accountId }, version }: Stored<AdministratorFactors>, after: AdministratorFactors): CommitPart {
    const key = keyOf(accountId);
    return { checks: [{ key, version }], operations: [{ type: "put", key, value: recordText("administratorFactors", after) }] };
  }

  return {
    load: (accountId, username) =>
      available(async () => {
        const entry = await kv.get(keyOf(accountId));
        if (entry === null) return { record: none(accountId, username), version: 0 };
        const record = readRecord<AdministratorFactors>("administratorFactors", entry.key, entry.value);
        return { record: { ...record, username }, version: entry.version };
      }, ACCOUNTS_AWAY),
    change,
    commit: (before, after, also) =>
      available(async () => {
        const parts = [change(before, after), ...also];
        const { type } = await kv.commit({
          checks: parts.flatMap(({ checks }) => checks),
          operations: parts.flatMap(({ operations }) => operations),
        });
        return type === "committed";
      }, ACCOUNTS_AWAY),
    unchanged: ({ record, version }) => ({ checks: [{ key: keyOf(record.accountId), version }], operations: [] }),
  };
}

/** The end of an administrator's factors, in the commit that removes it. */
export function factorsRemoved(accountId: string): Operation {
  return { type: "delete", key: ADMINISTRATOR_FACTORS + accountId };
}

/** An administrator without second factors. */
function none(accountId: string, username: string): AdministratorFactors {
  return { schema: 1, accountId, username, totp: null, passkeys: [], recoveryCodes: [], updatedAtMs: 0 };
}
