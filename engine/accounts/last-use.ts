import type { Stored } from "../kernel/stored.ts";
import { LAST_USED_EVERY_MS, type SessionCore } from "./session.ts";
import type { SessionStore } from "./session-store.ts";

/** Sessions whose last use is being stored at once; more are stored with their next request. */
const STORING_MAX = 64;

/**
 * Stores that sessions are used, at most once a minute each. Nobody waits for it: a session that is used goes on for half an hour from a time that is a
 * minute old at most.
 */
export function createLastUse<S extends SessionCore>(
  sessions: Pick<SessionStore<S>, "replace">,
  nowMs: () => number,
): (stored: Stored<S>) => void {
  let storing = 0;
  return (stored) => {
    if (nowMs() - stored.record.lastUsedAtMs < LAST_USED_EVERY_MS || storing >= STORING_MAX) return;
    storing += 1;
    sessions
      .replace(stored, { ...stored.record, lastUsedAtMs: nowMs() })
      // Where the store does not answer, the next request tries again.
      .catch(() => null)
      .finally(() => {
        storing -= 1;
      });
  };
}
