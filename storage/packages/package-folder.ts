import { createHash, randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { OpenPackage, PackageStore, StagedPackage } from "../../engine/apps/package-store.ts";
import { RelayError } from "../../engine/kernel/errors.ts";

/** Name of a file that an upload writes to, and that a broken upload leaves behind. Files with other names are not touched. */
const STAGED = /^\.upload-[0-9a-f]{16}$/;
const PACKAGE = /^app-\d{1,10}-[0-9a-f-]{36}\.apk$/;

/** Written bytes are synced in steps of this size: one sync of hundreds of megabytes would delay the store's own syncs. */
const SYNC_EVERY_BYTES = 1_048_576;

export interface PackageFolderOptions {
  directory: string;
  /** A file that has not changed for this long does not belong to a running upload. 0 if nobody else can be writing here. */
  quietMs: number;
  nowMs(): number;
}

/** Packages as files of one folder, which belongs to one installation: files that its versions do not name are deleted. */
export function createPackageFolder({ directory, quietMs, nowMs }: PackageFolderOptions): PackageStore {
  const pathOf = (fileName: string): string | null => (PACKAGE.test(fileName) ? join(directory, fileName) : null);

  async function syncFolder(): Promise<void> {
    const folder = await open(directory, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  async function isQuiet(path: string): Promise<boolean> {
    if (quietMs === 0) return true;
    return nowMs() - (await stat(path)).mtimeMs >= quietMs;
  }

  return {
    receive: async (read) => {
      const path = join(directory, `.upload-${randomBytes(8).toString("hex")}`);
      try {
        await told(mkdir(directory, { recursive: true }));
        const { md5, bytes } = await write(path, read);
        return staged(path, md5, bytes);
      } catch (error) {
        await rm(path, { force: true }).catch(() => {});
        throw error;
      }
    },
    open: async (fileName) => {
      const path = pathOf(fileName);
      if (path === null) return null;
      try {
        return opened(await open(path, "r"));
      } catch (error) {
        if (isMissing(error)) return null;
        throw unusable(error);
      }
    },
    remove: async (fileName) => {
      const path = pathOf(fileName);
      if (path !== null) await told(rm(path, { force: true }));
    },
    sweep: async (known) => {
      let removed = 0;
      for (const name of await names(directory)) {
        if (known.has(name) || !(STAGED.test(name) || PACKAGE.test(name))) continue;
        const path = join(directory, name);
        try {
          if (!(await isQuiet(path))) continue;
          await rm(path, { force: true });
          removed += 1;
        } catch (error) {
          // Another node was faster.
          if (!isMissing(error)) throw unusable(error);
        }
      }
      return removed;
    },
  };

  function staged(path: string, md5: string, bytes: number): StagedPackage {
    return {
      md5,
      bytes,
      keep: async (fileName) => {
        const final = pathOf(fileName);
        if (final === null) throw new Error(`${fileName} cannot be the name of a package`);
        await told(rename(path, final));
        await told(syncFolder());
      },
      discard: () => told(rm(path, { force: true })),
    };
  }
}

async function write(path: string, read: Parameters<PackageStore["receive"]>[0]): Promise<{ md5: string; bytes: number }> {
  const hash = createHash("md5");
  let bytes = 0;
  let synced = 0;
  const file = await told(open(path, "wx", 0o640));
  try {
    await read(async (piece) => {
      hash.update(piece);
      await told(writeAll(file, piece));
      bytes += piece.byteLength;
      if (bytes - synced < SYNC_EVERY_BYTES) return;
      synced = bytes;
      await told(file.datasync());
    });
    await told(file.sync());
  } finally {
    await file.close();
  }
  return { md5: hash.digest("hex"), bytes };
}

async function writeAll(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let done = 0; done < piece.byteLength; ) done += (await file.write(piece, done)).bytesWritten;
}

function opened(file: FileHandle): OpenPackage {
  return {
    read: async (into, position) => (await file.read(into, 0, into.byteLength, position)).bytesRead,
    close: () => file.close(),
  };
}

async function names(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw unusable(error);
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === "ENOENT";
}

/** A full disk is reported as such; for other errors the caller gets no details. */
async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw unusable(error);
  }
}

function unusable(error: unknown): RelayError {
  const code = codeOf(error);
  const full = code === "ENOSPC" || code === "EDQUOT";
  return new RelayError("unavailable", full ? "There is no space left for the package" : "The package folder cannot be used", {
    cause: error,
  });
}
