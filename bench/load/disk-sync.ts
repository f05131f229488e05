import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type LatencySummary, Samples } from "./samples.ts";

/** As much as a batch of some twenty payments writes. */
const BYTES = 16_384;

/** Between two syncs; so there are about as many a second as the relay asks for at half load. */
const PAUSE_MS = 1.5;

/**
 * What the disk under `directory` takes to sync an appended block, with nothing else going on: no payment can be answered, or pushed, before one
 * such sync that began after it came, and it waits for the one that is under way as well.
 */
export async function measureDiskSync(directory: string, ms: number): Promise<LatencySummary> {
  const file = join(directory, "sync-probe");
  const handle = await open(file, "w");
  const samples = new Samples();
  try {
    const block = Buffer.alloc(BYTES, "x");
    const endAt = performance.now() + ms;
    while (performance.now() < endAt) {
      await handle.write(block);
      const startedMs = performance.now();
      await handle.datasync();
      samples.add(performance.now() - startedMs);
      await delay(PAUSE_MS);
    }
  } finally {
    await handle.close();
    await rm(file, { force: true });
  }
  return samples.summary();
}
