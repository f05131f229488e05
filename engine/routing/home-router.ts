import type { Address, Bus, Homes } from "../kernel/bus.ts";
import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { isSettled } from "../terminals/command-view.ts";
import type { TerminalHome } from "../terminals/terminal-home.ts";
import type { CommandView } from "../terminals/terminals.ts";
import type { TerminalProtocol } from "./terminal-protocol.ts";

/** A home that does not answer in this time has a fallback: a till should not wait longer. */
const HOME_TIMEOUT_MS = 1_500;

/** A lookup that waits asks its home again after this long: the home may be another by then. */
const WAIT_SLICE_MS = 3_000;

/** A home is told so often, a second apart, of a step that was executed as its fallback, for as long as it stays the home. */
const HINTS_MAX = 5;
const HINT_PAUSE_MS = 1_000;

/** Kinds of which the home is asked for a step or a look at one terminal. */
type HomeKind =
  | "terminal.accept"
  | "terminal.poll"
  | "terminal.result"
  | "terminal.cancel"
  | "terminal.command"
  | "terminal.latest"
  | "terminal.view";

/**
 * The way to a terminal's home. Where the home cannot be reached this shard executes the step as a fallback: the store's version checks make that
 * right, wherever it is done (infra/docs/decisions/0005-cluster.md).
 */
export interface HomeRouter {
  /** `here` carries it out on this shard's home. `changes` says that the home has to be told when it was executed as its fallback. */
  route<Kind extends HomeKind>(
    terminalId: string,
    kind: Kind,
    request: TerminalProtocol[Kind]["request"],
    here: () => Promise<TerminalProtocol[Kind]["response"]>,
    changes: boolean,
  ): Promise<TerminalProtocol[Kind]["response"]>;
  /** Waits for a result, looking it up in slices. */
  waitInSlices(waitMs: number, lookUp: (sliceMs: number) => Promise<CommandView | null>): Promise<CommandView | null>;
  tick(): void;
}

export interface HomeRouterOptions {
  bus: Bus<TerminalProtocol>;
  homes: Homes;
  home: TerminalHome;
  clock: Clock;
  failed(what: string, error: unknown): void;
}

interface Hint {
  terminalId: string;
  at: number;
  left: number;
}

export function createHomeRouter({ bus, homes, home, clock, failed }: HomeRouterOptions): HomeRouter {
  /** Hints that were not confirmed; as many at most as steps were executed as a fallback within a few seconds. */
  let unconfirmed: Hint[] = [];

  function hint({ terminalId, left }: Omit<Hint, "at">): void {
    const address: Address = homes.homeOf(terminalId);
    if (address === bus.self) {
      home.refresh(terminalId);
      return;
    }
    bus.request(address, "terminal.work", { terminalId }, HOME_TIMEOUT_MS).catch(() => {
      if (left > 1) unconfirmed.push({ terminalId, at: clock.monotonicMs() + HINT_PAUSE_MS, left: left - 1 });
    });
  }

  return {
    route: async (terminalId, kind, request, here, changes) => {
      const address = homes.homeOf(terminalId);
      if (address === bus.self) return here();
      try {
        return await bus.request(address, kind, request, "waitMs" in request ? request.waitMs + HOME_TIMEOUT_MS : HOME_TIMEOUT_MS);
      } catch (error) {
        if (!(error instanceof RelayError) || error.code !== "unavailable") throw error;
        failed(`${kind} at its home`, error);
      }
      const answer = await home.executeAsFallback(terminalId, here);
      if (changes) hint({ terminalId, left: HINTS_MAX });
      return answer;
    },
    waitInSlices: async (waitMs, lookUp) => {
      const until = clock.monotonicMs() + waitMs;
      for (;;) {
        const left = Math.max(0, until - clock.monotonicMs());
        const view = await lookUp(Math.min(left, WAIT_SLICE_MS));
        if (left <= WAIT_SLICE_MS || (view !== null && isSettled(view))) return view;
      }
    },
    tick: () => {
      const now = clock.monotonicMs();
      if (unconfirmed.every(({ at }) => at > now)) return;
      const due = unconfirmed.filter(({ at }) => at <= now);
      unconfirmed = unconfirmed.filter(({ at }) => at > now);
      for (const again of due) hint(again);
    },
  };
}
