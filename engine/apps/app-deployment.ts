/** Whom a version is meant for. A terminal's own deployment comes before its merchant's, that before the global one. */
export type DeploymentTarget = { type: "terminal"; terminalId: string } | { type: "merchant"; merchantId: string } | { type: "global" };

/**
 *   draft       waits for the version's package
 *   active      offered
 *   paused      holds its terminals where they are
 *   superseded  another deployment has taken its place
 *   disabled    its version is withdrawn
 */
export type DeploymentState = "draft" | "active" | "paused" | "superseded" | "disabled";

/** Distinct terminals. A terminal whose install succeeded in the end is counted as installed and no longer as failed. */
export interface DeploymentCounts {
  offered: number;
  downloaded: number;
  installed: number;
  failed: number;
}

export const NOTHING_COUNTED: DeploymentCounts = { offered: 0, downloaded: 0, installed: 0, failed: 0 };

/** The relay's own addition, off by default. */
export interface RolloutOptions {
  /** Of the target's terminals, always the same ones: 100 is all of them. */
  rolloutPercent: number;
  /** Pauses once so many percent of the reports say that the install failed; null never does. */
  pauseAtFailurePercent: number | null;
  /** Reports that there have to be before that is looked at. */
  pauseAfterReports: number;
}

export const ROLLOUT_DEFAULT: RolloutOptions = { rolloutPercent: 100, pauseAtFailurePercent: null, pauseAfterReports: 10 };

/** One step of a roll-out in rings: the terminals of these groups, and a percentage of the target's terminals. */
export interface RolloutRing {
  /** Groups of cloud configurations. */
  groups: readonly string[];
  percent: number;
}

/** A roll-out in rings. Each ring is offered the version in addition to the earlier ones. */
export interface RolloutRings {
  rings: readonly RolloutRing[];
  /** The index of the latest ring that has started. */
  started: number;
  /**
   * The next ring starts after this many reports since the last one started, if fewer than
   * `pauseAtFailurePercent` of them are failures. Null: an administrator starts each ring.
   */
  advanceAfterReports: number | null;
}

export const RINGS_MAX = 10;
export const RING_GROUPS_MAX = 50;

/** What a new deployment may have besides the options that can be changed later. */
export interface RolloutPlan extends RolloutOptions {
  rings?: readonly RolloutRing[];
  advanceAfterReports?: number | null;
  /** The deployment stays a draft until an administrator starts it. */
  startsByHand?: boolean;
}

/** The record of an app deployment actor. */
export interface AppDeployment extends RolloutOptions {
  schema: 1;
  id: number;
  versionId: number;
  target: DeploymentTarget;
  state: DeploymentState;
  pausedBecause: "operator" | "failures" | null;
  /** Where a disabled one goes when its version is active again. */
  resumesAs: "draft" | "active" | "paused";
  counts: DeploymentCounts;
  /** Reports that stood when it was last resumed: what failed before does not pause it again. */
  countedBefore: Pick<DeploymentCounts, "installed" | "failed">;
  /** Absent: the deployment has no rings. With rings, `rolloutPercent` is the largest percentage of the started ones. */
  staged?: RolloutRings;
  /** True for a draft that an administrator has to start. */
  startsByHand?: boolean;
  /** True for a superseded deployment that an administrator has stopped. */
  stopped?: boolean;
  createdAtMs: number;
  changedAtMs: number;
}

/** What a target has. At most one deployment stands for it at a time. */
export interface TargetRecord {
  target: DeploymentTarget;
  current: number | null;
  /** Takes the place of the current one once its version has a package. */
  draft: number | null;
  /** Those that were replaced, the latest first: what a roll-back goes to, and what terminals outside a stage still get. */
  history: readonly number[];
  /** Those that were rolled back, or replaced as drafts; kept to be looked at. */
  retired: readonly number[];
}

/** Targets of one installation; all of them are in the memory of each shard. */
export const TARGETS_MAX = 5_000;
export const HISTORY_MAX = 3;
export const RETIRED_MAX = 3;

/** Terminals that are counted for one deployment. Each id counted is an entry of the store, and under the credential that a fleet shares there may be any ids. */
export const COUNTED_TERMINALS_MAX = 200_000;

/** How a target is called in keys, the same for the same target. */
export function targetName(target: DeploymentTarget): string {
  switch (target.type) {
    case "terminal":
      return `terminal/${target.terminalId}`;
    case "merchant":
      return `merchant/${encodeURIComponent(target.merchantId)}`;
    case "global":
      return "global";
  }
}

export function emptyTarget(target: DeploymentTarget): TargetRecord {
  return { target, current: null, draft: null, history: [], retired: [] };
}

export function isEmptyTarget({ current, draft, history, retired }: TargetRecord): boolean {
  return current === null && draft === null && history.length === 0 && retired.length === 0;
}

/** All deployments that a target has, the current one first. */
export function deploymentsOf({ current, draft, history, retired }: TargetRecord): number[] {
  return [current, draft, ...history, ...retired].filter((id) => id !== null);
}

/** A target without one of its deployments. */
export function withoutDeployment(record: TargetRecord, id: number): TargetRecord {
  return {
    target: record.target,
    current: record.current === id ? null : record.current,
    draft: record.draft === id ? null : record.draft,
    history: record.history.filter((other) => other !== id),
    retired: record.retired.filter((other) => other !== id),
  };
}

/** What is known of one terminal and one deployment; so each terminal counts once. */
export interface InstallMark {
  offered: boolean;
  downloaded: boolean;
  outcome: "installed" | "failed" | null;
  /** Why the latest install failed, in the words of the terminal, without card numbers. Absent if it gave no reason. */
  reason?: string;
}

export type InstallStep = "offered" | "downloaded" | "installed" | "failed";

export const NO_MARK: InstallMark = { offered: false, downloaded: false, outcome: null };

/** A terminal's next step: its mark afterwards, and how the counts move. Once installed, a late or repeated failure changes nothing. */
export function markAfter(mark: InstallMark, step: InstallStep, reason?: string): { mark: InstallMark; moves: DeploymentCounts } {
  const unmoved = { mark, moves: NOTHING_COUNTED };
  const { reason: reasonBefore, ...known } = mark;
  switch (step) {
    case "offered":
    case "downloaded":
      return mark[step] ? unmoved : { mark: { ...mark, [step]: true }, moves: { ...NOTHING_COUNTED, [step]: 1 } };
    case "installed":
      if (mark.outcome === "installed") return unmoved;
      return {
        mark: { ...known, outcome: "installed" },
        moves: { ...NOTHING_COUNTED, installed: 1, failed: mark.outcome === "failed" ? -1 : 0 },
      };
    case "failed":
      if (mark.outcome === "installed" || (mark.outcome === "failed" && (reason === undefined || reason === reasonBefore))) return unmoved;
      return {
        mark: { ...known, outcome: "failed", ...(reason === undefined ? {} : { reason }) },
        moves: { ...NOTHING_COUNTED, failed: mark.outcome === null ? 1 : 0 },
      };
  }
}

export function addCounts(one: DeploymentCounts, other: DeploymentCounts): DeploymentCounts {
  return {
    offered: one.offered + other.offered,
    downloaded: one.downloaded + other.downloaded,
    installed: one.installed + other.installed,
    failed: one.failed + other.failed,
  };
}

/** The groups of all rings that have started; none without rings. */
export function startedGroups(staged: RolloutRings | undefined): readonly string[] {
  return staged === undefined ? [] : staged.rings.slice(0, staged.started + 1).flatMap(({ groups }) => groups);
}

export function hasNextRing({ staged }: Pick<AppDeployment, "staged">): boolean {
  return staged !== undefined && staged.started + 1 < staged.rings.length;
}
