import { totalmem } from "node:os";
import { setFlagsFromString } from "node:v8";

/**
 * A shard's old generation is collected first when it has grown to so much, MB, and later by what it held then. By itself V8 begins at some 80 and collects
 * every ten seconds under load. While it marks, payments wait 140 to 240 ms at 13,000 a second: on two cores its threads take more than one, and the thread
 * that serves marks, too, with every 64 KB that it allocates. With 512 that came after 450,000 payments; with 1,024 not within 80 s, at 890 MB, and up to
 * 650 MB young collections took as long.
 */
const OLD_GENERATION_MB = 1_024;

/** Of the machine's memory, for all shards together. */
const MEMORY_SHARE = 0.125;

const MB = 1_048_576;

/**
 * Sets what V8 knows of no option for a single thread. To be called before the shards' threads are started.
 *
 * - Objects are not allocated in the old generation because others of their kind lived long: what waits for a terminal lives a minute, and the same
 *   kinds of objects are made by each request. Dead there until the next full collection, they kept half of what the requests made with them.
 * - The old generation begins large.
 *
 * Together, at 5,000 payments a second: 4 MB a second reach the old generation instead of 11, young collections take 5 ms instead of 9, full ones came
 * not once within half a minute instead of every ten seconds, and the p99 of the payments is 26 to 43 ms instead of 190 to 240.
 */
export function prepareHeaps(shards: number): void {
  // Of a container, what it may use; 0 where nothing bounds it.
  const bound = process.constrainedMemory() || totalmem();
  const roomMb = Math.floor((Math.min(bound, totalmem()) * MEMORY_SHARE) / MB / shards);
  setFlagsFromString("--no-allocation-site-pretenuring");
  setFlagsFromString(`--initial-old-space-size=${Math.max(1, Math.min(OLD_GENERATION_MB, roomMb))}`);
}
