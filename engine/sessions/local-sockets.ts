import type { OpenSession, SessionOutlet } from "./terminal-sessions.ts";

/** The sockets of this shard, by terminal and session. */
export interface Outlets {
  add(session: OpenSession, outlet: SessionOutlet): void;
  remove(terminalId: string, sessionId: string): void;
  has(terminalId: string, sessionId: string): boolean;
  deliver(terminalId: string, sessionId: string, uuid: string | null, text: string): boolean;
  /** The sessions of a terminal, or of all terminals. */
  sessions(terminalId: string | null): { terminalId: string; sessionId: string }[];
}

export function createOutlets(): Outlets {
  const byTerminal = new Map<string, Map<string, SessionOutlet>>();
  return {
    add: ({ terminalId, sessionId }, outlet) => {
      const outlets = byTerminal.get(terminalId);
      if (outlets === undefined) byTerminal.set(terminalId, new Map([[sessionId, outlet]]));
      else outlets.set(sessionId, outlet);
    },
    remove: (terminalId, sessionId) => {
      const outlets = byTerminal.get(terminalId);
      if (outlets?.delete(sessionId) === true && outlets.size === 0) byTerminal.delete(terminalId);
    },
    has: (terminalId, sessionId) => byTerminal.get(terminalId)?.has(sessionId) === true,
    deliver: (terminalId, sessionId, uuid, text) => byTerminal.get(terminalId)?.get(sessionId)?.deliver(uuid, text) ?? false,
    sessions: (terminalId) => {
      const terminals = terminalId === null ? [...byTerminal.keys()] : [terminalId];
      return terminals.flatMap((id) => [...(byTerminal.get(id)?.keys() ?? [])].map((sessionId) => ({ terminalId: id, sessionId })));
    },
  };
}
