import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Timer, Timers } from "../../../engine/kernel/timers.ts";

/** How often the witness is written: the store may be ahead of it by this much. */
const WRITE_EVERY_MS = 1_000;

/** What a file outside of the store records about it. */
export interface Witness {
  storeId: string;
  /** The highest version that the store had on its disk. */
  version: number;
  /** The time of that version. */
  atMs: number;
}

const SCHEMA = 1;

/** Null if there is no readable one: after a power cut it may be empty. */
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
  /** Writes it a last time. */
  stop(): Promise<void>;
}

export interface WitnessWriterOptions {
  file: string;
  storeId: string;
  versionsPerMs: number;
  /** The last version on the store's disk: the file must never name a higher one. */
  lastVersion(): Promise<number>;
  timers: Timers;
  /** The store did not answer, or the file could not be written; called once, and tried again each time. */
  failed(error: unknown): void;
}

/**
 * Writes every second how far the store is, without a sync: after a power cut the file may be some seconds old, which never makes a store
 * look restored that was not.
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
