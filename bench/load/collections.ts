import { readFile } from "node:fs/promises";
import type { Span } from "./slow-pushes.ts";

/** For a relay's environment: writes to `file` when the heaps of its shards are collected. */
export function collectionsEnvironment(file: string): { readonly [name: string]: string } {
  const load = `--import ${new URL("watch-collections.mjs", import.meta.url).href}`;
  return { BENCH_COLLECTIONS: file, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} ${load}`.trim() };
}

/** What a relay that was started so has written. */
export async function readCollections(file: string): Promise<Span[]> {
  const text = await readFile(file, "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [fromMs = 0, ms = 0] = line.split(" ").map(Number);
      return { fromMs, toMs: fromMs + ms };
    });
}
