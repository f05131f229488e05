import { StorageUnavailable } from "../../engine/kernel/kv.ts";

export interface BatchesOptions<Question, Answer> {
  /**
   * Sends all of them in one round trip, in order. It may be called again before it resolves, so that up to `inFlightMax` round trips are
   * in progress.
   */
  send(questions: readonly Asked<Question>[]): Promise<readonly Answer[]>;
  /** Whether requests can be sent now; if not, they wait for `flush`. */
  ready(): boolean;
  monotonicMs(): number;
  deadlineMs: number;
  /** What a question counts against `batchWeightMax`, at least 1. */
  weight(question: Question): number;
  batchWeightMax: number;
  inFlightMax: number;
  /** Maximum number of requests that wait or are in progress; more are refused. */
  pendingMax: number;
}

export interface Asked<Question> {
  readonly question: Question;
  /** On the monotonic clock. */
  readonly deadlineMs: number;
}

interface Pending<Question, Answer> extends Asked<Question> {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/**
 * Combines all requests of one turn of the event loop, or that arrive while earlier batches are in progress, into one round trip. Every
 * request resolves or rejects with StorageUnavailable by its deadline; a request that was not sent by then is never sent.
 */
export class Batches<Question, Answer> {
  readonly #options: BatchesOptions<Question, Answer>;
  #waiting: Pending<Question, Answer>[] = [];
  readonly #underWay = new Set<Pending<Question, Answer>[]>();
  #underWayCount = 0;
  #scheduled = false;
  #closed = false;

  constructor(options: BatchesOptions<Question, Answer>) {
    this.#options = options;
  }

  /** Questions that wait or are under way. */
  get pending(): number {
    return this.#waiting.length + this.#underWayCount;
  }

  ask(question: Question): Promise<Answer> {
    if (this.#closed) return Promise.reject(new StorageUnavailable("the store is closed"));
    if (this.pending >= this.#options.pendingMax) {
      return Promise.reject(new StorageUnavailable(`more than ${this.#options.pendingMax} calls wait for Redis`));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, deadlineMs: this.#options.monotonicMs() + this.#options.deadlineMs, resolve, reject });
      if (!this.#scheduled) {
        this.#scheduled = true;
        // After all requests of this turn.
        setImmediate(() => {
          this.#scheduled = false;
          this.flush();
        });
      }
    });
  }

  /** Sends waiting requests, up to the limit. To be called when `ready` has become true. */
  flush(): void {
    while (this.#waiting.length > 0 && this.#underWay.size < this.#options.inFlightMax && this.#options.ready()) {
      void this.#send(this.#nextBatch());
    }
  }

  /** Rejects requests that have reached their deadline. To be called several times a second. */
  expire(): void {
    const nowMs = this.#options.monotonicMs();
    // All have the same time limit, so the oldest are first.
    let count = 0;
    while (count < this.#waiting.length && (this.#waiting[count]?.deadlineMs ?? 0) <= nowMs) count++;
    for (const late of this.#waiting.splice(0, count)) late.reject(new StorageUnavailable("Redis cannot be reached"));
    for (const batch of this.#underWay) {
      // A second rejection of the same one changes nothing.
      for (const late of batch) if (late.deadlineMs <= nowMs) late.reject(new StorageUnavailable("Redis did not answer in time"));
    }
  }

  /** Rejects waiting requests; those in progress may still succeed. */
  rejectWaiting(reason: string): void {
    for (const waiting of this.#waiting.splice(0)) waiting.reject(new StorageUnavailable(reason));
  }

  /** Refuses new requests, and resolves when none is left: at the last deadline at the latest, if `expire` is called until then. */
  async close(): Promise<void> {
    this.#closed = true;
    this.flush();
    while (this.pending > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  #nextBatch(): Pending<Question, Answer>[] {
    let weight = 0;
    let count = 0;
    for (const { question } of this.#waiting) {
      weight += this.#options.weight(question);
      if (count > 0 && weight > this.#options.batchWeightMax) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #send(batch: Pending<Question, Answer>[]): Promise<void> {
    this.#underWay.add(batch);
    this.#underWayCount += batch.length;
    try {
      const answers = await this.#options.send(batch);
      if (answers.length !== batch.length) throw new Error(`${batch.length} questions and ${answers.length} answers`);
      batch.forEach((pending, index) => {
        const answer = answers[index];
        if (answer !== undefined) pending.resolve(answer);
      });
    } catch (error) {
      const failure = error instanceof StorageUnavailable ? error : new StorageUnavailable("Redis failed", { cause: error });
      for (const pending of batch) pending.reject(failure);
    } finally {
      this.#underWay.delete(batch);
      this.#underWayCount -= batch.length;
      this.flush();
    }
  }
}
