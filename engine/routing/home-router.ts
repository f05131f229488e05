import type { Address, Bus, Homes } from "../kernel/bus.ts";
import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { isSettled } from "../terminals/command-view.ts";
import type { TerminalHome } from "../terminals/terminal-home.ts";
import type { CommandView } from "../terminals/terminals.ts";
import type { TerminalProtocol } from "./terminal-protocol.ts";

/** A home that does not answer in this time has a fallback: a till should not wait longer. */
const HOME_TIMEOUT_MS = 1_500;

/** A lookup that waits asks its home again after this long, for what changes without this shard being told. */
const WAIT_SLICE_MS = 3_000;

/** A lookup that was to wait and is answered in less of its time found no place to wait in. */
const ANSWERED_AT_ONCE_SHARE = 0.5;

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
    gone?: AbortSignal,
  ): Promise<TerminalProtocol[Kind]["response"]>;
  /**
   * Waits for a result, looking it up in slices, and at once where the terminal gets another home: the former one hears of no result any more. Not on where a
   * home has no place for another one that waits. Rejects with the reason of `gone` once that is aborted.
   */
  waitInSlices(
    terminalId: string,
    waitMs: number,
    lookUp: (sliceMs: number) => Promise<CommandView | null>,
    gone?: AbortSignal,
  ): Promise<CommandView | null>;
  tick(): void;
}

export interface HomeRouterOptions {
  bus: Bus<TerminalProtocol>;
  homes: Homes;
  home: TerminalHome;
  clock: Clock;
  failed(what: string, error: unknown): void;
}

/** A lookup that its home was asked for. */
interface Asked {
  readonly terminalId: string;
  readonly address: Address;
  moved(answer: typeof MOVED): void;
}

/** In the place of an answer: the terminal has another home. */
const MOVED = Symbol("moved");

interface Hint {
  terminalId: string;
  at: number;
  left: number;
}

export function createHomeRouter({ bus, homes, home, clock, failed }: HomeRouterOptions): HomeRouter {
  /** Hints that were not confirmed; as many at most as steps were executed as a fallback within a few seconds. */
  let unconfirmed: Hint[] = [];
  /** Those that wait now: as many as look-ups of callers may. */
  const waiting = new Set<Asked>();
  homes.onChange(() => {
    for (const asked of waiting) {
      if (homes.homeOf(asked.terminalId) === asked.address) continue;
      waiting.delete(asked);
      asked.moved(MOVED);
    }
  });

  /** The answer to `lookUp`, or MOVED as soon as its terminal has another home; then the answer is left. */
  function unlessMoved<T>(terminalId: string, lookUp: () => Promise<T>): Promise<T | typeof MOVED> {
    const address = homes.homeOf(terminalId);
    return new Promise((resolve, reject) => {
      const asked: Asked = { terminalId, address, moved: resolve };
      waiting.add(asked);
      lookUp()
        .then(resolve, reject)
        .finally(() => waiting.delete(asked));
    });
  }

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
    route: async (terminalId, kind, request, here, changes, gone) => {
      const address = homes.homeOf(terminalId);
      if (address === bus.self) return here();
      try {
        const timeoutMs = "waitMs" in request ? request.waitMs + HOME_TIMEOUT_MS : HOME_TIMEOUT_MS;
        return await bus.request(address, kind, request, timeoutMs, gone);
      } catch (error) {
        if (!(error instanceof RelayError) || error.code !== "unavailable") throw error;
        failed(`${kind} at its home`, error);
      }
      const answer = await home.executeAsFallback(terminalId, here);
      if (changes) hint({ terminalId, left: HINTS_MAX });
      return answer;
    },
    waitInSlices: async (terminalId, waitMs, lookUp, gone) => {
      const until = clock.monotonicMs() + waitMs;
      for (;;) {
        gone?.throwIfAborted();
        const askedAtMs = clock.monotonicMs();
        const sliceMs = Math.min(Math.max(0, until - askedAtMs), WAIT_SLICE_MS);
        const view = await (sliceMs === 0 ? lookUp(0) : unlessMoved(terminalId, () => lookUp(sliceMs)));
        if (view === MOVED) continue;
        const now = clock.monotonicMs();
        const isAtOnce = now < askedAtMs + sliceMs * ANSWERED_AT_ONCE_SHARE;
        if (now >= until || isAtOnce || (view !== null && isSettled(view))) return view;
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
