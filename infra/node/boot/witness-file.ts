import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Timer, Timers } from "../../../engine/kernel/timers.ts";

/** How far the store may be ahead of its witness. */
const WRITE_EVERY_MS = 1_000;

/** What a file outside of the store says of it. */
export interface Witness {
  storeId: string;
  /** The highest version that the store had on its disk. */
  version: number;
  /** When that was, by the version itself. */
  atMs: number;
}

const SCHEMA = 1;

/** Null where there is none, or none that can be read: after a power cut it may be empty. */
export async function readWitness(file: string): Promise<Witness | null> {
  try {
    const { schema, storeId, version, atMs } = JSON.parse(await readFile(file, "utf8")) ?? {};
    const isOne = schema === SCHEMA && typeof storeId === "string" && Number.isSafeInteger(version) && Number.isFinite(atMs);
    return isOne ? { storeId, version, atMs } : null;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && "code" in error)) return null;
    throw error;
  }
}

export interface WitnessWriter {
  /** Writes it once more. */
  stop(): Promise<void>;
}

export interface WitnessWriterOptions {
  file: string;
  storeId: string;
  versionsPerMs: number;
  /** What is on the store's disk: the file must never say more. */
  lastVersion(): Promise<number>;
  timers: Timers;
  /** The store did not answer, or the file could not be written; told once, and tried again each time. */
  failed(error: unknown): void;
}

/**
 * Writes every second how far the store is, not synced: a store that lost its power may be that of some seconds ago there, which makes nothing look
 * restored that was not.
 */
export function keepWitness({ file, storeId, versionsPerMs, lastVersion, timers, failed }: WitnessWriterOptions): WitnessWriter {
  let written = 0;
  let writing: Promise<void> | null = null;
  let isFailing = false;

  async function write(): Promise<void> {
    try {
      const version = await lastVersion();
      if (version === written) return;
      await mkdir(dirname(file), { recursive: true });
      const witness: Witness = { storeId, version, atMs: version / versionsPerMs };
      await writeFile(`${file}.new`, JSON.stringify({ schema: SCHEMA, ...witness }), { mode: 0o600 });
      await rename(`${file}.new`, file);
      written = version;
      isFailing = false;
    } catch (error) {
      if (!isFailing) failed(error);
      isFailing = true;
    }
  }

  const timer: Timer = timers.every(WRITE_EVERY_MS, () => {
    writing ??= write().finally(() => {
      writing = null;
    });
  });
  return {
    stop: async () => {
      timer.clear();
      await writing;
      await write();
    },
  };
}
