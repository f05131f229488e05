import type { Address, Bus } from "../kernel/bus.ts";
import type { Clock } from "../kernel/clock.ts";
import type { DeviceInfo } from "../sessions/presence.ts";
import type { TerminalProtocol } from "./terminal-protocol.ts";

/** Activity of a session is sent to a home on another shard at most this often. */
const ACTIVE_EVERY_MS = 2_000;

/** Polls and activity for other shards wait this long, to be sent in one batch. */
const BATCH_MS = 200;

/** A terminal whose last poll was sent within this time or twice it is known to poll; the first poll of another is sent at once. */
const POLLER_MS = 60_000;

/** Terminals remembered as known pollers; beyond it some polls are sent at once that need not be. */
const POLLERS_MAX = 100_000;

/** Sends the presence of terminals to their homes on other shards, in batches: it changes no state and nobody waits for it. */
export interface PresenceBatcher {
  polled(terminalId: string, device: DeviceInfo): void;
  active(terminalId: string, sessionId: string): void;
  /** The session is gone; nothing more is sent of it. */
  forget(terminalId: string, sessionId: string): void;
  /** Sends the batch now. A request to a home after this comes to it after these. */
  flush(): void;
  tick(): void;
}

export interface PresenceBatcherOptions {
  bus: Bus<TerminalProtocol>;
  clock: Clock;
  homeOf(terminalId: string): Address;
}

export function createPresenceBatcher({ bus, clock, homeOf }: PresenceBatcherOptions): PresenceBatcher {
  const activeSentAt = new Map<string, number>();
  let polls = new Map<string, { terminalId: string; device: DeviceInfo; at: number }>();
  let actives = new Map<string, { terminalId: string; sessionId: string; at: number }>();
  let pollers = new Set<string>();
  let earlierPollers = new Set<string>();
  let pollersAt = clock.monotonicMs();
  let sentAt = clock.monotonicMs();

  const keyOf = (terminalId: string, sessionId: string) => `${terminalId} ${sessionId}`;

  /** True for a terminal of which nothing was sent lately, which is then remembered. */
  function isNewPoller(terminalId: string): boolean {
    if (pollers.has(terminalId)) return false;
    if (pollers.size < POLLERS_MAX) pollers.add(terminalId);
    return !earlierPollers.has(terminalId);
  }

  function byHome<T extends { terminalId: string; at: number }>(items: Iterable<T>): Map<Address, (T & { agoMs: number })[]> {
    const now = clock.monotonicMs();
    const groups = new Map<Address, (T & { agoMs: number })[]>();
    for (const item of items) {
      const address = homeOf(item.terminalId);
      const group = groups.get(address);
      const told = { ...item, agoMs: now - item.at };
      if (group === undefined) groups.set(address, [told]);
      else group.push(told);
    }
    return groups;
  }

  function flush(): void {
    sentAt = clock.monotonicMs();
    if (polls.size > 0) {
      const told = polls;
      polls = new Map();
      for (const [address, batch] of byHome(told.values())) bus.send(address, "terminal.polled", batch);
    }
    if (actives.size > 0) {
      const told = actives;
      actives = new Map();
      for (const [address, batch] of byHome(told.values())) bus.send(address, "session.active", batch);
    }
  }

  return {
    flush,
    polled: (terminalId, device) => {
      polls.set(terminalId, { terminalId, device, at: clock.monotonicMs() });
      if (isNewPoller(terminalId)) flush();
    },
    active: (terminalId, sessionId) => {
      const key = keyOf(terminalId, sessionId);
      const now = clock.monotonicMs();
      if (now - (activeSentAt.get(key) ?? Number.NEGATIVE_INFINITY) < ACTIVE_EVERY_MS) return;
      activeSentAt.set(key, now);
      actives.set(key, { terminalId, sessionId, at: now });
    },
    forget: (terminalId, sessionId) => {
      const key = keyOf(terminalId, sessionId);
      activeSentAt.delete(key);
      actives.delete(key);
    },
    tick: () => {
      const now = clock.monotonicMs();
      if (now - pollersAt >= POLLER_MS) {
        earlierPollers = pollers;
        pollers = new Set();
        pollersAt = now;
      }
      if (now - sentAt >= BATCH_MS) flush();
    },
  };
}
