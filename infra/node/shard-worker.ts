import { workerData } from "node:worker_threads";
import { runShard } from "./shard.ts";
import { keepStringMethodsFast } from "./string-methods.ts";

keepStringMethodsFast();
// Started by node.ts, which is the only one to make a ShardBoot.
runShard(workerData);
