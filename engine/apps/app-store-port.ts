import type { Stored } from "../kernel/stored.ts";
import type { AppDeployment, InstallMark, TargetRecord } from "./app-deployment.ts";
import type { AppVersion } from "./app-version.ts";
import type { InstallLog } from "./install-log.ts";

/** The name of the table that every shard has in memory (engine/tables/table-sync.ts). */
export const APPS_TABLE = "apps";

/** One change: all of it or nothing. Each record names the version that it replaces, 0 for a new one. */
export interface AppChange {
  /** `codeBefore` is the version code that the replaced record has, null for a new one. */
  version?: Stored<AppVersion> & { codeBefore: number | null };
  removedVersion?: Stored<AppVersion>;
  /** Has to be as it was read, and stays so. */
  unchangedVersion?: Stored<AppVersion>;
  deployments?: readonly Stored<AppDeployment>[];
  removedDeployments?: readonly number[];
  /** An empty one is removed. */
  targets?: readonly Stored<TargetRecord>[];
  marks?: readonly (Stored<InstallMark> & { deploymentId: number; terminalId: string })[];
  /** Still held. */
  upload?: UploadLock;
  /** False where only counts move, which no shard holds in memory. */
  changesTable: boolean;
}

/** `code_taken`: another version has this version code. `stale`: something has changed since it was read. */
export type AppChangeOutcome = "committed" | "code_taken" | "stale";

/** The right to upload the package of one version; lapses by itself when it is not renewed for `UPLOAD_LOCK_MS`. */
export interface UploadLock {
  versionId: number;
  version: number;
}

export const UPLOAD_LOCK_MS = 120_000;

export interface AppTable {
  versions: AppVersion[];
  deployments: AppDeployment[];
  targets: TargetRecord[];
}

/** Where app versions, deployments and what terminals report are kept. Rejects with RelayError `unavailable`. */
export interface AppStore {
  /** Everything that a shard holds in memory. */
  load(): Promise<AppTable>;
  /** A number that was never given before. */
  nextId(): Promise<number>;
  version(id: number): Promise<Stored<AppVersion> | null>;
  /** In the order of the ids; null for one that is gone. */
  deployments(ids: readonly number[]): Promise<(Stored<AppDeployment> | null)[]>;
  /** A target that has nothing is empty, at version 0. */
  target(name: string, empty: TargetRecord): Promise<Stored<TargetRecord>>;
  /** In the order of the terminals; one without a mark has `NO_MARK` at version 0. */
  marks(deploymentId: number, terminalIds: readonly string[]): Promise<Stored<InstallMark>[]>;
  /** Removes the marks of a deployment that is gone. */
  clearMarks(deploymentId: number): Promise<void>;
  commit(change: AppChange): Promise<AppChangeOutcome>;
  /** Null while another upload of the version is under way. */
  lockUpload(versionId: number): Promise<UploadLock | null>;
  /** Null when it has lapsed and may be another's. */
  renewUpload(lock: UploadLock): Promise<UploadLock | null>;
  releaseUpload(lock: UploadLock): Promise<void>;
  /** Of a node by itself, at its start: whoever held them is gone. */
  clearUploads(): Promise<void>;
  appendInstallLog(log: Omit<InstallLog, "id">): Promise<void>;
  /** Newest first. */
  installLogs(versionCode: number, limit: number): Promise<InstallLog[]>;
}
