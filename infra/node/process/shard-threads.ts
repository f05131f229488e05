import { Worker } from "node:worker_threads";

const PROGRAM = new URL(import.meta.url.endsWith(".ts") ? "../shard/shard-worker.mjs" : "../shard/shard-worker.js", import.meta.url);

/**
 * Size of a shard's young generation, whatever the default of the Node version: two halves of 16 MB for new objects, and the third that V8
 * adds. Why neither more nor less: infra/docs/decisions/0025-figures-behind-the-code.md.
 */
const YOUNG_GENERATION_MB = 48;

/** Starts the threads of a node's shards. Each loads its code, and then waits for its ShardBoot, the first message. */
export function startShardThreads(shards: number, program: URL = PROGRAM): Worker[] {
  return Array.from(
    { length: shards },
    () => new Worker(program, { execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB } }),
  );
}
