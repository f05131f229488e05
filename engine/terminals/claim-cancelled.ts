import type { Clock } from "../kernel/clock.ts";
import type { Command } from "../payments/command.ts";
import { rowsOf, withLife } from "./result-decision.ts";
import { claimOf, EMPTY_CHANGE } from "./steps.ts";
import type { TerminalStore } from "./terminal-store.ts";

/**
 * Takes a command's uuid as that of one that was cancelled before it was accepted: whoever comes to send it later, perhaps a node that slept, finds it taken. One
 * commit, which loses to an acceptance: `taken`, and the life of the command says the rest. It concerns no terminal's record, and is done on any shard.
 * Rejects with RelayError `unavailable` where it is not known whether it happened; it may be repeated then.
 */
export type ClaimCancelled = (command: Command) => Promise<"claimed" | "taken">;

export interface ClaimCancelledOptions {
  store: TerminalStore;
  clock: Clock;
  /** The merchant whose a terminal's payments are; null for none. */
  shopOf(terminalId: string): string | null;
}

export function createClaimCancelled({ store, clock, shopOf }: ClaimCancelledOptions): ClaimCancelled {
  /** What is claimed so already is claimed: the answer to the first try may have been lost. */
  async function isClaimed(command: Command): Promise<boolean> {
    const stored = await store.loadCommand(command.uuid);
    return stored !== null && stored.record.life?.state === "cancelled" && stored.record.life.attempts === 0;
  }

  return async (command) => {
    const atMs = clock.nowMs();
    const life = { state: "cancelled", sentAtMs: null, finishedAtMs: atMs, channel: null, attempts: 0 } as const;
    const record = withLife(claimOf({ ...command, shop: shopOf(command.terminalId) }), life);
    const change = {
      ...EMPTY_CHANGE,
      terminalId: command.terminalId,
      terminal: null,
      decidedBy: null,
      claims: [record],
      rows: rowsOf(record),
      atMs,
    };
    const { type } = await store.commit(change);
    if (type === "committed") return "claimed";
    return (await isClaimed(command)) ? "claimed" : "taken";
  };
}
