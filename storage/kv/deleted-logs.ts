import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Between two looks for new and for deleted logs. One is in use for seconds at least, also under full load. */
const LOOK_MS = 500;

/** Pause after a failed look, so that a lack of file descriptors is not reported twice a second. */
const FAILED_PAUSE_MS = 60_000;

/**
 * How much is freed at once, and the pause after it. Freeing a log of 128 MB at once delays every sync meanwhile, if the file system
 * reports freed space to the disk (ext4 with `discard`). The figures are in infra/docs/decisions/0025-figures-behind-the-code.md.
 */
const STEP_BYTES = 4_194_304;
const STEP_PAUSE_MS = 10;

/** Maximum number of logs held open. There are one or two; there are more only after failed writes. */
const HELD_MAX = 8;

const LOG_NAME = /^\d+\.log$/;

export interface DeletedLogsOptions {
  /** LevelDB's. */
  directory: string;
  /** Called when a log could not be opened or truncated; it is then freed at once, as without this class. Must not throw. */
  onFailure: (error: unknown) => void;
}

/**
 * Frees the disk space of LevelDB's logs little by little, so that no commit waits for it. LevelDB deletes a log once its content is in
 * tables. This class keeps the file open, so that the content stays, and truncates it step by step from the end. A log that still has a
 * name, also in another folder (a copy by hard links), is not changed.
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

  /** Closes the logs that are held; the system frees the rest of them. */
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
      // The directory, or a listed log, no longer exists.
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

  /** Does not keep the process running. */
  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {});
  }
}
