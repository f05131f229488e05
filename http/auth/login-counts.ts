/** One limit for wrong passwords: so many different ones within a time. */
export interface LoginWindow {
  /** A digest of what is counted: an address and an account, an account, or an address. */
  readonly key: string;
  readonly max: number;
  readonly windowMs: number;
}

/** A password that is about to be compared. */
export interface LoginAttempt {
  /** A short digest of the password: the same one is counted once. */
  readonly secret: string;
  readonly windows: readonly LoginWindow[];
}

/**
 * `counted`: it may be compared, and counts as wrong until it is taken back. `again`: the same password is counted already. `held`: it must
 * not be compared, because the window with this index is full for `forMs`.
 */
export type LoginVerdict = { type: "counted" } | { type: "again" } | { type: "held"; window: number; forMs: number };

/** Counts wrong passwords. An attempt is counted before it is compared, so that parallel guesses cannot exceed a limit. */
export interface LoginCounts {
  attempt(attempt: LoginAttempt): Promise<LoginVerdict>;
  /** The password was right, or was not compared after all. */
  takeBack(attempt: LoginAttempt): Promise<void>;
}

/**
 * Windows of one node that have a count. A stranger's password is counted only if it is compared, most of them by a slow hash of which a thread
 * computes some 20 a second; so the table does not become full. If it does, nothing in it is dropped, and those that it has no room for
 * are held back for a moment.
 */
const WINDOWS_MAX = 100_000;

/** More windows, only for accounts at their usual addresses: strangers cannot take their room. */
const USUAL_WINDOWS_MAX = 25_000;

const FULL_MS = 2_000;

/** How often windows without a count are removed. */
const PURGE_MS = 10_000;

interface Counted {
  readonly windowMs: number;
  /** By the password's digest, when it was counted; the oldest first. */
  readonly atMs: Map<string, number>;
}

/** Counts in the memory of one thread. */
export function createLoginCounts(
  monotonicMs: () => number,
  limits = { windows: WINDOWS_MAX, usual: USUAL_WINDOWS_MAX },
): LoginCounts & { readonly size: number } {
  const windows = new Map<string, Counted>();
  let purgedAtMs = monotonicMs();

  function current(key: string, nowMs: number): Counted | null {
    const counted = windows.get(key);
    if (counted === undefined) return null;
    for (const [secret, atMs] of counted.atMs) {
      if (nowMs - atMs < counted.windowMs) return counted;
      counted.atMs.delete(secret);
    }
    windows.delete(key);
    return null;
  }

  function purge(nowMs: number): void {
    if (nowMs - purgedAtMs < PURGE_MS) return;
    purgedAtMs = nowMs;
    for (const key of [...windows.keys()]) current(key, nowMs);
  }

  function heldBy(attempt: LoginAttempt, nowMs: number): LoginVerdict | null {
    let held: LoginVerdict | null = null;
    let forMs = 0;
    for (const [index, { key, max, windowMs }] of attempt.windows.entries()) {
      const atMs = current(key, nowMs)?.atMs;
      if (atMs === undefined || atMs.size < max) continue;
      // With more than `max`, all but the newest of them have to become old.
      const [last = nowMs] = [...atMs.values()].slice(atMs.size - max);
      const left = last + windowMs - nowMs;
      if (left > forMs) {
        forMs = left;
        held = { type: "held", window: index, forMs };
      }
    }
    return held;
  }

  return {
    get size() {
      return windows.size;
    },
    attempt: async (attempt) => {
      const nowMs = monotonicMs();
      purge(nowMs);
      const [first] = attempt.windows;
      if (first !== undefined && current(first.key, nowMs)?.atMs.has(attempt.secret) === true) return { type: "again" };
      const held = heldBy(attempt, nowMs);
      if (held !== null) return held;
      const max = attempt.windows.length === 1 ? limits.windows + limits.usual : limits.windows;
      const added = attempt.windows.filter(({ key }) => !windows.has(key)).length;
      if (windows.size + added > max) return { type: "held", window: 0, forMs: FULL_MS };
      for (const { key, windowMs } of attempt.windows) {
        let counted = windows.get(key);
        if (counted === undefined) {
          counted = { windowMs, atMs: new Map() };
          windows.set(key, counted);
        }
        if (!counted.atMs.has(attempt.secret)) counted.atMs.set(attempt.secret, nowMs);
      }
      return { type: "counted" };
    },
    takeBack: async (attempt) => {
      for (const { key } of attempt.windows) {
        const counted = windows.get(key);
        counted?.atMs.delete(attempt.secret);
        if (counted?.atMs.size === 0) windows.delete(key);
      }
    },
  };
}

/**
 * Counts over all nodes: this node's own counts first, then the shared ones. If those cannot be reached, this node's own counts decide.
 */
export function createClusterLoginCounts(own: LoginCounts, shared: LoginCounts): LoginCounts {
  return {
    attempt: async (attempt) => {
      const here = await own.attempt(attempt);
      if (here.type === "held") return here;
      try {
        const everywhere = await shared.attempt(attempt);
        if (everywhere.type === "held" && here.type === "counted") await own.takeBack(attempt);
        return everywhere.type === "counted" && here.type === "again" ? here : everywhere;
      } catch {
        return here;
      }
    },
    takeBack: async (attempt) => {
      await Promise.all([own.takeBack(attempt), shared.takeBack(attempt).catch(() => undefined)]);
    },
  };
}
