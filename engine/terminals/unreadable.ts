import type { Clock } from "../kernel/clock.ts";
import type { TerminalStore } from "./terminal-store.ts";
import type { UnreadablePosting } from "./terminals.ts";

/** Keeps what could not be read as a result, for operators, and that an answer came to the commands that it can be one of. */
export function createUnreadable({ store, clock }: { store: TerminalStore; clock: Clock }): (posting: UnreadablePosting) => Promise<void> {
  /** The command that is named, where it is one of this terminal, else all whose results are awaited there. */
  async function answered(terminalId: string, uuid: string | null): Promise<string[]> {
    const named = uuid === null ? null : await store.loadCommandAt(terminalId, uuid);
    if (named !== null && named.record.terminalId === terminalId) return [named.record.uuid];
    const terminal = await store.loadTerminal(terminalId);
    return terminal === null ? [] : terminal.record.sent.map((entry) => entry.uuid);
  }

  return async ({ terminalId, uuid, reason, raw }) => {
    const uuids = await answered(terminalId, uuid);
    const only = uuids.length === 1 ? (uuids[0] ?? null) : null;
    const item = { kind: "unreadable", terminalId, uuid: uuid ?? only, atMs: clock.nowMs(), detail: reason, raw } as const;
    await store.keepUnreadable(item, uuids);
  };
}
