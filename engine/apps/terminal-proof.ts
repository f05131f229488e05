import { type Caller, mayActAs } from "../access/caller.ts";
import type { Directory } from "../access/directory.ts";
import type { Terminals } from "../terminals/terminals.ts";

/** Who tells something of a terminal, as the request shows it. */
export interface Reporter {
  caller: Caller;
  ipAddress: string;
}

/**
 * Says whether it is the terminal that tells something of itself. Terminals may ask for updates and report installs without a login, so
 * anyone can do so in their name; what strangers tell must not count.
 */
export interface TerminalProof {
  /**
   * True for the terminal's login and for who acts for it, and for the address of its last poll or WebSocket session, which had a login.
   * Never for a denied terminal. Rejects with RelayError `unavailable` or `too_busy` where the terminal's home does not answer.
   */
  isFromTerminal(reporter: Reporter, terminalId: string): Promise<boolean>;
  /** Calls `count` if so. Nobody waits for it; what is not counted now is counted when the terminal tells it again. */
  ifFromTerminal(reporter: Reporter, terminalId: string, what: string, count: () => Promise<void>): void;
}

export interface TerminalProofOptions {
  terminals: Pick<Terminals, "view">;
  directory: Pick<Directory, "isDenied">;
  /** Whether two addresses are the same client's. */
  sameClient(one: string, other: string): boolean;
  failed(what: string, error: unknown): void;
}

/** Lookups that nobody waits for, of one shard; beyond it nothing is counted. */
const LOOKUPS_MAX = 1_000;

export function createTerminalProof({ terminals, directory, sameClient, failed }: TerminalProofOptions): TerminalProof {
  let lookups = 0;

  async function isFromTerminal({ caller, ipAddress }: Reporter, terminalId: string): Promise<boolean> {
    if (directory.isDenied(terminalId)) return false;
    if (mayActAs(caller, terminalId)) return true;
    const { device } = await terminals.view(terminalId);
    return device.ipAddress !== undefined && sameClient(device.ipAddress, ipAddress);
  }

  return {
    isFromTerminal,
    ifFromTerminal: (reporter, terminalId, what, count) => {
      if (lookups >= LOOKUPS_MAX) return;
      lookups += 1;
      isFromTerminal(reporter, terminalId)
        .then((isTerminal) => (isTerminal ? count() : undefined))
        .catch((error: unknown) => failed(what, error))
        .finally(() => {
          lookups -= 1;
        });
    },
  };
}
