import { constants } from "node:fs";
import { copyFile, link, mkdir, mkdtemp, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openDirectory } from "./embedded-directory.ts";

/**
 * Maximum number of attempts to find a moment in which LevelDB does not change its set of files. Under load it changes the set a few times
 * a second, and an attempt takes some milliseconds.
 */
const ATTEMPTS_MAX = 200;
const ATTEMPT_PAUSE_MS = 50;

const TABLE = /^\d+\.(?:ldb|sst)$/;
const LOG = /^\d+\.log$/;
const HELD_PREFIX = "backup-";
const ABANDONED_MS = 86_400_000;
const COPY_BYTES = 1_048_576;

/** LevelDB changed its set of files during every attempt. */
export class BackupFailed extends Error {
  constructor(reason: string, options?: { cause?: unknown }) {
    super(reason, options);
    this.name = "BackupFailed";
  }
}

/**
 * Copies a database that a process may have open, and is writing to, into the empty folder `target`: everything that was acknowledged
 * before the call, and perhaps some later commits, as after a power cut. Returns the last version in the copy.
 *
 * Tables never change, and the log only grows; the manifest lists the files that count. So as long as the manifest has not grown, the files
 * are consistent with each other. They are held by hard links, so that they stay if LevelDB deletes them meanwhile. They are copied from
 * there, and the copy is opened to check it. @throws BackupFailed, and DirectoryRefused where the copy cannot be opened
 */
export async function backUpEmbeddedKv(directory: string, target: string): Promise<number> {
  await removeAbandoned(directory);
  // Hard links work within one file system only. LevelDB ignores folders.
  const held = await mkdtemp(join(directory, HELD_PREFIX));
  try {
    await hold(directory, held);
    await mkdir(target, { recursive: true, mode: 0o700 });
    for (const name of await readdir(held)) await copySynced(join(held, name), join(target, name));
  } finally {
    await rm(held, { recursive: true, force: true });
  }
  const { level, lastVersion } = await openDirectory(target);
  await level.close();
  return lastVersion;
}

/** The links of a killed backup would keep deleted tables on the disk. */
async function removeAbandoned(directory: string): Promise<void> {
  for (const name of (await readdir(directory)).filter((found) => found.startsWith(HELD_PREFIX))) {
    const { mtimeMs } = await stat(join(directory, name));
    if (Date.now() - mtimeMs > ABANDONED_MS) await rm(join(directory, name), { recursive: true, force: true });
  }
}

/** Leaves in `held` the files of one version of the database. */
async function hold(directory: string, held: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    try {
      if (await holdOnce(directory, held)) return;
    } catch (error) {
      // A listed file was deleted: the set of files has changed.
      if (!isMissing(error)) throw new BackupFailed(`the files of ${directory} cannot be copied`, { cause: error });
    }
    for (const name of await readdir(held)) await rm(join(held, name));
    await delay(ATTEMPT_PAUSE_MS);
  }
  throw new BackupFailed(`the files of ${directory} keep changing: try again when there is less load`);
}

async function holdOnce(directory: string, held: string): Promise<boolean> {
  const current = await readFile(join(directory, "CURRENT"), "utf8");
  const manifest = current.trim();
  const before = await stat(join(directory, manifest));
  const names = await readdir(directory);
  const files = [...names.filter((name) => TABLE.test(name)), ...names.filter((name) => LOG.test(name))];
  await Promise.all(files.map((name) => link(join(directory, name), join(held, name))));
  for (const name of [manifest, "CURRENT"]) await copyFile(join(directory, name), join(held, name), constants.COPYFILE_EXCL);
  const [after, copied] = [await stat(join(directory, manifest)), await stat(join(held, manifest))];
  const isSame = before.ino === after.ino && before.size === after.size && copied.size === before.size;
  return isSame && (await readFile(join(directory, "CURRENT"), "utf8")) === current;
}

/** A log may grow meanwhile: what comes after its present end is not copied. */
async function copySynced(from: string, to: string): Promise<void> {
  const source = await open(from);
  try {
    const { size } = await source.stat();
    const copy = await open(to, "wx", 0o600);
    try {
      const buffer = Buffer.allocUnsafe(COPY_BYTES);
      for (let at = 0; at < size; ) {
        const { bytesRead } = await source.read(buffer, 0, Math.min(COPY_BYTES, size - at), at);
        if (bytesRead === 0) break;
        await copy.writeFile(buffer.subarray(0, bytesRead));
        at += bytesRead;
      }
      await copy.sync();
    } finally {
      await copy.close();
    }
  } finally {
    await source.close();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
