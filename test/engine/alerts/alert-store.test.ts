import { ALERT_WORKFLOW } from "../../../engine/alerts/workflow.ts";
import { createWorkflowStore } from "../../../engine/workflow/workflow-store.ts";
import { testAlertStore } from "../../contract/alert-store.ts";
import { onEachEngine } from "../../contract/engines.ts";
import { RETENTION_MS } from "../disputes/world.ts";

await onEachEngine(testAlertStore, ({ kv, nowMs, advance, close }) => {
  const store = createWorkflowStore(kv, ALERT_WORKFLOW, RETENTION_MS);
  return { store, kv, retentionMs: RETENTION_MS, nowMs, advance, close };
});
