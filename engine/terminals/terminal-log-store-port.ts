import type { TerminalLog } from "./terminal-log.ts";

/** Logs of terminals, kept for 30 days and to a bounded number each, the oldest go first. Rejects with RelayError `unavailable`. */
export interface TerminalLogStore {
  append(terminalId: string, log: Omit<TerminalLog, "id">): Promise<{ id: string }>;
  /** Newest first. */
  page(terminalId: string, limit: number): Promise<TerminalLog[]>;
  /** Answers with how many there were. */
  clear(terminalId: string): Promise<number>;
}
