import { available, type Entry, type Kv, type Operation } from "../kernel/kv.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { readBareRecord, readRecord, recordText, type SchemaKind } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { ACCOUNTS_AWAY, type CommitPart } from "./account-store.ts";
import {
  SESSION_IDLE_MS,
  SESSION_LIFETIME_MS,
  SESSIONS_MAX,
  type SessionCore,
  type SessionRecord,
  sessionEndMs,
  UNFINISHED_SESSIONS_MAX,
} from "./session.ts";

/**
 * Sessions of the portal, or those of administrators (`SessionPlace`), found by the digest of their token: nobody who reads the store can use one. All sessions of an account stand in
 * one list, which every beginning and end checks, so that a session that begins while all of them are ended is ended too. Every method rejects with
 * RelayError `unavailable` when the store cannot answer.
 */
export interface SessionStore<S extends SessionCore = SessionRecord> {
  /** Null for none, and for one that has ended. */
  find(tokenSha256: string): Promise<Stored<S> | null>;
  /** By its id, which stays while its token changes. */
  bySessionId(accountId: string, sessionId: string): Promise<Stored<S> | null>;
  /**
   * Begins a session, in the place of the one with the token `replaces`. `ended`: that one is no more. `stale`: a check of `also`, which is
   * committed with it, does not hold. Of more than SESSIONS_MAX of an account the oldest end. `lingersMs`: the replaced token stays what it was for
   * this long, for requests that are on their way with it.
   */
  begin(session: S, options: BeginOptions): Promise<"committed" | "ended" | "stale">;
  /** Changes a session in its place. Null where it has ended or was changed first, or where a check of `also` does not hold. */
  replace(before: Stored<S>, after: S, also?: readonly CommitPart[]): Promise<Stored<S> | null>;
  /** Those of an account that have not ended, the latest first. */
  ofAccount(accountId: string): Promise<S[]>;
  /** Ends those of an account that are meant; answers with how many. */
  end(accountId: string, isMeant: (session: S) => boolean): Promise<number>;
  /** The end of all of an account's sessions but one, for a commit that makes them void; where its check fails, begin anew. */
  endAll(accountId: string, exceptSessionId?: string): Promise<CommitPart>;
  /** Whether an answer to this passkey challenge was taken (`challengeUsed`). */
  isChallengeUsed(challengeSha256: string): Promise<boolean>;
}

export interface BeginOptions {
  readonly replaces: string | null;
  readonly also?: readonly CommitPart[];
  readonly lingersMs?: number;
}

/** Where sessions are kept: those of people and of administrators have nothing in common but their form. */
export interface SessionPlace {
  readonly kind: SchemaKind;
  /** Prefixes of keys: of the sessions, and of the list of an account's. */
  readonly sessions: string;
  readonly ofAccount: string;
}

export const PORTAL_SESSIONS: SessionPlace = { kind: "portalSession", sessions: "portal-session/", ofAccount: "portal-sessions-of/" };

const CHALLENGES = "portal-challenge/";

/** Sessions of one account that may begin or end in between. */
const ATTEMPTS_MAX = 64;

/** What the list of an account's sessions has of each, in the order in which they began. */
interface Listed {
  readonly tokenSha256: string;
  readonly sessionId: string;
  readonly isFull: boolean;
  readonly endsAtMs: number;
}

/** Sessions of the portal on the key-value store: `portal-session/<sha256 of the token>`, and the list of an account's under `portal-sessions-of/<accountId>`. */
export function createSessionStore(kv: Kv, nowMs: () => number): SessionStore {
  return createSessionStoreAt<SessionRecord>(kv, nowMs, PORTAL_SESSIONS);
}

/** The same at another place. */
export function createSessionStoreAt<S extends SessionCore>(kv: Kv, nowMs: () => number, place: SessionPlace): SessionStore<S> {
  const { kind, sessions: prefix, ofAccount } = place;

  async function find(tokenSha256: string): Promise<Stored<S> | null> {
    const entry = await kv.get(prefix + tokenSha256);
    if (entry === null) return null;
    const record = sessionIn(entry);
    return sessionEndMs(record) > nowMs() ? { record, version: entry.version } : null;
  }

  async function listOf(accountId: string): Promise<{ key: string; version: number; listed: readonly Listed[] }> {
    const key = ofAccount + accountId;
    const entry = await kv.get(key);
    if (entry === null) return { key, version: 0, listed: [] };
    const { sessions } = readBareRecord<{ sessions: readonly Listed[] }>(kind, key, entry.value);
    return { key, version: entry.version, listed: sessions.filter(({ endsAtMs }) => endsAtMs > nowMs()) };
  }

  async function recordsOf(listed: readonly Listed[]): Promise<S[]> {
    if (listed.length === 0) return [];
    const entries = await kv.getMany(listed.map(({ tokenSha256 }) => prefix + tokenSha256));
    const records = entries.flatMap((entry) => (entry === null ? [] : [sessionIn(entry)]));
    return records.filter((record) => sessionEndMs(record) > nowMs());
  }

  return {
    find: (tokenSha256) => available(() => find(tokenSha256), ACCOUNTS_AWAY),
    bySessionId: (accountId, sessionId) =>
      available(async () => {
        // The latest: the one before it may linger.
        const listed = (await listOf(accountId)).listed.findLast((one) => one.sessionId === sessionId);
        return listed === undefined ? null : find(listed.tokenSha256);
      }, ACCOUNTS_AWAY),
    isChallengeUsed: (challengeSha256) => available(async () => (await kv.get(CHALLENGES + challengeSha256)) !== null, ACCOUNTS_AWAY),
    begin: (session, { replaces, also = [], lingersMs = 0 }) =>
      available(
        () =>
          retryOnConflict(ATTEMPTS_MAX, async () => {
            const { key, version, listed } = await listOf(session.accountId);
            const replaced = listed.find(({ tokenSha256 }) => tokenSha256 === replaces);
            if (replaces !== null && replaced === undefined) return "ended";
            const left = lingersMs === 0 || replaced === undefined ? null : await lingering(replaced, lingersMs);
            const others = listed.flatMap((one) => (one === replaced ? (left?.listed ?? []) : one));
            const { tokenSha256, sessionId, stage, endsAtMs } = session;
            const kept = withinBounds([...others, { tokenSha256, sessionId, isFull: stage === "full", endsAtMs }]);
            const tokens = new Set(kept.map((one) => one.tokenSha256));
            const result = await kv.commit({
              checks: [{ key, version }, ...(left?.checks ?? []), ...also.flatMap(({ checks }) => checks)],
              operations: [
                ...(left?.operations ?? []),
                ...listed.filter((one) => !tokens.has(one.tokenSha256)).map((one) => deleted(one.tokenSha256)),
                put(session),
                listPut(key, kept),
                ...also.flatMap(({ operations }) => operations),
              ],
            });
            if (result.type === "committed") return "committed";
            return result.key === key || result.key === left?.checks[0]?.key ? CONFLICT : "stale";
          }),
        ACCOUNTS_AWAY,
      ),
    replace: (before, record, also = []) =>
      available(async () => {
        const result = await kv.commit({
          checks: [{ key: prefix + before.record.tokenSha256, version: before.version }, ...also.flatMap(({ checks }) => checks)],
          operations: [put(record), ...also.flatMap(({ operations }) => operations)],
        });
        return result.type === "committed" ? { record, version: result.version } : null;
      }, ACCOUNTS_AWAY),
    ofAccount: (accountId) =>
      available(async () => {
        const records = await recordsOf((await listOf(accountId)).listed);
        // Of a session that has a new token, the one before it is no session of its own.
        const latest = new Map(records.map((record) => [record.sessionId, record]));
        return [...latest.values()].sort((one, other) => other.createdAtMs - one.createdAtMs);
      }, ACCOUNTS_AWAY),
    end: (accountId, isMeant) =>
      available(
        () =>
          retryOnConflict(ATTEMPTS_MAX, async () => {
            const { key, version, listed } = await listOf(accountId);
            const meant = new Set((await recordsOf(listed)).filter(isMeant).map(({ tokenSha256 }) => tokenSha256));
            if (meant.size === 0) return 0;
            const kept = listed.filter(({ tokenSha256 }) => !meant.has(tokenSha256));
            const { type } = await kv.commit({
              checks: [{ key, version }],
              operations: [...[...meant].map(deleted), listPut(key, kept)],
            });
            return type === "committed" ? meant.size : CONFLICT;
          }),
        ACCOUNTS_AWAY,
      ),
    endAll: (accountId, exceptSessionId) =>
      available(async () => {
        const { key, version, listed } = await listOf(accountId);
        const kept = listed.filter(({ sessionId }) => sessionId === exceptSessionId);
        const gone = listed.filter((one) => !kept.includes(one)).map(({ tokenSha256 }) => deleted(tokenSha256));
        // Written also where there is none: a session that begins meanwhile then fails, and not this.
        return { checks: [{ key, version }], operations: [...gone, listPut(key, kept)] };
      }, ACCOUNTS_AWAY),
  };

  /** A session whose token is replaced, for as long as it lingers; it counts as one that is unfinished. */
  async function lingering(listed: Listed, forMs: number): Promise<(CommitPart & { listed: Listed }) | null> {
    const entry = await kv.get(prefix + listed.tokenSha256);
    if (entry === null) return null;
    const endsAtMs = Math.min(listed.endsAtMs, nowMs() + forMs);
    return {
      listed: { ...listed, isFull: false, endsAtMs },
      checks: [{ key: entry.key, version: entry.version }],
      operations: [put({ ...sessionIn(entry), endsAtMs })],
    };
  }

  function listPut(key: string, sessions: readonly Listed[]): Operation {
    return { type: "put", key, value: recordText(kind, { sessions }), expiresAtMs: nowMs() + SESSION_LIFETIME_MS };
  }

  function put(session: S): Operation {
    // An idle session is found to be idle by its record; the store forgets it a little later.
    const expiresAtMs = Math.min(session.endsAtMs, session.lastUsedAtMs + 2 * SESSION_IDLE_MS);
    return { type: "put", key: prefix + session.tokenSha256, value: recordText(kind, session), expiresAtMs };
  }

  function deleted(tokenSha256: string): Operation {
    return { type: "delete", key: prefix + tokenSha256 };
  }

  function sessionIn({ key, value }: Entry): S {
    return readRecord(kind, key, value);
  }
}

/** A passkey challenge that was answered, until it is too old to be answered again: the commit fails where it was used before. */
export function challengeUsed(challengeSha256: string, endsAtMs: number): CommitPart {
  const key = CHALLENGES + challengeSha256;
  return {
    checks: [{ key, version: 0 }],
    operations: [{ type: "put", key, value: recordText("portalSession", { used: true }), expiresAtMs: endsAtMs }],
  };
}

function withinBounds(listed: readonly Listed[]): readonly Listed[] {
  const full = listed.filter(({ isFull }) => isFull).slice(-SESSIONS_MAX);
  const unfinished = listed.filter(({ isFull }) => !isFull).slice(-UNFINISHED_SESSIONS_MAX);
  return listed.filter((one) => full.includes(one) || unfinished.includes(one));
}
