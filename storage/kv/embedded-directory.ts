import type { BigIntStats } from "node:fs";
import { type FileHandle, mkdir, open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { SCHEMAS } from "../../engine/kernel/schemas.ts";
import { numbersRead } from "../schemas/agreement.ts";
import { LAST_VERSION_KEY, LAYOUT_KEY, LAYOUT_VERSION, LOST_VERSION_KEY } from "./embedded-layout.ts";

/** Block cache of LevelDB, bytes: holds the index and filter blocks of some ten million records and the hot data. */
const CACHE_BYTES = 67_108_864;

/**
 * Size of the log and the memory table, bytes; this much is read again after a crash. The size makes no difference to the waiting times of
 * pushes (infra/docs/decisions/0025-figures-behind-the-code.md).
 */
const WRITE_BUFFER_BYTES = 134_217_728;

/** Bytes of one table. It was chosen together with the buffer above and never measured alone. */
const FILE_BYTES_MAX = 4_194_304;

/** The last bytes of every whole table (doc/table_format.md of LevelDB). */
const TABLE_END = Buffer.from("57fb808b247547db", "hex");

/** Names of LevelDB's files, except those that it creates in any folder (LOCK, LOG). */
const DATABASE_FILE = /^(?:CURRENT|MANIFEST-\d+|\d+\.(?:ldb|sst|log))$/;

/** The data directory cannot be used in its present state; the message names it and says what to do. */
export class DirectoryRefused extends Error {
  readonly reason: "locked" | "corrupted" | "layout" | "inaccessible";

  constructor(reason: DirectoryRefused["reason"], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "DirectoryRefused";
    this.reason = reason;
  }
}

/**
 * Opens LevelDB in `directory`, which is created if it does not exist, checks its layout, and reads the highest version ever given and the
 * version up to which entries may be outdated. @throws DirectoryRefused when it is locked by a process, damaged, of another layout, or
 * cannot be accessed
 */
export async function openDirectory(directory: string): Promise<{ level: ClassicLevel; lastVersion: number; lostVersion: number }> {
  const tables = await prepare(directory);
  const level = new ClassicLevel(directory, { cacheSize: CACHE_BYTES, writeBufferSize: WRITE_BUFFER_BYTES, maxFileSize: FILE_BYTES_MAX });
  try {
    await level.open();
  } catch (error) {
    throw refusal(directory, error);
  }
  try {
    await checkTables(directory, tables);
    await checkLayout(directory, level);
    return {
      level,
      lastVersion: readVersion(directory, level, LAST_VERSION_KEY),
      lostVersion: readVersion(directory, level, LOST_VERSION_KEY),
    };
  } catch (error) {
    await level.close();
    throw error instanceof DirectoryRefused ? error : refusal(directory, error);
  }
}

/**
 * Rebuilds the database of `directory` from whatever of its files can be read; acknowledged commits may be missing afterwards, so a backup is
 * better where there is one. Keep a copy of the directory first.
 * @throws DirectoryRefused when a process has it open, it holds no database, or it cannot be accessed
 */
export async function repairEmbeddedKv(directory: string): Promise<void> {
  try {
    const files = await readdir(directory);
    if (!files.some((file) => DATABASE_FILE.test(file))) {
      throw new DirectoryRefused("layout", `${directory} holds no database: name the state directory, such as ./data/state`);
    }
    await assertUnused(directory);
    await ClassicLevel.repair(directory);
  } catch (error) {
    throw error instanceof DirectoryRefused ? error : refusal(directory, error);
  }
}

/** A repair does not look whether the database is in use, and would move away what its process writes to; opening it does. */
async function assertUnused(directory: string): Promise<void> {
  const level = new ClassicLevel(directory, { createIfMissing: false });
  try {
    await level.open();
  } catch (error) {
    if (codesOf(error).includes("LEVEL_LOCKED")) throw error;
  }
  await level.close();
}

/** A table that existed before the database was opened; `trace` changes when it is written again. */
interface Table {
  name: string;
  trace: string;
}

/** Makes the directory where there is none. Answers with the tables that lie in it. */
async function prepare(directory: string): Promise<Table[]> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const files = await readdir(directory);
    // LevelDB would treat a directory without this file as new, and delete its contents.
    if (!files.includes("CURRENT") && files.some((file) => /\.(ldb|sst|log)$/.test(file))) {
      throw damaged(directory, new Error("the file CURRENT is missing"));
    }
    const tables: Table[] = [];
    for (const name of files.filter((file) => /\.(ldb|sst)$/.test(file))) {
      // A table that disappears now belongs to a process that has the database open; LevelDB detects that itself.
      const facts = await stat(join(directory, name), { bigint: true }).catch(() => null);
      if (facts !== null) tables.push({ name, trace: traceOf(facts) });
    }
    return tables;
  } catch (error) {
    throw error instanceof DirectoryRefused ? error : refusal(directory, error);
  }
}

/**
 * LevelDB would detect a truncated table only when it reads from it. Tables that existed before the opening and still exist unchanged are
 * in use; unfinished tables of an earlier process have been deleted by now. Their numbers are used again, so a merge that began with the
 * opening may be writing a table of the same name now: that is another file.
 */
async function checkTables(directory: string, tables: readonly Table[]): Promise<void> {
  for (const { name, trace } of tables) {
    const end = await lastBytes(join(directory, name), TABLE_END.length, trace);
    if (end !== null && !end.equals(TABLE_END)) throw damaged(directory, new Error(`${name} is cut off`));
  }
}

/** Tables are written once and then only read: which file it is, how long, and when it was last written say that it is the same. */
function traceOf({ ino, size, birthtimeNs, mtimeNs }: BigIntStats): string {
  return [ino, size, birthtimeNs, mtimeNs].join(" ");
}

/** Null if the file no longer exists, or is not the one that `trace` describes. */
async function lastBytes(file: string, count: number, trace: string): Promise<Buffer | null> {
  let handle: FileHandle;
  try {
    handle = await open(file);
  } catch (error) {
    if (codesOf(error).includes("ENOENT")) return null;
    throw error;
  }
  try {
    const facts = await handle.stat({ bigint: true });
    if (traceOf(facts) !== trace) return null;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(count), 0, count, Math.max(0, Number(facts.size) - count));
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function checkLayout(directory: string, level: ClassicLevel): Promise<void> {
  const layout = level.getSync(LAYOUT_KEY);
  if (layout !== undefined) {
    const [oldest, newest] = SCHEMAS.layout.reads;
    if (Number(layout) >= oldest && Number(layout) <= newest) return;
    throw new DirectoryRefused(
      "layout",
      `the data in ${directory} has layout ${layout}, this version ${numbersRead(oldest, newest)}: start the version that wrote it, or restore a backup (infra/docs/upgrading.md)`,
    );
  }
  const [first] = await level.keys({ limit: 1 }).all();
  if (first !== undefined) {
    throw new DirectoryRefused(
      "layout",
      `the data in ${directory} has no layout version, so it was not written by Terminal Relay: name another directory (or, after a repair, restore a backup)`,
    );
  }
  await level.put(LAYOUT_KEY, String(LAYOUT_VERSION), { sync: true });
}

function readVersion(directory: string, level: ClassicLevel, key: string): number {
  const version = Number(level.getSync(key) ?? 0);
  if (!Number.isSafeInteger(version)) throw damaged(directory, new Error(`the store's ${key.slice(1)} cannot be read`));
  return version;
}

function refusal(directory: string, error: unknown): DirectoryRefused {
  const codes = codesOf(error);
  if (codes.includes("LEVEL_LOCKED")) {
    return new DirectoryRefused(
      "locked",
      `the data directory ${directory} is in use by another process (or opened twice in this one): stop that process, or name another directory`,
      { cause: error },
    );
  }
  // LevelDB says "Invalid argument" for a broken descriptor and for missing options alike; the options never change here.
  if (codes.includes("LEVEL_CORRUPTION") || /Corruption|Invalid argument|NotFound/.test(textOf(error))) return damaged(directory, error);
  return new DirectoryRefused("inaccessible", `the data directory ${directory} cannot be opened: ${textOf(error)}`, { cause: error });
}

function damaged(directory: string, cause: unknown): DirectoryRefused {
  return new DirectoryRefused(
    "corrupted",
    `the data in ${directory} is damaged (${textOf(cause)}): restore a backup, or copy the directory and run "npm run repair-store -- ${directory}", which keeps what can be read`,
    { cause },
  );
}

/** The codes of an error and of its causes, outermost first. */
function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const code = "code" in error && typeof error.code === "string" ? [error.code] : [];
  return [...code, ...codesOf(error.cause)];
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? textOf(error.cause) : error.message;
}
