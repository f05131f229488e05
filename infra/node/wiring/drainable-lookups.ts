import type { Terminals } from "../../../engine/terminals/terminals.ts";

type WaitingLookups = Pick<Terminals, "command" | "latest">;

/** Lookups that wait for a result, until the node stops: then all of them answer with what there is, so that the stop need not wait. */
export interface Patience {
  lookups: WaitingLookups;
  end(): void;
}

/** Works on the asking side, so that it also ends what waits at a home on another node. */
export function createPatience(terminals: WaitingLookups): Patience {
  const hurries = new Set<() => void>();
  let ended = false;

  function wait<T>(waitMs: number, ask: (waitMs: number) => Promise<T>): Promise<T> {
    if (waitMs === 0 || ended) return ask(0);
    return new Promise((resolve, reject) => {
      const hurry = () => ask(0).then(resolve, reject);
      hurries.add(hurry);
      ask(waitMs)
        .then(resolve, reject)
        .finally(() => hurries.delete(hurry));
    });
  }

  return {
    lookups: {
      command: (uuid, waitMs, maySee) => wait(waitMs, (ms) => terminals.command(uuid, ms, maySee)),
      latest: (terminalId, sender, waitMs) => wait(waitMs, (ms) => terminals.latest(terminalId, sender, ms)),
    },
    end: () => {
      ended = true;
      for (const hurry of hurries) hurry();
      hurries.clear();
    },
  };
}
