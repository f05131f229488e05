import { available, type Commit, type Entry, type Kv, type Operation, prefixRange } from "../kernel/kv.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { readBareRecord, readRecord, recordText, type SchemaKind } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { timeDigits } from "../kernel/time-digits.ts";
import { tableVersionOperation } from "../tables/table-versions.ts";
import { type AppDeployment, type InstallMark, isEmptyTarget, NO_MARK, type TargetRecord, targetName } from "./app-deployment.ts";
import type { AppVersion } from "./app-version.ts";
import { INSTALL_LOG_LIFETIME_MS, INSTALL_LOGS_PER_VERSION_MAX, type InstallLog } from "./install-log.ts";

/** The name of the table that every shard has in memory (engine/tables/replicated-table.ts). */
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

/** The right to upload the package of one version; expires by itself when it is not renewed for `UPLOAD_LOCK_MS`. */
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
  /** By terminal id, after `after`; empty at the end. */
  marksAfter(deploymentId: number, after: string, limit: number): Promise<{ terminalId: string; mark: InstallMark }[]>;
  /** Removes the marks of a deployment that is gone. */
  clearMarks(deploymentId: number): Promise<void>;
  commit(change: AppChange): Promise<AppChangeOutcome>;
  /** Null while another upload of the version is under way. */
  lockUpload(versionId: number): Promise<UploadLock | null>;
  /** Null when it has expired and may be another's. */
  renewUpload(lock: UploadLock): Promise<UploadLock | null>;
  releaseUpload(lock: UploadLock): Promise<void>;
  /** Of a node by itself, at its start: whoever held them is gone. */
  clearUploads(): Promise<void>;
  appendInstallLog(log: Omit<InstallLog, "id">): Promise<void>;
  /** Newest first; only those of terminals themselves, or only those of others, where `fromTerminal` says so. */
  installLogs(versionCode: number, limit: number, fromTerminal?: boolean): Promise<InstallLog[]>;
}

const VERSIONS = "app/version/";
const CODES = "app/code/";
const DEPLOYMENTS = "app/deployment/";
const TARGETS = "app/target/";
const MARKS = "app/mark/";
const LOGS = "app/log/";
const UPLOADS = "app/upload/";
const LAST_ID = "app/last-id";

/** Records read at once: parsing them holds the thread up. */
const PAGE = 500;

/** Entries removed by one commit. */
const REMOVED_AT_ONCE = 1_000;

/** A terminal that has not asked for so long is counted anew. */
const MARK_LIFETIME_MS = 400 * 86_400_000;

/** The oldest logs of a version are removed at its first append here and then at each so many: counting them each time costs a scan. */
const TRIM_EVERY = 64;
const COUNTED_MAX = 1_000;

/** Losing the race for a number this often in a row means that something is wrong. */
const ID_ATTEMPTS_MAX = 32;

export interface AppStoreOptions {
  kv: Kv;
  nowMs(): number;
  /** Unique among all writers (shards of all nodes and restarts); part of the keys of logs. */
  writer: string;
}

/**
 * App versions and deployments on the key-value store: `app/version/<id>`, `app/code/<versionCode>` (the id), `app/deployment/<id>`,
 * `app/target/<target>`, `app/mark/<deployment>/<terminalId>`, `app/log/terminals/<versionCode>/<13-digit ms>-<writer>-<count>` (told by
 * terminals themselves), `app/log/others/<versionCode>/...`, `app/upload/<versionId>`.
 */
export function createAppStore({ kv, nowMs, writer }: AppStoreOptions): AppStore {
  let logged = 0;
  const appends = new Map<string, number>();

  async function all<T extends object>(kind: SchemaKind, prefix: string): Promise<T[]> {
    const records: T[] = [];
    let { from, to } = prefixRange(prefix);
    for (;;) {
      const page = await kv.scan({ from, to, limit: PAGE });
      for (const { key, value } of page) records.push(recordIn<T>(kind, key, value));
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return records;
      from = `${last.key}\u0001`;
    }
  }

  async function removeAll(prefix: string): Promise<void> {
    for (;;) {
      const entries = await kv.scan({ ...prefixRange(prefix), limit: REMOVED_AT_ONCE });
      if (entries.length > 0) await kv.commit({ checks: [], operations: entries.map(({ key }) => ({ type: "delete", key })) });
      if (entries.length < REMOVED_AT_ONCE) return;
    }
  }

  function lockOperation(versionId: number): Operation {
    return { type: "put", key: UPLOADS + versionId, value: writer, expiresAtMs: nowMs() + UPLOAD_LOCK_MS };
  }

  async function takeLock(versionId: number, version: number): Promise<UploadLock | null> {
    const checks = [{ key: UPLOADS + versionId, version }];
    const result = await kv.commit({ checks, operations: [lockOperation(versionId)] });
    return result.type === "committed" ? { versionId, version: result.version } : null;
  }

  async function trimLogs(prefix: string): Promise<void> {
    const entries = await kv.scan({ ...prefixRange(prefix), limit: INSTALL_LOGS_PER_VERSION_MAX + TRIM_EVERY * 2, reverse: true });
    const operations = entries.slice(INSTALL_LOGS_PER_VERSION_MAX).map(({ key }) => ({ type: "delete", key }) as const);
    if (operations.length > 0) await kv.commit({ checks: [], operations });
  }

  function isTimeToTrim(prefix: string): boolean {
    const count = appends.get(prefix) ?? 0;
    if (appends.size >= COUNTED_MAX) appends.clear();
    appends.set(prefix, count + 1);
    return count % TRIM_EVERY === 0;
  }

  return {
    load: () =>
      available(async () => {
        const [versions, deployments, targets] = await Promise.all([
          all<AppVersion>("appVersion", VERSIONS),
          all<AppDeployment>("appDeployment", DEPLOYMENTS),
          all<TargetRecord>("appTarget", TARGETS),
        ]);
        return { versions, deployments, targets };
      }),
    nextId: () =>
      available(() =>
        retryOnConflict(ID_ATTEMPTS_MAX, async () => {
          const entry = await kv.get(LAST_ID);
          const id = (entry === null ? 0 : Number(entry.value)) + 1;
          const checks = [{ key: LAST_ID, version: entry?.version ?? 0 }];
          const result = await kv.commit({ checks, operations: [{ type: "put", key: LAST_ID, value: String(id) }] });
          return result.type === "committed" ? id : CONFLICT;
        }),
      ),
    version: (id) => available(async () => stored<AppVersion>("appVersion", await kv.get(VERSIONS + id))),
    deployments: (ids) =>
      available(async () =>
        ids.length === 0
          ? []
          : (await kv.getMany(ids.map((id) => DEPLOYMENTS + id))).map((entry) => stored<AppDeployment>("appDeployment", entry)),
      ),
    target: (name, empty) =>
      available(async () => stored<TargetRecord>("appTarget", await kv.get(TARGETS + name)) ?? { record: empty, version: 0 }),
    marks: (deploymentId, terminalIds) =>
      available(async () => {
        const entries = await kv.getMany(terminalIds.map((terminalId) => markKey(deploymentId, terminalId)));
        return entries.map((entry) => stored<InstallMark>("appMark", entry) ?? { record: NO_MARK, version: 0 });
      }),
    marksAfter: (deploymentId, after, limit) =>
      available(async () => {
        const prefix = markKey(deploymentId, "");
        const { from, to } = prefixRange(prefix);
        const entries = await kv.scan({ from: after === "" ? from : `${prefix}${after}\u0001`, to, limit });
        return entries.map(({ key, value }) => ({
          terminalId: key.slice(prefix.length),
          mark: recordIn<InstallMark>("appMark", key, value),
        }));
      }),
    clearMarks: (deploymentId) => available(() => removeAll(`${MARKS}${deploymentId}/`)),
    commit: (change) =>
      available(async () => {
        const commit = commitOf(change, nowMs());
        const result = await kv.commit(commit);
        if (result.type === "committed") return "committed";
        return result.key.startsWith(CODES) ? "code_taken" : "stale";
      }),
    lockUpload: (versionId) => available(() => takeLock(versionId, 0)),
    renewUpload: ({ versionId, version }) => available(() => takeLock(versionId, version)),
    releaseUpload: ({ versionId, version }) =>
      available(async () => {
        const key = UPLOADS + versionId;
        await kv.commit({ checks: [{ key, version }], operations: [{ type: "delete", key }] });
      }),
    clearUploads: () => available(() => removeAll(UPLOADS)),
    appendInstallLog: (log) =>
      available(async () => {
        logged += 1;
        const id = `${timeDigits(log.receivedAtMs)}-${writer}-${logged.toString(36)}`;
        const prefix = logsOf(log.versionCode, log.fromTerminal === true);
        const value = recordText("installLog", { ...log, id });
        const operation = { type: "put", key: prefix + id, value, expiresAtMs: log.receivedAtMs + INSTALL_LOG_LIFETIME_MS } as const;
        await kv.commit({ checks: [], operations: [operation] });
        if (isTimeToTrim(prefix)) await trimLogs(prefix);
      }),
    installLogs: (versionCode, limit, fromTerminal) =>
      available(async () => {
        // Earlier versions have put them under the version alone.
        const ofOthers = [logsOf(versionCode, false), `${LOGS}${versionCode}/`];
        const prefixes = fromTerminal === false ? ofOthers : [logsOf(versionCode, true), ...(fromTerminal === true ? [] : ofOthers)];
        const scans = await Promise.all(prefixes.map((prefix) => kv.scan({ ...prefixRange(prefix), limit, reverse: true })));
        const logs = scans.flat().map(({ key, value }) => readBareRecord<InstallLog>("installLog", key, value));
        return logs.sort((one, other) => (one.id < other.id ? 1 : -1)).slice(0, limit);
      }),
  };
}

function stored<T extends object>(kind: SchemaKind, entry: Entry | null): Stored<T> | null {
  return entry === null ? null : { record: recordIn(kind, entry.key, entry.value), version: entry.version };
}

/** In memory, deployments alone have their number. */
function recordIn<T extends object>(kind: SchemaKind, key: string, text: string): T {
  return kind === "appDeployment" ? readRecord(kind, key, text) : readBareRecord(kind, key, text);
}

function logsOf(versionCode: number, fromTerminal: boolean): string {
  return `${LOGS}${fromTerminal ? "terminals" : "others"}/${versionCode}/`;
}

function markKey(deploymentId: number, terminalId: string): string {
  return `${MARKS}${deploymentId}/${terminalId}`;
}

function commitOf(change: AppChange, nowMs: number): Commit {
  const checks: { key: string; version: number }[] = [];
  const operations: Operation[] = [];
  const put = (key: string, version: number, value: string) => {
    checks.push({ key, version });
    operations.push({ type: "put", key, value });
  };
  const remove = (key: string, version: number) => {
    checks.push({ key, version });
    if (version !== 0) operations.push({ type: "delete", key });
  };
  if (change.version !== undefined) {
    const { record, version, codeBefore } = change.version;
    put(VERSIONS + record.id, version, recordText("appVersion", record));
    if (codeBefore !== record.versionCode) {
      put(CODES + record.versionCode, 0, JSON.stringify(record.id));
      if (codeBefore !== null) operations.push({ type: "delete", key: CODES + codeBefore });
    }
  }
  if (change.removedVersion !== undefined) {
    const { record, version } = change.removedVersion;
    remove(VERSIONS + record.id, version);
    operations.push({ type: "delete", key: CODES + record.versionCode });
  }
  if (change.unchangedVersion !== undefined) {
    checks.push({ key: VERSIONS + change.unchangedVersion.record.id, version: change.unchangedVersion.version });
  }
  if (change.upload !== undefined) checks.push({ key: UPLOADS + change.upload.versionId, version: change.upload.version });
  for (const { record, version } of change.deployments ?? []) put(DEPLOYMENTS + record.id, version, recordText("appDeployment", record));
  for (const id of change.removedDeployments ?? []) operations.push({ type: "delete", key: DEPLOYMENTS + id });
  for (const { record, version } of change.targets ?? []) {
    const key = TARGETS + targetName(record.target);
    if (isEmptyTarget(record)) remove(key, version);
    else put(key, version, recordText("appTarget", record));
  }
  for (const { record, version, deploymentId, terminalId } of change.marks ?? []) {
    const key = markKey(deploymentId, terminalId);
    checks.push({ key, version });
    operations.push({ type: "put", key, value: recordText("appMark", record), expiresAtMs: nowMs + MARK_LIFETIME_MS });
  }
  if (change.changesTable) operations.push(tableVersionOperation(APPS_TABLE));
  return { checks, operations };
}
