import { EVERY_LAYOUT } from "./layouts.ts";

// Two shards take every way that one takes. Tests that kill nodes, and those of clusters, run nodes of one shard.
if (EVERY_LAYOUT) (await import("./scenarios.ts")).runScenariosWithShards(1);
