import { transition } from "xstate";
import { type AppDeployment, type DeploymentState, type DeploymentTarget, NOTHING_COUNTED, type RolloutOptions } from "./app-deployment.ts";
import { appDeploymentMachine, type DeploymentContext, type DeploymentEvent } from "./machine.ts";

export interface DeploymentStep {
  record: AppDeployment;
  /** False: the event means nothing in this state. */
  changed: boolean;
  /** True: every shard has to know. */
  offerChanged: boolean;
}

/** One step of a deployment's machine, from its stored record to the next one. (Rare events: XState's own transition is fast enough.) */
export function stepDeployment(record: AppDeployment, event: DeploymentEvent): DeploymentStep {
  const { state, ...context } = record;
  const before = appDeploymentMachine.resolveState({ value: state, context });
  const [after, actions] = transition(appDeploymentMachine, before, event);
  const next: AppDeployment = { ...after.context, state: after.value };
  return {
    record: next,
    changed: after.value !== state || after.context !== before.context,
    offerChanged: actions.some(({ type }) => type === "offerChanged"),
  };
}

export interface NewDeployment extends RolloutOptions {
  id: number;
  versionId: number;
  target: DeploymentTarget;
  atMs: number;
}

/** A deployment as it begins: a draft. */
export function newDeployment({ id, versionId, target, atMs, ...options }: NewDeployment): AppDeployment {
  const context: DeploymentContext = {
    schema: 1,
    id,
    versionId,
    target,
    ...options,
    pausedBecause: null,
    resumesAs: "active",
    counts: NOTHING_COUNTED,
    countedBefore: { installed: 0, failed: 0 },
    createdAtMs: atMs,
    changedAtMs: atMs,
  };
  const state: DeploymentState = "draft";
  return { ...context, state };
}
