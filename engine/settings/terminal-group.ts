export const TERMINAL_GROUPS_MAX = 10_000;
export const GROUP_TERMINALS_MAX = 1_000;
export const GROUP_MANAGERS_MAX = 100;

/** Terminals that others act for (specification, "multi-terminal-id group"): each manager may subscribe, poll and post for each member. */
export interface TerminalGroup {
  readonly schema: 1;
  readonly name: string;
  readonly terminalIds: readonly string[];
  readonly managerTerminalIds: readonly string[];
  readonly enabled: boolean;
  readonly notes: string | null;
  readonly updatedAtMs: number;
}
