import type { CloudConfig } from "../settings/cloud-config.ts";
import type { FLEET_ACTION_STATES, FLEET_OUTCOMES, FLEET_REFUSALS } from "./words.ts";

export type FleetOutcome = (typeof FLEET_OUTCOMES)[number];
export type FleetRefusal = (typeof FLEET_REFUSALS)[number];

/** What is done to each terminal. */
export type FleetOrder =
  | { readonly type: "LOGS" }
  /** Absent members stay. `settings` are set in addition to the others. */
  | { readonly type: "SETTINGS"; readonly group?: string | null; readonly settings?: CloudConfig["settings"] }
  | { readonly type: "INSTALL"; readonly versionId: number }
  | { readonly type: "RESTART" };

export interface FleetTask {
  readonly terminalId: string;
  readonly outcome: FleetOutcome;
  readonly refusal: FleetRefusal | null;
}

/** What became of a terminal. */
export interface FleetResult {
  readonly outcome: Exclude<FleetOutcome, "PENDING" | "SKIPPED">;
  readonly refusal: FleetRefusal | null;
}

/**
 * An action of an administrator on many terminals, which the relay carries out a few at a time.
 *
 *   RUNNING  Further terminals follow at `nextAtMs`.
 *   DONE     Each terminal has an outcome.
 *   STOPPED  An administrator has stopped it. The terminals that were left are SKIPPED.
 */
export interface FleetAction {
  readonly schema: 1;
  /** `fla_` and 24 lower-case letters or digits. */
  readonly id: string;
  readonly order: FleetOrder;
  /** The name of the administrator. */
  readonly createdBy: string;
  readonly createdAtMs: number;
  readonly state: (typeof FLEET_ACTION_STATES)[number];
  readonly tasks: readonly FleetTask[];
  readonly endedAtMs: number | null;
  readonly nextAtMs: number | null;
}

export const FLEET_ACTION_KEPT_MS = 30 * 86_400_000;

/** Terminals that are handled together, and the time between two such batches. */
export const BATCH = 20;
export const BATCH_EVERY_MS = 1_000;

export function newFleetAction(
  facts: Pick<FleetAction, "id" | "order" | "createdBy">,
  terminalIds: readonly string[],
  atMs: number,
): FleetAction {
  const tasks = terminalIds.map((terminalId) => ({ terminalId, outcome: "PENDING", refusal: null }) as const);
  return { schema: 1, ...facts, createdAtMs: atMs, state: "RUNNING", tasks, endedAtMs: null, nextAtMs: atMs };
}

/** The terminals that are next. Empty if the action has ended. */
export function nextBatch({ state, tasks }: FleetAction): readonly string[] {
  if (state !== "RUNNING") return [];
  return tasks
    .filter(({ outcome }) => outcome === "PENDING")
    .slice(0, BATCH)
    .map(({ terminalId }) => terminalId);
}

/** Records what became of a batch, also of terminals that were skipped meanwhile, because the action was stopped. */
export function afterBatch(action: FleetAction, results: ReadonlyMap<string, FleetResult>, atMs: number): FleetAction {
  const tasks = action.tasks.map((task) => {
    const result = results.get(task.terminalId);
    const isOpen = task.outcome === "PENDING" || task.outcome === "SKIPPED";
    return result === undefined || !isOpen ? task : { terminalId: task.terminalId, ...result };
  });
  if (action.state !== "RUNNING") return { ...action, tasks };
  const isDone = tasks.every(({ outcome }) => outcome !== "PENDING");
  return isDone
    ? { ...action, tasks, state: "DONE", endedAtMs: atMs, nextAtMs: null }
    : { ...action, tasks, nextAtMs: atMs + BATCH_EVERY_MS };
}

/** Null if the action has already ended. */
export function stopped(action: FleetAction, atMs: number): FleetAction | null {
  if (action.state !== "RUNNING") return null;
  const tasks = action.tasks.map((task) => (task.outcome === "PENDING" ? ({ ...task, outcome: "SKIPPED" } as const) : task));
  return { ...action, tasks, state: "STOPPED", endedAtMs: atMs, nextAtMs: null };
}
