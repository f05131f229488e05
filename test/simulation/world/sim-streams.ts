import { decodeMessages, encodeMessages } from "../../../storage/bus/cluster/envelope.ts";
import type { Random } from "../random.ts";
import type { Scheduler } from "./scheduler.ts";
import type { SimProcess } from "./sim-process.ts";

/** What may become of what one node tells another, as long as it is in force. */
export interface StreamFaults {
  /** Probabilities, of each message. */
  dropped: number;
  delayed: number;
  repeated: number;
  /** Of each batch: Redis does not take it. */
  refused: number;
  /** How long a delayed message takes at most, milliseconds. */
  delayMsMax: number;
}

export const NO_STREAM_FAULTS: StreamFaults = { dropped: 0, delayed: 0, repeated: 0, refused: 0, delayMsMax: 0 };

export interface StreamReading {
  owner: SimProcess;
  deliver(thread: string, entryMs: number, bytes: Uint8Array): void;
}

/**
 * The streams of all nodes. The real messages of the real bus pass here as bytes (storage/bus/cluster/cluster-bus.ts); what befalls them befalls each
 * by itself. Only what is sent is repeated: the port says that a request is made at most once, and Redis never gives an entry twice.
 */
export class SimStreams {
  readonly #scheduler: Scheduler;
  readonly #randomOf: (name: string) => Random;
  readonly #readers = new Map<string, StreamReading>();
  /** What nothing befalls is read in the order in which it was written. */
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #befell: (what: "dropped" | "delayed" | "repeated" | "refused", kind: string) => void;
  faults = NO_STREAM_FAULTS;

  constructor(
    scheduler: Scheduler,
    randomOf: (name: string) => Random,
    befell: (what: "dropped" | "delayed" | "repeated" | "refused", kind: string) => void,
  ) {
    this.#scheduler = scheduler;
    this.#randomOf = randomOf;
    this.#befell = befell;
  }

  read(incarnation: string, reading: StreamReading): void {
    this.#readers.set(incarnation, reading);
  }

  leave(incarnation: string): void {
    this.#readers.delete(incarnation);
  }

  /** Resolves when the stream has it; `writer` is who waits for that. */
  write(writer: SimProcess, incarnation: string, thread: string, bytes: Uint8Array): Promise<void> {
    const { refused } = this.faults;
    const random = this.#randomOf(`${writer.name} to ${incarnation}`);
    return new Promise((resolve, reject) => {
      this.#scheduler.after(random.between(0, 2), null, () => {
        if (refused > 0 && random.chance(refused)) {
          this.#befell("refused", `to ${incarnation}`);
          this.#scheduler.after(1, writer, () => reject(new Error("Redis did not take it")));
          return;
        }
        this.#append(incarnation, thread, bytes);
        this.#scheduler.after(1, writer, resolve);
      });
    });
  }

  #append(incarnation: string, thread: string, bytes: Uint8Array): void {
    const { dropped, delayed, repeated, delayMsMax } = this.faults;
    if (dropped + delayed + repeated === 0) {
      this.#inOrder(incarnation, thread, bytes);
      return;
    }
    for (const message of decodeMessages(bytes) ?? []) {
      const kind = "kind" in message ? `${message.type} ${message.kind}` : message.type;
      const random = this.#randomOf(`${message.from} to ${message.to}: ${kind}`);
      if (random.chance(dropped)) {
        this.#befell("dropped", kind);
        continue;
      }
      const isLate = random.chance(delayed);
      if (isLate) this.#befell("delayed", kind);
      const alone = encodeMessages([message]);
      if (isLate) this.#deliver(random.between(5, delayMsMax), incarnation, thread, alone);
      else this.#inOrder(incarnation, thread, alone);
      if (message.type !== "tell" || !random.chance(repeated)) continue;
      this.#befell("repeated", kind);
      this.#deliver(random.between(0, delayMsMax), incarnation, thread, alone);
    }
  }

  #inOrder(incarnation: string, thread: string, bytes: Uint8Array): void {
    const entryMs = this.#scheduler.nowMs;
    const reading = this.#readers.get(incarnation);
    if (reading === undefined) return;
    const waiting = this.#waiting.get(incarnation) ?? [];
    this.#waiting.set(incarnation, waiting);
    waiting.push(() => reading.deliver(thread, entryMs, bytes));
    this.#scheduler.after(this.#randomOf(incarnation).between(0, 3), reading.owner, () => waiting.shift()?.());
  }

  #deliver(ms: number, incarnation: string, thread: string, bytes: Uint8Array): void {
    const entryMs = this.#scheduler.nowMs;
    const reading = this.#readers.get(incarnation);
    if (reading !== undefined) this.#scheduler.after(ms, reading.owner, () => reading.deliver(thread, entryMs, bytes));
  }
}
