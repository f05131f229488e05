import { SharedPlaces } from "../../engine/kernel/shared-places.ts";
import type { OutgoingFile } from "../endpoint/endpoint.ts";
import { LeastPace, type PaceBounds } from "./least-pace.ts";
import type { Pending, Waiting } from "./pending.ts";
import type { HttpResponse } from "./uws.ts";

/** Size of one read and write: large enough for hundreds of megabytes a second, small enough that a payment does not wait for it. */
const CHUNK_BYTES = 131_072;

/** How much, in time at the bounded rate, may be sent at once after a pause. */
const BURST_MS = 50;

export interface FileSendersOptions {
  pending: Pending;
  monotonicMs: () => number;
  /** Maximum number of files being sent, in all and to one owner; one more is refused. */
  filesMax: number;
  filesPerOwnerMax: number;
  /** A client that reads nothing for this long is disconnected. */
  stallMs: number;
  /** For all files together; it can be changed. */
  bytesPerSecond: number;
  pace: PaceBounds;
}

export type SendOutcome = "complete" | "aborted" | "stalled" | { failed: unknown };

/**
 * Sends the files of one thread in turn, chunk by chunk, with one read at a time for all of them. So all files together use one buffer, one
 * thread of Node's pool (which the store needs too) and at most the time of one chunk per turn of the event loop. Data that a client does
 * not accept yet is not kept but read again later.
 */
export class FileSenders {
  readonly #options: FileSendersOptions;
  bytesPerSecond: number;
  readonly #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  readonly #turns: FileSender[] = [];
  readonly #places: SharedPlaces;
  #running = false;
  /** Bytes that may be sent now; negative if more was sent than the rate allows. */
  #allowance = 0;
  #allowedAtMs = 0;

  constructor(options: FileSendersOptions) {
    this.#options = options;
    this.bytesPerSecond = options.bytesPerSecond;
    this.#places = new SharedPlaces({ all: options.filesMax, each: options.filesPerOwnerMax });
  }

  get size(): number {
    return this.#places.taken;
  }

  /** Whether one more of this owner would be too many: for the thread, or of the owner alone. */
  fullFor(owner: string): "all" | "share" | null {
    return this.#places.refusalOf(owner);
  }

  /**
   * Sends the file on a response whose head is written; `ended` is called once. The owner has to tell when the response is aborted.
   */
  send(res: HttpResponse, file: OutgoingFile, owner: string, ended: (outcome: SendOutcome) => void): FileSender {
    const giveBack = this.#places.take(owner);
    const { pending, monotonicMs, stallMs } = this.#options;
    const { downloadBytesPerSecond, graceMs } = this.#options.pace;
    const pace = new LeastPace(downloadBytesPerSecond, graceMs, monotonicMs);
    const sender: FileSender = new FileSender(res, file, {
      turnDeadlineMs: () => monotonicMs() + stallMs,
      clientDeadlineMs: () => Math.min(monotonicMs() + stallMs, pace.awaitClient()),
      taken: (bytes) => pace.moved(bytes),
      ready: () => this.#takeTurn(sender),
      ended: (outcome) => {
        giveBack();
        pending.delete(sender);
        ended(outcome);
      },
    });
    pending.add(sender);
    this.#takeTurn(sender);
    return sender;
  }

  #takeTurn(sender: FileSender): void {
    this.#turns.push(sender);
    if (this.#running) return;
    this.#running = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    for (let sender = this.#turns.shift(); sender !== undefined; sender = this.#turns.shift()) {
      await this.#pace();
      this.#allowance -= await sender.step(this.#buffer);
    }
    this.#running = false;
  }

  async #pace(): Promise<void> {
    const { monotonicMs } = this.#options;
    for (;;) {
      const { bytesPerSecond } = this;
      const now = monotonicMs();
      const earned = ((now - this.#allowedAtMs) * bytesPerSecond) / 1_000;
      this.#allowance = Math.min(this.#allowance + earned, (bytesPerSecond * BURST_MS) / 1_000);
      this.#allowedAtMs = now;
      if (this.#allowance >= 0) return;
      const waitMs = Math.max(1, (-this.#allowance * 1_000) / bytesPerSecond);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

interface SenderHooks {
  /** While it waits for its turn, and while it waits for the client. */
  turnDeadlineMs(): number;
  clientDeadlineMs(): number;
  /** The client has taken so many bytes more. */
  taken(bytes: number): void;
  /** The client can receive more. */
  ready(): void;
  ended(outcome: SendOutcome): void;
}

/** One file being sent to one client. */
export class FileSender implements Waiting {
  deadlineAtMs: number;
  place = -1;
  readonly #res: HttpResponse;
  readonly #file: OutgoingFile;
  readonly #hooks: SenderHooks;
  #takenBytes = 0;
  #over = false;

  constructor(res: HttpResponse, file: OutgoingFile, hooks: SenderHooks) {
    this.#res = res;
    this.#file = file;
    this.#hooks = hooks;
    this.deadlineAtMs = hooks.turnDeadlineMs();
    res.onWritable(() => {
      if (!this.#over) {
        this.#noteTaken();
        this.deadlineAtMs = hooks.turnDeadlineMs();
        hooks.ready();
      }
      return true;
    });
  }

  /** Reads and writes the next chunk into `buffer`; resolves with the number of bytes that the client's connection accepted. */
  async step(buffer: Buffer): Promise<number> {
    if (this.#over) return 0;
    const before = this.#res.getWriteOffset();
    const wanted = Math.min(buffer.byteLength, this.#file.length - before);
    try {
      const read = await this.#file.read(buffer.subarray(0, wanted), this.#file.offset + before);
      if (this.#over) return 0;
      if (read === 0) throw new Error("the file became shorter while it was sent");
      return this.#write(buffer.subarray(0, read), before);
    } catch (failed) {
      this.#giveUp({ failed });
      return 0;
    }
  }

  /** The client is gone. */
  aborted(): void {
    this.#end("aborted");
  }

  expire(): void {
    this.#giveUp("stalled");
  }

  #write(chunk: Buffer, before: number): number {
    let [taken, complete] = [false, false];
    this.#res.cork(() => {
      [taken, complete] = this.#res.tryEnd(chunk, this.#file.length);
    });
    if (complete) {
      this.#end("complete");
      return chunk.byteLength;
    }
    this.#noteTaken();
    if (taken) {
      this.deadlineAtMs = this.#hooks.turnDeadlineMs();
      this.#hooks.ready();
    } else this.deadlineAtMs = this.#hooks.clientDeadlineMs();
    return this.#res.getWriteOffset() - before;
  }

  /** What the connection has accepted since the last time; the client was waited for until now. */
  #noteTaken(): void {
    const offset = this.#res.getWriteOffset();
    this.#hooks.taken(offset - this.#takenBytes);
    this.#takenBytes = offset;
  }

  /** That less data follows than announced can only be shown by closing the connection. */
  #giveUp(outcome: SendOutcome): void {
    if (this.#over) return;
    this.#end(outcome);
    this.#res.close();
  }

  #end(outcome: SendOutcome): void {
    if (this.#over) return;
    this.#over = true;
    this.#file.close(outcome === "complete");
    this.#hooks.ended(outcome);
  }
}
