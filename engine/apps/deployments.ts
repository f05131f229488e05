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
  /** A new deployment in the place of what the target had; a draft where the version has no package yet. */
  deploy(versionId: number, target: DeploymentTarget, options: RolloutOptions): Promise<AppDeployment>;
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
  /** Counts a terminal's step, once; resolves when it is stored. */
  count(id: number, terminalId: string, step: InstallStep): Promise<void>;
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

/** One step of several records: what is stored, and what the caller gets. Null: something had changed, read again. */

/** The record of a version as it is, written again: an upload that has found the version not deployed, and is not stored yet, finds it changed. */
function rewritten(version: Stored<AppVersion>): Stored<AppVersion> & { codeBefore: number } {
  return { ...version, codeBefore: version.record.versionCode };
}

export function createDeployments({ store, catalog, clock, failed }: DeploymentsOptions): Deployments {
  const counts = createDeploymentCounts({
    store,
    clock,
    paused: () => {
      // Stored already; a shard that this does not reach finds it by the version of the table.
      catalog.propagate().catch((error: unknown) => failed("a deployment paused itself", error));
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

  async function deploy(versionId: number, wanted: DeploymentTarget, options: RolloutOptions): Promise<AppDeployment> {
    await versionOf(versionId);
    if (catalog.target(wanted) === null && catalog.targetCount() >= TARGETS_MAX) {
      throw new RelayError("conflict", `There are already deployments for ${TARGETS_MAX} targets`);
    }
    const id = await store.nextId();
    const { record, dropped } = await retryOnConflict(ATTEMPTS_MAX, async () => {
      const [version, before] = await Promise.all([versionOf(versionId), target(wanted)]);
      if (!version.record.active) throw new RelayError("conflict", "The version is not active");
      const atMs = clock.nowMs();
      const draft = newDeployment({ id, versionId, target: wanted, atMs, ...options });
      const takesPlace = version.record.package !== null;
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

  async function rollBack(id: number): Promise<AppDeployment> {
    const { restored, dropped } = await retryOnConflict(ATTEMPTS_MAX, async () => {
      const current = await deploymentOf(id);
      const before = await target(current.record.target);
      if (before.record.current !== id) throw new RelayError("conflict", "Another deployment is current for this deployment's target");
      const [previousId] = before.record.history;
      const [previous = null] = previousId === undefined ? [] : await store.deployments([previousId]);
      if (previous === null) throw new RelayError("conflict", "There is no earlier deployment to roll back to");
      const version = await store.version(previous.record.versionId);
      if (version === null || version.record.deleting || !version.record.active || version.record.package === null) {
        throw new RelayError("conflict", "The version of the earlier deployment is disabled or has no package");
      }
      const atMs = clock.nowMs();
      const back = stepDeployment(previous.record, { type: "deployment.restored", atMs });
      const off = stepDeployment(current.record, { type: "deployment.superseded", atMs });
      const without = withoutDeployment(before.record, id);
      const next = retire({ ...without, current: previous.record.id, history: without.history.slice(1) }, id);
      const outcome = await store.commit({
        unchangedVersion: version,
        deployments: [
          { record: back.record, version: previous.version },
          { record: off.record, version: current.version },
        ],
        removedDeployments: next.dropped,
        targets: [{ record: next.record, version: before.version }],
        changesTable: true,
      });
      return outcome === "committed" ? { restored: back.record, dropped: next.dropped } : CONFLICT;
    });
    await clearMarks(dropped);
    await catalog.propagate();
    return restored;
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
