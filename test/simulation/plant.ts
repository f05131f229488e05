import type { Caller } from "../../engine/access/caller.ts";
import type { Directory } from "../../engine/access/directory.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import type { TerminalSessions } from "../../engine/sessions/terminal-sessions.ts";
import type { Terminals } from "../../engine/terminals/terminals.ts";

/** Where faults can be planted: around the ports that a shard is composed of, so that the product needs no switches for it. */
export interface Plant {
  kv(kv: Kv): Kv;
  lostVersion(version: number): number;
  terminals(terminals: Terminals): Terminals;
  sessions(sessions: TerminalSessions): TerminalSessions;
  directory(directory: Pick<Directory, "mayTake">): Pick<Directory, "mayTake">;
  /** Who is taken to ask. */
  caller(caller: Caller): Caller;
  /** True where an expiry of the membership changes nothing. */
  ignoresExpiry: boolean;
}

export const NOTHING_PLANTED: Plant = {
  kv: (kv) => kv,
  lostVersion: (version) => version,
  terminals: (terminals) => terminals,
  sessions: (sessions) => sessions,
  directory: (directory) => directory,
  caller: (caller) => caller,
  ignoresExpiry: false,
};
