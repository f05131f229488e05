import { onRedis } from "../../contract/engines.ts";
import { testKv } from "../../contract/kv.ts";

await onRedis(testKv, (opened) => opened);
