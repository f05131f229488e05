import { parentPort } from "node:worker_threads";
import { keepStringMethodsFast } from "../boot/string-methods.ts";
import { runShard } from "./shard.ts";

keepStringMethodsFast();
// Started by infra/node/process/shard-threads.ts; only infra/node/process/node.ts sends something here, and it is a ShardBoot.
parentPort?.on("message", runShard);
