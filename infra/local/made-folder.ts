import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface FolderToMake {
  /** Where such folders lie, outside of the repository. */
  cache: string;
  name: string;
  /** What it is made from; made again where one of these files has changed since. */
  files: readonly string[];
  make(target: string): Promise<void>;
}

/** A folder that `make` fills once, and again where it was left half made. Rejects where it cannot be made. */
export async function madeFolder({ cache, name, files, make }: FolderToMake): Promise<string> {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(file));
  const folder = join(cache, `${name}-${hash.digest("hex").slice(0, 16)}`);
  const mark = join(folder, "complete");
  if (existsSync(mark)) return folder;
  await rm(folder, { recursive: true, force: true });
  await mkdir(cache, { recursive: true });
  await make(folder);
  await writeFile(mark, "");
  return folder;
}
