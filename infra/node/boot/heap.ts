import { totalmem } from "node:os";
import { setFlagsFromString } from "node:v8";

/**
 * A shard's old generation is collected for the first time when it has grown to this size, MB; later V8 decides by what it held then. V8's
 * own default is much smaller, and payments wait while it marks (infra/docs/decisions/0025-figures-behind-the-code.md).
 */
const OLD_GENERATION_MB = 1_024;

/** Share of the machine's memory for all shards together. */
const MEMORY_SHARE = 0.125;

const MB = 1_048_576;

/**
 * Sets the V8 options that cannot be set for a single thread. To be called before the shards' threads are started.
 *
 * - No pretenuring: V8 would allocate objects in the old generation if others of their kind lived long. A waiting command lives for a
 *   minute, and each request creates objects of the same kinds. Dead objects in the old generation keep others alive until the next full
 *   collection.
 * - The old generation starts large.
 *
 * The figures are in infra/docs/decisions/0025-figures-behind-the-code.md.
 */
export function prepareHeaps(shards: number): void {
  // The memory limit of a container; 0 if there is none.
  const bound = process.constrainedMemory() || totalmem();
  const roomMb = Math.floor((Math.min(bound, totalmem()) * MEMORY_SHARE) / MB / shards);
  setFlagsFromString("--no-allocation-site-pretenuring");
  setFlagsFromString(`--initial-old-space-size=${Math.max(1, Math.min(OLD_GENERATION_MB, roomMb))}`);
}
