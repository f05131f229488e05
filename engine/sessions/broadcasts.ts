import { RelayError } from "../kernel/errors.ts";
import type { LocalSockets } from "./local-sockets.ts";
import { TERMINAL_ID_PLACE } from "./terminal-sessions.ts";

/** Sessions written to in one tick: a few milliseconds in which nothing else is served. */
const PER_TICK_MIN = 100;

/** Ticks that a broadcast takes at most, some five seconds: whoever asked for it waits for the number. */
const TICKS_MAX = 100;

/** Broadcasts of one shard under way; one more is refused. */
const UNDER_WAY_MAX = 8;

/** Messages to many sessions of this shard, a few at each tick, so that neither payments nor the terminals' next step come all at once. */
export interface Broadcasts {
  /** To the sessions that there are now, of one terminal or of all; resolves with how many got it. */
  send(terminalId: string | null, text: string): Promise<number>;
  tick(): void;
}

interface UnderWay {
  sessions: { terminalId: string; sessionId: string }[];
  text: string;
  perTick: number;
  sent: number;
  got: number;
  resolve(got: number): void;
}

export function createBroadcasts(localSockets: LocalSockets): Broadcasts {
  let underWay: UnderWay[] = [];

  /** True when all of it is sent. */
  function step(broadcast: UnderWay): boolean {
    const { sessions, text, perTick } = broadcast;
    for (const { terminalId, sessionId } of sessions.slice(broadcast.sent, broadcast.sent + perTick)) {
      if (localSockets.deliver(terminalId, sessionId, null, text.replaceAll(TERMINAL_ID_PLACE, terminalId))) broadcast.got += 1;
    }
    broadcast.sent += perTick;
    if (broadcast.sent < sessions.length) return false;
    broadcast.resolve(broadcast.got);
    return true;
  }

  return {
    send: async (terminalId, text) => {
      if (underWay.length >= UNDER_WAY_MAX)
        throw new RelayError("too_busy", "Other broadcasts are in progress; retry shortly", { retryAfterSeconds: 5 });
      const sessions = localSockets.sessions(terminalId);
      const perTick = Math.max(PER_TICK_MIN, Math.ceil(sessions.length / TICKS_MAX));
      return new Promise((resolve) => {
        const broadcast = { sessions, text, perTick, sent: 0, got: 0, resolve };
        if (!step(broadcast)) underWay.push(broadcast);
      });
    },
    tick: () => {
      if (underWay.length > 0) underWay = underWay.filter((broadcast) => !step(broadcast));
    },
  };
}
