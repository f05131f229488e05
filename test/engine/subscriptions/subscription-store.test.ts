import { createPlanStore } from "../../../engine/subscriptions/plan-store.ts";
import { onEachEngine } from "../../contract/engines.ts";
import { testSubscriptionStore } from "../../contract/subscription-store.ts";
import { storeOn } from "./world.ts";

const RETENTION_MS = 10 * 86_400_000;

await onEachEngine(testSubscriptionStore, ({ kv, nowMs, advance, close }) => ({
  ...storeOn(kv, RETENTION_MS),
  ...{ plans: createPlanStore(kv), kv, retentionMs: RETENTION_MS },
  ...{ nowMs, advance, close },
}));
