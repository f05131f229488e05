import { pipeline, Readable } from "node:stream";
import { SharedPlaces } from "../../engine/kernel/shared-places.ts";
import type { Encoding } from "../endpoint/accept-encoding.ts";
import { streamEncoder } from "./compression.ts";
import type { SendOutcome } from "./file-sender.ts";
import { LeastPace, type PaceBounds } from "./least-pace.ts";
import type { Pending, Waiting } from "./pending.ts";
import type { HttpResponse } from "./uws.ts";

/**
 * Size of one read and write. Rows come one by one, and each write costs a system call; so they are collected. The size is more than uWebSockets' own buffer of
 * 16 KB, because it tells only of a write that passes by that buffer whether all was sent; less than a socket has room for when it says that it takes more; and
 * so small that to make it of rows takes well below a millisecond.
 */
const PIECE_BYTES = 17_408;

/** No more than this is ever held back for one client, as a last resort: then it is disconnected. */
const HELD_BACK_BYTES_MAX = 1_048_576;

export interface StreamSendersOptions {
  pending: Pending;
  monotonicMs: () => number;
  streamsMax: number;
  streamsPerOwnerMax: number;
  /** A client that reads nothing for this long is disconnected. */
  stallMs: number;
  /** The same where the source gives nothing. */
  sourceMs: number;
  pace: PaceBounds;
}

/** The streams that one thread sends: together one piece in each turn of the event loop, so that a payment waits for one at most. */
export class StreamSenders {
  readonly #options: StreamSendersOptions;
  readonly #places: SharedPlaces;
  #turns: Promise<void> = Promise.resolve();

  constructor(options: StreamSendersOptions) {
    this.#options = options;
    this.#places = new SharedPlaces({ all: options.streamsMax, each: options.streamsPerOwnerMax });
  }

  get size(): number {
    return this.#places.taken;
  }

  /** Whether one more of this owner would be too many: for the thread, or of the owner alone. */
  fullFor(owner: string): "all" | "share" | null {
    return this.#places.refusalOf(owner);
  }

  /**
   * Takes a place for a stream. The owner reads its beginning, then writes the head and begins to send; or tells that it was aborted.
   */
  open(source: AsyncIterable<string | Uint8Array>, owner: string, encoding: Encoding, ended: (outcome: SendOutcome) => void): StreamSender {
    const giveBack = this.#places.take(owner);
    const { pending, monotonicMs, stallMs, sourceMs } = this.#options;
    const { downloadBytesPerSecond, graceMs } = this.#options.pace;
    const pace = new LeastPace(downloadBytesPerSecond, graceMs, monotonicMs);
    const sender: StreamSender = new StreamSender(source, encoding, {
      clientDeadlineMs: () => Math.min(monotonicMs() + stallMs, pace.awaitClient()),
      taken: (bytes) => pace.moved(bytes),
      sourceDeadlineMs: () => monotonicMs() + sourceMs,
      turn: () => {
        this.#turns = this.#turns.then(() => new Promise((resolve) => setImmediate(resolve)));
        return this.#turns;
      },
      began: () => pending.add(sender),
      ended: (outcome) => {
        giveBack();
        pending.delete(sender);
        ended(outcome);
      },
    });
    return sender;
  }
}

interface StreamHooks {
  clientDeadlineMs(): number;
  /** The client has taken so many bytes. */
  taken(bytes: number): void;
  sourceDeadlineMs(): number;
  /** Resolves when the stream may read on. */
  turn(): Promise<void>;
  began(): void;
  ended(outcome: SendOutcome): void;
}

/** One body of unknown length being sent to one client, in chunks. Bytes are asked of the source only when the client has taken those before. */
export class StreamSender implements Waiting {
  deadlineAtMs = 0;
  place = -1;
  readonly #hooks: StreamHooks;
  readonly #source: AsyncIterator<string | Uint8Array>;
  readonly #encoding: Encoding;
  #beginning: IteratorResult<string | Uint8Array> | null = null;
  #res: HttpResponse | null = null;
  #awaits: "source" | "client" = "source";
  #writable: () => void = () => {};
  #heldBackBytes = 0;
  #over = false;

  constructor(source: AsyncIterable<string | Uint8Array>, encoding: Encoding, hooks: StreamHooks) {
    this.#source = source[Symbol.asyncIterator]();
    this.#encoding = encoding;
    this.#hooks = hooks;
  }

  /** Reads the first piece, before anything is answered: a source that fails at once can still be answered as an error. Rejects with what it throws. */
  async readBeginning(): Promise<void> {
    this.#beginning = await this.#source.next();
  }

  /** Sends the body on a response whose head is written. The owner has to tell when the response is aborted. */
  begin(res: HttpResponse): void {
    this.#res = res;
    this.#awaitSource();
    this.#hooks.began();
    res.onWritable(() => {
      if (!this.#over) this.#writable();
      return true;
    });
    void this.#run(res);
  }

  /** The client is gone, or gets another answer. */
  aborted(): void {
    this.#end("aborted");
  }

  expire(): void {
    if (this.#awaits === "client") this.#giveUp("stalled");
    else this.#giveUp({ failed: new Error("the source of a streamed response sent no data for too long") });
  }

  async #run(res: HttpResponse): Promise<void> {
    const body = this.#encoding === "identity" ? this.#collected() : this.#encoded(this.#encoding);
    try {
      for await (const piece of inPieces(body)) {
        if (this.#over) return;
        await this.#write(res, piece);
        // One piece of the source may have made many.
        if (!this.#over) await this.#hooks.turn();
        if (this.#over) return;
        this.#awaitSource();
      }
    } catch (failed) {
      this.#giveUp({ failed });
      return;
    }
    if (this.#over) return;
    this.#end("complete");
    res.cork(() => res.end());
  }

  /** What the source gives: its beginning at once, with which the head leaves, then collected to about the size of a piece. */
  async *#collected(): AsyncGenerator<Uint8Array> {
    if (this.#beginning === null || this.#beginning.done === true) return;
    const { value } = this.#beginning;
    yield typeof value === "string" ? Buffer.from(value, "utf8") : value;
    let parts: Uint8Array[] = [];
    let [bytes, text] = [0, ""];
    let next = await this.#source.next();
    while (next.done !== true && !this.#over) {
      if (typeof next.value === "string") text += next.value;
      if (typeof next.value !== "string" || text.length >= PIECE_BYTES) {
        parts.push(Buffer.from(text, "utf8"));
        text = "";
      }
      if (typeof next.value !== "string") parts.push(next.value);
      bytes = parts.reduce((sum, part) => sum + part.byteLength, 0);
      if (bytes >= PIECE_BYTES) {
        yield Buffer.concat(parts);
        parts = [];
        await this.#hooks.turn();
        if (this.#over) return;
      }
      next = await this.#source.next();
      if (this.#awaits === "source") this.deadlineAtMs = this.#hooks.sourceDeadlineMs();
    }
    yield Buffer.concat([...parts, Buffer.from(text, "utf8")]);
  }

  #encoded(encoding: "gzip" | "br"): AsyncIterable<Uint8Array> {
    const encoder = streamEncoder(encoding);
    const body = this.#collected();
    async function* flushedOnce() {
      const { value, done } = await body.next();
      if (done === true) return;
      yield value;
      // Otherwise the beginning, and with it the head, would wait in the encoder.
      await new Promise<void>((resolve) => encoder.flush(resolve));
      yield* body;
    }
    // An error of either side ends the other, and is thrown by the iteration.
    return pipeline(Readable.from(flushedOnce(), { highWaterMark: 1 }), encoder, () => {});
  }

  /** Resolves when the client takes more, or when it is over. */
  async #write(res: HttpResponse, piece: Uint8Array): Promise<void> {
    let sent = true;
    // Before the write: the client may be ready again while it is made.
    const writable = new Promise<void>((resolve) => {
      this.#writable = resolve;
    });
    res.cork(() => {
      sent = res.write(piece);
    });
    this.#heldBackBytes = sent ? 0 : this.#heldBackBytes + piece.byteLength;
    if (sent) return;
    if (this.#heldBackBytes > HELD_BACK_BYTES_MAX) {
      this.#giveUp("stalled");
      return;
    }
    this.#awaits = "client";
    this.deadlineAtMs = this.#hooks.clientDeadlineMs();
    await writable;
    this.#hooks.taken(piece.byteLength);
  }

  #awaitSource(): void {
    this.#awaits = "source";
    this.deadlineAtMs = this.#hooks.sourceDeadlineMs();
  }

  /** That the body is not whole can only be shown by closing the connection: its last chunk never comes. */
  #giveUp(outcome: SendOutcome): void {
    if (this.#over) return;
    this.#end(outcome);
    this.#res?.close();
  }

  #end(outcome: SendOutcome): void {
    if (this.#over) return;
    this.#over = true;
    // Whoever waits for the client goes on, and sees that it is over.
    this.#writable();
    if (outcome !== "complete") this.#release();
    this.#hooks.ended(outcome);
  }

  /** Ends the source; one that is reading ends when it has read. What it throws then concerns nobody. */
  #release(): void {
    this.#source.return?.().catch(() => {});
  }
}

/** The same bytes in pieces of exactly PIECE_BYTES, but the last, and the first, behind which nothing is held back yet. */
async function* inPieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = Buffer.alloc(0);
  let isFirst = true;
  for await (const part of source) {
    rest = Buffer.concat([rest, part]);
    if (isFirst && rest.byteLength > 0 && rest.byteLength < PIECE_BYTES) {
      yield rest;
      rest = Buffer.alloc(0);
    }
    isFirst = false;
    let at = 0;
    for (; rest.byteLength - at >= PIECE_BYTES; at += PIECE_BYTES) yield rest.subarray(at, at + PIECE_BYTES);
    rest = rest.subarray(at);
  }
  if (rest.byteLength > 0) yield rest;
}

/** Ends a source that nothing is read of. */
export function releaseStream(source: AsyncIterable<string | Uint8Array>): void {
  source[Symbol.asyncIterator]()
    .return?.()
    .catch(() => {});
}
