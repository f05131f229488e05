import type { Address, Bus } from "../kernel/bus.ts";
import type { Command } from "../payments/command.ts";
import type { Broadcasts } from "../sessions/broadcasts.ts";
import type { Outlets } from "../sessions/local-sockets.ts";
import type { DeviceInfo } from "../sessions/presence.ts";
import type { OpenSession } from "../sessions/terminal-sessions.ts";
import type { TerminalHome } from "../terminals/terminal-home.ts";
import type {
  AcceptOutcome,
  CancelOutcome,
  CommandView,
  ResultOutcome,
  ResultPosting,
  TakenCommand,
  TerminalView,
} from "../terminals/terminals.ts";

/** What shards ask and tell each other about terminals: to the terminal's home, and from the home to a session's shard. */
export interface TerminalProtocol {
  "terminal.accept": { question: Command; answer: AcceptOutcome };
  "terminal.poll": { question: { terminalId: string; device: DeviceInfo; answerByMs: number }; answer: TakenCommand | null };
  /** Of the answer to a poll certainly nothing was written. */
  "terminal.undelivered": { question: { terminalId: string; uuid: string; sentAtMs: number }; answer: undefined };
  /** Polls that were answered elsewhere because nothing waits, `agoMs` ago; for presence only. */
  "terminal.polled": { question: { terminalId: string; device: DeviceInfo; agoMs: number }[]; answer: undefined };
  "terminal.result": { question: ResultPosting; answer: ResultOutcome };
  "terminal.cancel": { question: { terminalId: string; uuid: string; cancelUuid: string }; answer: CancelOutcome };
  "terminal.command": { question: { terminalId: string; uuid: string; waitMs: number }; answer: CommandView | null };
  "terminal.latest": { question: { terminalId: string; sender: string | null; waitMs: number }; answer: CommandView | null };
  "terminal.view": { question: { terminalId: string }; answer: TerminalView };
  "terminal.disconnect": { question: { terminalId: string }; answer: undefined };
  /** Stores what is known of presence now, so that a list is complete. */
  "terminal.flush": { question: undefined; answer: undefined };
  /** Forgets presence; live sessions are known again with their next frame. */
  "terminal.forget": { question: undefined; answer: undefined };
  /** A command of another node's terminal waits: a poll here has to ask its home. */
  "terminal.waiting": { question: { terminalId: string }; answer: undefined };
  /** A step was done elsewhere in this home's stead: what is in memory is no longer the truth. */
  "terminal.work": { question: { terminalId: string }; answer: undefined };
  "session.open": { question: OpenSession; answer: undefined };
  /**
   * The asking home wants to know all sessions of its terminals; where it has forgotten them, also those that were told to it before this round. True once
   * it knows them; false where the asked shard sees other shards than it does, and so other homes.
   */
  "session.again": { question: { round: number; forgotten: boolean; shards: readonly Address[] }; answer: boolean };
  "session.close": { question: { terminalId: string; sessionId: string }; answer: undefined };
  "session.active": { question: { terminalId: string; sessionId: string; agoMs: number }[]; answer: undefined };
  "session.acknowledge": { question: { terminalId: string; sessionId: string; uuids: readonly string[] }; answer: undefined };
  /** `number` tells it from others of the same shard: what comes twice must not give back what was sent again since. */
  "session.refuse": { question: { terminalId: string; sessionId: string; uuids: readonly string[]; number: number }; answer: undefined };
  /** False: certainly not written. */
  "session.deliver": { question: { terminalId: string; sessionId: string; uuid: string; text: string }; answer: boolean };
  "session.broadcast": { question: { terminalId: string | null; text: string }; answer: number };
}

/** Refusals that are remembered; a message that comes twice comes again within seconds. */
const REFUSALS_MAX = 10_000;

/** Answers what other shards ask of this one's home and sockets. */
export function serveHome(bus: Bus<TerminalProtocol>, home: TerminalHome, outlets: Outlets, broadcasts: Broadcasts): void {
  bus.serve("terminal.accept", home.accept);
  bus.serve("terminal.poll", ({ terminalId, device, answerByMs }) => home.poll(terminalId, device, answerByMs));
  bus.serve("terminal.undelivered", ({ terminalId, ...taken }) => {
    home.notHandedOut(terminalId, taken);
    return undefined;
  });
  bus.serve("terminal.polled", (polls) => {
    for (const { terminalId, device, agoMs } of polls) home.polled(terminalId, device, agoMs);
    return undefined;
  });
  bus.serve("terminal.result", home.recordResult);
  bus.serve("terminal.cancel", home.cancel);
  bus.serve("terminal.command", ({ terminalId, uuid, waitMs }) => home.command(terminalId, uuid, waitMs));
  bus.serve("terminal.latest", ({ terminalId, sender, waitMs }) => home.latest(terminalId, sender, waitMs));
  bus.serve("terminal.view", ({ terminalId }) => home.view(terminalId));
  bus.serve("terminal.disconnect", ({ terminalId }) => {
    home.disconnect(terminalId);
    return undefined;
  });
  bus.serve("terminal.flush", async () => {
    await home.flush();
    return undefined;
  });
  bus.serve("terminal.forget", async () => {
    await home.forgetPresence();
    return undefined;
  });
  bus.serve("terminal.work", ({ terminalId }) => {
    home.refresh(terminalId);
    return undefined;
  });
  bus.serve("session.open", (session, from) => {
    home.open(session, from);
    return undefined;
  });
  bus.serve("session.close", ({ terminalId, sessionId }) => {
    home.close(terminalId, sessionId);
    return undefined;
  });
  bus.serve("session.active", (sessions) => {
    for (const { terminalId, sessionId, agoMs } of sessions) home.active(terminalId, sessionId, agoMs);
    return undefined;
  });
  bus.serve("session.acknowledge", ({ terminalId, sessionId, uuids }) => {
    home.acknowledge(terminalId, sessionId, uuids);
    return undefined;
  });
  const refusals = new Set<string>();
  bus.serve("session.refuse", ({ terminalId, sessionId, uuids, number }, from) => {
    const name = `${from} ${number}`;
    if (refusals.has(name)) return undefined;
    refusals.add(name);
    for (const oldest of refusals) {
      if (refusals.size <= REFUSALS_MAX) break;
      refusals.delete(oldest);
    }
    home.refuse(terminalId, sessionId, uuids);
    return undefined;
  });
  bus.serve("session.deliver", ({ terminalId, sessionId, uuid, text }) => outlets.deliver(terminalId, sessionId, uuid, text));
  bus.serve("session.broadcast", ({ terminalId, text }) => broadcasts.send(terminalId, text));
}
