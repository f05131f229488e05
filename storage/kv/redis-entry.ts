import type { Entry } from "../../engine/kernel/kv.ts";

/** Reads `<version> <expiresAtMs> <value>` as lua/commit.lua writes it; null when it has expired at `nowMs`. */
export function readRedisEntry(key: string, raw: string, nowMs: number): Entry | null {
  const versionEnd = raw.indexOf(" ");
  const expiryEnd = raw.indexOf(" ", versionEnd + 1);
  const version = Number(raw.slice(0, versionEnd));
  const expiresAtMs = Number(raw.slice(versionEnd + 1, expiryEnd));
  if (versionEnd < 1 || expiryEnd < 0 || !Number.isSafeInteger(version) || !Number.isSafeInteger(expiresAtMs)) {
    throw new Error("an entry in Redis is not in this store's format");
  }
  if (expiresAtMs !== 0 && expiresAtMs <= nowMs) return null;
  return { key, value: raw.slice(expiryEnd + 1), version };
}
