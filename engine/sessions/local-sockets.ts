import type { OpenSession, SessionSocket } from "./terminal-sessions.ts";

/** The sockets of this shard, by terminal and session. */
export interface LocalSockets {
  add(session: OpenSession, socket: SessionSocket): void;
  remove(terminalId: string, sessionId: string): void;
  has(terminalId: string, sessionId: string): boolean;
  deliver(terminalId: string, sessionId: string, uuid: string | null, text: string): boolean;
  /** The sessions of a terminal, or of all terminals. */
  sessions(terminalId: string | null): { terminalId: string; sessionId: string }[];
}

export function createLocalSockets(): LocalSockets {
  const byTerminal = new Map<string, Map<string, SessionSocket>>();
  return {
    add: ({ terminalId, sessionId }, socket) => {
      const sockets = byTerminal.get(terminalId);
      if (sockets === undefined) byTerminal.set(terminalId, new Map([[sessionId, socket]]));
      else sockets.set(sessionId, socket);
    },
    remove: (terminalId, sessionId) => {
      const sockets = byTerminal.get(terminalId);
      if (sockets?.delete(sessionId) === true && sockets.size === 0) byTerminal.delete(terminalId);
    },
    has: (terminalId, sessionId) => byTerminal.get(terminalId)?.has(sessionId) === true,
    deliver: (terminalId, sessionId, uuid, text) => byTerminal.get(terminalId)?.get(sessionId)?.deliver(uuid, text) ?? false,
    sessions: (terminalId) => {
      const terminals = terminalId === null ? [...byTerminal.keys()] : [terminalId];
      return terminals.flatMap((id) => [...(byTerminal.get(id)?.keys() ?? [])].map((sessionId) => ({ terminalId: id, sessionId })));
    },
  };
}
