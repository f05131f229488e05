import { assign, setup } from "xstate";
import { compile } from "../kernel/statechart.ts";
import {
  type AppDeployment,
  addCounts,
  type DeploymentCounts,
  type DeploymentState,
  type DeploymentTarget,
  hasNextRing,
  NOTHING_COUNTED,
  type RolloutOptions,
  type RolloutPlan,
} from "./app-deployment.ts";

/**
 * The app deployment actor: whether one version is offered to one target, and what became of it at the terminals. Pure: time comes with
 * the events. Its one effect says that the offer has changed, which every shard has to know.
 */
export type DeploymentContext = Omit<AppDeployment, "state">;

export type DeploymentEvent =
  /** The version has a package now. */
  | { type: "package.stored"; atMs: number }
  /** An administrator starts a draft that waited for it. */
  | { type: "deployment.started"; atMs: number }
  | { type: "version.disabled"; atMs: number }
  | { type: "version.enabled"; atMs: number }
  | { type: "deployment.paused"; atMs: number }
  | { type: "deployment.resumed"; atMs: number }
  /** Another deployment took its place, or it was rolled back. */
  | { type: "deployment.superseded"; atMs: number }
  /** A roll-back of what had taken its place. */
  | { type: "deployment.restored"; atMs: number }
  /** An administrator has ended it. */
  | { type: "deployment.stopped"; atMs: number }
  /** An administrator starts the next ring. */
  | { type: "ring.started"; atMs: number }
  | { type: "rollout.changed"; atMs: number; options: RolloutOptions }
  /** Terminals made steps; how the counts of distinct terminals move. */
  | { type: "terminals.counted"; atMs: number; moves: DeploymentCounts };

export type DeploymentEffect = { type: "offerChanged"; params: { deploymentId: number } };

/** The reports since it was last resumed, or since its latest ring started. */
function reportsAfter({ counts: before, countedBefore }: DeploymentContext, moves: DeploymentCounts): { reports: number; failed: number } {
  const counts = addCounts(before, moves);
  const failed = counts.failed - countedBefore.failed;
  return { failed, reports: failed + counts.installed - countedBefore.installed };
}

function failuresPass(context: DeploymentContext, moves: DeploymentCounts): boolean {
  const { pauseAtFailurePercent, pauseAfterReports } = context;
  if (pauseAtFailurePercent === null) return false;
  const { reports, failed } = reportsAfter(context, moves);
  return failed > 0 && reports >= pauseAfterReports && failed * 100 >= reports * pauseAtFailurePercent;
}

/** Whether enough terminals have reported, and few enough of them failures, that the next ring starts. */
function ringHolds(context: DeploymentContext, moves: DeploymentCounts): boolean {
  const { pauseAtFailurePercent: limit, staged } = context;
  if (staged === undefined || staged.advanceAfterReports === null || !hasNextRing(context)) return false;
  const { reports, failed } = reportsAfter(context, moves);
  return reports >= staged.advanceAfterReports && (failed === 0 || (limit !== null && failed * 100 < reports * limit));
}

/** The next ring, in which reports are counted anew. */
function withNextRing({ staged, counts, rolloutPercent }: DeploymentContext): Partial<DeploymentContext> {
  if (staged === undefined) return {};
  const started = staged.started + 1;
  return {
    staged: { ...staged, started },
    rolloutPercent: Math.max(rolloutPercent, staged.rings[started]?.percent ?? 0),
    countedBefore: { installed: counts.installed, failed: counts.failed },
  };
}

const setUp = setup({
  types: {} as { context: DeploymentContext; input: DeploymentContext; events: DeploymentEvent },
  guards: {
    tooManyFail: ({ context, event }) => event.type === "terminals.counted" && failuresPass(context, event.moves),
    ringHolds: ({ context, event }) => event.type === "terminals.counted" && ringHolds(context, event.moves),
    hasNextRing: ({ context }) => hasNextRing(context),
    startsByHand: ({ context }) => context.startsByHand === true,
    startsWithPackage: ({ context }) => context.startsByHand !== true,
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
    begin: assign({ startsByHand: false }),
    stop: assign({ stopped: true }),
    nextRing: assign(({ context }) => withNextRing(context)),
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
const stopped = { target: "superseded", actions: ["stop", ...changed] } as const;
const tuned = { actions: ["tune", ...changed] } as const;
const counted = { actions: "count" } as const;

export const appDeploymentMachine = setUp.createMachine({
  id: "appDeployment",
  context: ({ input }) => input,
  initial: "draft",
  states: {
    draft: {
      description: "It offers nothing: it has no package yet, or an administrator has not started it.",
      on: {
        "package.stored": { guard: "startsWithPackage", target: "active", actions: [...changed] },
        "deployment.started": { guard: "startsByHand", actions: ["begin", ...changed] },
        "version.disabled": { target: "disabled", actions: ["resumeAsDraft", ...changed] },
        "deployment.superseded": superseded,
        "deployment.stopped": stopped,
        "rollout.changed": tuned,
      },
    },
    active: {
      description: "Its version is offered to terminals of its target.",
      on: {
        "deployment.paused": { target: "paused", actions: ["becausePaused", ...changed] },
        "version.disabled": { target: "disabled", actions: ["resumeAsActive", ...changed] },
        "deployment.superseded": superseded,
        "deployment.stopped": stopped,
        "rollout.changed": tuned,
        "ring.started": { guard: "hasNextRing", actions: ["nextRing", ...changed] },
        "terminals.counted": [
          { guard: "tooManyFail", target: "paused", actions: ["count", "becauseOfFailures", ...changed] },
          { guard: "ringHolds", actions: ["count", "nextRing", ...changed] },
          counted,
        ],
      },
    },
    paused: {
      description: "An operator has stopped it, or too many installs failed.",
      on: {
        "deployment.resumed": { target: "active", actions: ["forgive", ...changed] },
        "version.disabled": { target: "disabled", actions: ["resumeAsPaused", ...changed] },
        "deployment.superseded": superseded,
        "deployment.stopped": stopped,
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
        "deployment.stopped": stopped,
        "rollout.changed": tuned,
        "terminals.counted": counted,
      },
    },
    superseded: {
      description: "Another deployment took its place, it was rolled back, or an administrator has stopped it.",
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

export interface NewDeployment extends RolloutPlan {
  id: number;
  versionId: number;
  target: DeploymentTarget;
  atMs: number;
}

/** A deployment as it begins: a draft. */
export function newDeployment({ id, versionId, target, atMs, ...plan }: NewDeployment): AppDeployment {
  const { pauseAtFailurePercent, pauseAfterReports, rings = [], advanceAfterReports = null, startsByHand = false } = plan;
  const [first] = rings;
  const context: DeploymentContext = {
    schema: 1,
    id,
    versionId,
    target,
    rolloutPercent: first?.percent ?? plan.rolloutPercent,
    pauseAtFailurePercent,
    pauseAfterReports,
    ...(first === undefined ? {} : { staged: { rings, started: 0, advanceAfterReports } }),
    ...(startsByHand ? { startsByHand } : {}),
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
