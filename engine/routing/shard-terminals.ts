import type { Address, Bus, Homes } from "../kernel/bus.ts";
import { RelayError } from "../kernel/errors.ts";
import { POLL_ANSWER_MS } from "../kernel/limits.ts";
import type { Command } from "../payments/command.ts";
import { createBroadcasts } from "../sessions/broadcasts.ts";
import { createLocalSockets } from "../sessions/local-sockets.ts";
import type { DeviceInfo } from "../sessions/presence.ts";
import type { TerminalSessions, ToldSession } from "../sessions/terminal-sessions.ts";
import { isSettled, viewOf } from "../terminals/command-view.ts";
import { createMembersView } from "../terminals/members-view.ts";
import { createTerminalHome, type TerminalHome, type TerminalHomeOptions } from "../terminals/terminal-home.ts";
import type { CommandRecord } from "../terminals/terminal-record.ts";
import type { AcceptOutcome, Sight, TakenCommand, Terminals, TerminalView } from "../terminals/terminals.ts";
import { createUnreadable } from "../terminals/unreadable.ts";
import { createWaitingElsewhere } from "../terminals/waiting-counters.ts";
import { createHomeRouter } from "./home-router.ts";
import { createOutstandingWork } from "./outstanding-work.ts";
import { createPresenceBatcher } from "./presence-batcher.ts";
import { createRendezvousHomes } from "./rendezvous.ts";
import { createSessionResync } from "./session-resync.ts";
import { createShardSessions } from "./shard-sessions.ts";
import { handleHomeMessages, type TerminalProtocol } from "./terminal-protocol.ts";

const EVERYTHING: Sight = () => true;

/** How long a shard waits for a home: storage may take a few seconds on a bad day, a till should not wait longer. */
const REQUEST_TIMEOUT_MS = 8_000;

/** Shards that have left, of which a message may still come: those of the latest restarts. */
const GONE_MAX = 1_000;

export interface ShardTerminalsOptions
  extends Omit<TerminalHomeOptions, "isHome" | "isMember" | "sessionsComplete" | "members" | "deliver" | "nodeOf"> {
  bus: Bus<TerminalProtocol>;
  /** Where terminals live; the shards of the bus, where absent. */
  homes?: Homes;
  /** True for the shards of this node; all are, where absent. */
  isOwnNode?(address: Address): boolean;
  /** False while this node may have been away without knowing it yet. Always true, where absent. */
  isMember?(): boolean;
  /** Resolves once the members have been asked for anew, and `homes` are what they are then. There are no others, where absent. */
  lookAtMembers?(): Promise<unknown>;
  /** So long after homes have changed every node has seen it, and been seen; 0, where absent: there are no others. */
  homesSettleMs?: number;
  /** The name of a shard's node; that of this node, where absent. */
  nodeOf?(address: Address): string;
}

/** One shard's share of the terminals, and its way to all others. */
export interface ShardTerminals {
  terminals: Terminals;
  sessions: TerminalSessions;
  home: TerminalHome;
  /** Re-arms deadlines; has to end before anything is asked. */
  start(): Promise<void>;
  /** Forgets actors and presence: others may have taken over. What the sockets then tell makes it known again. */
  membershipExpired(): Promise<void>;
  /** The store has lost some of its history: what waits is loaded again, and ends as `unknown` where it may have been sent. */
  historyLost(): Promise<void>;
  /** Called by the owner every 50 ms or so. */
  tick(): void;
}

export function createShardTerminals(options: ShardTerminalsOptions): ShardTerminals {
  const { bus, store, clock, waiting, failed } = options;
  const homes = options.homes ?? createRendezvousHomes(bus.shards);
  const isOwnNode = options.isOwnNode ?? (() => true);
  const isMember = options.isMember ?? (() => true);
  const { homeOf } = homes;
  let foreign = foreignShards();
  const isHome = (terminalId: string) => homeOf(terminalId) === bus.self;
  const elsewhere = createWaitingElsewhere();

  const localSockets = createLocalSockets();
  const settleMs = options.homesSettleMs ?? 0;
  const sessionResync = createSessionResync({ bus, homes, clock, settleMs, told: () => home.sessionsKnown(), failed });
  const home: TerminalHome = createTerminalHome({
    ...options,
    nodeOf: options.nodeOf ?? (() => options.nodeId),
    isHome,
    isMember,
    members: createMembersView(options.lookAtMembers ?? null, clock),
    sessionsComplete: () => isMember() && sessionResync.complete(),
    deliver: async (session, uuid, text) => {
      const { address, sessionId, terminalId } = session;
      if (address === bus.self) return localSockets.deliver(terminalId, sessionId, uuid, text);
      try {
        return await bus.request(address, "session.deliver", { terminalId, sessionId, uuid, text }, REQUEST_TIMEOUT_MS);
      } catch (error) {
        // Whether it was written is not known, so nobody sends it again.
        options.failed("session.deliver", error);
        return true;
      }
    },
  });
  const broadcasts = createBroadcasts(localSockets);
  const gone = new Set<Address>();
  handleHomeMessages(bus, { ...home, accept: acceptHere, open: openHere }, localSockets, broadcasts);
  // A shard that has not seen yet that homes have changed asks the former one, which knows nothing of the terminal's sessions any more.
  bus.handle("terminal.view", (request) => {
    const { terminalId, sure = false, forwarded = false } = request;
    if (!forwarded && !isHome(terminalId)) {
      return bus.request(homeOf(terminalId), "terminal.view", { ...request, forwarded: true }, REQUEST_TIMEOUT_MS);
    }
    return sure ? home.connection(terminalId) : home.view(terminalId);
  });
  bus.handle("terminal.waiting", ({ terminalId }) => {
    elsewhere.told(terminalId);
    return undefined;
  });

  const presenceBatcher = createPresenceBatcher({ bus, clock, homeOf });
  const homeRouter = createHomeRouter({ bus, homes, home, clock, failed });
  const work = createOutstandingWork({ store, homes, bus, home, elsewhere, clock, isOwnNode, failed });
  const sessions = createShardSessions({
    bus,
    home,
    localSockets,
    presenceBatcher,
    clock,
    homeOf,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    failed,
  });
  bus.handle("session.again", async ({ round, forgotten, shards }, from) => {
    const own = homes.shards();
    if (own.length !== shards.length || !own.every((address) => shards.includes(address))) return false;
    await sessions.again(from, { number: round, forgotten });
    return true;
  });
  homes.onChange(() => {
    foreign = foreignShards();
    sessions.rehome();
    sessionResync.changed();
    home
      .release((terminalId) => !isHome(terminalId))
      .then(work.rearm)
      .catch((error: unknown) => failed("homes", error));
  });

  function foreignShards(): readonly Address[] {
    return homes.shards().filter((address) => !isOwnNode(address));
  }

  function leave(addresses: readonly Address[]): void {
    for (const address of addresses) gone.add(address);
    for (const oldest of [...gone].slice(0, Math.max(0, gone.size - GONE_MAX))) gone.delete(oldest);
    home.leave(addresses);
  }

  /** What a shard had told before it left may come only now: its sockets are no more. It tells again when it is back. */
  function openHere(session: ToldSession, address: Address): void {
    if (gone.has(address) && !homes.shards().includes(address)) throw new RelayError("unavailable", `${address} has left`);
    gone.delete(address);
    home.open(session, address);
  }

  /** A command that has to wait is polled for on any node: those of other nodes are told to ask for it. */
  function acceptHere(command: Command): Promise<AcceptOutcome> {
    return foreign.length === 0 ? home.accept(command) : acceptAndTell(command);
  }

  async function acceptAndTell(command: Command): Promise<AcceptOutcome> {
    const outcome = await home.accept(command);
    if (outcome.type === "accepted" && outcome.state === "queued") {
      // At once: a terminal that polls just before it would wait for its next poll. The bus puts what is sent in one turn together.
      for (const address of foreign) bus.send(address, "terminal.waiting", { terminalId: command.terminalId });
    }
    return outcome;
  }

  function mayWait(terminalId: string, address: Address): boolean {
    return address === bus.self || isOwnNode(address) ? waiting.mayWait(terminalId) : elsewhere.mayWait(terminalId);
  }

  /** A command goes before results that nobody asked for, and of these the oldest: no later posting takes the place of one that was shown. */
  async function seen(uuid: string, maySee: Sight): Promise<CommandRecord | null> {
    const isSeen = ({ terminalId, command }: CommandRecord) => maySee(terminalId, command?.sender ?? null);
    const stored = await store.loadCommand(uuid);
    if (stored !== null && isSeen(stored.record)) return stored.record;
    let oldest: CommandRecord | null = null;
    for (const record of await store.loadUnsolicited(uuid)) {
      if (isSeen(record) && (oldest === null || finishedAtMs(record) < finishedAtMs(oldest))) oldest = record;
    }
    return oldest;
  }

  function connection(terminalId: string): Promise<TerminalView> {
    return homeRouter.route(terminalId, "terminal.view", { terminalId, sure: true }, () => home.connection(terminalId), false);
  }

  /** A poll has no fallback: a home that is only slow would take the command for a caller that is gone. */
  async function pollAt(address: Address, terminalId: string, device: DeviceInfo): Promise<TakenCommand | null> {
    const request = { terminalId, device, answerByMs: clock.nowMs() + POLL_ANSWER_MS };
    try {
      return await bus.request(address, "terminal.poll", request, REQUEST_TIMEOUT_MS);
    } catch (error) {
      const now = homeOf(terminalId);
      if (now === address) throw error;
      // It has left, and what it took for this poll will be `unknown`; what it did not take waits at the terminal's new home.
      const { answerByMs } = request;
      return now === bus.self ? home.poll(terminalId, device, answerByMs) : bus.request(now, "terminal.poll", request, REQUEST_TIMEOUT_MS);
    }
  }

  const terminals: Terminals = {
    accept: (command) => {
      if (isHome(command.terminalId)) return acceptHere(command);
      return homeRouter.route(command.terminalId, "terminal.accept", command, () => acceptHere(command), true);
    },
    poll: (terminalId, device) => {
      const address = homeOf(terminalId);
      if (!mayWait(terminalId, address)) {
        if (address === bus.self) home.polled(terminalId, device);
        else presenceBatcher.polled(terminalId, device);
        return null;
      }
      return address === bus.self ? home.poll(terminalId, device, clock.nowMs() + POLL_ANSWER_MS) : pollAt(address, terminalId, device);
    },
    notHandedOut: (terminalId, { uuid, sentAtMs }) => {
      const address = homeOf(terminalId);
      if (address === bus.self) home.notHandedOut(terminalId, { uuid, sentAtMs });
      else bus.send(address, "terminal.undelivered", { terminalId, uuid, sentAtMs });
    },
    recordResult: (posting) => homeRouter.route(posting.terminalId, "terminal.result", posting, () => home.recordResult(posting), true),
    recordUnreadable: createUnreadable({ store, clock }),
    unreadableAnswerAtMs: store.unreadableAnswerAtMs,
    cancel: async ({ uuid, cancelUuid }) => {
      const stored = await store.loadCommand(uuid);
      if (stored === null) return { type: "not_found" };
      // As its sender wrote it: so does its terminal's record.
      const { terminalId, uuid: sentUuid } = stored.record;
      const request = { terminalId, uuid: sentUuid, cancelUuid };
      return homeRouter.route(terminalId, "terminal.cancel", request, () => home.cancel(request), true);
    },
    command: async (uuid, waitMs, maySee = EVERYTHING, gone = undefined) => {
      const record = await seen(uuid, maySee);
      if (record === null) return null;
      const { terminalId, life, uuid: sentUuid } = record;
      if (life !== null) {
        const view = viewOf(record, null);
        if (waitMs === 0 || isSettled(view)) return view;
      }
      const lookUp = (sliceMs: number) =>
        homeRouter.route(
          terminalId,
          "terminal.command",
          { terminalId, uuid: sentUuid, waitMs: sliceMs },
          () => home.command(terminalId, sentUuid, sliceMs, gone),
          false,
          gone,
        );
      return homeRouter.waitInSlices(terminalId, waitMs, lookUp, gone);
    },
    latest: (terminalId, sender, waitMs, gone) => {
      const lookUp = (sliceMs: number) =>
        homeRouter.route(
          terminalId,
          "terminal.latest",
          { terminalId, sender, waitMs: sliceMs },
          () => home.latest(terminalId, sender, sliceMs, gone),
          false,
          gone,
        );
      return homeRouter.waitInSlices(terminalId, waitMs, lookUp, gone);
    },
    view: (terminalId) => {
      presenceBatcher.flush();
      return homeRouter.route(terminalId, "terminal.view", { terminalId }, () => home.view(terminalId), false);
    },
    connection: (terminalId) => {
      presenceBatcher.flush();
      return connection(terminalId);
    },
    disconnect: (terminalId) => {
      presenceBatcher.flush();
      return bus.request(homeOf(terminalId), "terminal.disconnect", { terminalId }, REQUEST_TIMEOUT_MS);
    },
    broadcast: async (terminalId, text) => {
      const counts = await Promise.all(
        homes.shards().map((address) => bus.request(address, "session.broadcast", { terminalId, text }, REQUEST_TIMEOUT_MS)),
      );
      return counts.reduce((sum, count) => sum + count, 0);
    },
    tellHere: (terminalId, text) => {
      const sessions = localSockets.sessions(terminalId);
      if (sessions.length === 0) return;
      const told = text();
      for (const { sessionId } of sessions) localSockets.deliver(terminalId, sessionId, null, told);
    },
    list: async ({ after, limit }) => {
      presenceBatcher.flush();
      await Promise.all(homes.shards().map((address) => bus.request(address, "terminal.flush", undefined, REQUEST_TIMEOUT_MS)));
      const records = await options.presences.page(after, limit);
      return Promise.all(records.map(({ terminalId }) => connection(terminalId)));
    },
    forgetPresence: async () => {
      presenceBatcher.flush();
      const askAll = (kind: "terminal.forget" | "terminal.flush") =>
        Promise.all(homes.shards().map((address) => bus.request(address, kind, undefined, REQUEST_TIMEOUT_MS)));
      await askAll("terminal.forget");
      const cleared = await options.presences.forgetDevices();
      // The store learns again of those that are there, and of what changed last.
      await askAll("terminal.flush");
      return cleared;
    },
    attention: ({ after, limit }) => store.pageAttention(after, limit),
  };

  return {
    terminals,
    sessions,
    home: { ...home, leave },
    start: async () => {
      sessionResync.changed();
      await work.rearm();
    },
    membershipExpired: async () => {
      await home.release(() => true);
      sessionResync.forgotten();
      sessions.again(bus.self, { number: 0, forgotten: true }).catch((error: unknown) => failed("session.again", error));
      await work.rearm();
    },
    historyLost: async () => {
      home.refreshAll();
      await work.rearm();
    },
    tick: () => {
      home.tick();
      homeRouter.tick();
      work.tick();
      presenceBatcher.tick();
      sessions.tick();
      broadcasts.tick();
      sessionResync.tick();
    },
  };
}

function finishedAtMs({ life }: CommandRecord): number {
  return life?.finishedAtMs ?? 0;
}
