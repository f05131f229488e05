import type { AccountStore } from "../../../../engine/accounts/account-store.ts";
import type { AccountSecrets, GuardedSecrets } from "../../../../engine/accounts/factors.ts";
import { createInvitations } from "../../../../engine/accounts/invitations.ts";
import type { OwnersNotice } from "../../../../engine/accounts/owners-notice.ts";
import { createPasswordResetStore } from "../../../../engine/accounts/password-reset-store.ts";
import { createForgottenPasswords } from "../../../../engine/accounts/password-resets.ts";
import type { PortalMails } from "../../../../engine/accounts/portal-mails.ts";
import { createResetFactors, type ResetFactors } from "../../../../engine/accounts/reset-factors.ts";
import type { SessionStore } from "../../../../engine/accounts/session-store.ts";
import type { TeamStore } from "../../../../engine/accounts/team-store.ts";
import { createUsers } from "../../../../engine/accounts/users.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { Timers } from "../../../../engine/kernel/timers.ts";
import type { AuditLog } from "../../../../engine/operators/audit-store.ts";
import type { MerchantStore } from "../../../../engine/partners/merchant-store.ts";
import { createAskThrottle } from "../../../../http/auth/ask-throttle.ts";
import type { LoginCounts } from "../../../../http/auth/login-counts.ts";
import type { PersonEvent, TeamOperations } from "../../../../http/surfaces/merchant/team/surface.ts";
import type { Config } from "../../boot/config.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";
import { loginDigestKey } from "./logins.ts";

export interface TeamsParts {
  config: Pick<Config, "terminalSecret">;
  kv: Kv;
  clock: Clock;
  stores: { accounts: AccountStore; sessions: SessionStore; teams: TeamStore; merchants: MerchantStore };
  secrets: AccountSecrets;
  guard: GuardedSecrets;
  portalMails: PortalMails;
  ownersNotice: OwnersNotice;
  audit: Pick<AuditLog, "record">;
  loginCounts: LoginCounts;
  timers: Timers;
  failed(what: string, error: unknown): void;
}

/** Users of merchants, their invitations, and resets of lost passwords and factors. */
export interface ComposedTeams extends Lifecycle {
  operations: Pick<TeamOperations, "users" | "invitations" | "forgottenPasswords" | "personAudited"> & { resetFactors: ResetFactors };
}

export function composeTeams(parts: TeamsParts): ComposedTeams {
  const { config, kv, clock, stores, secrets, guard, loginCounts, portalMails, ownersNotice, failed } = parts;
  const shared = { ...stores, mails: portalMails, secrets, clock, failed };
  const forgottenPasswords = createForgottenPasswords({
    ...shared,
    resets: createPasswordResetStore(kv),
    admit: createAskThrottle({ counts: loginCounts, key: loginDigestKey(config.terminalSecret) }),
  });
  return {
    operations: {
      users: createUsers(shared),
      invitations: createInvitations({ ...shared, guard }),
      forgottenPasswords,
      personAudited: (event) => void recordPerson(parts, event).catch((error: unknown) => failed("audit of a person", error)),
      resetFactors: createResetFactors({ ...shared, owners: ownersNotice }),
    },
    // If a reset is interrupted, its person requests it again.
    finish: (withinMs) => within(parts.timers, withinMs, forgottenPasswords.idle()),
  };
}

/** Limits the merchants of a person whose logs are written. */
const MERCHANTS_MAX = 10;

/** Each event used a mailed link, so there are no more events than mails. */
async function recordPerson(
  { audit, clock }: Pick<TeamsParts, "audit" | "clock">,
  { action, email, merchantIds, ipAddress, requestId }: PersonEvent,
): Promise<void> {
  const entry = {
    atMs: clock.nowMs(),
    username: email,
    ipAddress,
    requestId,
    action,
    subject: email,
    members: [],
    outcome: { type: "done" },
  } as const;
  const told = merchantIds
    .slice(0, MERCHANTS_MAX)
    .map((merchantId) => audit.record({ ...entry, actor: `merchant:${merchantId}`, merchantId }));
  await Promise.all(told);
}

/** Resolves when the work has ended, at the latest after the given time. */
function within(timers: Timers, ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = timers.set(ms, resolve);
    void work.finally(() => {
      timer.clear();
      resolve();
    });
  });
}
