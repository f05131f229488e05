import type { TerminalGroup } from "../../engine/domain/terminal-group.ts";
import type { PatternCompiler } from "../../engine/domain/terminal-rule.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Partners } from "../../engine/ports/partners.ts";
import { createDirectory, type Directory } from "../../engine/runtime/directory.ts";
import type { Spread } from "../../engine/runtime/spread.ts";
import type { Tables } from "../../engine/runtime/tables.ts";
import { createTerminalGroups, type TerminalGroups } from "../../engine/runtime/terminal-groups.ts";
import { type Authenticator, createAuthenticator } from "../../http/auth/authenticator.ts";
import type { PartnerApiCredentials } from "../../http/auth/partner-api-key.ts";
import { terminalPassword } from "../../http/auth/terminal-password.ts";
import type { StompSessions } from "../../http/stomp/sessions.ts";
import type { Kv } from "../../storage/kv/kv.ts";
import { createDirectoryStore } from "../../storage/stores/directory-store.ts";
import { createRecordStore, TERMINAL_GROUPS } from "../../storage/stores/record-store.ts";
import type { Config } from "./config.ts";
import { createCredentials } from "./credentials.ts";
import { type Lease, leasedAuthenticator } from "./lease.ts";
import type { Living } from "./shard-life.ts";

export interface AccessParts {
  config: Pick<Config, "administrator" | "fleet" | "terminalSecret">;
  kv: Kv;
  spread: Spread;
  tables: Tables;
  patterns: PatternCompiler;
  clock: Clock;
  machineClock: Clock;
  partners: Partners;
  partnerApiCredentials: PartnerApiCredentials;
  administratorPasswordSha256: string;
  /** Null for a node by itself. */
  lease: Lease | null;
}

/** Who may come in, and what terminals may take. */
export interface Access extends Living {
  operations: {
    directory: Directory;
    terminalGroups: TerminalGroups;
    /** The derived password of a terminal's login, or null where terminals have none. */
    terminalPassword(terminalId: string): string | null;
  };
  authenticator: Authenticator;
  /** From now on these sessions are ended when they lose a right. */
  watch(sessions: Pick<StompSessions, "closeTerminal" | "recheckWhitelist">): void;
}

export function composeAccess(parts: AccessParts): Access {
  const { config, kv, spread, tables, patterns, clock, machineClock, partners, lease } = parts;
  let watched: Parameters<Access["watch"]>[0] | null = null;
  const terminalGroups = createTerminalGroups({
    tables,
    store: createRecordStore<TerminalGroup>(kv, TERMINAL_GROUPS),
    changed: () => watched?.recheckWhitelist(),
  });
  const directory = createDirectory({
    store: createDirectoryStore(kv),
    patterns,
    spread,
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
