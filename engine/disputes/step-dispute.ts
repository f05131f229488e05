import { compile } from "../kernel/statechart.ts";
import type { DisputeRecord } from "./dispute.ts";
import type { DisputeEffect, DisputeEvent } from "./events.ts";
import { disputeMachine } from "./machine.ts";
import { nextAtMs } from "./rules.ts";

export interface DisputeStep {
  record: DisputeRecord;
  effects: readonly DisputeEffect[];
  /** False where the event means nothing as the dispute stands: it is refused, and nothing is to be stored. */
  taken: boolean;
}

/** What of the machine of disputes is an effect. */
export const DISPUTE_EFFECTS = ["tell", "mailReceived", "mailReminder", "flagUndelivered"] as const;

const stepMachine = compile(disputeMachine, DISPUTE_EFFECTS);

/** Steps a dispute by its machine (machine.ts). */
export function stepDispute(record: DisputeRecord, event: DisputeEvent): DisputeStep {
  const { state, context, effects } = stepMachine(record.state, record, event);
  const taken = context !== record || effects.length > 0;
  if (!taken) return { record, effects, taken };
  const stepped = { ...context, state };
  return { record: { ...stepped, nextAtMs: nextAtMs(stepped) }, effects, taken };
}
