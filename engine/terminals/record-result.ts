import { actsFor, type Caller, mayActAs } from "../access/caller.ts";
import { cutText } from "../kernel/cut-text.ts";
import { RelayError } from "../kernel/errors.ts";
import { readResult, UNREADABLE_RAW_CHARS_MAX } from "../payments/result.ts";
import { namedUuid, rawOf, type UnreadPosting } from "../payments/unread-posting.ts";
import type { ResultOutcome, Terminals } from "./terminals.ts";

export interface RecordResult {
  /**
   * Stores what a terminal posted; on stable storage when this resolves. What cannot be read as a result is kept for operators and refused
   * with RelayError `invalid_request`: nothing is guessed about money. What is posted for a denied terminal may be forged, and may be of money
   * that moved: it is kept in the same way, and refused with `forbidden`.
   */
  byCaller(caller: Caller, terminalId: string, body: unknown): Promise<ResultOutcome>;
  /** The same for a session that was found to act for the terminal; `postedBy` is the session's own terminal. */
  bySession(postedBy: string, terminalId: string, body: unknown): Promise<ResultOutcome>;
  /** Keeps, for operators, what is no JSON or of no form of a result; nothing where the caller may not act for the terminal. */
  unreadByCaller(caller: Caller, terminalId: string, posting: UnreadPosting): Promise<void>;
  unreadBySession(terminalId: string, posting: UnreadPosting): Promise<void>;
}

const ACCESS_WITHDRAWN = "the terminal's login is disabled; its result is stored for operators and does not count";

export function createRecordResult({ terminals }: { terminals: Terminals }): RecordResult {
  async function bySession(postedBy: string, terminalId: string, body: unknown): Promise<ResultOutcome> {
    const read = readResult(body);
    if (read.type === "read") return terminals.recordResult({ terminalId, postedBy, result: read.result });
    const { uuid, reason, raw } = read;
    await terminals.recordUnreadable({ terminalId, uuid, reason, raw });
    throw new RelayError("invalid_request", reason);
  }

  async function keepOfDenied(terminalId: string, body: unknown): Promise<never> {
    const read = readResult(body);
    const { uuid, raw } = read.type === "read" ? read.result : read;
    await terminals.recordUnreadable({ terminalId, uuid, reason: ACCESS_WITHDRAWN, raw: cutText(raw, UNREADABLE_RAW_CHARS_MAX) });
    throw new RelayError("forbidden", ACCESS_WITHDRAWN);
  }

  function unreadBySession(terminalId: string, posting: UnreadPosting): Promise<void> {
    const uuid = posting.text === null ? null : namedUuid(posting.text);
    return terminals.recordUnreadable({ terminalId, uuid, reason: posting.reason, raw: rawOf(posting) });
  }

  return {
    bySession,
    unreadBySession,
    unreadByCaller: async (caller, terminalId, posting) => {
      if (actsFor(caller, terminalId)) await unreadBySession(terminalId, posting);
    },
    byCaller: async (caller, terminalId, body) => {
      if (!actsFor(caller, terminalId)) throw new RelayError("forbidden", "Not permitted for this terminal");
      if (!mayActAs(caller, terminalId)) return keepOfDenied(terminalId, body);
      return bySession(caller.type === "terminal" ? caller.terminalId : caller.type, terminalId, body);
    },
  };
}
