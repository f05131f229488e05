import { onEachEngine } from "../../contract/engines.ts";
import { testIntentStore } from "../../contract/intent-store.ts";
import { storeOn } from "./world.ts";

const RETENTION_MS = 10 * 86_400_000;

await onEachEngine(testIntentStore, ({ kv, nowMs, advance, close }) => ({
  ...{ ...storeOn(kv, RETENTION_MS), kv, retentionMs: RETENTION_MS },
  ...{ nowMs, advance, close },
}));
