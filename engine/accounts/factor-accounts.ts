import type { Stored } from "../kernel/stored.ts";
import type { AccountRecord, SecondFactors } from "./account.ts";
import { type AccountStore, accountOperations, type CommitPart } from "./account-store.ts";

/** Where the second factors of those who sign in are kept. Rejects with RelayError `unavailable`. */
export interface FactorAccounts<A extends SecondFactors> {
  /** Null for nobody, and for who may not sign in. */
  load(accountId: string): Promise<Stored<A> | null>;
  /** The change of an account as a part of another store's commit. */
  change(before: Stored<A>, after: A): CommitPart;
  /** Stores a change together with these parts; false where something else was first. */
  commit(before: Stored<A>, after: A, also: readonly CommitPart[]): Promise<boolean>;
}

/** The accounts of the portal as those whose factors are shown and changed. */
export function factorAccountsOf(accounts: Pick<AccountStore, "load" | "commit">): FactorAccounts<AccountRecord> {
  return {
    load: accounts.load,
    change: ({ record: before, version }, record) => accountOperations({ account: { record, version }, before }),
    commit: async ({ record: before, version }, record, also) =>
      (await accounts.commit({ account: { record, version }, before }, also)).type === "committed",
  };
}
