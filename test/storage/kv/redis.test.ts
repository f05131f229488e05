import { onRedis } from "../../contract/engines.ts";
import { testKv } from "../../contract/kv.ts";
import { testKvHistory } from "../../contract/kv-history.ts";

await onRedis(testKv, (opened) => opened);
await onRedis(testKvHistory, (opened) => opened);
