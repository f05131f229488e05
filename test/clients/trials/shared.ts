interface Stoppable {
  stop(): Promise<void>;
}

const started: Promise<Stoppable>[] = [];

/**
 * What the trials of a group share, a relay for example: started by the first that asks for it, and stopped by `stopShared`, so that a run of other groups
 * starts nothing.
 *
 *     const relay = shared(startSandboxRelay);
 *     ... run: async () => pay(await relay()) ...
 */
export function shared<T extends Stoppable>(start: () => Promise<T>): () => Promise<T> {
  let starting: Promise<T> | null = null;
  return () => {
    if (starting === null) {
      starting = start();
      started.push(starting);
    }
    return starting;
  };
}

/** Stops what was started, the last first. Whoever runs trials calls it when they have ended. */
export async function stopShared(): Promise<void> {
  for (const starting of started.splice(0).reverse()) {
    const [outcome] = await Promise.allSettled([starting]);
    // What did not start has failed the trial that asked for it.
    if (outcome?.status === "fulfilled") await outcome.value.stop();
  }
}
