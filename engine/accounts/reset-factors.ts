import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { type AccountRecord, emailOf } from "./account.ts";
import type { AccountStore } from "./account-store.ts";
import type { OwnersNotice } from "./owners-notice.ts";
import type { PortalMails } from "./portal-mails.ts";
import type { SessionStore } from "./session-store.ts";

/**
 * Takes all second factors from an account that has lost them, and ends its sessions: it enrols new ones with its next sign-in. The person is told by mail. Throws
 * RelayError `not_found` for an address without an account, and `unavailable` when the store cannot confirm.
 */
export type ResetFactors = (email: string) => Promise<AccountRecord>;

export interface ResetFactorsOptions {
  accounts: AccountStore;
  sessions: Pick<SessionStore, "endAll">;
  mails: PortalMails;
  owners: Pick<OwnersNotice, "ofFactors">;
  clock: Clock;
}

const ATTEMPTS_MAX = 16;

export function createResetFactors({ accounts, sessions, mails, owners, clock }: ResetFactorsOptions): ResetFactors {
  return async (text) => {
    const email = emailOf(text);
    return retryOnConflict(ATTEMPTS_MAX, async () => {
      const stored = email === null ? null : await accounts.byEmail(email);
      if (stored === null) throw new RelayError("not_found", "There is no account with this address");
      const { record: before, version } = stored;
      const atMs = clock.nowMs();
      const record: AccountRecord = { ...before, totp: null, passkeys: [], recoveryCodes: [], updatedAtMs: atMs };
      const told = { checks: [], operations: await owners.ofFactors(before, "all factors removed") };
      const also = [await sessions.endAll(before.accountId), mails.factorsReset(record, atMs), told];
      const { type } = await accounts.commit({ account: { record, version }, before }, also);
      return type === "committed" ? record : CONFLICT;
    });
  };
}
