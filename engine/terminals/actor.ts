import type { Stored } from "../kernel/stored.ts";
import type { Timed } from "../kernel/timer-wheel.ts";
import type { TerminalContext } from "./events.ts";
import type { CommandRecord } from "./terminal-record.ts";

/** A terminal actor as its home holds it: the stored context, its version, and what is read with it again and again. */
export interface Actor extends Timed {
  readonly terminalId: string;
  context: TerminalContext;
  version: number;
  /** When its record was last read from the store, monotonic. Since then nobody else has written the version that is here. */
  readAt: number;
  /** Records of commands that are queued or sent, as far as they are at hand (command-cache.ts). */
  commands: readonly Stored<CommandRecord>[];
  loaded: boolean;
  /** True when its record was stored before the store lost some of its history. */
  historyLost: boolean;
  /** True after a commit failed: it may have happened, and may even happen yet. */
  inDoubt: boolean;
  running: boolean;
  usedLately: boolean;
  /** What waits for its turn; null while nothing does. */
  mailbox: (() => void)[] | null;
}
