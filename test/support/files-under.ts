import type { Dirent } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Returns the files below a folder to which a running node writes. ClickHouse merges folders
 * meanwhile, and files that disappear are skipped.
 */
export async function filesUnder(directory: string): Promise<{ name: string; bytes: Buffer }[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(ifThere<Dirent[]>([]));
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return filesUnder(path);
      return entry.isFile() ? [{ name: path, bytes: await readFile(path).catch(ifThere(Buffer.alloc(0))) }] : [];
    }),
  );
  return found.flat();
}

function ifThere<T>(otherwise: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code !== "ENOENT") throw error;
    return otherwise;
  };
}
