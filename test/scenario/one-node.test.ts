import { runScenariosWithShards } from "./scenarios.ts";

// Two shards take every way that one takes. The nightly run plays all scenarios on one shard, too.
runScenariosWithShards(Number(process.env["TEST_SHARDS"] ?? 2));
