import { statfs } from "node:fs/promises";

/** What the relay's user may still write on the disk of a directory. Infinite where the file system does not say; rejects where the directory cannot be read. */
export async function freeBytesOf(directory: string): Promise<number> {
  const { blocks, bavail, bsize } = await statfs(directory);
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}
