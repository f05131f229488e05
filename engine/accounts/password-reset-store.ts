import { available, type Kv, type Operation } from "../kernel/kv.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { ACCOUNTS_AWAY, type CommitPart } from "./account-store.ts";
import { type PasswordResets, RESET_LIFETIME_MS } from "./password-reset.ts";

/** Password resets. Every method rejects with RelayError `unavailable` when the store cannot answer. */
export interface PasswordResetStore {
  /** Of an account; version 0 where it asked for none of late. */
  load(accountId: string): Promise<Stored<PasswordResets>>;
  /** Of the account that a token with this SHA-256 (hex) was sent to; whether it can still be used is for the caller to see. */
  byToken(tokenSha256: string): Promise<Stored<PasswordResets> | null>;
  /** Stores them, and what other stores add, all or nothing. False when something else was first: load and decide again. */
  commit(before: Stored<PasswordResets>, after: PasswordResets, ...parts: readonly CommitPart[]): Promise<boolean>;
}

const RESETS = "password-reset/";
const TOKENS = "password-reset-token/";

/** Password resets on the key-value store: `password-reset/<accountId>`, and the accounts of tokens under `password-reset-token/<SHA-256>`. Both go by themselves. */
export function createPasswordResetStore(kv: Kv): PasswordResetStore {
  async function load(accountId: string): Promise<Stored<PasswordResets>> {
    const entry = await kv.get(RESETS + accountId);
    if (entry === null) return { record: { schema: 1, accountId, asked: [] }, version: 0 };
    return { record: readRecord("passwordReset", entry.key, entry.value), version: entry.version };
  }

  return {
    load: (accountId) => available(() => load(accountId), ACCOUNTS_AWAY),
    byToken: (tokenSha256) =>
      available(async () => {
        const entry = await kv.get(TOKENS + tokenSha256);
        if (entry === null) return null;
        return load(readRecord<{ accountId: string }>("passwordReset", "the token of a password reset", entry.value).accountId);
      }, ACCOUNTS_AWAY),
    commit: (before, after, ...parts) =>
      available(async () => {
        const key = RESETS + after.accountId;
        const lastMs = Math.max(0, ...after.asked.map(({ atMs }) => atMs));
        const { type } = await kv.commit({
          checks: [{ key, version: before.version }, ...parts.flatMap(({ checks }) => checks)],
          operations: [
            { type: "put", key, value: recordText("passwordReset", after), expiresAtMs: lastMs + RESET_LIFETIME_MS },
            ...tokenOperations(before.record, after),
            ...parts.flatMap(({ operations }) => operations),
          ],
        });
        return type === "committed";
      }, ACCOUNTS_AWAY),
  };
}

function tokenOperations(before: PasswordResets, after: PasswordResets): Operation[] {
  const [old, present] = [tokensOf(before), tokensOf(after)];
  const value = recordText("passwordReset", { accountId: after.accountId });
  return [
    ...[...old.keys()].filter((token) => !present.has(token)).map((token) => ({ type: "delete", key: TOKENS + token }) as const),
    ...[...present]
      .filter(([token]) => !old.has(token))
      .map(([token, atMs]) => ({ type: "put", key: TOKENS + token, value, expiresAtMs: atMs + RESET_LIFETIME_MS }) as const),
  ];
}

function tokensOf({ asked }: PasswordResets): Map<string, number> {
  return new Map(asked.flatMap(({ tokenSha256, atMs }) => (tokenSha256 === null ? [] : [[tokenSha256, atMs]])));
}
