import { createDirectory, type Directory } from "../../../../engine/access/directory.ts";
import { createDirectoryStore } from "../../../../engine/access/directory-store.ts";
import type { PatternCompiler } from "../../../../engine/access/terminal-rule.ts";
import { createUsualLoginStore } from "../../../../engine/access/usual-login-store.ts";
import type { PasswordAlone } from "../../../../engine/administrators/password-alone.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { Partners } from "../../../../engine/partners/partners.ts";
import { createTerminalGroups, type TerminalGroup, type TerminalGroups } from "../../../../engine/settings/terminal-groups.ts";
import { createRecordStore, TERMINAL_GROUPS } from "../../../../engine/tables/record-store.ts";
import type { Tables } from "../../../../engine/tables/replicated-table.ts";
import type { AdministratorSessions } from "../../../../http/auth/administrator-session.ts";
import type { FindAgent } from "../../../../http/auth/agent-key.ts";
import { type Authenticator, createAuthenticator } from "../../../../http/auth/authenticator.ts";
import type { LoginCounts } from "../../../../http/auth/login-counts.ts";
import { createLoginThrottle, type LoginObserver } from "../../../../http/auth/login-throttle.ts";
import type { FindMerchant } from "../../../../http/auth/merchant-key.ts";
import type { PartnerApiCredentials } from "../../../../http/auth/partner-api-key.ts";
import type { PortalSessions } from "../../../../http/auth/portal-session.ts";
import { terminalPassword } from "../../../../http/auth/terminal-password.ts";
import type { StompSessions } from "../../../../http/stomp/sessions.ts";
import type { Config } from "../../boot/config.ts";
import type { Lease } from "../../boot/shard-boot.ts";
import { leasedAuthenticator } from "../../cluster/lease.ts";
import type { ComposedAdministrators } from "../administration/administrators.ts";
import { createCredentials } from "./credentials.ts";
import { loginDigestKey } from "./logins.ts";

export interface AccessParts {
  config: Pick<Config, "administrator" | "fleet" | "terminalSecret">;
  kv: Kv;
  tables: Tables;
  patterns: PatternCompiler;
  clock: Clock;
  machineClock: Clock;
  partners: Partners;
  partnerApiCredentials: PartnerApiCredentials;
  findMerchant: FindMerchant;
  /** Absent if no AI agent has a credential. */
  findAgent?: FindAgent;
  /** Absent if there are no pages. */
  portalSessions?: PortalSessions;
  administratorSessions?: AdministratorSessions;
  isPasswordEnough: PasswordAlone;
  administration: ComposedAdministrators;
  administratorPasswordSha256: string;
  /** Counts wrong passwords of all threads and nodes. */
  loginCounts: LoginCounts;
  observeLogins?: LoginObserver;
  /** Null for a single node. */
  lease: Lease | null;
}

/** Authentication, and the permissions of terminals. */
export interface Access {
  operations: ComposedAdministrators & {
    directory: Directory;
    terminalGroups: TerminalGroups;
    /** Returns the derived password of a terminal, or null if terminals have none. */
    terminalPassword(terminalId: string): string | null;
  };
  authenticator: Authenticator;
  everySecond(): void;
  /** Ends these sessions from now on when they lose a permission. */
  watch(sessions: Pick<StompSessions, "closeTerminal" | "recheckWhitelist">): void;
}

export function composeAccess(parts: AccessParts): Access {
  const { config, kv, tables, patterns, clock, machineClock, partners, lease } = parts;
  const { administrators, machineTokens } = parts.administration;
  let watched: Parameters<Access["watch"]>[0] | null = null;
  const terminalGroups = createTerminalGroups({
    tables,
    store: createRecordStore<TerminalGroup>(kv, TERMINAL_GROUPS),
    changed: () => watched?.recheckWhitelist(),
  });
  const directory = createDirectory({
    store: createDirectoryStore(kv),
    patterns,
    tables,
    manages: (identity, target) => terminalGroups.managedBy(identity)?.has(target) === true,
    changed: () => {
      for (const terminalId of directory.deniedTerminals()) watched?.closeTerminal(terminalId);
      watched?.recheckWhitelist();
    },
  });
  const credentials = createCredentials(config, parts.administratorPasswordSha256, directory, {
    administrators,
    machineTokens,
    partners,
    terminalGroups,
  });
  const throttle = createLoginThrottle({
    monotonicMs: clock.monotonicMs,
    counts: parts.loginCounts,
    usual: createUsualLoginStore(kv, clock.nowMs),
    key: loginDigestKey(config.terminalSecret),
    ...(parts.observeLogins === undefined ? {} : { observe: parts.observeLogins }),
  });
  const authenticator = createAuthenticator(
    credentials,
    clock.monotonicMs,
    parts.partnerApiCredentials,
    throttle,
    parts.findMerchant,
    parts.portalSessions,
    parts.administratorSessions,
    parts.findAgent,
    parts.isPasswordEnough,
  );
  return {
    operations: {
      ...parts.administration,
      directory,
      terminalGroups,
      terminalPassword: (terminalId) => terminalPassword(config.terminalSecret, terminalId),
    },
    authenticator: lease === null ? authenticator : leasedAuthenticator(authenticator, lease, machineClock.monotonicMs),
    everySecond: throttle.everySecond,
    watch: (sessions) => {
      watched = sessions;
    },
  };
}
