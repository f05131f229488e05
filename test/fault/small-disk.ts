import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { atEnd } from "../storage/kv/world.ts";

const DISK = "size=24m";
const BALLAST_BYTES_MAX = 33_554_432;

/** A disk of its own for a node, that can be filled and freed while the node runs. */
export interface SmallDisk {
  path: string;
  fill(pid: number): Promise<void>;
  free(pid: number): Promise<void>;
}

/** A small file system in memory, where it can be mounted; else a folder whose files may not grow once it is "full"; null without either. */
export async function smallDisk(test: TestContext): Promise<SmallDisk | null> {
  const path = await mkdtemp(join(tmpdir(), "relay-disk-"));
  atEnd(test, () => rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  return (await mounted(test, path)) ?? limited(path);
}

async function mounted(test: TestContext, path: string): Promise<SmallDisk | null> {
  if (process.getuid?.() !== 0 || spawnSync("mount", ["-t", "tmpfs", "-o", DISK, "tmpfs", path]).status !== 0) return null;
  atEnd(test, () => assert.equal(spawnSync("umount", ["-l", path]).status, 0));
  const ballast = join(path, "ballast");
  return {
    path,
    // It ends where the disk does; what was written stays.
    fill: () => writeFile(ballast, Buffer.alloc(BALLAST_BYTES_MAX)).catch(() => undefined),
    free: () => rm(ballast),
  };
}

function limited(path: string): SmallDisk | null {
  const limit = (pid: number, bytes: string) => spawnSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:`]).status === 0;
  if (!limit(process.pid, "unlimited")) return null;
  return {
    path,
    fill: async (pid) => assert.ok(limit(pid, "1")),
    free: async (pid) => assert.ok(limit(pid, "unlimited")),
  };
}
