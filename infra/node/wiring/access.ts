import { createDirectory, type Directory } from "../../../engine/access/directory.ts";
import { createDirectoryStore } from "../../../engine/access/directory-store.ts";
import type { PatternCompiler } from "../../../engine/access/terminal-rule.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { Partners } from "../../../engine/partners/partners.ts";
import { createTerminalGroups, type TerminalGroup, type TerminalGroups } from "../../../engine/settings/terminal-groups.ts";
import { createRecordStore, TERMINAL_GROUPS } from "../../../engine/tables/record-store.ts";
import type { Tables } from "../../../engine/tables/replicated-table.ts";
import type { TableSync } from "../../../engine/tables/table-sync.ts";
import { type Authenticator, createAuthenticator } from "../../../http/auth/authenticator.ts";
import type { PartnerApiCredentials } from "../../../http/auth/partner-api-key.ts";
import { terminalPassword } from "../../../http/auth/terminal-password.ts";
import type { StompSessions } from "../../../http/stomp/sessions.ts";
import type { Config } from "../boot/config.ts";
import type { Lifecycle } from "../boot/lifecycle.ts";
import type { Lease } from "../boot/shard-boot.ts";
import { leasedAuthenticator } from "../cluster/lease.ts";
import { createCredentials } from "./credentials.ts";

export interface AccessParts {
  config: Pick<Config, "administrator" | "fleet" | "terminalSecret">;
  kv: Kv;
  tableSync: TableSync;
  tables: Tables;
  patterns: PatternCompiler;
  clock: Clock;
  machineClock: Clock;
  partners: Partners;
  partnerApiCredentials: PartnerApiCredentials;
  administratorPasswordSha256: string;
  /** Null for a single node. */
  lease: Lease | null;
}

/** Authentication, and the topics to which terminals may subscribe. */
export interface Access extends Lifecycle {
  operations: {
    directory: Directory;
    terminalGroups: TerminalGroups;
    /** The derived password of a terminal's login, or null if terminals have none. */
    terminalPassword(terminalId: string): string | null;
  };
  authenticator: Authenticator;
  /** From now on these sessions are ended when they lose a right. */
  watch(sessions: Pick<StompSessions, "closeTerminal" | "recheckWhitelist">): void;
}

export function composeAccess(parts: AccessParts): Access {
  const { config, kv, tableSync, tables, patterns, clock, machineClock, partners, lease } = parts;
  let watched: Parameters<Access["watch"]>[0] | null = null;
  const terminalGroups = createTerminalGroups({
    tables,
    store: createRecordStore<TerminalGroup>(kv, TERMINAL_GROUPS),
    changed: () => watched?.recheckWhitelist(),
  });
  const directory = createDirectory({
    store: createDirectoryStore(kv),
    patterns,
    tableSync,
    manages: (identity, target) => terminalGroups.managedBy(identity)?.has(target) === true,
    changed: () => {
      for (const terminalId of directory.deniedTerminals()) watched?.closeTerminal(terminalId);
      watched?.recheckWhitelist();
    },
  });
  const credentials = createCredentials(config, parts.administratorPasswordSha256, directory, { partners, terminalGroups });
  const authenticator = createAuthenticator(credentials, clock.monotonicMs, parts.partnerApiCredentials);
  return {
    operations: { directory, terminalGroups, terminalPassword: (terminalId) => terminalPassword(config.terminalSecret, terminalId) },
    authenticator: lease === null ? authenticator : leasedAuthenticator(authenticator, lease, machineClock.monotonicMs),
    load: directory.load,
    watch: (sessions) => {
      watched = sessions;
    },
  };
}
