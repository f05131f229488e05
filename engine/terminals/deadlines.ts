import type { Clock } from "../kernel/clock.ts";
import type { Actors } from "./actors.ts";

/**
 * Deadlines carried out at once. When terminals do not fetch what waits for them, or after a long stop, thousands are overdue together, and must not take
 * the thread from those who pay: beside 10,000 a second a payment took 33 ms (p99 90) with 256 at once, 4 ms (p99 20 to 40) with 32, and with 16 they
 * took a third longer.
 */
const AT_ONCE_MAX = 32;

/** After this long what could not be done for a terminal is tried again. */
const RETRY_MS = 1_000;

/** Fires the deadlines of a home's terminals, each once, a bounded number at a time, and again where that failed. */
export interface Deadlines {
  /** Internal work on the terminal failed; it is done again soon. */
  retry(terminalId: string): void;
  tick(): void;
}

export interface DeadlinesOptions {
  actors: Pick<Actors, "arm" | "due">;
  clock: Clock;
  /** Does whatever is due for a terminal, and arms what it wants next. */
  passed(terminalId: string): Promise<void>;
  failed(what: string, error: unknown): void;
}

export function createDeadlines({ actors, clock, passed, failed }: DeadlinesOptions): Deadlines {
  let overdue: string[] = [];
  let underWay = 0;

  function retry(terminalId: string): void {
    actors.arm(terminalId, clock.nowMs() + RETRY_MS);
  }

  function fire(): void {
    while (underWay < AT_ONCE_MAX) {
      const terminalId = overdue.pop();
      if (terminalId === undefined) return;
      underWay += 1;
      passed(terminalId)
        .catch((error: unknown) => {
          failed("deadline.passed", error);
          retry(terminalId);
        })
        .finally(() => {
          underWay -= 1;
          fire();
        });
    }
  }

  return {
    retry,
    tick: () => {
      const due = actors.due(clock.nowMs());
      if (due.length === 0) return;
      // The longest overdue last, where they are taken from.
      overdue = [...due.reverse(), ...overdue];
      fire();
    },
  };
}
