import { testDisputeStore } from "../../contract/dispute-store.ts";
import { onEachEngine } from "../../contract/engines.ts";
import { ManualClock } from "../world.ts";
import { disputeWorkflowOn, RETENTION_MS } from "./world.ts";

await onEachEngine(testDisputeStore, ({ kv, nowMs, advance, close }) => {
  const workflow = disputeWorkflowOn(kv, new ManualClock(), { received: async () => null, reminder: async () => null });
  return { store: workflow.store, workflow, kv, retentionMs: RETENTION_MS, nowMs, advance, close };
});
