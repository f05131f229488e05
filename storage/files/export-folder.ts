import { randomBytes } from "node:crypto";
import { chmod, type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ExportFile, ExportFiles } from "../../engine/exports/export-files.ts";
import { ExportRefused } from "../../engine/exports/export-source.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import { freeBytesOf } from "./free-bytes.ts";

/** Files with other names are not touched. */
const STAGED = /^\.making-[0-9a-f]{32}$/;
const KEPT = /^export-[0-9a-f]{32}$/;

/** Rows of merchants are for the relay alone. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Written bytes are synced in steps of this size, since one sync of hundreds of megabytes would delay the store's own syncs; then it is looked how much is free. */
const SYNC_EVERY_BYTES = 1_048_576;

const PIECE_BYTES = 65_536;

export interface ExportFolderOptions {
  directory: string;
  /** A file that no export has, and that has not changed for this long, belongs to none that is being made. */
  quietMs: number;
  /** Of the disk, which others need more: a file that has come to a megabyte is given up where less than this is free. */
  freeBytesMin: number;
  /** Of the machine, as files have it. */
  nowMs(): number;
}

/** Files of exports in one folder, which belongs to one installation: files that its exports do not name are removed. */
export function createExportFolder({ directory, quietMs, freeBytesMin, nowMs }: ExportFolderOptions): ExportFiles {
  const pathOf = (name: string): string | null => (KEPT.test(name) ? join(directory, name) : null);

  async function ours(): Promise<string[]> {
    try {
      return (await readdir(directory)).filter((name) => STAGED.test(name) || KEPT.test(name));
    } catch (error) {
      if (isMissing(error)) return [];
      throw unusable(error);
    }
  }

  /** Null for one that has just been removed. */
  async function statOf(name: string): Promise<{ bytes: number; changedAtMs: number } | null> {
    try {
      const { size, mtimeMs } = await stat(join(directory, name));
      return { bytes: size, changedAtMs: mtimeMs };
    } catch (error) {
      if (isMissing(error)) return null;
      throw unusable(error);
    }
  }

  return {
    create: () =>
      told(async () => {
        await mkdir(directory, { recursive: true, mode: FOLDER_MODE });
        // What was there may have been made by hand.
        await chmod(directory, FOLDER_MODE);
        const random = randomBytes(16).toString("hex");
        const path = join(directory, `.making-${random}`);
        return writing(await open(path, "wx", FILE_MODE), { path, name: `export-${random}`, directory, freeBytesMin });
      }),
    open: async (name) => {
      const path = pathOf(name);
      if (path === null) return null;
      try {
        return piecesOf(await open(path, "r"));
      } catch (error) {
        if (isMissing(error)) return null;
        throw unusable(error);
      }
    },
    remove: async (name) => {
      const path = pathOf(name);
      if (path !== null) await told(() => rm(path, { force: true }));
    },
    bytes: async () => {
      let bytes = 0;
      for (const name of await ours()) bytes += (await statOf(name))?.bytes ?? 0;
      return bytes;
    },
    sweep: async (known) => {
      let removed = 0;
      for (const name of await ours()) {
        if (known.has(name)) continue;
        const found = await statOf(name);
        if (found === null || nowMs() - found.changedAtMs < quietMs) continue;
        await told(() => rm(join(directory, name), { force: true }));
        removed += 1;
      }
      return removed;
    },
  };
}

interface Writing {
  path: string;
  /** When it is kept. */
  name: string;
  directory: string;
  freeBytesMin: number;
}

function writing(file: FileHandle, { path, name, directory, freeBytesMin }: Writing): ExportFile {
  let [bytes, synced] = [0, 0];
  let isOpen = true;
  let isKept = false;

  async function close(): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    await file.close();
  }

  return {
    write: (piece) =>
      told(async () => {
        for (let done = 0; done < piece.byteLength; ) done += (await file.write(piece, done)).bytesWritten;
        bytes += piece.byteLength;
        if (bytes - synced < SYNC_EVERY_BYTES) return;
        synced = bytes;
        await file.datasync();
        if ((await freeBytesOf(directory)) < freeBytesMin) throw new ExportRefused("no_room");
      }),
    keep: () =>
      told(async () => {
        await file.sync();
        await close();
        await rename(path, join(directory, name));
        isKept = true;
        const folder = await open(directory, "r");
        try {
          await folder.sync();
        } finally {
          await folder.close();
        }
        return name;
      }),
    discard: () =>
      told(async () => {
        await close();
        // Whether an export has it may not be known; then it is swept, or it is that export's.
        if (!isKept) await rm(path, { force: true });
      }),
  };
}

/** An iterator by hand: a generator that was never begun ends without its `finally`, and who asked may be gone before the first piece is read. */
function piecesOf(file: FileHandle): AsyncIterable<Uint8Array> {
  let isOpen = true;
  async function end(): Promise<IteratorReturnResult<undefined>> {
    if (isOpen) {
      isOpen = false;
      await file.close();
    }
    return { done: true, value: undefined };
  }
  const iterator: AsyncIterator<Uint8Array> = {
    next: async () => {
      if (!isOpen) return end();
      const piece = new Uint8Array(PIECE_BYTES);
      try {
        const { bytesRead } = await file.read(piece, 0, PIECE_BYTES);
        return bytesRead === 0 ? await end() : { done: false, value: piece.subarray(0, bytesRead) };
      } catch (error) {
        await end();
        throw unusable(error);
      }
    },
    return: end,
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unusable(error);
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === "ENOENT";
}

/** A full disk is told as such: to try again soon would fill it again. For other errors the caller gets no details. */
function unusable(error: unknown): RelayError | ExportRefused {
  if (error instanceof ExportRefused) return error;
  const code = codeOf(error);
  if (code === "ENOSPC" || code === "EDQUOT") return new ExportRefused("no_room");
  return new RelayError("unavailable", "The folder for exports cannot be used", { cause: error });
}
