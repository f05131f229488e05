import { compile } from "../kernel/statechart.ts";
import type { AlertRecord } from "./alert.ts";
import type { AlertEffect, AlertEvent } from "./events.ts";
import { alertMachine } from "./machine.ts";
import { nextAtMs } from "./rules.ts";

export interface AlertStep {
  record: AlertRecord;
  effects: readonly AlertEffect[];
  /** False where the event means nothing as the alert stands: it is refused, and nothing is to be stored. */
  taken: boolean;
}

/** What of the machine of alerts is an effect. */
export const ALERT_EFFECTS = ["tell", "askRefund", "flagFailed", "flagUnknown", "settleUnknown", "flagTwice"] as const;

const stepMachine = compile(alertMachine, ALERT_EFFECTS);

/** Steps an alert by its machine (machine.ts). */
export function stepAlert(record: AlertRecord, event: AlertEvent): AlertStep {
  const { state, context, effects } = stepMachine(record.state, record, event);
  const taken = context !== record || effects.length > 0;
  if (!taken) return { record, effects, taken };
  const stepped = { ...context, state };
  return { record: { ...stepped, nextAtMs: nextAtMs(stepped) }, effects, taken };
}
