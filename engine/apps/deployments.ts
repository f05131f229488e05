import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Stored } from "../kernel/stored.ts";
import type { AppCatalog } from "./app-catalog.ts";
import {
  type AppDeployment,
  type DeploymentTarget,
  emptyTarget,
  HISTORY_MAX,
  type InstallStep,
  RETIRED_MAX,
  type RolloutOptions,
  type RolloutPlan,
  TARGETS_MAX,
  type TargetRecord,
  targetName,
  withoutDeployment,
} from "./app-deployment.ts";
import type { AppStore } from "./app-store.ts";
import type { AppVersion } from "./app-version.ts";
import { createDeploymentCounts } from "./deployment-counts.ts";
import { type DeploymentEvent, newDeployment, stepDeployment } from "./machine.ts";

/** App deployment actors: each call is one stored step of one or more of them. Rejects with RelayError `not_found`, `conflict`, `unavailable`. */
export interface Deployments {
  /** A new deployment in the place of what the target had; a draft where the version has no package yet, or an administrator is to start it. */
  deploy(versionId: number, target: DeploymentTarget, plan: RolloutPlan): Promise<AppDeployment>;
  /** Starts a draft that waits for it; it stays a draft while its version has no package. */
  start(id: number): Promise<AppDeployment>;
  /** Starts the next ring. */
  startNextRing(id: number): Promise<AppDeployment>;
  /** Ends it for good; answers with it. What stood before it takes its place, if that can be offered. */
  stop(id: number): Promise<AppDeployment>;
  pause(id: number): Promise<AppDeployment>;
  resume(id: number): Promise<AppDeployment>;
  tune(id: number, options: Partial<RolloutOptions>): Promise<AppDeployment>;
  /** Puts what stood before it in its place; answers with that. */
  rollBack(id: number): Promise<AppDeployment>;
  /** With their counts; null for one that is not there. */
  read(ids: readonly number[]): Promise<(AppDeployment | null)[]>;
  /** Whether some target has the version as what it is offered, or can go back to: its package must stay as it is. */
  isDeployed(versionId: number): Promise<boolean>;
  /** Drafts of the version take their places. */
  packageStored(versionId: number): Promise<void>;
  versionSwitched(versionId: number, active: boolean): Promise<void>;
  /** Removes all deployments of a version. */
  removeOf(versionId: number): Promise<void>;
  /** Counts a terminal's step, once; resolves when it is stored. `reason`: why an install failed. */
  count(id: number, terminalId: string, step: InstallStep, reason?: string): Promise<void>;
  /** Whether this shard remembers that the offer was counted; false says nothing. */
  isOfferCounted(id: number, terminalId: string): boolean;
}

/** Others change the same records at the same time; losing so often in a row means that something is wrong. */
const ATTEMPTS_MAX = 32;

export interface DeploymentsOptions {
  store: AppStore;
  catalog: AppCatalog;
  clock: Clock;
  failed(what: string, error: unknown): void;
}

/** The record of a version as it is, written again: an upload that has found the version not deployed, and is not stored yet, finds it changed. */
function rewritten(version: Stored<AppVersion>): Stored<AppVersion> & { codeBefore: number } {
  return { ...version, codeBefore: version.record.versionCode };
}

export function createDeployments({ store, catalog, clock, failed }: DeploymentsOptions): Deployments {
  const counts = createDeploymentCounts({
    store,
    clock,
    offerChanged: () => {
      // Stored already; a shard that this does not reach finds it by the version of the table.
      catalog.propagate().catch((error: unknown) => failed("a deployment changed its offer", error));
    },
  });

  async function deploymentOf(id: number): Promise<Stored<AppDeployment>> {
    const [stored = null] = await store.deployments([id]);
    if (stored === null) throw new RelayError("not_found", "There is no such deployment");
    return stored;
  }

  async function versionOf(id: number): Promise<Stored<AppVersion>> {
    const stored = await store.version(id);
    if (stored === null || stored.record.deleting) throw new RelayError("not_found", "There is no such version");
    return stored;
  }

  function target(wanted: DeploymentTarget): Promise<Stored<TargetRecord>> {
    return store.target(targetName(wanted), emptyTarget(wanted));
  }

  /** The stored deployments of these ids, each stepped; those that are gone are left out. */
  async function stepped(ids: readonly (number | null)[], type: DeploymentEvent["type"] & `deployment.${string}`, atMs: number) {
    const stored = await store.deployments(ids.filter((id) => id !== null));
    return stored.flatMap((one) =>
      one === null ? [] : [{ record: stepDeployment(one.record, { type, atMs }).record, version: one.version }],
    );
  }

  /** A step of one deployment that concerns no other; the event may depend on the record as it is stored. */
  async function stepOne(
    id: number,
    eventFor: (before: AppDeployment) => DeploymentEvent,
    refusal: (record: AppDeployment) => string,
  ): Promise<AppDeployment> {
    const record = await retryOnConflict(ATTEMPTS_MAX, async () => {
      const { record: before, version } = await deploymentOf(id);
      const step = stepDeployment(before, eventFor(before));
      if (!step.changed) throw new RelayError("conflict", refusal(before));
      const outcome = await store.commit({ deployments: [{ record: step.record, version }], changesTable: step.offerChanged });
      return outcome === "committed" ? step.record : CONFLICT;
    });
    await catalog.propagate();
    return record;
  }

  /** A target with a new current deployment; what no longer fits its lists is removed. */
  function replaceCurrent(record: TargetRecord, id: number): { record: TargetRecord; dropped: number[] } {
    const without = withoutDeployment(record, id);
    const history = without.current === null ? without.history : [without.current, ...without.history];
    return {
      record: { ...without, current: id, history: history.slice(0, HISTORY_MAX) },
      dropped: history.slice(HISTORY_MAX),
    };
  }

  function retire(record: TargetRecord, id: number | null): { record: TargetRecord; dropped: number[] } {
    if (id === null) return { record, dropped: [] };
    const retired = [id, ...record.retired.filter((other) => other !== id)];
    return {
      record: { ...record, draft: record.draft === id ? null : record.draft, retired: retired.slice(0, RETIRED_MAX) },
      dropped: retired.slice(RETIRED_MAX),
    };
  }

  async function clearMarks(ids: readonly number[]): Promise<void> {
    for (const id of ids) await store.clearMarks(id);
  }

  async function deploy(versionId: number, wanted: DeploymentTarget, plan: RolloutPlan): Promise<AppDeployment> {
    await versionOf(versionId);
    if (catalog.target(wanted) === null && catalog.targetCount() >= TARGETS_MAX) {
      throw new RelayError("conflict", `There are already deployments for ${TARGETS_MAX} targets`);
    }
    const id = await store.nextId();
    const { record, dropped } = await retryOnConflict(ATTEMPTS_MAX, async () => {
      const [version, before] = await Promise.all([versionOf(versionId), target(wanted)]);
      if (!version.record.active) throw new RelayError("conflict", "The version is not active");
      const atMs = clock.nowMs();
      const draft = newDeployment({ id, versionId, target: wanted, atMs, ...plan });
      const takesPlace = version.record.package !== null && plan.startsByHand !== true;
      const created = takesPlace ? stepDeployment(draft, { type: "package.stored", atMs }).record : draft;
      // A draft of the same target is settled by whatever is deployed later.
      const settled = retire(before.record, before.record.draft);
      const next = takesPlace ? replaceCurrent(settled.record, id) : { record: { ...settled.record, draft: id }, dropped: [] };
      const replaced = [before.record.draft, takesPlace ? before.record.current : null];
      const gone = [...settled.dropped, ...next.dropped];
      const superseded = (await stepped(replaced, "deployment.superseded", atMs)).filter((one) => !gone.includes(one.record.id));
      const outcome = await store.commit({
        version: rewritten(version),
        deployments: [{ record: created, version: 0 }, ...superseded],
        removedDeployments: gone,
        targets: [{ record: next.record, version: before.version }],
        changesTable: true,
      });
      return outcome === "committed" ? { record: created, dropped: gone } : CONFLICT;
    });
    await clearMarks(dropped);
    await catalog.propagate();
    return record;
  }

  /** A draft whose package has come takes its place. */
  async function activate(id: number): Promise<void> {
    const dropped = await retryOnConflict(ATTEMPTS_MAX, async () => {
      const [draft = null] = await store.deployments([id]);
      if (draft === null) return [];
      const before = await target(draft.record.target);
      const atMs = clock.nowMs();
      const step = stepDeployment(draft.record, { type: "package.stored", atMs });
      if (!step.changed || before.record.draft !== id) return [];
      const version = await store.version(draft.record.versionId);
      if (version === null || version.record.deleting) return [];
      const next = replaceCurrent(before.record, id);
      const superseded = await stepped([before.record.current], "deployment.superseded", atMs);
      const outcome = await store.commit({
        version: rewritten(version),
        deployments: [
          { record: step.record, version: draft.version },
          ...superseded.filter((one) => !next.dropped.includes(one.record.id)),
        ],
        removedDeployments: next.dropped,
        targets: [{ record: next.record, version: before.version }],
        changesTable: true,
      });
      return outcome === "committed" ? next.dropped : CONFLICT;
    });
    await clearMarks(dropped);
  }

  /** The deployment that stood before the current one, or why it cannot take its place. */
  async function previousOf({ history: [previousId] }: TargetRecord) {
    const [previous = null] = previousId === undefined ? [] : await store.deployments([previousId]);
    if (previous === null) return "There is no earlier deployment to roll back to";
    const version = await store.version(previous.record.versionId);
    if (version === null || version.record.deleting || !version.record.active || version.record.package === null) {
      return "The version of the earlier deployment is disabled or has no package";
    }
    return { previous, version };
  }

  /** Takes a deployment away from its target. A roll-back needs an earlier deployment that takes its place; `stopped` needs none. */
  async function withdraw(id: number, type: "deployment.superseded" | "deployment.stopped") {
    const { restored, left, dropped } = await retryOnConflict(ATTEMPTS_MAX, async () => {
      const { record: before, version: versionBefore } = await deploymentOf(id);
      const { record: held, version } = await target(before.target);
      const isStopped = type === "deployment.stopped";
      if (isStopped && held.current !== id && held.draft !== id) throw new RelayError("conflict", "This deployment has already ended");
      if (!isStopped && held.current !== id) throw new RelayError("conflict", "Another deployment is current for this deployment's target");
      const found = held.current === id ? await previousOf(held) : null;
      if (typeof found === "string" && !isStopped) throw new RelayError("conflict", found);
      const atMs = clock.nowMs();
      const { record: off } = stepDeployment(before, { type, atMs });
      const without = withoutDeployment(held, id);
      const back = found === null || typeof found === "string" ? null : found;
      const record = back === null ? null : stepDeployment(back.previous.record, { type: "deployment.restored", atMs }).record;
      const next = retire(record === null ? without : { ...without, current: record.id, history: without.history.slice(1) }, id);
      const outcome = await store.commit({
        ...(back === null ? {} : { unchangedVersion: back.version }),
        deployments: [
          ...(back === null || record === null ? [] : [{ record, version: back.previous.version }]),
          { record: off, version: versionBefore },
        ],
        removedDeployments: next.dropped,
        targets: [{ record: next.record, version }],
        changesTable: true,
      });
      return outcome === "committed" ? { restored: record, left: off, dropped: next.dropped } : CONFLICT;
    });
    await clearMarks(dropped);
    await catalog.propagate();
    return { restored, left };
  }

  async function rollBack(id: number): Promise<AppDeployment> {
    const { restored } = await withdraw(id, "deployment.superseded");
    if (restored === null) throw new Error("a roll-back restored nothing");
    return restored;
  }

  /** Repeating it finishes one that broke off. */
  async function start(id: number): Promise<AppDeployment> {
    const { record } = await deploymentOf(id);
    const refusal = ({ state }: AppDeployment) => `A deployment that is ${state} cannot be started`;
    if (record.state !== "draft") throw new RelayError("conflict", refusal(record));
    if (record.startsByHand === true) await stepOne(id, () => ({ type: "deployment.started", atMs: clock.nowMs() }), refusal);
    const version = await versionOf(record.versionId);
    if (version.record.package !== null) {
      await activate(id);
      await catalog.propagate();
    }
    return (await deploymentOf(id)).record;
  }

  async function remove(id: number): Promise<void> {
    await retryOnConflict(ATTEMPTS_MAX, async () => {
      const [stored = null] = await store.deployments([id]);
      if (stored === null) return true;
      const before = await target(stored.record.target);
      const outcome = await store.commit({
        removedDeployments: [id],
        targets: [{ record: withoutDeployment(before.record, id), version: before.version }],
        changesTable: true,
      });
      return outcome === "committed" ? true : CONFLICT;
    });
    await store.clearMarks(id);
  }

  /** The deployments of a version, those too that this shard has not loaded yet. */
  async function idsOf(versionId: number): Promise<number[]> {
    const { deployments } = await store.load();
    return deployments.filter((deployment) => deployment.versionId === versionId).map(({ id }) => id);
  }

  return {
    deploy,
    rollBack,
    start,
    stop: async (id) => (await withdraw(id, "deployment.stopped")).left,
    startNextRing: (id) =>
      stepOne(
        id,
        () => ({ type: "ring.started", atMs: clock.nowMs() }),
        (record) =>
          record.state === "active" ? "This deployment has no further ring" : `A deployment that is ${record.state} cannot start a ring`,
      ),
    pause: (id) =>
      stepOne(
        id,
        () => ({ type: "deployment.paused", atMs: clock.nowMs() }),
        ({ state }) => `A deployment that is ${state} cannot be paused`,
      ),
    resume: (id) =>
      stepOne(
        id,
        () => ({ type: "deployment.resumed", atMs: clock.nowMs() }),
        ({ state }) => `A deployment that is ${state} cannot be resumed`,
      ),
    tune: (id, options) =>
      stepOne(
        id,
        (before) => {
          if (before.staged !== undefined && options.rolloutPercent !== undefined) {
            throw new RelayError("conflict", "A deployment in rings has no percentage of its own: start its next ring");
          }
          const { rolloutPercent, pauseAtFailurePercent, pauseAfterReports } = { ...before, ...options };
          return { type: "rollout.changed", atMs: clock.nowMs(), options: { rolloutPercent, pauseAtFailurePercent, pauseAfterReports } };
        },
        ({ state }) => `A deployment that is ${state} cannot be changed`,
      ),
    isDeployed: async (versionId) => {
      const { deployments, targets } = await store.load();
      const versions = new Map(deployments.map((deployment) => [deployment.id, deployment.versionId]));
      const stand = targets.flatMap(({ current, history }) => (current === null ? history : [current, ...history]));
      return stand.some((id) => versions.get(id) === versionId);
    },
    read: async (ids) => (await store.deployments(ids)).map((stored) => stored?.record ?? null),
    packageStored: async (versionId) => {
      for (const id of await idsOf(versionId)) await activate(id);
    },
    versionSwitched: async (versionId, active) => {
      for (const id of await idsOf(versionId)) {
        await retryOnConflict(ATTEMPTS_MAX, async () => {
          const [stored = null] = await store.deployments([id]);
          if (stored === null) return true;
          const step = stepDeployment(stored.record, { type: active ? "version.enabled" : "version.disabled", atMs: clock.nowMs() });
          if (!step.changed) return true;
          const outcome = await store.commit({ deployments: [{ record: step.record, version: stored.version }], changesTable: true });
          return outcome === "committed" ? true : CONFLICT;
        });
        // Its package may have come while it was withdrawn.
        const version = await store.version(versionId);
        if (active && version !== null && version.record.package !== null) await activate(id);
      }
    },
    removeOf: async (versionId) => {
      for (const id of await idsOf(versionId)) await remove(id);
    },
    count: counts.count,
    isOfferCounted: counts.isOfferCounted,
  };
}
