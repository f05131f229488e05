import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import type { Ids } from "../kernel/ids.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { AppCatalog } from "./app-catalog.ts";
import { type AppStore, UPLOAD_LOCK_MS, type UploadLock } from "./app-store.ts";
import { type AppVersion, beginsAsZip, ZIP_SIGNATURE } from "./app-version.ts";
import type { Deployments } from "./deployments.ts";
import type { PackageStore, StagedPackage } from "./package-store.ts";

/** Hands the file on piece by piece; the next one comes when `take` has resolved. */
export type ReadFile = (take: (piece: Uint8Array) => Promise<void>) => Promise<void>;

/**
 * Takes the package of a version in the place of the one it had, unless that is deployed. All or nothing: what breaks off, is no package or
 * finds the version gone leaves no file. Rejects with RelayError `not_found`, `conflict` (the version's package is deployed, or another upload
 * of it is under way), `invalid_request`, `unavailable`, and with what `read` rejects with.
 */
export type UploadPackage = (versionId: number, read: ReadFile) => Promise<AppVersion>;

export interface UploadPackageOptions {
  store: AppStore;
  catalog: AppCatalog;
  deployments: Deployments;
  packages: PackageStore;
  clock: Clock;
  ids: Ids;
}

const ATTEMPTS_MAX = 16;

export function createUploadPackage({ store, catalog, deployments, packages, clock, ids }: UploadPackageOptions): UploadPackage {
  /** Hands pieces on as long as they are a ZIP file's, and keeps the lock. */
  function checked(read: ReadFile, held: { lock: UploadLock }): ReadFile {
    return async (take) => {
      const head: number[] = [];
      let renewedAt = clock.monotonicMs();
      await read(async (piece) => {
        if (head.length < ZIP_SIGNATURE.length) head.push(...piece.subarray(0, ZIP_SIGNATURE.length - head.length));
        if (!beginsAsZip(Uint8Array.from(head))) throw notPackage();
        if (clock.monotonicMs() - renewedAt > UPLOAD_LOCK_MS / 4) {
          const renewed = await store.renewUpload(held.lock);
          if (renewed === null) throw new RelayError("conflict", "The upload took so long that another upload replaced it");
          held.lock = renewed;
          renewedAt = clock.monotonicMs();
        }
        await take(piece);
      });
      if (head.length < ZIP_SIGNATURE.length) throw notPackage();
    };
  }

  /** Terminals that have this version code are not offered it again: they would keep other bytes than those that are offered from now on. */
  async function requireReplaceable(version: AppVersion): Promise<void> {
    if (version.package === null || !(await deployments.isDeployed(version.id))) return;
    throw new RelayError(
      "conflict",
      "The version is deployed, so its package cannot be replaced: create a version with a higher versionCode",
    );
  }

  async function adopt(versionId: number, staged: StagedPackage, fileName: string, lock: UploadLock) {
    await staged.keep(fileName);
    const attempt = async () => {
      const stored = await store.version(versionId);
      if (stored === null || stored.record.deleting) throw new RelayError("not_found", "The version was deleted during the upload");
      // Deploying changes the record, so that this holds until the commit.
      await requireReplaceable(stored.record);
      const { md5, bytes } = staged;
      const record: AppVersion = { ...stored.record, package: { fileName, md5, bytes, storedAtMs: clock.nowMs() } };
      const outcome = await store.commit({
        version: { record, version: stored.version, codeBefore: record.versionCode },
        upload: lock,
        changesTable: true,
      });
      return outcome === "committed" ? { record, replaced: stored.record.package } : CONFLICT;
    };
    try {
      return await retryOnConflict(ATTEMPTS_MAX, attempt, changedMeanwhile);
    } catch (error) {
      // Where it is not known whether the record was stored, it may name the file.
      if (error instanceof RelayError && error.code !== "unavailable") await packages.remove(fileName);
      throw error;
    }
  }

  return async (versionId, read) => {
    const version = await store.version(versionId);
    if (version === null || version.record.deleting) throw new RelayError("not_found", "There is no such version");
    // Before the file is received.
    await requireReplaceable(version.record);
    const lock = await store.lockUpload(versionId);
    if (lock === null) throw new RelayError("conflict", "Another upload of this version is in progress; retry later");
    const held = { lock };
    try {
      const staged = await packages.receive(checked(read, held));
      const fileName = `app-${version.record.versionCode}-${ids.uuid()}.apk`;
      const { record, replaced } = await adopt(versionId, staged, fileName, held.lock).catch(async (error: unknown) => {
        await staged.discard();
        throw error;
      });
      await deployments.packageStored(versionId);
      await catalog.propagate();
      if (replaced !== null) await packages.remove(replaced.fileName);
      return record;
    } finally {
      // Where this does not get through it expires by itself.
      await store.releaseUpload(held.lock).catch(() => {});
    }
  };
}

function notPackage(): RelayError {
  return new RelayError("invalid_request", "file: is not an app package, because it does not begin like a ZIP file");
}

function changedMeanwhile(): RelayError {
  return new RelayError("conflict", "The version was changed at the same time, or another upload of it began; upload again");
}
