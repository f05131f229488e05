import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Redis } from "ioredis";

export interface RedisScript {
  text: string;
  sha1: string;
}

/** A file of storage/kv/lua. */
export function loadScript(name: "commit" | "history" | "lose" | "scan" | "sweep"): RedisScript {
  const text = readFileSync(new URL(`./lua/${name}.lua`, import.meta.url), "utf8");
  return { text, sha1: createHash("sha1").update(text).digest("hex") };
}

/** Runs it by its hash, and by its text where Redis does not know it (it has been restarted, or SCRIPT FLUSH): then nothing had run. */
export async function runScript(
  client: Redis,
  script: RedisScript,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<unknown> {
  try {
    return await client.call("evalsha", [script.sha1, keys.length, ...keys, ...args]);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
    return client.call("eval", [script.text, keys.length, ...keys, ...args]);
  }
}
