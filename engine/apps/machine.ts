import { assign, setup } from "xstate";
import { compile } from "../kernel/statechart.ts";
import {
  type AppDeployment,
  addCounts,
  type DeploymentCounts,
  type DeploymentState,
  type DeploymentTarget,
  NOTHING_COUNTED,
  type RolloutOptions,
} from "./app-deployment.ts";

/**
 * The app deployment actor: whether one version is offered to one target, and what became of it at the terminals. Pure: time comes with
 * the events. Its one effect says that the offer has changed, which every shard has to know.
 */
export type DeploymentContext = Omit<AppDeployment, "state">;

export type DeploymentEvent =
  /** The version has a package now. */
  | { type: "package.stored"; atMs: number }
  | { type: "version.disabled"; atMs: number }
  | { type: "version.enabled"; atMs: number }
  | { type: "deployment.paused"; atMs: number }
  | { type: "deployment.resumed"; atMs: number }
  /** Another deployment took its place, or it was rolled back. */
  | { type: "deployment.superseded"; atMs: number }
  /** A roll-back of what had taken its place. */
  | { type: "deployment.restored"; atMs: number }
  | { type: "rollout.changed"; atMs: number; options: RolloutOptions }
  /** Terminals made steps; how the counts of distinct terminals move. */
  | { type: "terminals.counted"; atMs: number; moves: DeploymentCounts };

export type DeploymentEffect = { type: "offerChanged"; params: { deploymentId: number } };

/** Reports since it was last resumed, and whether too many of them are failures. */
function failuresPass(context: DeploymentContext, moves: DeploymentCounts): boolean {
  const { pauseAtFailurePercent, pauseAfterReports, countedBefore } = context;
  if (pauseAtFailurePercent === null) return false;
  const counts = addCounts(context.counts, moves);
  const failed = counts.failed - countedBefore.failed;
  const reports = failed + counts.installed - countedBefore.installed;
  return failed > 0 && reports >= pauseAfterReports && failed * 100 >= reports * pauseAtFailurePercent;
}

const setUp = setup({
  types: {} as { context: DeploymentContext; input: DeploymentContext; events: DeploymentEvent },
  guards: {
    tooManyFail: ({ context, event }) => event.type === "terminals.counted" && failuresPass(context, event.moves),
    wasDraft: ({ context }) => context.resumesAs === "draft",
    wasPaused: ({ context }) => context.resumesAs === "paused",
  },
  actions: {
    offerChanged: (_, _params: { deploymentId: number }) => {},
    stamp: assign({ changedAtMs: ({ event }) => event.atMs }),
    count: assign(({ context, event }) => (event.type === "terminals.counted" ? { counts: addCounts(context.counts, event.moves) } : {})),
    tune: assign(({ event }) => (event.type === "rollout.changed" ? event.options : {})),
    /** What failed so far was looked at. */
    forgive: assign(({ context: { counts } }) => ({
      pausedBecause: null,
      countedBefore: { installed: counts.installed, failed: counts.failed },
    })),
    becausePaused: assign({ pausedBecause: "operator" }),
    becauseOfFailures: assign({ pausedBecause: "failures" }),
    resumeAsDraft: assign({ resumesAs: "draft" }),
    resumeAsActive: assign({ resumesAs: "active" }),
    resumeAsPaused: assign({ resumesAs: "paused" }),
  },
});

const tell = { type: "offerChanged", params: ({ context }: { context: DeploymentContext }) => ({ deploymentId: context.id }) } as const;
const changed = ["stamp", tell] as const;
const superseded = { target: "superseded", actions: [...changed] } as const;
const tuned = { actions: ["tune", ...changed] } as const;
const counted = { actions: "count" } as const;

export const appDeploymentMachine = setUp.createMachine({
  id: "appDeployment",
  context: ({ input }) => input,
  initial: "draft",
  states: {
    draft: {
      description: "It has no package yet, and offers nothing.",
      on: {
        "package.stored": { target: "active", actions: [...changed] },
        "version.disabled": { target: "disabled", actions: ["resumeAsDraft", ...changed] },
        "deployment.superseded": superseded,
        "rollout.changed": tuned,
      },
    },
    active: {
      description: "Its version is offered to terminals of its target.",
      on: {
        "deployment.paused": { target: "paused", actions: ["becausePaused", ...changed] },
        "version.disabled": { target: "disabled", actions: ["resumeAsActive", ...changed] },
        "deployment.superseded": superseded,
        "rollout.changed": tuned,
        "terminals.counted": [{ guard: "tooManyFail", target: "paused", actions: ["count", "becauseOfFailures", ...changed] }, counted],
      },
    },
    paused: {
      description: "An operator has stopped it, or too many installs failed.",
      on: {
        "deployment.resumed": { target: "active", actions: ["forgive", ...changed] },
        "version.disabled": { target: "disabled", actions: ["resumeAsPaused", ...changed] },
        "deployment.superseded": superseded,
        "rollout.changed": tuned,
        "terminals.counted": counted,
      },
    },
    disabled: {
      description: "Its version is withdrawn. Enabled again it goes on as what it was.",
      on: {
        "version.enabled": [
          { guard: "wasDraft", target: "draft", actions: [...changed] },
          { guard: "wasPaused", target: "paused", actions: [...changed] },
          { target: "active", actions: [...changed] },
        ],
        "deployment.superseded": superseded,
        "rollout.changed": tuned,
        "terminals.counted": counted,
      },
    },
    superseded: {
      description: "Another deployment took its place, or it was rolled back.",
      on: {
        "deployment.restored": { target: "active", actions: ["forgive", ...changed] },
        "terminals.counted": counted,
      },
    },
  },
});

export const DEPLOYMENT_STATES: readonly DeploymentState[] = ["draft", "active", "paused", "superseded", "disabled"];

export interface DeploymentStep {
  record: AppDeployment;
  /** False: the event means nothing in this state. */
  changed: boolean;
  /** True: every shard has to know. */
  offerChanged: boolean;
}

const step = compile(appDeploymentMachine, ["offerChanged"]);

/** One step of a deployment's machine, from its stored record to the next one. */
export function stepDeployment(record: AppDeployment, event: DeploymentEvent): DeploymentStep {
  const { state, ...before } = record;
  const after = step(state, before, event);
  return {
    record: { ...after.context, state: after.state },
    changed: after.state !== state || after.context !== before,
    offerChanged: after.effects.length > 0,
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
