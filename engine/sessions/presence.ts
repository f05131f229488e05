/** The state of a terminal's connection, as `GET /api/v1/{terminalId}/connection` shows it. */
export type ConnectionStatus = "ONLINE" | "OFFLINE" | "NEVER_CONNECTED";
export type ConnectionType = "WEBSOCKET" | "POLLING";

/** What a terminal told about itself, by the last `get` or CONNECT. */
export interface DeviceInfo {
  userAgent?: string;
  /** Of a call that had the terminal's login, or that of one that acts for it: what comes from there later is taken for the terminal's own. */
  ipAddress?: string;
  /** Stable digest of what identifies the device; see `fingerprint` in http. */
  fingerprint?: string;
  family?: string;
  appVersion?: string;
  deviceModel?: string;
  /** The services of commands that it says it executes beside payments. Absent: it does not say. */
  commands?: readonly string[];
}

/** Services that a terminal may list. */
const DECLARED_COMMANDS_MAX = 32;

/** Reads a list such as `LOGCAT, RESTART`. What is no service word is left out. */
export function declaredCommands(text: string): readonly string[] {
  const named = text.split(",", DECLARED_COMMANDS_MAX).map((word) => word.trim());
  return [...new Set(named.filter((word) => /^[A-Z0-9_]{1,32}$/.test(word)))];
}

/** What is stored of a terminal's presence; survives a restart, says nothing of live sessions. */
export interface PresenceRecord {
  schema: 1;
  terminalId: string;
  /** Last frame, ping or poll, milliseconds UTC. */
  lastSeenMs: number;
  device: DeviceInfo;
}

/** The facts of one moment from which the connection record follows. Times were taken when it happened: whoever asks twice is told the same. */
export interface PresenceFacts {
  /** Live WebSocket sessions of which something was heard lately. */
  sessions: readonly { openedAtMs: number; lastActivityMs: number }[];
  /** Of an unbroken run of polls that goes on; null where there is none. */
  polling: { sinceMs: number; lastMs: number } | null;
  /** Last frame, ping or poll ever, or null when the terminal was never seen. */
  lastSeenMs: number | null;
}

/** Times are milliseconds UTC; the surface writes them as ISO 8601. */
export interface Connection {
  connectionStatus: ConnectionStatus;
  connected: boolean;
  sessions: number;
  connectionType?: ConnectionType;
  lastActivityMs?: number;
  connectedSinceMs?: number;
  lastSeenMs?: number;
}

/** Says what a terminal's connection is. Pure. */
export function connectionOf({ sessions, polling, lastSeenMs }: PresenceFacts): Connection {
  const [first, ...others] = sessions;
  if (first !== undefined) {
    return {
      connectionStatus: "ONLINE",
      connected: true,
      sessions: sessions.length,
      connectionType: "WEBSOCKET",
      lastActivityMs: others.reduce((latest, session) => Math.max(latest, session.lastActivityMs), first.lastActivityMs),
      connectedSinceMs: others.reduce((earliest, session) => Math.min(earliest, session.openedAtMs), first.openedAtMs),
    };
  }
  if (polling !== null) {
    return {
      connectionStatus: "ONLINE",
      connected: true,
      sessions: 0,
      connectionType: "POLLING",
      lastActivityMs: polling.lastMs,
      connectedSinceMs: polling.sinceMs,
    };
  }
  if (lastSeenMs === null) return { connectionStatus: "NEVER_CONNECTED", connected: false, sessions: 0 };
  return { connectionStatus: "OFFLINE", connected: false, sessions: 0, lastSeenMs };
}
