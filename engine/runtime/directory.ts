import { RelayError } from "../domain/errors.ts";
import { compileWhitelist, validateSubscriptionRule, type Whitelist } from "../domain/subscription.ts";
import type { PatternCompiler, SubscriptionRule } from "../domain/terminal-rule.ts";
import type { Bus } from "../ports/bus.ts";
import type { DirectoryStore } from "../ports/directory-store.ts";

/** Whitelist rules of one installation; all of them are in the memory of each shard. */
export const RULES_MAX = 10_000;
export const DENIED_TERMINALS_MAX = 100_000;

/** How long a change waits for every shard to have it. */
const SPREAD_TIMEOUT_MS = 5_000;

export interface DirectoryProtocol {
  /** Settings have changed: answered once this shard has them. */
  "directory.changed": { question: undefined; answer: undefined };
}

/** Administered settings in memory, so that no request waits for them; a change is answered once every shard has it. */
export interface Directory {
  load(): Promise<void>;
  /** Grows with each change that may take something from somebody. */
  generation(): number;
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
  bus: Bus<DirectoryProtocol>;
  /** Called after each change that this shard has taken in: sessions that lost a right are to be closed. */
  changed(): void;
}

export function createDirectory({ store, patterns, bus, changed }: DirectoryOptions): Directory {
  let rules: readonly SubscriptionRule[] = [];
  let denied: ReadonlySet<string> = new Set();
  let whitelist: Whitelist = compileWhitelist([], patterns);
  let generation = 0;
  let begun = 0;
  let takenIn = 0;

  /** Of two loads at once the one that began later has all that the other has, whichever ends first. */
  async function load(): Promise<void> {
    begun += 1;
    const turn = begun;
    const contents = await store.load();
    if (turn < takenIn) return;
    takenIn = turn;
    rules = contents.rules;
    denied = new Set(contents.deniedTerminals);
    whitelist = compileWhitelist(rules, patterns);
    generation += 1;
  }

  async function spread(): Promise<void> {
    await Promise.all(bus.shards.map((shard) => bus.ask(shard, "directory.changed", undefined, SPREAD_TIMEOUT_MS)));
  }

  bus.serve("directory.changed", async () => {
    await load();
    changed();
    return undefined;
  });

  return {
    load,
    generation: () => generation,
    mayTake: (identity, target) => whitelist.mayTake(identity, target),
    isDenied: (terminalId) => denied.has(terminalId),
    rules: () => rules,
    deniedTerminals: () => [...denied].sort(),
    saveRule: async (rule) => {
      validateSubscriptionRule(rule, patterns);
      const known = rules.some(({ terminalId }) => terminalId === rule.terminalId);
      if (!known && rules.length >= RULES_MAX) throw new RelayError("invalid_request", `There are ${RULES_MAX} rules already`);
      await store.saveRule(rule);
      await spread();
    },
    setDenied: async (terminalId, isDenied) => {
      if (isDenied && denied.size >= DENIED_TERMINALS_MAX) {
        throw new RelayError("invalid_request", `There are ${DENIED_TERMINALS_MAX} denied terminals already; change the secret instead`);
      }
      await store.setDenied(terminalId, isDenied);
      await spread();
    },
  };
}
