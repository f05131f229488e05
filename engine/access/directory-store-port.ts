import type { SubscriptionRule } from "./terminal-rule.ts";

/** The name under which changes of the settings are told to all shards. */
export const DIRECTORY_TABLE = "directory";

/** Where administered settings are kept. Rejects with RelayError `unavailable` when the store cannot answer. */
export interface DirectoryStore {
  /** All whitelist rules, one a terminal, and the ids of denied terminals. */
  load(): Promise<DirectoryContents>;
  saveRule(rule: SubscriptionRule): Promise<void>;
  setDenied(terminalId: string, denied: boolean): Promise<void>;
}

export interface DirectoryContents {
  rules: SubscriptionRule[];
  deniedTerminals: string[];
}
