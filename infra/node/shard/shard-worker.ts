import { workerData } from "node:worker_threads";
import { keepStringMethodsFast } from "../boot/string-methods.ts";
import { runShard } from "./shard.ts";

keepStringMethodsFast();
// Started by infra/node/process/node.ts, which is the only one to make a ShardBoot.
runShard(workerData);
