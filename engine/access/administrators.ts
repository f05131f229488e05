import type { Tables } from "../tables/replicated-table.ts";
import type { AdministratorRecord } from "./administrator.ts";
import type { AdministratorStore } from "./administrator-store.ts";

/** The administrators, in memory of each shard: lookups wait for nothing. */
export interface Administrators {
  /** The one of the configuration, always an owner: it is changed there. It hides a stored one of its name. */
  readonly configured: string;
  /** Grows with every change of any stored administrator. */
  generation(): number;
  isConfigured(username: string): boolean;
  /** A stored one, disabled ones too: who asks decides. Names that differ in case only are the same. */
  byUsername(username: string): AdministratorRecord | null;
  /** The stored ones, by name. */
  list(): AdministratorRecord[];
  /** To be called after one was stored or removed: resolves once every shard of every live node has taken it in. */
  propagate(username: string): Promise<void>;
}

export interface AdministratorsOptions {
  tables: Tables;
  store: AdministratorStore;
  configured: string;
}

export function createAdministrators({ tables, store, configured }: AdministratorsOptions): Administrators {
  let generation = 0;
  const stored = tables.records(store, () => {
    generation += 1;
  });
  const isConfigured = (username: string) => username.toLowerCase() === configured.toLowerCase();
  return {
    configured,
    generation: () => generation,
    isConfigured,
    byUsername: (username) => (isConfigured(username) ? null : (stored.get(username.toLowerCase()) ?? null)),
    list: () =>
      [...stored.values()]
        .filter(({ username }) => !isConfigured(username))
        .sort((one, other) => (one.username.toLowerCase() < other.username.toLowerCase() ? -1 : 1)),
    propagate: (username) => stored.propagate(username.toLowerCase()),
  };
}
