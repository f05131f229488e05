import type { ActivityLog } from "../kernel/activity-log.ts";
import type { IntentEvent } from "./events.ts";
import { type IntentRecord, statusOf } from "./intent.ts";

/** A step of an intent, for its merchant's log. */
export interface IntentStepped {
  /** Null before it was there. */
  readonly before: IntentRecord | null;
  readonly after: IntentRecord;
  readonly event: IntentEvent;
  /** Of the request that caused it; null for what the gateway or the time caused. */
  readonly requestId: string | null;
  readonly outcome: "done" | "refused";
}

/** Called once the step is stored, or known not to be. */
export function logIntentStep(activity: ActivityLog, { before, after, event, requestId, outcome }: IntentStepped): void {
  activity.workflow({
    ...{ atMs: event.atMs, merchantId: after.merchantId, objectType: "payment_intent", objectId: after.id, event: event.type },
    ...{ from: before === null ? null : statusOf(before), to: statusOf(after), requestId, outcome },
  });
}
