import type { Terminals } from "../../../../engine/terminals/terminals.ts";

type WaitingLookups = Pick<Terminals, "command" | "latest">;

/**
 * Lookups that wait for a result. When the node stops, all of them return the present state, so
 * that the stop does not wait.
 */
export interface DrainableLookups {
  lookups: WaitingLookups;
  drain(): void;
}

/** Works at the requesting shard, so it also ends lookups that wait at a home on another node. */
export function createDrainableLookups(terminals: WaitingLookups): DrainableLookups {
  const pending = new Set<() => void>();
  let ended = false;

  function wait<T>(waitMs: number, lookUp: (waitMs: number) => Promise<T>): Promise<T> {
    if (waitMs === 0 || ended) return lookUp(0);
    return new Promise((resolve, reject) => {
      const answerNow = () => lookUp(0).then(resolve, reject);
      pending.add(answerNow);
      lookUp(waitMs)
        .then(resolve, reject)
        .finally(() => pending.delete(answerNow));
    });
  }

  return {
    lookups: {
      command: (uuid, waitMs, maySee, gone) => wait(waitMs, (ms) => terminals.command(uuid, ms, maySee, gone)),
      latest: (terminalId, sender, waitMs, gone) => wait(waitMs, (ms) => terminals.latest(terminalId, sender, ms, gone)),
    },
    drain: () => {
      ended = true;
      for (const answerNow of pending) answerNow();
      pending.clear();
    },
  };
}
