import { RelayError } from "../kernel/errors.ts";
import type { Tables } from "../tables/replicated-table.ts";
import { DIRECTORY_TABLE, type DirectoryStore } from "./directory-store.ts";
import type { PatternCompiler, SubscriptionRule } from "./terminal-rule.ts";
import { compileTopicAccess, type TopicAccess, validateSubscriptionRule } from "./topic-access.ts";

/** Whitelist rules of one installation; all of them are in the memory of each shard. */
export const RULES_MAX = 10_000;
export const DENIED_TERMINALS_MAX = 100_000;

/** Administered settings in memory, so that no request waits for them; a change is answered once every shard has it. */
export interface Directory {
  /** Grows with each change that may take something from somebody. */
  generation(): number;
  /** A terminal its own topic, and others by a whitelist rule or by a terminal group; a denied terminal none, and nobody that of one. */
  mayTake(identity: string, target: string): boolean;
  isDenied(terminalId: string): boolean;
  rules(): readonly SubscriptionRule[];
  deniedTerminals(): readonly string[];
  /** Creates or replaces the rule of a terminal. Throws RelayError `invalid_request` for a rule that is not one. */
  saveRule(rule: SubscriptionRule): Promise<void>;
  setDenied(terminalId: string, denied: boolean): Promise<void>;
}

export interface DirectoryOptions {
  store: DirectoryStore;
  patterns: PatternCompiler;
  tables: Tables;
  /** Whether a terminal group lets `identity` act for `target`. */
  manages?(identity: string, target: string): boolean;
  /** Called after each change that this shard has taken in: sessions that lost a right are to be closed. */
  changed(): void;
}

export function createDirectory({ store, patterns, tables, manages = () => false, changed }: DirectoryOptions): Directory {
  let rules: readonly SubscriptionRule[] = [];
  let denied: ReadonlySet<string> = new Set();
  let topicAccess: TopicAccess = compileTopicAccess([], patterns);
  let generation = 0;
  const table = tables.whole({
    name: DIRECTORY_TABLE,
    load: async () => {
      const contents = await store.load();
      rules = contents.rules;
      denied = new Set(contents.deniedTerminals);
      topicAccess = compileTopicAccess(rules, patterns);
      generation += 1;
    },
    changed,
  });

  return {
    generation: () => generation,
    mayTake: (identity, target) =>
      !denied.has(identity) && !denied.has(target) && (topicAccess.mayTake(identity, target) || manages(identity, target)),
    isDenied: (terminalId) => denied.has(terminalId),
    rules: () => rules,
    deniedTerminals: () => [...denied].sort(),
    saveRule: async (rule) => {
      validateSubscriptionRule(rule, patterns);
      const known = rules.some(({ terminalId }) => terminalId === rule.terminalId);
      if (!known && rules.length >= RULES_MAX)
        throw new RelayError("invalid_request", `There are already ${RULES_MAX} rules; delete one first`);
      await store.saveRule(rule);
      await table.propagate();
    },
    setDenied: async (terminalId, isDenied) => {
      if (isDenied && denied.size >= DENIED_TERMINALS_MAX) {
        throw new RelayError(
          "invalid_request",
          `There are already ${DENIED_TERMINALS_MAX} disabled terminals; change the terminal secret instead`,
        );
      }
      await store.setDenied(terminalId, isDenied);
      await table.propagate();
    },
  };
}
