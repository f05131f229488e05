import type { AccountStore } from "../../../engine/accounts/account-store.ts";
import type { AccountSecrets, GuardedSecrets } from "../../../engine/accounts/factors.ts";
import { createInvitations } from "../../../engine/accounts/invitations.ts";
import { createKeysNotice } from "../../../engine/accounts/keys-notice.ts";
import { createMailTexts } from "../../../engine/accounts/mail-texts.ts";
import { createPasswordResetStore } from "../../../engine/accounts/password-reset-store.ts";
import { createForgottenPasswords } from "../../../engine/accounts/password-resets.ts";
import { createPortalMails } from "../../../engine/accounts/portal-mails.ts";
import { createResetFactors, type ResetFactors } from "../../../engine/accounts/reset-factors.ts";
import type { SessionStore } from "../../../engine/accounts/session-store.ts";
import type { TeamStore } from "../../../engine/accounts/team-store.ts";
import { createUsers } from "../../../engine/accounts/users.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Ids } from "../../../engine/kernel/ids.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { SecretBox } from "../../../engine/kernel/secret-box.ts";
import type { Timers } from "../../../engine/kernel/timers.ts";
import type { MailStore } from "../../../engine/mails/mail-store.ts";
import type { AuditLog } from "../../../engine/operators/audit-store.ts";
import type { MerchantStore } from "../../../engine/partners/merchant-store.ts";
import type { KeysNotice } from "../../../engine/partners/replace-keys.ts";
import { createAskThrottle } from "../../../http/auth/ask-throttle.ts";
import type { LoginCounts } from "../../../http/auth/login-counts.ts";
import type { PersonEvent, TeamOperations } from "../../../http/surfaces/merchant/team/surface.ts";
import type { Config } from "../boot/config.ts";
import type { Lifecycle } from "../boot/lifecycle.ts";
import { loginDigestKey } from "./logins.ts";

export interface TeamsParts {
  config: Pick<Config, "timeZone" | "terminalSecret">;
  kv: Kv;
  box: SecretBox;
  clock: Clock;
  ids: Ids;
  stores: { accounts: AccountStore; sessions: SessionStore; teams: TeamStore; merchants: MerchantStore };
  secrets: AccountSecrets;
  guard: GuardedSecrets;
  mails: Pick<MailStore, "hasRoom">;
  audit: Pick<AuditLog, "record">;
  loginCounts: LoginCounts;
  /** The address by which browsers reach the relay; known once it listens. */
  publicUrl(): string;
  timers: Timers;
  failed(what: string, error: unknown): void;
}

/** Users of merchants, their invitations, and passwords and factors that were lost. */
export interface ComposedTeams extends Lifecycle {
  operations: Pick<TeamOperations, "users" | "invitations" | "forgottenPasswords" | "personAudited"> & { resetFactors: ResetFactors };
  /** For what replaces a merchant's keys. */
  keysNotice: KeysNotice;
}

export function composeTeams(parts: TeamsParts): ComposedTeams {
  const { config, kv, box, clock, ids, stores, secrets, guard, loginCounts, publicUrl, failed } = parts;
  const texts = createMailTexts({ publicUrl, timeZone: config.timeZone });
  const mails = createPortalMails({ store: parts.mails, box, texts, clock, ids });
  const shared = { ...stores, mails, secrets, clock, failed };
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
      resetFactors: createResetFactors(shared),
    },
    keysNotice: createKeysNotice(shared),
    // What is broken off is asked for again by its person.
    finish: (withinMs) => within(parts.timers, withinMs, forgottenPasswords.idle()),
  };
}

/** Merchants of one person whose logs are written to. */
const MERCHANTS_MAX = 10;

/** Each event took a link that was mailed, so that there are no more of them than of mails. */
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

/** Resolves when the work has ended, and after that time at the latest. */
function within(timers: Timers, ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = timers.set(ms, resolve);
    void work.finally(() => {
      timer.clear();
      resolve();
    });
  });
}
