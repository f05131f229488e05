import type { Address, Homes } from "../kernel/bus.ts";
import type { Clock } from "../kernel/clock.ts";
import { createDeadlineRunner, type DeadlineRunner } from "../kernel/deadline-runner.ts";
import { createPacer } from "../kernel/pacer.ts";
import type { TimedEvent, WorkflowDefinition, WorkflowRecord } from "./workflow.ts";
import type { WorkflowStore } from "./workflow-store.ts";

export interface WorkflowDeadlinesOptions<R> {
  readonly store: WorkflowStore<R>;
  readonly homes: Homes;
  readonly self: Address;
  readonly clock: Clock;
  failed(what: string, error: unknown): void;
  /**
   * Does what is due for a record, and stores when something is due next. If it rejects, it is
   * called again.
   */
  fire(id: string): Promise<unknown>;
}

/** Fires the deadlines of the records whose home is this shard. */
export function createWorkflowDeadlines<R extends WorkflowRecord, E extends TimedEvent, F extends { readonly type: string }, Outcome>(
  { label, deadlines }: WorkflowDefinition<R, E, F, Outcome>,
  { store: index, ...options }: WorkflowDeadlinesOptions<R>,
): DeadlineRunner {
  if (deadlines === undefined) throw new Error(`${label} has no deadlines`);
  const { name, bounds, freePerSecond } = deadlines;
  return createDeadlineRunner({
    ...{ ...options, name, index },
    placeOf: (partition) => `${name}s/${partition}`,
    bounds: { ...bounds, pacer: createPacer(freePerSecond) },
  });
}
