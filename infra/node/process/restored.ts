import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { FedCommand } from "../../../engine/terminals/fed-command.ts";
import { takeBack } from "../../../engine/terminals/taking-back.ts";
import { createTerminalStore } from "../../../engine/terminals/terminal-store.ts";
import type { KvHistory } from "../../../storage/kv/history.ts";
import { createHistoryStore, type PendingLoss, type StoreIdentity } from "../../../storage/kv/history-store.ts";
import type { FedRows, FedUntil } from "../../../storage/transactions/fed-commands.ts";
import type { Config } from "../boot/config.ts";
import { readWitness, type Witness } from "../boot/witness-file.ts";
import type { Log } from "../observability/log.ts";
import type { Analytics } from "./analytics-port.ts";
import type { LostCommits } from "./lost-commits.ts";

/** How long to wait for ClickHouse if data is known to be missing: a ClickHouse that starts together with the relay takes a while. */
const PATIENCE_MS = 20_000;
const KAFKA_PATIENCE_MS = 60_000;

/** Allowed difference of clocks, for rows of an earlier release, which have a time and no version. */
const CLOCKS_APART_MS = 60_000;

/** A witness file with a time further in the future is ignored. */
const FUTURE_MS = 366 * 86_400_000;

const DAY_MS = 86_400_000;

/** The evidence about how far a store should be, and the store's own records. */
export interface Evidence {
  /** By the store. */
  lastVersion: number;
  versionsPerMs: number;
  identity: StoreIdentity | null;
  /** Its present place; null if that has no meaning. */
  place: string | null;
  file: Witness | null;
  fed: FedUntil | null;
}

/** `aboveVersion`: versions up to it were given. `untilMs`: the store was used at least until then. */
export type StoreAssessment =
  | { type: "as it was" }
  | { type: "restored"; certain: boolean; isFed: boolean; aboveVersion: number; untilMs: number };

/**
 * Whether a store is an earlier copy of itself. Every witness was written after the store's commits were on disk, so a lower last version
 * is proof. Without a witness another place makes it likely: copies of folders have other inodes.
 */
export function assessStore({ lastVersion, versionsPerMs, identity, place, file, fed }: Evidence, nowMs: number): StoreAssessment {
  const lastMs = lastVersion / versionsPerMs;
  const known = file !== null && file.atMs < nowMs + FUTURE_MS ? file : null;
  const own = known !== null && known.storeId === identity?.storeId ? known : null;
  // Another store's versions may have another unit; times do not.
  const fileVersion = own?.version ?? (known === null ? 0 : Math.floor(known.atMs * versionsPerMs));
  const fedVersion = fed?.storeVersion ?? 0;
  const formerMs = fed?.formerMs ?? 0;
  const isFed = fedVersion > lastVersion || formerMs > lastMs + CLOCKS_APART_MS;
  if (isFed || fileVersion > lastVersion) {
    const aboveVersion = Math.max(lastVersion, fileVersion, fedVersion);
    return { type: "restored", certain: true, isFed, aboveVersion, untilMs: Math.max(aboveVersion / versionsPerMs, formerMs) };
  }
  const hasMoved = own === null && place !== null && identity !== null && identity.place !== null && identity.place !== place;
  if (!hasMoved) return { type: "as it was" };
  return { type: "restored", certain: false, isFed: false, aboveVersion: lastVersion, untilMs: nowMs };
}

export interface RestoredParts {
  config: Config;
  kv: Kv;
  history: KvHistory;
  analytics: Pick<Analytics, "reached" | "drainKafka">;
  /** Whether other nodes are live; they have noticed a loss themselves. */
  othersLive(): Promise<boolean>;
  nowMs(): number;
  log: Log;
  lostCommits: Pick<LostCommits, "restored">;
  /** Ends the start with a reason that an operator can fix. */
  refuse(reason: string): never;
}

/**
 * Before a node starts: checks whether its store was taken back to an earlier copy, marks old entries, and loads the missing data that
 * ClickHouse and Kafka have. Nothing may be written to the store before. Pending work survives the end of the process; several nodes may do
 * it at once. Resolves with the store's identity.
 */
export async function seeToRestored(parts: RestoredParts): Promise<StoreIdentity> {
  const { config, kv, history, analytics, nowMs, log } = parts;
  const store = createHistoryStore(kv);
  const place = await placeOf(config);
  const [file, identity, before] = [await readWitness(config.witnessFile), await store.identity(), await history.lastVersion()];
  const told = await store.loss();
  const sure = assessStore({ lastVersion: before, versionsPerMs: history.versionsPerMs, identity, place, file, fed: null }, nowMs());
  const isVouched = file !== null && file.storeId === identity?.storeId && sure.type === "as it was" && told === null;
  const isNeeded = told === null ? sure.type === "restored" : !told.acknowledged;
  const canSkip = canSkipClickHouse(config, before, isVouched);
  let [rows, isCold] = await Promise.all([
    canSkip ? null : analytics.reached(isNeeded ? PATIENCE_MS : "one attempt"),
    config.cluster !== null && parts.othersLive().then((live) => !live),
  ]);
  const isComplete = rows === null || !isCold || (await analytics.drainKafka(KAFKA_PATIENCE_MS));
  const fed = rows === null ? null : await fedOrNothing(rows, before / history.versionsPerMs, log);
  if (fed === null) rows = null;

  // The first node to notice has written the pending loss, with a later version, so it is read last.
  const lastVersion = await history.lastVersion();
  const assessment = assessStore({ lastVersion, versionsPerMs: history.versionsPerMs, identity, place, file, fed }, nowMs());
  let pending = await store.loss();
  if (pending === null && assessment.type === "as it was") {
    // Another starting node may have done it meanwhile: its marks have to be known before anything is written.
    await history.lastVersion();
    return store.identify(place);
  }
  refuseWithoutSource(parts, pending, assessment, rows !== null);
  pending = await store.recordLoss(pendingLossOf(assessment, lastVersion, nowMs()));
  await history.lose(pending.lostVersion, pending.aboveVersion);
  const lostFromMs = pending.lostVersion / history.versionsPerMs;
  await parts.lostCommits.restored({
    certain: pending.certain,
    lostFromMs,
    lostUntilMs: assessment.type === "restored" ? assessment.untilMs : Math.max(pending.foundAtMs, lostFromMs),
  });
  const records = rows === null ? 0 : await takeAllBack(parts, rows, pending).catch(notTakenBack(parts));
  log.takenBack({ records, reached: rows !== null, complete: isComplete });
  await store.settle();
  return store.identify(place);
}

/** A ClickHouse that cannot answer this counts as unavailable. */
async function fedOrNothing(rows: FedRows, sinceMs: number, log: Log): Promise<FedUntil | null> {
  try {
    return await rows.until(sinceMs);
  } catch (error) {
    log.clickhouse("not asked how far the store was", error);
    return null;
  }
}

/** The loss stays pending, and the next start continues with it. */
function notTakenBack({ log, refuse }: RestoredParts): (error: unknown) => never {
  return (error) => {
    log.clickhouse("not taken back", error);
    return refuse("the missing data could not be loaded from ClickHouse (the log says why): start again");
  };
}

/**
 * The embedded ClickHouse is beside the store: if the witness file confirms the store, or the store was never used, the start does not wait
 * for ClickHouse.
 */
function canSkipClickHouse({ clickhouse, dataDirectory }: Config, lastVersion: number, isVouched: boolean): boolean {
  if (clickhouse.type === "server") return false;
  if (clickhouse.type === "off") return true;
  return isVouched || (lastVersion === 0 && !existsSync(join(dataDirectory, "clickhouse")));
}

/** A payment that is known to be lost and cannot be loaded may be charged twice: an operator has to decide. */
function refuseWithoutSource(
  { config, refuse }: RestoredParts,
  pending: PendingLoss | null,
  assessment: StoreAssessment,
  isReached: boolean,
): void {
  if (config.mode !== "production" || pending?.acknowledged === true) return;
  const isCertain = pending?.certain ?? (assessment.type === "restored" && assessment.certain);
  const hasSource = isReached && (pending !== null || (assessment.type === "restored" && assessment.isFed));
  if (!isCertain || hasSource) return;
  const where = config.cluster === null ? `the store in ${config.dataDirectory}/state` : "the store in Redis";
  const missing = isReached ? "ClickHouse has none of the missing data" : "ClickHouse, which may have the missing data, cannot be reached";
  refuse(
    `${where} was replaced by an earlier copy, and ${missing}: a payment that was made since then would be executed again if it is retried. Restore the newest copy, or ClickHouse; or run "npm run restored" to start without the data (infra/docs/restoring.md)`,
  );
}

function pendingLossOf(assessment: StoreAssessment, lastVersion: number, foundAtMs: number): PendingLoss {
  const found = { lostVersion: lastVersion, acknowledged: false, foundAtMs };
  if (assessment.type === "as it was") return { ...found, aboveVersion: lastVersion, certain: false };
  return { ...found, aboveVersion: assessment.aboveVersion, certain: assessment.certain };
}

/** A folder that was copied back has another inode; the place of a Redis is not known. */
async function placeOf({ cluster, dataDirectory }: Config): Promise<string | null> {
  if (cluster !== null) return null;
  return String((await stat(join(dataDirectory, "state"), { bigint: true })).ino);
}

async function takeAllBack({ config, kv, history, nowMs }: RestoredParts, rows: FedRows, pending: PendingLoss): Promise<number> {
  const retentionMs = Math.max(config.uuidRetentionDays, config.resultRetentionDays) * DAY_MS;
  const terminals = createTerminalStore({ kv, nowMs, retentionMs, lostVersion: () => history.lostVersion(), writer: "restored" });
  const since = {
    storeVersion: pending.lostVersion,
    atMs: Math.max(0, Math.floor(pending.lostVersion / history.versionsPerMs) - CLOCKS_APART_MS),
    keptSinceMs: Math.max(0, nowMs() - retentionMs),
  };
  let records = 0;
  for await (const page of rows.commands(since)) {
    const taken = byTerminal(page).map((fed) => takeBack(terminals, fed[0]?.terminalId ?? "", fed, nowMs()));
    for (const count of await Promise.all(taken)) records += count;
  }
  return records;
}

function byTerminal(page: readonly FedCommand[]): FedCommand[][] {
  const groups = new Map<string, FedCommand[]>();
  for (const command of page) {
    const group = groups.get(command.terminalId);
    if (group === undefined) groups.set(command.terminalId, [command]);
    else group.push(command);
  }
  return [...groups.values()];
}
