import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/** Maximum number of remembered uuids; the oldest completed one is dropped first. */
const REMEMBERED_MAX = 10_000;
/** Number of lines after which the state file is rewritten. */
const LINES_MAX = 4 * REMEMBERED_MAX;

/**
 * What a terminal knows about a uuid. `running` after a restart means interrupted: it may have been executed, so it is never executed
 * again. `posts` are the bodies to be posted, in order, of which `acknowledged` were.
 */
export type Remembered = { state: "running" } | { state: "cancelled" } | { state: "done"; posts: readonly string[]; acknowledged: number };

/** Remembers each uuid and its results, in a file if one is given: a line for each change, written before anything else is done. */
export class Memory {
  readonly #entries = new Map<string, Remembered>();
  readonly #file: string | null;
  #lines = 0;

  /** Throws when the file cannot be read or written. */
  constructor(file: string | null) {
    this.#file = file;
    if (file === null) return;
    if (existsSync(file)) this.#load(readFileSync(file, "utf8"));
    this.#compact(file);
  }

  find(uuid: string): Remembered | undefined {
    return this.#entries.get(uuid);
  }

  start(uuid: string): void {
    this.#set(uuid, { state: "running" });
  }

  cancel(uuid: string): void {
    this.#set(uuid, { state: "cancelled" });
  }

  finish(uuid: string, posts: readonly string[]): void {
    this.#set(uuid, { state: "done", posts, acknowledged: 0 });
  }

  /** The next of a uuid's posts was acknowledged. */
  acknowledge(uuid: string): void {
    const entry = this.#entries.get(uuid);
    if (entry?.state === "done") this.#set(uuid, { ...entry, acknowledged: Math.min(entry.acknowledged + 1, entry.posts.length) });
  }

  /** Results that were not acknowledged before a restart. */
  unacknowledged(): { uuid: string; body: string }[] {
    return [...this.#entries].flatMap(([uuid, entry]) =>
      entry.state === "done" ? entry.posts.slice(entry.acknowledged).map((body) => ({ uuid, body })) : [],
    );
  }

  #set(uuid: string, entry: Remembered): void {
    this.#entries.set(uuid, entry);
    if (this.#entries.size > REMEMBERED_MAX) this.#forgetOldest();
    if (this.#file === null) return;
    appendFileSync(this.#file, `${JSON.stringify({ uuid, ...entry })}\n`);
    this.#lines += 1;
    if (this.#lines > LINES_MAX) this.#compact(this.#file);
  }

  #forgetOldest(): void {
    for (const [uuid, entry] of this.#entries) {
      if (entry.state === "done" && entry.acknowledged < entry.posts.length) continue;
      this.#entries.delete(uuid);
      return;
    }
  }

  #load(text: string): void {
    for (const line of text.split("\n")) {
      const read = readLine(line);
      if (read !== null) this.#entries.set(read.uuid, read.entry);
    }
    while (this.#entries.size > REMEMBERED_MAX) this.#forgetOldest();
  }

  #compact(file: string): void {
    const lines = [...this.#entries].map(([uuid, entry]) => `${JSON.stringify({ uuid, ...entry })}\n`);
    writeFileSync(`${file}.new`, lines.join(""));
    renameSync(`${file}.new`, file);
    this.#lines = lines.length;
  }
}

/** Null for an incomplete line: the last one after a crash. */
function readLine(line: string): { uuid: string; entry: Remembered } | null {
  try {
    const { uuid, state, posts, acknowledged } = JSON.parse(line);
    if (typeof uuid !== "string") return null;
    if (state === "running" || state === "cancelled") return { uuid, entry: { state } };
    return state === "done" && Array.isArray(posts)
      ? { uuid, entry: { state, posts: posts.map(String), acknowledged: Number(acknowledged) } }
      : null;
  } catch {
    return null;
  }
}
