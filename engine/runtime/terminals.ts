import type { Address, Bus } from "../ports/bus.ts";
import type { TerminalSessions } from "../ports/terminal-sessions.ts";
import type { Terminals, TerminalView } from "../ports/terminals.ts";
import { isSettled, viewOf } from "./command-view.ts";
import { hashOf } from "./hash.ts";
import { createOutlets } from "./outlets.ts";
import { serveHome, type TerminalProtocol } from "./protocol.ts";
import { createShardSessions } from "./shard-sessions.ts";
import { createTells } from "./tells.ts";
import { createTerminalHome, type TerminalHome, type TerminalHomeOptions } from "./terminal-home.ts";

/** How long a shard waits for a home: storage may take a few seconds on a bad day, a till should not wait longer. */
const ASK_TIMEOUT_MS = 8_000;

export interface ShardOptions extends Omit<TerminalHomeOptions, "isHome" | "deliver"> {
  bus: Bus<TerminalProtocol>;
}

/** One shard's share of the terminals, and its way to all others. */
export interface Shard {
  terminals: Terminals;
  sessions: TerminalSessions;
  home: TerminalHome;
  /** Called by the owner every 50 ms or so. */
  tick(): void;
}

export function createShard(options: ShardOptions): Shard {
  const { bus, store, clock, waiting } = options;
  const homeOf = (terminalId: string): Address => {
    const address = bus.shards[hashOf(terminalId) % bus.shards.length];
    if (address === undefined) throw new Error("there are no shards");
    return address;
  };
  const isHome = (terminalId: string) => homeOf(terminalId) === bus.self;

  const outlets = createOutlets();
  const home = createTerminalHome({
    ...options,
    isHome,
    deliver: async (session, uuid, text) => {
      const { address, sessionId, terminalId } = session;
      if (address === bus.self) return outlets.deliver(terminalId, sessionId, uuid, text);
      try {
        return await bus.ask(address, "session.deliver", { terminalId, sessionId, uuid, text }, ASK_TIMEOUT_MS);
      } catch (error) {
        // Whether it was written is not known, so nobody sends it again.
        options.failed("session.deliver", error);
        return true;
      }
    },
  });
  serveHome(bus, home, outlets);

  const tells = createTells({ bus, clock, homeOf });
  const sessions = createShardSessions({
    bus,
    home,
    outlets,
    tells,
    clock,
    homeOf,
    askTimeoutMs: ASK_TIMEOUT_MS,
    failed: options.failed,
  });

  const terminals: Terminals = {
    accept: (command) => {
      const address = homeOf(command.terminalId);
      return address === bus.self ? home.accept(command) : bus.ask(address, "terminal.accept", command, ASK_TIMEOUT_MS);
    },
    poll: (terminalId, device) => {
      const address = homeOf(terminalId);
      if (!waiting.mayWait(terminalId)) {
        if (address === bus.self) home.polled(terminalId, device);
        else tells.polled(terminalId, device);
        return null;
      }
      return address === bus.self
        ? home.poll(terminalId, device)
        : bus.ask(address, "terminal.poll", { terminalId, device }, ASK_TIMEOUT_MS);
    },
    recordResult: (posting) => bus.ask(homeOf(posting.terminalId), "terminal.result", posting, ASK_TIMEOUT_MS),
    recordUnreadable: ({ terminalId, uuid, reason, raw }) =>
      store.keepAttention({ kind: "unreadable", terminalId, uuid, atMs: clock.nowMs(), detail: reason, raw }),
    cancel: async ({ uuid, cancelUuid }) => {
      const stored = await store.loadCommand(uuid);
      if (stored === null) return { type: "not_found" };
      const { terminalId } = stored.record;
      return bus.ask(homeOf(terminalId), "terminal.cancel", { terminalId, uuid, cancelUuid }, ASK_TIMEOUT_MS);
    },
    command: async (uuid, waitMs) => {
      const stored = await store.loadCommand(uuid);
      if (stored === null) return null;
      const { terminalId, life } = stored.record;
      if (life !== null) {
        const view = viewOf(stored.record, null);
        if (waitMs === 0 || isSettled(view)) return view;
      }
      return bus.ask(homeOf(terminalId), "terminal.command", { terminalId, uuid, waitMs }, waitMs + ASK_TIMEOUT_MS);
    },
    latest: (terminalId, sender, waitMs) =>
      bus.ask(homeOf(terminalId), "terminal.latest", { terminalId, sender, waitMs }, waitMs + ASK_TIMEOUT_MS),
    view: (terminalId) => {
      tells.flush();
      return bus.ask(homeOf(terminalId), "terminal.view", { terminalId }, ASK_TIMEOUT_MS);
    },
    disconnect: (terminalId) => {
      tells.flush();
      return bus.ask(homeOf(terminalId), "terminal.disconnect", { terminalId }, ASK_TIMEOUT_MS);
    },
    broadcast: async (terminalId, text) => {
      const counts = await Promise.all(
        bus.shards.map((address) => bus.ask(address, "session.broadcast", { terminalId, text }, ASK_TIMEOUT_MS)),
      );
      return counts.reduce((sum, count) => sum + count, 0);
    },
    list: async ({ after, limit }) => {
      tells.flush();
      await Promise.all(bus.shards.map((address) => bus.ask(address, "terminal.flush", undefined, ASK_TIMEOUT_MS)));
      const records = await options.presences.page(after, limit);
      return Promise.all(
        records.map(
          ({ terminalId }): Promise<TerminalView> => bus.ask(homeOf(terminalId), "terminal.view", { terminalId }, ASK_TIMEOUT_MS),
        ),
      );
    },
    attention: ({ after, limit }) => store.pageAttention(after, limit),
  };

  return {
    terminals,
    sessions,
    home,
    tick: () => {
      home.tick();
      tells.tick();
      sessions.tick();
    },
  };
}
