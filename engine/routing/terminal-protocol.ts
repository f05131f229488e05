import type { Address, Bus } from "../kernel/bus.ts";
import type { Command } from "../payments/command.ts";
import type { Broadcasts } from "../sessions/broadcasts.ts";
import type { LocalSockets } from "../sessions/local-sockets.ts";
import type { DeviceInfo } from "../sessions/presence.ts";
import type { ToldSession } from "../sessions/terminal-sessions.ts";
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

/** What shards request of and send to each other about terminals: to the terminal's home, and from the home to a session's shard. */
export interface TerminalProtocol {
  "terminal.accept": { request: Command; response: AcceptOutcome };
  "terminal.poll": { request: { terminalId: string; device: DeviceInfo; answerByMs: number }; response: TakenCommand | null };
  /** Of the answer to a poll certainly nothing was written. */
  "terminal.undelivered": { request: { terminalId: string; uuid: string; sentAtMs: number }; response: undefined };
  /** Polls that were answered elsewhere because nothing waits, `agoMs` ago; for presence only. */
  "terminal.polled": { request: { terminalId: string; device: DeviceInfo; agoMs: number }[]; response: undefined };
  "terminal.result": { request: ResultPosting; response: ResultOutcome };
  "terminal.cancel": { request: { terminalId: string; uuid: string; cancelUuid: string }; response: CancelOutcome };
  "terminal.command": { request: { terminalId: string; uuid: string; waitMs: number }; response: CommandView | null };
  "terminal.latest": { request: { terminalId: string; sender: string | null; waitMs: number }; response: CommandView | null };
  /** `sure`: as `Terminals.connection`. `forwarded`: by a shard that was taken for the home; it is not asked back. */
  "terminal.view": { request: { terminalId: string; sure?: true; forwarded?: true }; response: TerminalView };
  "terminal.disconnect": { request: { terminalId: string }; response: undefined };
  /** Stores what is known of presence now, so that a list is complete. */
  "terminal.flush": { request: undefined; response: undefined };
  /** Forgets presence, but of terminals that have a live session. */
  "terminal.forget": { request: undefined; response: undefined };
  /** A command of another node's terminal waits: a poll here has to ask its home. */
  "terminal.waiting": { request: { terminalId: string }; response: undefined };
  /** Another shard executed a step as this home's fallback: what is in memory is no longer the truth. */
  "terminal.work": { request: { terminalId: string }; response: undefined };
  "session.open": { request: ToldSession; response: undefined };
  /**
   * The requesting home wants to know all sessions of its terminals; where it has forgotten them, also those that were told to it before this round. True once
   * it knows them; false where the requested shard sees other shards than it does, and so other homes.
   */
  "session.again": { request: { round: number; forgotten: boolean; shards: readonly Address[] }; response: boolean };
  "session.close": { request: { terminalId: string; sessionId: string }; response: undefined };
  "session.active": { request: { terminalId: string; sessionId: string; agoMs: number }[]; response: undefined };
  "session.acknowledge": { request: { terminalId: string; sessionId: string; uuids: readonly string[] }; response: undefined };
  /** `number` tells it from others of the same shard: what comes twice must not give back what was sent again since. */
  "session.refuse": { request: { terminalId: string; sessionId: string; uuids: readonly string[]; number: number }; response: undefined };
  /** False: certainly not written. */
  "session.deliver": { request: { terminalId: string; sessionId: string; uuid: string; text: string }; response: boolean };
  "session.broadcast": { request: { terminalId: string | null; text: string }; response: number };
}

/** Refusals that are remembered; a message that comes twice comes again within seconds. */
const REFUSALS_MAX = 10_000;

/** Handles what other shards request of this one's home and sockets. */
export function handleHomeMessages(
  bus: Bus<TerminalProtocol>,
  home: TerminalHome,
  localSockets: LocalSockets,
  broadcasts: Broadcasts,
): void {
  bus.handle("terminal.accept", home.accept);
  bus.handle("terminal.poll", ({ terminalId, device, answerByMs }) => home.poll(terminalId, device, answerByMs));
  bus.handle("terminal.undelivered", ({ terminalId, ...taken }) => {
    home.notHandedOut(terminalId, taken);
    return undefined;
  });
  bus.handle("terminal.polled", (polls) => {
    for (const { terminalId, device, agoMs } of polls) home.polled(terminalId, device, agoMs);
    return undefined;
  });
  bus.handle("terminal.result", home.recordResult);
  bus.handle("terminal.cancel", home.cancel);
  bus.handle("terminal.command", ({ terminalId, uuid, waitMs }, _from, gone) => home.command(terminalId, uuid, waitMs, gone));
  bus.handle("terminal.latest", ({ terminalId, sender, waitMs }, _from, gone) => home.latest(terminalId, sender, waitMs, gone));
  bus.handle("terminal.disconnect", ({ terminalId }) => {
    home.disconnect(terminalId);
    return undefined;
  });
  bus.handle("terminal.flush", async () => {
    await home.flush();
    return undefined;
  });
  bus.handle("terminal.forget", async () => {
    await home.forgetPresence();
    return undefined;
  });
  bus.handle("terminal.work", ({ terminalId }) => {
    home.refresh(terminalId);
    return undefined;
  });
  bus.handle("session.open", (session, from) => {
    home.open(session, from);
    return undefined;
  });
  bus.handle("session.close", ({ terminalId, sessionId }) => {
    home.close(terminalId, sessionId);
    return undefined;
  });
  bus.handle("session.active", (sessions) => {
    for (const { terminalId, sessionId, agoMs } of sessions) home.active(terminalId, sessionId, agoMs);
    return undefined;
  });
  bus.handle("session.acknowledge", ({ terminalId, sessionId, uuids }) => {
    home.acknowledge(terminalId, sessionId, uuids);
    return undefined;
  });
  const refusals = new Set<string>();
  bus.handle("session.refuse", ({ terminalId, sessionId, uuids, number }, from) => {
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
  bus.handle("session.deliver", ({ terminalId, sessionId, uuid, text }) => localSockets.deliver(terminalId, sessionId, uuid, text));
  bus.handle("session.broadcast", ({ terminalId, text }) => broadcasts.send(terminalId, text));
}
