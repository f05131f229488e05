import type { Address } from "../../engine/kernel/bus.ts";
import type { Clock } from "../../engine/kernel/clock.ts";
import type { Timer, Timers } from "../../engine/kernel/timers.ts";

/** Precision of deadlines: one timer checks all that fall into the same span. */
const SPAN_MS = 20;

export interface OutstandingRequest {
  readonly id: number;
  readonly to: Address;
  readonly span: number;
  resolve(answer: unknown): void;
  reject(error: Error): void;
  /** No longer listens for its requester to go. */
  readonly release: () => void;
}

/** Of a request whose requester may go before the response. */
export interface Leaving {
  readonly gone: AbortSignal;
  /** Called when it has gone. */
  told(id: number): void;
}

/**
 * Requests that wait for their responses. One timer serves all deadlines, and is stopped while there are none: a timer per request would
 * cost more than the request.
 */
export class OutstandingRequests {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #onDeadline: (request: OutstandingRequest) => void;
  readonly #requests = new Map<number, OutstandingRequest>();
  readonly #spans = new Map<number, Set<OutstandingRequest>>();
  #timer: Timer | null = null;
  #nextId = 1;

  constructor(clock: Clock, timers: Timers, onDeadline: (request: OutstandingRequest) => void) {
    this.#clock = clock;
    this.#timers = timers;
    this.#onDeadline = onDeadline;
  }

  get size(): number {
    return this.#requests.size;
  }

  add(
    to: Address,
    timeoutMs: number,
    resolve: OutstandingRequest["resolve"],
    reject: OutstandingRequest["reject"],
    leaving?: Leaving,
  ): number {
    const span = Math.ceil((this.#clock.monotonicMs() + timeoutMs) / SPAN_MS);
    const id = this.#nextId++;
    const request = { id, to, span, resolve, reject, release: leaving === undefined ? nothing : this.#listen(id, leaving) };
    this.#requests.set(request.id, request);
    const sharing = this.#spans.get(span);
    if (sharing === undefined) this.#spans.set(span, new Set([request]));
    else sharing.add(request);
    this.#timer ??= this.#timers.every(SPAN_MS, () => this.#tick());
    return request.id;
  }

  #listen(id: number, { gone, told }: Leaving): () => void {
    const leave = () => {
      this.take(id)?.reject(gone.reason);
      told(id);
    };
    gone.addEventListener("abort", leave);
    return () => gone.removeEventListener("abort", leave);
  }

  /** The request, which is no longer outstanding; undefined when it had ended before. */
  take(id: number): OutstandingRequest | undefined {
    const request = this.#requests.get(id);
    if (request === undefined) return undefined;
    this.#requests.delete(id);
    request.release();
    const sharing = this.#spans.get(request.span);
    sharing?.delete(request);
    if (sharing?.size === 0) this.#spans.delete(request.span);
    return request;
  }

  /** Takes all requests, or those to one address. */
  takeAll(to?: Address): OutstandingRequest[] {
    const taken = [...this.#requests.values()].filter((request) => to === undefined || request.to === to);
    for (const request of taken) this.take(request.id);
    if (this.#requests.size === 0) this.#rest();
    return taken;
  }

  #tick(): void {
    const now = this.#clock.monotonicMs() / SPAN_MS;
    // A deadline of 30 s makes 1,500 spans: checking the count of each takes only microseconds.
    for (const [span, requests] of this.#spans) {
      if (span > now) continue;
      for (const request of [...requests]) {
        this.take(request.id);
        this.#onDeadline(request);
      }
    }
    if (this.#requests.size === 0) this.#rest();
  }

  #rest(): void {
    this.#timer?.clear();
    this.#timer = null;
  }
}

const nothing = (): void => {};
