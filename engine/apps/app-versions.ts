import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { maskPans, maskSchemePans } from "../kernel/mask.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { AppCatalog } from "./app-catalog.ts";
import type { AppStore } from "./app-store.ts";
import { type AppVersion, VERSIONS_MAX } from "./app-version.ts";
import type { Deployments } from "./deployments.ts";
import type { PackageStore } from "./package-store.ts";

export type VersionMembers = Pick<AppVersion, "versionCode" | "versionName" | "mandatory" | "releaseNotes">;

/** Administration of app versions. Rejects with RelayError `not_found`, `conflict` (a version code twice), `unavailable`. */
export interface AppVersions {
  create(members: VersionMembers & { active: boolean }): Promise<AppVersion>;
  /** Absent members stay. */
  change(id: number, members: Partial<VersionMembers>): Promise<AppVersion>;
  setActive(id: number, active: boolean): Promise<AppVersion>;
  /** With its deployments and its package. Repeating it finishes one that broke off. */
  remove(id: number): Promise<void>;
}

const ATTEMPTS_MAX = 16;

export function createAppVersions(
  store: AppStore,
  catalog: AppCatalog,
  deployments: Deployments,
  packages: PackageStore,
  clock: Clock,
): AppVersions {
  /** `evenDeleting`: for the deletion itself. */
  async function alter(
    id: number,
    next: (before: AppVersion) => AppVersion,
    evenDeleting: "evenDeleting" | "unlessDeleting" = "unlessDeleting",
  ): Promise<AppVersion> {
    return retryOnConflict(ATTEMPTS_MAX, async () => {
      const stored = await store.version(id);
      if (stored === null || (stored.record.deleting && evenDeleting === "unlessDeleting")) throw notFound();
      const record = next(stored.record);
      const codeBefore = stored.record.versionCode;
      const outcome = await store.commit({ version: { record, version: stored.version, codeBefore }, changesTable: true });
      if (outcome === "code_taken") throw codeTaken(record.versionCode);
      return outcome === "committed" ? record : CONFLICT;
    });
  }

  return {
    create: async (members) => {
      if (catalog.versions().length >= VERSIONS_MAX)
        throw new RelayError("conflict", `There are already ${VERSIONS_MAX} versions; delete one first`);
      const id = await store.nextId();
      const record: AppVersion = { ...members, ...kept(members), id, createdAtMs: clock.nowMs(), package: null, deleting: false };
      const outcome = await store.commit({ version: { record, version: 0, codeBefore: null }, changesTable: true });
      if (outcome === "code_taken") throw codeTaken(record.versionCode);
      if (outcome === "stale") throw new Error("the same new id was given to two versions");
      await catalog.propagate();
      return record;
    },
    change: async (id, members) => {
      const record = await alter(id, (before) => ({ ...before, ...members, ...kept(members) }));
      await catalog.propagate();
      return record;
    },
    setActive: async (id, active) => {
      const record = await alter(id, (before) => ({ ...before, active }));
      await deployments.versionSwitched(id, active);
      await catalog.propagate();
      return record;
    },
    remove: async (id) => {
      // From here on nothing is deployed, uploaded or offered, so that what follows sees all there is.
      await alter(id, (before) => ({ ...before, deleting: true }), "evenDeleting");
      await deployments.removeOf(id);
      const stored = await store.version(id);
      if (stored !== null) {
        const outcome = await store.commit({ removedVersion: stored, changesTable: true });
        if (outcome !== "committed")
          throw new RelayError("conflict", "Somebody else changed the version at the same time; delete it again");
      }
      await catalog.propagate();
      if (stored !== null && stored.record.package !== null) await packages.remove(stored.record.package.fileName);
    },
  };
}

/** The texts among them, as they are kept: without card numbers. */
function kept({ versionName, releaseNotes }: Partial<VersionMembers>): Partial<VersionMembers> {
  return {
    ...(versionName === undefined ? {} : { versionName: maskSchemePans(versionName) }),
    ...(releaseNotes === undefined ? {} : { releaseNotes: maskPans(releaseNotes) }),
  };
}

function notFound(): RelayError {
  return new RelayError("not_found", "There is no such version");
}

function codeTaken(versionCode: number): RelayError {
  return new RelayError("invalid_request", `versionCode: a version with the code ${versionCode} already exists`);
}
