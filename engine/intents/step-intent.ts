import { compile } from "../kernel/statechart.ts";
import type { IntentEffect, IntentEvent } from "./events.ts";
import { type IntentRecord, statusOf } from "./intent.ts";
import { intentMachine } from "./machine.ts";

export interface IntentStepResult {
  record: IntentRecord;
  effects: readonly IntentEffect[];
  /** False where the event means nothing as the intent stands: it is refused, and nothing is to be stored. */
  taken: boolean;
}

/** What of the intent's machine is an effect. */
export const INTENT_EFFECTS = ["tell", "tellOfAttempt"] as const;

const stepMachine = compile(intentMachine, INTENT_EFFECTS);

/** Steps an intent by its machine (machine.ts). */
export function stepIntent(record: IntentRecord, event: IntentEvent): IntentStepResult {
  const { context, effects } = stepMachine(statusOf(record), record, event);
  return { record: context, effects, taken: context !== record || effects.length > 0 };
}
