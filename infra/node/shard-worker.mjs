// JavaScript, because Node 20 ignores --import in a worker: it has to ask for TypeScript by itself.
import { workerData } from "node:worker_threads";
import { register } from "tsx/esm/api";

register();
const { runShard } = await import("./shard.ts");
// Started by node.ts, which is the only one to make a ShardBoot.
runShard(workerData);
