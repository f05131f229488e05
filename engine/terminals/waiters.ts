import type { Clock } from "../kernel/clock.ts";
import { WAITERS_MAX } from "../kernel/limits.ts";
import { createTimerWheel, type Timed } from "../kernel/timer-wheel.ts";

/** Lookups that wait for the next result of a terminal, each with a deadline; bounded, without a timer each. */
export interface Waiters {
  /** True when something of the terminal changed before the deadline; false at the deadline, when `gone` is aborted, or at once where too many wait. */
  next(terminalId: string, deadlineAt: number, gone?: AbortSignal): Promise<boolean>;
  wake(terminalId: string): void;
  /** Ends those whose deadline (monotonic) has passed, to a tenth of a second. */
  tick(): void;
  count(): number;
}

interface Waiter extends Timed {
  terminalId: string;
  resolve(changed: boolean): void;
}

export function createWaiters(clock: Clock): Waiters {
  const byTerminal = new Map<string, Set<Waiter>>();
  const wheel = createTimerWheel<Waiter>();
  let count = 0;

  function end(waiter: Waiter, changed: boolean): void {
    const waiters = byTerminal.get(waiter.terminalId);
    if (waiters?.delete(waiter) !== true) return;
    if (waiters.size === 0) byTerminal.delete(waiter.terminalId);
    count -= 1;
    wheel.arm(waiter, null);
    waiter.resolve(changed);
  }

  return {
    next: (terminalId, deadlineAt, gone) =>
      new Promise((resolve) => {
        if (count >= WAITERS_MAX || deadlineAt <= clock.monotonicMs() || gone?.aborted === true) {
          resolve(false);
          return;
        }
        const leave = () => end(waiter, false);
        const ended = (changed: boolean) => {
          gone?.removeEventListener("abort", leave);
          resolve(changed);
        };
        const waiter: Waiter = { terminalId, resolve: ended, slot: null };
        gone?.addEventListener("abort", leave);
        const waiters = byTerminal.get(terminalId);
        if (waiters === undefined) byTerminal.set(terminalId, new Set([waiter]));
        else waiters.add(waiter);
        count += 1;
        wheel.arm(waiter, deadlineAt);
      }),
    wake: (terminalId) => {
      for (const waiter of [...(byTerminal.get(terminalId) ?? [])]) end(waiter, true);
    },
    tick: () => {
      for (const waiter of wheel.due(clock.monotonicMs())) end(waiter, false);
    },
    count: () => count,
  };
}
