import type { CommitPart } from "../accounts/account-store.ts";
import type { SessionStore } from "../accounts/session-store.ts";
import type { Clock } from "../kernel/clock.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { AdministratorFactorsStore } from "./administrator-factors-store.ts";
import type { AdministratorSession } from "./administrator-session.ts";

/**
 * Takes all second factors from an administrator and ends its sessions, together with what `also`
 * adds, which is asked for each attempt. Rejects with RelayError `unavailable`, and with what
 * `also` rejects with.
 */
export type ResetAdministratorFactors = (
  administrator: { accountId: string; username: string },
  also: () => Promise<readonly (CommitPart | null)[]>,
) => Promise<void>;

export interface ResetAdministratorFactorsOptions {
  factors: Pick<AdministratorFactorsStore, "load" | "commit">;
  sessions: Pick<SessionStore<AdministratorSession>, "endAll">;
  clock: Pick<Clock, "nowMs">;
}

const ATTEMPTS_MAX = 32;

export function createResetAdministratorFactors(options: ResetAdministratorFactorsOptions): ResetAdministratorFactors {
  const { factors, sessions, clock } = options;
  return async ({ accountId, username }, also) => {
    await retryOnConflict(ATTEMPTS_MAX, async () => {
      const before = await factors.load(accountId, username);
      const after = { ...before.record, totp: null, passkeys: [], recoveryCodes: [], updatedAtMs: clock.nowMs() };
      const parts = [...(await also()), await sessions.endAll(accountId)].filter((part) => part !== null);
      return (await factors.commit(before, after, parts)) ? true : CONFLICT;
    });
  };
}
