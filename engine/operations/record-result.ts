import { type Caller, mayActAs } from "../domain/caller.ts";
import { RelayError } from "../domain/errors.ts";
import { readResult } from "../domain/result.ts";
import type { ResultOutcome, Terminals } from "../ports/terminals.ts";

export interface RecordResult {
  /**
   * Stores what a terminal posted; on stable storage when this resolves. What cannot be read as a result is kept for operators and refused
   * with RelayError `invalid_request`: nothing is guessed about money.
   */
  byCaller(caller: Caller, terminalId: string, body: unknown): Promise<ResultOutcome>;
  /** The same for a session that was found to act for the terminal; `postedBy` is the session's own terminal. */
  bySession(postedBy: string, terminalId: string, body: unknown): Promise<ResultOutcome>;
}

export function createRecordResult({ terminals }: { terminals: Terminals }): RecordResult {
  async function bySession(postedBy: string, terminalId: string, body: unknown): Promise<ResultOutcome> {
    const read = readResult(body);
    if (read.type === "read") return terminals.recordResult({ terminalId, postedBy, result: read.result });
    const { uuid, reason, raw } = read;
    await terminals.recordUnreadable({ terminalId, uuid, reason, raw });
    throw new RelayError("invalid_request", reason);
  }

  return {
    bySession,
    byCaller: async (caller, terminalId, body) => {
      if (!mayActAs(caller, terminalId)) throw new RelayError("forbidden", "Not permitted for this terminal");
      return bySession(caller.type === "terminal" ? caller.terminalId : caller.type, terminalId, body);
    },
  };
}
