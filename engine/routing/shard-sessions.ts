import type { Address, Bus } from "../kernel/bus.ts";
import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import type { LocalSockets } from "../sessions/local-sockets.ts";
import type { OpenSession, TerminalSessions, ToldSession } from "../sessions/terminal-sessions.ts";
import type { TerminalHome } from "../terminals/terminal-home.ts";
import type { PresenceBatcher } from "./presence-batcher.ts";
import type { TerminalProtocol } from "./terminal-protocol.ts";

/** A session that its home could not be told of is told of again after this long: unknown there, it would get nothing. */
const REGISTER_AGAIN_MS = 2_000;

/** The sessions of this shard's sockets, each made known to its terminal's home. */
export interface ShardSessions extends TerminalSessions {
  /** Homes have changed: each session is made known to the home that its terminal now has. */
  rehome(): void;
  /** Makes every session known to its terminal's home, or again where that has forgotten them in this round. Resolves when that home knows them. */
  again(home: Address, round: { number: number; forgotten: boolean }): Promise<void>;
  tick(): void;
}

export interface ShardSessionsOptions {
  bus: Bus<TerminalProtocol>;
  home: TerminalHome;
  localSockets: LocalSockets;
  presenceBatcher: PresenceBatcher;
  clock: Clock;
  homeOf(terminalId: string): Address;
  requestTimeoutMs: number;
  failed(what: string, error: unknown): void;
}

export function createShardSessions(options: ShardSessionsOptions): ShardSessions {
  const { bus, home, localSockets, presenceBatcher, clock, homeOf } = options;
  /** Sessions whose home does not know them, and since when; as many at most as there are sockets here. */
  const unregistered = new Map<OpenSession, number>();
  /** All sessions of this shard's sockets, since when, when something was last heard of them (monotonic), and the home that each is known to. */
  const open = new Map<string, { session: OpenSession; openedAtMs: number; activeAt: number; address: Address }>();
  /** What homes are being told just now. */
  const underWay = new Map<Address, Set<Promise<void>>>();
  /** Of each home the last round in which it was told of everything. */
  const toldIn = new Map<Address, number>();
  let refusals = 0;
  const keyOf = (terminalId: string, sessionId: string) => `${terminalId} ${sessionId}`;

  /** Null where the home is this one; else resolves when the home has answered, or did not. */
  function makeKnown(session: OpenSession): Promise<void> | null {
    const address = homeOf(session.terminalId);
    const key = keyOf(session.terminalId, session.sessionId);
    const known = open.get(key);
    if (known === undefined) open.set(key, { session, openedAtMs: clock.nowMs(), activeAt: clock.monotonicMs(), address });
    else known.address = address;
    // Where that fails it is noted again; what an earlier home could not be told is nobody's business any more.
    unregistered.delete(session);
    if (address !== bus.self) return register(session);
    home.open(told(session), bus.self);
    return null;
  }

  /** However often it is told of, it is as old, and was heard of as long ago, as it was. */
  function told(session: OpenSession): ToldSession {
    const known = open.get(keyOf(session.terminalId, session.sessionId));
    if (known === undefined) return session;
    return { ...session, openedAtMs: known.openedAtMs, agoMs: clock.monotonicMs() - known.activeAt };
  }

  function register(session: OpenSession): Promise<void> {
    const address = homeOf(session.terminalId);
    const sending = sendOpen(address, session);
    const others = underWay.get(address) ?? new Set();
    underWay.set(address, others.add(sending));
    return sending.finally(() => {
      others.delete(sending);
      if (others.size === 0 && underWay.get(address) === others) underWay.delete(address);
    });
  }

  async function sendOpen(address: Address, session: OpenSession): Promise<void> {
    try {
      await bus.request(address, "session.open", told(session), options.requestTimeoutMs);
    } catch (error) {
      options.failed("session.open", error);
      if (localSockets.has(session.terminalId, session.sessionId)) unregistered.set(session, clock.monotonicMs());
    }
  }

  return {
    open: (session, socket) => {
      localSockets.add(session, socket);
      return makeKnown(session);
    },
    close: (terminalId, sessionId) => {
      localSockets.remove(terminalId, sessionId);
      presenceBatcher.forget(terminalId, sessionId);
      open.delete(keyOf(terminalId, sessionId));
      const address = homeOf(terminalId);
      if (address === bus.self) home.close(terminalId, sessionId);
      else bus.send(address, "session.close", { terminalId, sessionId });
    },
    active: (terminalId, sessionId) => {
      const known = open.get(keyOf(terminalId, sessionId));
      if (known !== undefined) known.activeAt = clock.monotonicMs();
      if (homeOf(terminalId) === bus.self) home.active(terminalId, sessionId);
      else if (localSockets.has(terminalId, sessionId)) presenceBatcher.active(terminalId, sessionId);
    },
    acknowledge: (terminalId, sessionId, uuids) => {
      const address = homeOf(terminalId);
      if (address === bus.self) home.acknowledge(terminalId, sessionId, uuids);
      else bus.send(address, "session.acknowledge", { terminalId, sessionId, uuids });
    },
    refuse: (terminalId, sessionId, uuids) => {
      const address = homeOf(terminalId);
      if (address === bus.self) home.refuse(terminalId, sessionId, uuids);
      else {
        refusals += 1;
        bus.send(address, "session.refuse", { terminalId, sessionId, uuids, number: refusals });
      }
    },
    rehome: () => {
      for (const { session, address } of [...open.values()]) {
        if (address !== homeOf(session.terminalId)) void makeKnown(session);
      }
    },
    again: async (home, { number, forgotten }) => {
      const all = forgotten && (home === bus.self || toldIn.get(home) !== number);
      if (all) toldIn.set(home, number);
      for (const { session, address } of [...open.values()]) {
        if (homeOf(session.terminalId) === home && (all || address !== home)) void makeKnown(session);
      }
      await Promise.all(underWay.get(home) ?? []);
      const untold = [...unregistered.keys()].some(({ terminalId }) => homeOf(terminalId) === home);
      if (untold) throw new RelayError("unavailable", "a session could not be made known");
    },
    tick: () => {
      for (const [session, since] of unregistered) {
        if (clock.monotonicMs() - since < REGISTER_AGAIN_MS) continue;
        unregistered.delete(session);
        if (localSockets.has(session.terminalId, session.sessionId)) void register(session);
      }
    },
  };
}
