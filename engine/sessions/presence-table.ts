import type { Address } from "../kernel/bus.ts";
import type { Clock } from "../kernel/clock.ts";
import { CONNECTION_FRESH_MS, SESSIONS_OF_OTHERS_MAX, SESSIONS_PER_TERMINAL_MAX } from "../kernel/limits.ts";
import { createRoundRobin } from "../kernel/round-robin.ts";
import { createTimerWheel, type Timed } from "../kernel/timer-wheel.ts";
import { type Connection, connectionOf, type DeviceInfo, type PresenceRecord } from "./presence.ts";
import type { OpenSession, ToldSession } from "./terminal-sessions.ts";

/**
 * A live session as its terminal's home knows it. What decides is monotonic, and speaks only of this process's life; what is shown is milliseconds UTC, taken
 * when it happened: the two clocks differ by another fraction of a millisecond each time.
 */
export interface LiveSession extends OpenSession {
  /** The shard that holds the socket. */
  address: Address;
  openedAtMs: number;
  lastActivityAt: number;
  lastActivityMs: number;
}

interface Presence extends Timed {
  terminalId: string;
  /** Null until there is one: most terminals of a fleet only poll. */
  sessions: Map<string, LiveSession> | null;
  lastPollAt: number | null;
  /** Wall times of the run of polls that `lastPollAt` ends. */
  polling: { sinceMs: number; lastMs: number } | null;
  /** What was done before it, and is told only now, does not bring the terminal back. */
  disconnectedAt: number;
  /** Monotonic, of the last activity here; `lastSeenMs` is its wall time, null where there was none. */
  lastSeenAt: number;
  lastSeenMs: number | null;
  device: DeviceInfo;
  /** Changed since it was last taken to be stored: it is ready to be taken, or waits in the wheel until it is. */
  dirty: boolean;
  /** When that was, monotonic. */
  takenAt: number;
}

const NO_SESSIONS: ReadonlyMap<string, LiveSession> = new Map();

/** Terminals whose presence is kept in memory; beyond it the longest known ones without sessions go (they are stored). */
const PRESENCES_MAX = 500_000;

/** Presences looked at to find one that may go; those that may not are looked at again after all others. */
const EVICTION_LOOKS_MAX = 64;

/**
 * A terminal that polls or pings every second is stored this often: last-seen is this exact after a crash, and to the millisecond after an
 * orderly stop. One that is seen for the first time is stored at once.
 */
const AGAIN_MS = 10_000;

/**
 * Who is there, kept by each home for its terminals as plain fields: nothing here is a state of the actor, and nothing waits for the
 * store. What has to survive a restart (last seen, device) is handed out in batches by `takeDirty`.
 */
export interface PresenceTable {
  /** Answers false when the terminal has too many sessions already. A session that is told again is no newer for that. */
  open(session: ToldSession, address: Address): boolean;
  close(terminalId: string, sessionId: string): void;
  /** Answers true when the session was silent for too long before: what waits may go to it again. */
  active(terminalId: string, sessionId: string, agoMs: number): boolean;
  /** A poll, `agoMs` ago where another shard answered it. */
  polled(terminalId: string, device: DeviceInfo, agoMs: number): void;
  disconnect(terminalId: string): void;
  has(terminalId: string, sessionId: string): boolean;
  /** The session that a command goes to: the terminal's own latest live one, else a whitelisted one. */
  pick(terminalId: string, usable: (session: LiveSession) => boolean): LiveSession | null;
  /** Connection and device; `stored` fills in for a terminal that this process has not seen yet. */
  view(terminalId: string, stored: PresenceRecord | null): { connection: Connection; device: DeviceInfo };
  knows(terminalId: string): boolean;
  sessionCount(): number;
  /** Terminals that are there, by how; looks at all that are in memory. */
  counts(): { websocket: number; polling: number };
  /** Up to `limit` records changed since they were last taken, but for those taken within the last AGAIN_MS. */
  takeDirty(limit: number): PresenceRecord[];
  /** All that has changed is taken next, however lately it was taken. */
  hurry(): void;
  /** What was taken could not be stored: it counts as changed again. */
  markDirty(terminalId: string): void;
  dirtyCount(): number;
  /** Forgets the terminals that `leaves` names; what changed of them has to be stored before. */
  release(leaves: (terminalId: string) => boolean): void;
  /** Closes the sessions of these shards' sockets, which have ended with them; answers with what was closed. */
  closeAt(addresses: readonly Address[]): { terminalId: string; sessionId: string }[];
  /**
   * Terminals without a live session are OFFLINE until their next frame or poll, and their devices are unknown; when they were last seen stays known. A socket
   * that was silent for too long counts again with its next frame. The device of a terminal with a live session is to be stored again: it counts as changed,
   * and as taken just now.
   */
  forget(): void;
}

export function createPresenceTable(clock: Clock, presencesMax: number = PRESENCES_MAX): PresenceTable {
  const presences = new Map<string, Presence>();
  const roundRobin = createRoundRobin(() => presences.values());
  const resting = createTimerWheel<Presence>();
  /** Those to be taken next, from `readyAt` on; what was stored otherwise or has gone is no longer dirty, and passed over. */
  let ready: Presence[] = [];
  let readyAt = 0;
  let dirty = 0;
  let sessions = 0;

  function presenceOf(terminalId: string): Presence {
    const known = presences.get(terminalId);
    if (known !== undefined) return known;
    if (presences.size >= presencesMax) evict();
    const fresh: Presence = {
      terminalId,
      sessions: null,
      lastPollAt: null,
      polling: null,
      disconnectedAt: Number.NEGATIVE_INFINITY,
      lastSeenAt: Number.NEGATIVE_INFINITY,
      lastSeenMs: null,
      device: {},
      dirty: false,
      takenAt: Number.NEGATIVE_INFINITY,
      slot: null,
    };
    presences.set(terminalId, fresh);
    return fresh;
  }

  function evict(): void {
    for (let looks = 0; looks < EVICTION_LOOKS_MAX; looks += 1) {
      const presence = roundRobin.next();
      if (presence === undefined) return;
      if (sessionsOf(presence).size > 0 || presence.dirty) continue;
      presences.delete(presence.terminalId);
      return;
    }
  }

  function isFullFor({ own }: ToldSession, presence: Presence): boolean {
    const all = sessionsOf(presence);
    if (all.size >= SESSIONS_PER_TERMINAL_MAX) return true;
    // Most terminals have a session or two.
    if (own || all.size < SESSIONS_OF_OTHERS_MAX) return false;
    return [...all.values()].filter((session) => !session.own).length >= SESSIONS_OF_OTHERS_MAX;
  }

  /** A session that nobody heard of for long makes room for one that is there: its end may never have been told. */
  function dropSilent(presence: Presence): void {
    for (const session of sessionsOf(presence).values()) {
      if (isFresh(session.lastActivityAt)) continue;
      presence.sessions?.delete(session.sessionId);
      sessions -= 1;
      return;
    }
  }

  /** The wall time of a moment of the monotonic clock that has just passed. */
  function wallMs(at: number): number {
    return Math.round(clock.nowMs() - (clock.monotonicMs() - at));
  }

  /** A terminal was heard of at this moment. If it was heard of later already, only that counts. */
  function seen(presence: Presence, at: number, atMs = wallMs(at)): void {
    if (at >= presence.lastSeenAt) {
      presence.lastSeenAt = at;
      presence.lastSeenMs = atMs;
    }
    touch(presence);
  }

  function touch(presence: Presence): void {
    if (presence.dirty) return;
    presence.dirty = true;
    dirty += 1;
    const atMs = presence.takenAt + AGAIN_MS;
    if (clock.monotonicMs() < atMs) resting.arm(presence, atMs);
    else ready.push(presence);
  }

  function clean(presence: Presence): void {
    if (!presence.dirty) return;
    presence.dirty = false;
    dirty -= 1;
    resting.arm(presence, null);
  }

  function makeReady(presence: Presence): void {
    if (presence.slot === null) return;
    resting.arm(presence, null);
    ready.push(presence);
  }

  const isFresh = (lastActivityAt: number) => clock.monotonicMs() - lastActivityAt < CONNECTION_FRESH_MS;

  function isLive(presence: Presence): boolean {
    for (const { lastActivityAt } of sessionsOf(presence).values()) if (isFresh(lastActivityAt)) return true;
    return false;
  }

  return {
    open: (session, address) => {
      const presence = presenceOf(session.terminalId);
      presence.sessions ??= new Map();
      const known = presence.sessions.get(session.sessionId);
      if (known === undefined && isFullFor(session, presence)) dropSilent(presence);
      if (known === undefined && isFullFor(session, presence)) return false;
      const { terminalId, sessionId, own, acknowledges, redeliver, device } = session;
      const toldAt = clock.monotonicMs() - (session.agoMs ?? 0);
      const isHeard = toldAt >= presence.disconnectedAt;
      const isNews = isHeard && (known === undefined || toldAt > known.lastActivityAt);
      const openedAtMs = known?.openedAtMs ?? session.openedAtMs ?? clock.nowMs();
      const lastActivityAt = isNews ? toldAt : (known?.lastActivityAt ?? Number.NEGATIVE_INFINITY);
      const lastActivityMs = isNews ? wallMs(toldAt) : (known?.lastActivityMs ?? openedAtMs);
      if (known === undefined) sessions += 1;
      // Written out: a spread makes each session a shape of its own, and thousands of shapes make every look at one slow.
      const live = { terminalId, sessionId, own, acknowledges, redeliver, device, address, openedAtMs, lastActivityAt, lastActivityMs };
      presence.sessions.set(sessionId, live);
      if (session.own) presence.device = deviceAfter(presence.device, session.device);
      if (isHeard) seen(presence, toldAt);
      return true;
    },
    close: (terminalId, sessionId) => {
      if (presences.get(terminalId)?.sessions?.delete(sessionId) === true) sessions -= 1;
    },
    active: (terminalId, sessionId, agoMs) => {
      const presence = presences.get(terminalId);
      const session = presence?.sessions?.get(sessionId);
      const at = clock.monotonicMs() - agoMs;
      if (presence === undefined || session === undefined || at < presence.disconnectedAt) return false;
      const atMs = wallMs(at);
      const wasSilent = !isFresh(session.lastActivityAt);
      if (at > session.lastActivityAt) {
        session.lastActivityAt = at;
        session.lastActivityMs = atMs;
      }
      seen(presence, at, atMs);
      return wasSilent;
    },
    polled: (terminalId, device, agoMs) => {
      const presence = presenceOf(terminalId);
      const at = clock.monotonicMs() - agoMs;
      if (at < presence.disconnectedAt) return;
      // The clocks are read once, because every poll comes here.
      const atMs = wallMs(at);
      const run = presence.lastPollAt !== null && isFresh(presence.lastPollAt) ? presence.polling : null;
      if (run === null) presence.polling = { sinceMs: atMs, lastMs: atMs };
      if (presence.lastPollAt === null || at > presence.lastPollAt) {
        if (run !== null) run.lastMs = atMs;
        presence.lastPollAt = at;
      }
      presence.device = deviceAfter(presence.device, device);
      seen(presence, at, atMs);
    },
    disconnect: (terminalId) => {
      const presence = presences.get(terminalId);
      if (presence === undefined) return;
      presence.disconnectedAt = clock.monotonicMs();
      presence.lastPollAt = null;
      presence.polling = null;
      for (const session of sessionsOf(presence).values()) session.lastActivityAt = Number.NEGATIVE_INFINITY;
      seen(presence, presence.disconnectedAt);
    },
    has: (terminalId, sessionId) => presences.get(terminalId)?.sessions?.has(sessionId) === true,
    pick: (terminalId, usable) => {
      const presence = presences.get(terminalId);
      if (presence === undefined) return null;
      let best: LiveSession | null = null;
      for (const session of sessionsOf(presence).values()) {
        if (!isFresh(session.lastActivityAt) || !usable(session)) continue;
        // Later sessions stand later in the map, so an equal one wins over an earlier one.
        if (best === null || session.own || !best.own) best = session;
      }
      return best;
    },
    view: (terminalId, stored) => {
      const presence = presences.get(terminalId);
      const facts = {
        sessions: [...(presence?.sessions?.values() ?? [])].filter(({ lastActivityAt }) => isFresh(lastActivityAt)),
        polling: presence !== undefined && presence.lastPollAt !== null && isFresh(presence.lastPollAt) ? presence.polling : null,
        lastSeenMs: presence?.lastSeenMs ?? stored?.lastSeenMs ?? null,
      };
      const device = presence === undefined || presence.lastSeenMs === null ? (stored?.device ?? {}) : presence.device;
      return { connection: connectionOf(facts), device };
    },
    knows: (terminalId) => presences.get(terminalId)?.lastSeenMs != null,
    sessionCount: () => sessions,
    counts: () => {
      let [websocket, polling] = [0, 0];
      for (const presence of presences.values()) {
        const { lastPollAt } = presence;
        if (isLive(presence)) websocket += 1;
        else if (lastPollAt !== null && isFresh(lastPollAt)) polling += 1;
      }
      return { websocket, polling };
    },
    takeDirty: (limit) => {
      const records: PresenceRecord[] = [];
      const now = clock.monotonicMs();
      for (const presence of resting.due(now)) ready.push(presence);
      while (records.length < limit) {
        const presence = ready[readyAt];
        if (presence === undefined) break;
        readyAt += 1;
        if (!presence.dirty) continue;
        clean(presence);
        if (presence.lastSeenMs === null) continue;
        presence.takenAt = now;
        records.push({ schema: 1, terminalId: presence.terminalId, lastSeenMs: presence.lastSeenMs, device: presence.device });
      }
      if (2 * readyAt >= ready.length) {
        ready = ready.slice(readyAt);
        readyAt = 0;
      }
      return records;
    },
    hurry: () => {
      for (const presence of presences.values()) makeReady(presence);
    },
    markDirty: (terminalId) => {
      const presence = presences.get(terminalId);
      if (presence === undefined) return;
      presence.takenAt = Number.NEGATIVE_INFINITY;
      touch(presence);
      makeReady(presence);
    },
    dirtyCount: () => dirty,
    release: (leaves) => {
      for (const presence of [...presences.values()]) {
        if (!leaves(presence.terminalId)) continue;
        sessions -= sessionsOf(presence).size;
        clean(presence);
        presences.delete(presence.terminalId);
      }
    },
    closeAt: (addresses) => {
      const closed: { terminalId: string; sessionId: string }[] = [];
      for (const presence of presences.values()) {
        for (const { sessionId, address } of sessionsOf(presence).values()) {
          if (!addresses.includes(address)) continue;
          presence.sessions?.delete(sessionId);
          sessions -= 1;
          closed.push({ terminalId: presence.terminalId, sessionId });
        }
      }
      return closed;
    },
    forget: () => {
      const now = clock.monotonicMs();
      ready = [];
      readyAt = 0;
      for (const presence of presences.values()) {
        const live = isLive(presence);
        const changed = presence.dirty || live;
        clean(presence);
        presence.lastPollAt = null;
        presence.polling = null;
        if (!live) presence.device = {};
        if (!changed) continue;
        presence.takenAt = now;
        touch(presence);
      }
    },
  };
}

function sessionsOf({ sessions }: Presence): ReadonlyMap<string, LiveSession> {
  return sessions ?? NO_SESSIONS;
}

/** What a terminal tells replaces what it told before, but a family that it does not tell again stays known: tags depend on it. */
function deviceAfter(known: DeviceInfo, told: DeviceInfo): DeviceInfo {
  return told.family === undefined && known.family !== undefined ? { ...told, family: known.family } : told;
}
