import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Between two looks for new and for deleted logs. One is in use for seconds at least, also under full load. */
const LOOK_MS = 500;

/** Until the next look after one that failed, so that a lack of file descriptors is not told of twice a second. */
const FAILED_PAUSE_MS = 60_000;

/**
 * What is freed at once, and the pause after it. A log of 128 MB that goes at once holds up every sync that comes meanwhile, for 30 to 50 ms where
 * the file system tells the disk what became free (ext4 with `discard`); measured beside 8,000 commits a second, 4 MB each 10 ms told best.
 */
const STEP_BYTES = 4_194_304;
const STEP_PAUSE_MS = 10;

/** Logs held open: there are one or two, and others only after failed writes. */
const HELD_MAX = 8;

const LOG_NAME = /^\d+\.log$/;

export interface DeletedLogsOptions {
  /** LevelDB's. */
  directory: string;
  /** Told of what could not be opened or cut, which then is freed at once as ever. Must not throw. */
  onFailure: (error: unknown) => void;
}

/**
 * Frees the disk space of LevelDB's logs little by little, so that no commit waits for it. LevelDB deletes a log once what stood in it is in tables;
 * whoever still has the file open keeps its content until then, and cuts it from the end. A log with a name, also one elsewhere (a copy by hard links),
 * is left as it is.
 */
export class DeletedLogs {
  readonly #options: DeletedLogsOptions;
  readonly #stop = new AbortController();
  readonly #held = new Map<string, FileHandle>();
  readonly #running: Promise<void>;

  constructor(options: DeletedLogsOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Closes what is held; the system frees the rest of it. */
  stop(): Promise<void> {
    this.#stop.abort();
    return this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#pause((await this.#look()) ? LOOK_MS : FAILED_PAUSE_MS);
    }
    for (const handle of this.#held.values()) await handle.close().catch(this.#options.onFailure);
  }

  async #look(): Promise<boolean> {
    try {
      await this.#freeDeleted();
      return true;
    } catch (error) {
      // The directory is gone, or a log is that was listed.
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return true;
      this.#options.onFailure(error);
      return false;
    }
  }

  async #freeDeleted(): Promise<void> {
    const names = (await readdir(this.#options.directory)).filter((name) => LOG_NAME.test(name));
    for (const [name, handle] of this.#held) {
      const { nlink, size } = await handle.stat();
      if (nlink > 0 && names.includes(name)) continue;
      this.#held.delete(name);
      try {
        if (nlink === 0) await this.#free(handle, size);
      } finally {
        await handle.close();
      }
    }
    for (const name of names) {
      if (this.#held.size >= HELD_MAX) break;
      if (!this.#held.has(name)) this.#held.set(name, await open(join(this.#options.directory, name), "r+"));
    }
  }

  async #free(handle: FileHandle, sizeBytes: number): Promise<void> {
    for (let left = sizeBytes - STEP_BYTES; left > 0 && !this.#stop.signal.aborted; left -= STEP_BYTES) {
      await handle.truncate(left);
      await this.#pause(STEP_PAUSE_MS);
    }
  }

  /** Keeps no process running. */
  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {});
  }
}
