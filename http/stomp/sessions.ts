import { RelayError } from "../../engine/kernel/errors.ts";
import { createRoundRobin } from "../../engine/kernel/round-robin.ts";
import type { StompConnection, StompHost, StompSocket, UpgradeInfo } from "./host.ts";
import { LOOKS_A_TICK_MIN, TICKS_A_ROUND } from "./limits.ts";
import { DEFAULT_HEART_BEATS, type HeartBeatOffer } from "./negotiation.ts";
import { StompSession } from "./session.ts";

/** The STOMP sessions of one shard. */
export interface StompSessions {
  open(socket: StompSocket, upgrade: UpgradeInfo): StompConnection;
  /**
   * Handles heart-beats and deadlines of the sessions, or of a part of them if there are many; call it at least every TICK_INTERVAL_MS_MAX.
   */
  tick(): void;
  /** Number of sockets that are not closed yet. */
  count(): number;
  /** Ends the sessions of a terminal whose access was withdrawn. Returns how many. */
  closeTerminal(terminalId: string): number;
  /** To be called when the whitelist has changed: ends sessions with a topic to which they may no longer subscribe. */
  recheckWhitelist(): void;
  /** Ends the present sessions; those that are opened later stay. */
  endAll(reason: string): void;
  /** Ends all sessions (WebSocket close 1001), at once or `perTick` in each tick; a session that is opened later ends in a later tick. */
  closeAll(reason: string, pace?: { perTick: number }): void;
}

/** Creates the sessions of a shard. It uses no timers: `tick` does everything that depends on time. */
export function createStompSessions(host: StompHost, offer: HeartBeatOffer = DEFAULT_HEART_BEATS): StompSessions {
  const sessions = new Set<StompSession>();
  const roundRobin = createRoundRobin(() => sessions.values());
  let closing: { reason: string; perTick: number } | null = null;

  const forget = (session: StompSession) => sessions.delete(session);

  function closeSome(): void {
    if (closing === null) return;
    let left = closing.perTick;
    for (const session of sessions) {
      if (left <= 0) return;
      if (session.end(1001, closing.reason)) left -= 1;
    }
  }

  return {
    open(socket, upgrade) {
      const session = new StompSession({ host, socket, upgrade, offer, forget });
      sessions.add(session);
      return session;
    },
    tick() {
      const nowMs = host.clock.monotonicMs();
      const looks = Math.min(sessions.size, Math.max(LOOKS_A_TICK_MIN, Math.ceil(sessions.size / TICKS_A_ROUND)));
      for (let left = looks; left > 0; left -= 1) {
        const session = roundRobin.next();
        if (session !== undefined && !session.tick(nowMs)) sessions.delete(session);
      }
      closeSome();
    },
    count: () => sessions.size,
    closeTerminal(terminalId) {
      let count = 0;
      for (const session of sessions) {
        if (session.identity === terminalId && session.fail(new RelayError("forbidden", "The terminal's access was withdrawn"))) count += 1;
      }
      return count;
    },
    recheckWhitelist() {
      for (const session of sessions) session.recheck();
    },
    endAll(reason) {
      for (const session of [...sessions]) session.end(1001, reason);
    },
    closeAll(reason, pace = { perTick: Number.POSITIVE_INFINITY }) {
      closing = { reason, perTick: pace.perTick };
      if (pace.perTick === Number.POSITIVE_INFINITY) closeSome();
    },
  };
}
