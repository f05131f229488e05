import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { type AccountRecord, emailOf } from "./account.ts";
import { type AccountStore, accountOperations } from "./account-store.ts";
import type { AccountSecrets } from "./factors.ts";
import { isUsable, withoutTokens, withReset } from "./password-reset.ts";
import type { PasswordResetStore } from "./password-reset-store.ts";
import { isCommonPassword } from "./password-rules.ts";
import type { PortalMails } from "./portal-mails.ts";
import type { SessionStore } from "./session-store.ts";
import { isToken } from "./token.ts";

export type ResetOutcome = { type: "done"; account: AccountRecord } | { type: "used_or_expired" } | { type: "password_too_common" };

/** New passwords for who has forgotten the old one. */
export interface ForgottenPasswords {
  /**
   * Has a link written to the account with this address, if there is one. Nothing of the answer depends on that: it does not wait for what is done for an
   * account. Throws RelayError `rate_limited` for an address of the network that asks too often, and `too_busy`.
   */
  ask(email: string, ipAddress: string): Promise<void>;
  /** Sets the password, ends all sessions, and keeps the second factors. `password` has PASSWORD_LENGTH_MIN to PASSWORD_LENGTH_MAX characters. */
  reset(token: string, password: string): Promise<ResetOutcome>;
  /** Resolves when nothing is under way; for a node that stops. */
  idle(): Promise<void>;
}

export interface ForgottenPasswordsOptions {
  resets: PasswordResetStore;
  accounts: AccountStore;
  sessions: Pick<SessionStore, "endAll">;
  mails: PortalMails;
  secrets: Pick<AccountSecrets, "newToken" | "digest" | "hashPassword">;
  /** Counts a request of an address of the network. Throws RelayError `rate_limited`. */
  admit(ipAddress: string): Promise<void>;
  clock: Clock;
  failed(what: string, error: unknown): void;
}

/** Requests of this shard for which something is done at once; each is a few reads and one commit. */
const UNDER_WAY_MAX = 64;

const ATTEMPTS_MAX = 16;

const GONE = { type: "used_or_expired" } as const;

export function createForgottenPasswords(options: ForgottenPasswordsOptions): ForgottenPasswords {
  const { resets, accounts, sessions, mails, secrets, admit, clock, failed } = options;
  const underWay = new Set<Promise<void>>();

  async function write(email: string): Promise<void> {
    const account = await accounts.byEmail(email);
    if (account === null || !mails.canReach(email)) return;
    const token = secrets.newToken();
    const tokenSha256 = secrets.digest(token);
    await retryOnConflict(ATTEMPTS_MAX, async () => {
      const before = await resets.load(account.record.accountId);
      const atMs = clock.nowMs();
      const after = withReset(before.record, tokenSha256, atMs);
      if (after === null) return;
      const isStored = await resets.commit(before, after, mails.passwordReset(account.record, token, atMs));
      return isStored ? undefined : CONFLICT;
    });
  }

  return {
    ask: async (text, ipAddress) => {
      const email = emailOf(text);
      if (email === null) throw new RelayError("invalid_request", "email: must be an e-mail address");
      await admit(ipAddress);
      await mails.requireResetRoom(email);
      if (underWay.size >= UNDER_WAY_MAX)
        throw new RelayError("too_busy", "Too many requests at once; retry shortly", { retryAfterSeconds: 2 });
      const work = write(email).catch((error: unknown) => failed("a forgotten password", error));
      underWay.add(work);
      void work.finally(() => underWay.delete(work));
    },
    reset: async (token, password) => {
      if (!isToken(token)) return GONE;
      const tokenSha256 = secrets.digest(token);
      /** Slow, so that it is computed once. */
      let passwordHash: string | null = null;
      return retryOnConflict<ResetOutcome>(ATTEMPTS_MAX, async () => {
        const before = await resets.byToken(tokenSha256);
        if (before === null || !isUsable(before.record, tokenSha256, clock.nowMs())) return GONE;
        const account = await accounts.load(before.record.accountId);
        if (account === null) return GONE;
        if (isCommonPassword(password, [account.record.email])) return { type: "password_too_common" };
        passwordHash ??= await secrets.hashPassword(password);
        const atMs = clock.nowMs();
        const record: AccountRecord = { ...account.record, passwordHash, updatedAtMs: atMs };
        const isStored = await resets.commit(
          before,
          // The other links, too: who reads the mailbox of somebody else has those.
          withoutTokens(before.record),
          accountOperations({ account: { record, version: account.version }, before: account.record }),
          await sessions.endAll(record.accountId),
          mails.passwordChanged(record, atMs),
        );
        return isStored ? { type: "done", account: record } : CONFLICT;
      });
    },
    idle: async () => {
      await Promise.all(underWay);
    },
  };
}
