import type { Address, Homes } from "../kernel/bus.ts";
import type { Clock } from "../kernel/clock.ts";
import { createDeadlineRunner, type DeadlineRunner } from "../kernel/deadline-runner.ts";
import { RelayError } from "../kernel/errors.ts";
import { createPacer } from "../kernel/pacer.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Stored } from "../kernel/stored.ts";
import type { Timer, Timers } from "../kernel/timers.ts";
import { EXPORT_ATTEMPTS_MAX, EXPORT_FILE_BYTES_MAX, EXPORT_MERCHANT_BYTES_MAX, type ExportFailure, type ExportRecord } from "./export.ts";
import type { ExportFile, ExportFiles } from "./export-files.ts";
import { ExportRefused, type ExportSource } from "./export-source.ts";
import type { ExportRoom, ExportStore } from "./export-store.ts";
import {
  AGAIN_MS,
  begun,
  failed as failedRecord,
  GIVE_UP_MS,
  isOver,
  isToBegin,
  queuedAgain,
  ready,
  renewed,
  roomAfterEnd,
  roomWithout,
} from "./rules.ts";

/** Each export takes a place while it waits for its turn. Removing one takes only a moment. */
const BOUNDS = { heldMax: 2_000, atOnceMax: 32, catchUpMs: 5_000, slackMs: 0 };
const FREE_PER_SECOND = 20;

/** A third of the lease, so that a short failure of the store ends nothing. */
const RENEW_MS = 20_000;

/** Maximum time for one export. Its queries have shorter limits of their own. */
const MAKE_MS_MAX = 20 * 60_000;

/** The size of all files is checked again after this many bytes. */
const LOOK_EVERY_BYTES = 32 * 1_048_576;

const ROUNDS_MAX = 16;

export interface ExportRunnerOptions {
  store: ExportStore;
  files: ExportFiles;
  source: ExportSource;
  /** Maximum size of all files of all merchants. */
  bytesMax: number;
  homes: Homes;
  self: Address;
  clock: Clock;
  timers: Pick<Timers, "set" | "every">;
  /** Returns a text that is unique for each attempt on all nodes. */
  newLease(): string;
  became(state: ExportRecord["state"], record: ExportRecord): void;
  failed(what: string, error: unknown): void;
}

/**
 * Creates the exports whose home is this shard, one at a time, and removes them when they expire.
 */
export function createExportRunner(options: ExportRunnerOptions): DeadlineRunner {
  const { store, files, homes, self, clock, failed } = options;
  const stopping = new AbortController();
  const maker = createMaker(options, stopping.signal);
  const runner = createDeadlineRunner({
    ...{ name: "export", index: store, homes, self, clock, failed },
    placeOf: (partition) => `exports/${partition}`,
    bounds: { ...BOUNDS, pacer: createPacer(FREE_PER_SECOND) },
    fire: async (id) => {
      const stored = await store.load(id);
      if (stored === null) return;
      if (isOver(stored.record, clock.nowMs())) await remove(stored);
      else if (isToBegin(stored.record, clock.nowMs())) await maker.atTurn(id);
    },
  });

  /**
   * The record is removed before the file. A file without a record is cleaned up later, but a
   * record without its file would promise a file.
   */
  async function remove({ record }: Stored<ExportRecord>): Promise<void> {
    const removed = await retryOnConflict<ExportRecord | null>(ROUNDS_MAX, async () => {
      const [now, room] = await Promise.all([store.load(record.id), store.room(record)]);
      if (now === null) return null;
      const taken = { record: roomWithout(room.record, now.record), version: room.version };
      const version = await store.commit({ after: null, before: now.record, version: now.version, room: taken });
      return version === null ? CONFLICT : now.record;
    });
    if (removed !== null && removed.file !== null) await files.remove(removed.file);
  }

  return {
    tick: runner.tick,
    stop: async () => {
      stopping.abort();
      await runner.stop();
    },
    counts: runner.counts,
  };
}

function createMaker(options: ExportRunnerOptions, stopping: AbortSignal) {
  const { store, files, source, bytesMax, clock, timers, newLease, became, failed } = options;
  let turns: Promise<unknown> = Promise.resolve();
  const waiting = new Set<string>();

  /** Runs one export after the other on a thread, since each reads and writes as fast as it can. */
  async function atTurn(id: string): Promise<void> {
    if (waiting.has(id)) return;
    waiting.add(id);
    const turn = turns.then(() => begin(id)).finally(() => waiting.delete(id));
    turns = turn.catch(() => undefined);
    await turn;
  }

  async function begin(id: string): Promise<void> {
    const waits = await store.load(id);
    if (stopping.aborted || waits === null || !isToBegin(waits.record, clock.nowMs())) return;
    const giveBack = await source.turn(waits.record, stopping);
    try {
      // The wait may have been long, so the record is loaded again.
      const stored = await store.load(id);
      const nowMs = clock.nowMs();
      if (stopping.aborted || stored === null || !isToBegin(stored.record, nowMs)) return;
      const { record, version } = stored;
      if (record.attempts >= EXPORT_ATTEMPTS_MAX) {
        await end(record, (now, atMs) => failedRecord(now, "interrupted", atMs));
        return;
      }
      const after = begun(record, newLease(), nowMs);
      const taken = await store.commit({ after, before: record, version });
      // On a conflict another node was faster.
      if (taken === null) return;
      became("RUNNING", after);
      await make({ record: after, version: taken });
    } finally {
      giveBack();
    }
  }

  async function make(taken: Stored<ExportRecord>): Promise<void> {
    const lease = holdLease(taken);
    const { record } = taken;
    let file: ExportFile | null = null;
    try {
      const limits = await limitsOf(record);
      file = await files.create();
      const { rows, bytes } = await written(record, file, limits, lease.signal);
      const name = await file.keep();
      // The lease must not be renewing while the export ends.
      const held = await lease.end();
      const ended = held ? await end(record, (now, atMs, room) => kept(now, { file: name, rows, bytes }, room, atMs)) : null;
      if (ended?.file !== name) await files.remove(name);
    } catch (error) {
      await file?.discard().catch((problem: unknown) => failed("export.discard", problem));
      if (await lease.end()) await endedBy(record, error);
    } finally {
      await lease.end();
    }
  }

  async function written(
    record: ExportRecord,
    file: ExportFile,
    limits: Limits,
    signal: AbortSignal,
  ): Promise<{ rows: number; bytes: number }> {
    let [rows, bytes, looked] = [0, 0, 0];
    for await (const piece of source.pieces(record, signal)) {
      signal.throwIfAborted();
      bytes += piece.bytes.byteLength;
      rows += piece.rows;
      if (bytes > limits.bytes) throw new ExportRefused(limits.because);
      await file.write(piece.bytes);
      if (bytes - looked < LOOK_EVERY_BYTES) continue;
      looked = bytes;
      if ((await files.bytes()) > bytesMax) throw new ExportRefused("no_room");
    }
    signal.throwIfAborted();
    return { rows, bytes };
  }

  interface Limits {
    bytes: number;
    because: ExportFailure;
  }

  async function limitsOf(record: ExportRecord): Promise<Limits> {
    const [all, room] = await Promise.all([files.bytes(), store.room(record)]);
    const left = Math.min(bytesMax - all, EXPORT_MERCHANT_BYTES_MAX - room.record.bytes);
    return left < EXPORT_FILE_BYTES_MAX ? { bytes: left, because: "no_room" } : { bytes: EXPORT_FILE_BYTES_MAX, because: "too_large" };
  }

  async function endedBy(record: ExportRecord, error: unknown): Promise<void> {
    if (error instanceof ExportRefused) {
      await end(record, (now, atMs) => failedRecord(now, error.failure, atMs));
      return;
    }
    if (stopping.aborted) {
      // The next home of the export need not wait for the lease.
      await back(record, (now, atMs) => queuedAgain(now, atMs, atMs));
      return;
    }
    const isAway = error instanceof RelayError && (error.code === "unavailable" || error.code === "rate_limited");
    const isLate = error instanceof Error && error.name === "AbortError";
    if (!isAway && !isLate) {
      failed("export.make", error);
      await end(record, (now, atMs) => failedRecord(now, "internal", atMs));
      return;
    }
    if (clock.nowMs() - record.createdAtMs < GIVE_UP_MS) await back(record, (now, atMs) => queuedAgain(now, atMs + AGAIN_MS, atMs));
    else await end(record, (now, atMs) => failedRecord(now, "unavailable", atMs));
  }

  /** Returns false if another attempt has the export now. */
  async function back(mine: ExportRecord, next: (now: ExportRecord, atMs: number) => ExportRecord): Promise<boolean> {
    return retryOnConflict(ROUNDS_MAX, async () => {
      const now = await store.load(mine.id);
      if (now === null || now.record.leaseOf !== mine.leaseOf) return false;
      const after = next(now.record, clock.nowMs());
      return (await store.commit({ after, before: now.record, version: now.version })) === null ? CONFLICT : true;
    });
  }

  /** Returns the record at its end, or null if another attempt has the export now. */
  async function end(
    mine: ExportRecord,
    next: (now: ExportRecord, atMs: number, room: ExportRoom) => ExportRecord,
  ): Promise<ExportRecord | null> {
    return retryOnConflict(ROUNDS_MAX, async () => {
      const [now, room] = await Promise.all([store.load(mine.id), store.room(mine)]);
      // An attempt that was delayed for longer than its lease has lost the lease. Its file does not
      // belong to the attempt that follows.
      if (now === null || now.record.leaseOf !== mine.leaseOf) return null;
      const after = next(now.record, clock.nowMs(), room.record);
      const taken: Stored<ExportRoom> = { record: roomAfterEnd(room.record, after), version: room.version };
      if ((await store.commit({ after, before: now.record, version: now.version, room: taken })) === null) return CONFLICT;
      became(after.state, after);
      return after;
    });
  }

  /** Two exports of a merchant may run at once, and each had room when it began. */
  function kept(now: ExportRecord, made: { file: string; rows: number; bytes: number }, room: ExportRoom, atMs: number): ExportRecord {
    return room.bytes + made.bytes > EXPORT_MERCHANT_BYTES_MAX ? failedRecord(now, "no_room", atMs) : ready(now, made, atMs);
  }

  /**
   * Renews the lease until `end` is called. Aborts its signal if the lease is lost, the node stops,
   * or the export takes too long.
   */
  function holdLease({ record, version }: Stored<ExportRecord>) {
    const over = new AbortController();
    let stored: Stored<ExportRecord> = { record, version };
    let renewing: Promise<void> | null = null;
    let isLost = false;
    const stop = () => over.abort();
    stopping.addEventListener("abort", stop);
    const late: Timer = timers.set(MAKE_MS_MAX, stop);
    const timer: Timer = timers.every(RENEW_MS, () => {
      renewing ??= renew()
        .catch((error: unknown) => failed("export.renew", error))
        .finally(() => {
          renewing = null;
        });
    });

    async function renew(): Promise<void> {
      const after = renewed(stored.record, clock.nowMs());
      const next = await store.commit({ after, before: stored.record, version: stored.version });
      if (next !== null) {
        stored = { record: after, version: next };
        return;
      }
      const now = await store.load(record.id);
      if (now !== null && now.record.leaseOf === record.leaseOf) stored = now;
      else {
        isLost = true;
        stop();
      }
    }

    return {
      signal: over.signal,
      /** Resolves with false if the lease was lost. */
      end: async (): Promise<boolean> => {
        timer.clear();
        late.clear();
        stopping.removeEventListener("abort", stop);
        await renewing;
        return !isLost;
      },
    };
  }

  return { atTurn };
}
