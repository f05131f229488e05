import type { RecordStore } from "../tables/record-store.ts";
import type { AdministeredRecords, Tables } from "../tables/replicated-table.ts";

export const TERMINAL_GROUPS_MAX = 10_000;
export const GROUP_TERMINALS_MAX = 1_000;
export const GROUP_MANAGERS_MAX = 100;

/** Terminals that others act for (`/admin/terminal-groups`): each manager may subscribe, poll and post for each member. */
export interface TerminalGroup {
  readonly schema: 1;
  readonly name: string;
  readonly terminalIds: readonly string[];
  readonly managerTerminalIds: readonly string[];
  readonly enabled: boolean;
  readonly notes: string | null;
  readonly updatedAtMs: number;
}

/** Terminal groups, and whom each manager acts for. */
export interface TerminalGroups extends AdministeredRecords<TerminalGroup> {
  /** Grows with every change. */
  generation(): number;
  /** The members of all enabled groups that this terminal manages; null where it manages none. */
  managedBy(terminalId: string): ReadonlySet<string> | null;
}

export interface TerminalGroupsOptions {
  tables: Tables;
  store: RecordStore<TerminalGroup>;
  /** Called after each change: sessions that lost a right are to be ended. */
  changed(): void;
}

export function createTerminalGroups({ tables, store, changed }: TerminalGroupsOptions): TerminalGroups {
  const groupsOf = new Map<string, Set<TerminalGroup>>();
  const members = new Map<string, ReadonlySet<string>>();
  let generation = 0;

  function index(group: TerminalGroup): void {
    if (!group.enabled) return;
    for (const manager of group.managerTerminalIds) groupsOf.set(manager, (groupsOf.get(manager) ?? new Set()).add(group));
  }

  function unindex(group: TerminalGroup): void {
    for (const manager of group.managerTerminalIds) {
      const groups = groupsOf.get(manager);
      if (groups?.delete(group) === true && groups.size === 0) groupsOf.delete(manager);
    }
  }

  const groups = tables.administered(store, (_, after, before) => {
    if (before !== null) unindex(before);
    if (after !== null) index(after);
    for (const manager of [...(before?.managerTerminalIds ?? []), ...(after?.managerTerminalIds ?? [])]) {
      const managed = [...(groupsOf.get(manager) ?? [])].flatMap(({ terminalIds }) => terminalIds);
      if (managed.length === 0) members.delete(manager);
      else members.set(manager, new Set(managed));
    }
    generation += 1;
    changed();
  });
  return {
    get: groups.get,
    values: groups.values,
    get size() {
      return groups.size;
    },
    save: groups.save,
    change: groups.change,
    remove: groups.remove,
    generation: () => generation,
    managedBy: (terminalId) => members.get(terminalId) ?? null,
  };
}
