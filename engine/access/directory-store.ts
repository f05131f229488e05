import { available, type Kv, scanAll } from "../kernel/kv.ts";
import { readBareRecord, recordText } from "../kernel/schemas.ts";
import { tableVersionOperation } from "../tables/table-versions.ts";
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

const RULES = "w/";
const DENIED = "d/";

/** Administered settings on the key-value store: `w/<terminalId>` whitelist rules, `d/<terminalId>` denied terminals. */
export function createDirectoryStore(kv: Kv): DirectoryStore {
  return {
    load: () =>
      available(async () => {
        const [rules, denied] = await Promise.all([scanAll(kv, RULES), scanAll(kv, DENIED)]);
        return {
          rules: rules.map(({ key, value }) => readBareRecord<SubscriptionRule>("subscriptionRule", key, value)),
          deniedTerminals: denied.map(({ key, value }) => {
            readBareRecord("deniedTerminal", key, value);
            return key.slice(DENIED.length);
          }),
        };
      }),
    saveRule: (rule) =>
      available(async () => {
        await kv.commit({
          checks: [],
          operations: [
            { type: "put", key: RULES + rule.terminalId, value: recordText("subscriptionRule", rule) },
            tableVersionOperation(DIRECTORY_TABLE),
          ],
        });
      }),
    setDenied: (terminalId, denied) =>
      available(async () => {
        const key = DENIED + terminalId;
        await kv.commit({
          checks: [],
          operations: [
            denied ? { type: "put", key, value: recordText("deniedTerminal", {}) } : { type: "delete", key },
            tableVersionOperation(DIRECTORY_TABLE),
          ],
        });
      }),
  };
}
