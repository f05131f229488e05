import type { SubscriptionRule } from "../../engine/domain/terminal-rule.ts";
import type { DirectoryStore } from "../../engine/ports/directory-store.ts";
import { type Entry, type Kv, prefixRange } from "../kv/kv.ts";
import { available } from "./terminal-store.ts";

const RULES = "w/";
const DENIED = "d/";
const PAGE = 10_000;

/** Administered settings on the key-value store: `w/<terminalId>` whitelist rules, `d/<terminalId>` denied terminals. */
export function createDirectoryStore(kv: Kv): DirectoryStore {
  async function all(prefix: string): Promise<Entry[]> {
    const entries: Entry[] = [];
    let { from, to } = prefixRange(prefix);
    for (;;) {
      const page = await kv.scan({ from, to, limit: PAGE });
      entries.push(...page);
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return entries;
      from = `${last.key}\u0001`;
    }
  }

  return {
    load: () =>
      available(async () => {
        const [rules, denied] = await Promise.all([all(RULES), all(DENIED)]);
        return {
          rules: rules.map(({ value }): SubscriptionRule => JSON.parse(value)),
          deniedTerminals: denied.map(({ key }) => key.slice(DENIED.length)),
        };
      }),
    saveRule: (rule) =>
      available(async () => {
        await kv.commit({ checks: [], operations: [{ type: "put", key: RULES + rule.terminalId, value: JSON.stringify(rule) }] });
      }),
    setDenied: (terminalId, denied) =>
      available(async () => {
        const key = DENIED + terminalId;
        await kv.commit({ checks: [], operations: [denied ? { type: "put", key, value: "{}" } : { type: "delete", key }] });
      }),
  };
}
