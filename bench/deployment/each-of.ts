/** `work` for each, some at once. Those that are not begun when the signal aborts, or one rejects, are left; it rejects when nothing is under way any more. */
export async function eachOf<T>(
  all: readonly T[],
  { atOnce, signal }: { atOnce: number; signal?: AbortSignal },
  work: (one: T) => Promise<void>,
): Promise<void> {
  // All workers take from the same iterator.
  const left = all.values();
  let failed = false;
  const worker = async () => {
    for (const one of left) {
      if (failed || signal?.aborted === true) return;
      await work(one).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  for (const one of ended) if (one.status === "rejected") throw one.reason;
}
