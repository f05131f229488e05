import type { TerminalEvent } from "./options.ts";
import type { Pace } from "./pace.ts";
import { type RelayClient, reasonOf } from "./relay-client.ts";

/** Maximum number of waiting results; at the bound the terminal accepts no further commands. */
export const OUTBOX_MAX = 1_000;

interface Parcel {
  uuid: string;
  body: string;
  acknowledged: () => void;
}

/** Posts results in order, each until the relay has acknowledged it or refused it permanently (400, 413). */
export class Outbox {
  readonly #client: Pick<RelayClient, "postResult">;
  readonly #pace: Pace;
  readonly #signal: AbortSignal;
  readonly #onEvent: (event: TerminalEvent) => void;
  readonly #parcels: Parcel[] = [];
  readonly #delayed = new Set<Promise<void>>();
  #posting: Promise<void> | null = null;

  constructor(client: Pick<RelayClient, "postResult">, pace: Pace, signal: AbortSignal, onEvent: (event: TerminalEvent) => void) {
    this.#client = client;
    this.#pace = pace;
    this.#signal = signal;
    this.#onEvent = onEvent;
  }

  get full(): boolean {
    return this.#parcels.length + this.#delayed.size >= OUTBOX_MAX;
  }

  /** `acknowledged` is called when the relay has stored it; `afterMs` delays the first attempt. */
  post(parcel: Parcel, afterMs = 0): void {
    if (afterMs === 0) {
      this.#parcels.push(parcel);
      this.#posting ??= this.#postAll();
      return;
    }
    const delayed = this.#pace.sleep(afterMs, this.#signal).then((slept) => {
      this.#delayed.delete(delayed);
      if (slept) this.post(parcel);
    });
    this.#delayed.add(delayed);
  }

  /** After the signal has aborted: resolves when no request is in progress. */
  async stopped(): Promise<void> {
    await Promise.all([...this.#delayed, this.#posting]);
  }

  async #postAll(): Promise<void> {
    for (let parcel = this.#parcels[0]; parcel !== undefined && !this.#signal.aborted; parcel = this.#parcels[0]) {
      if (await this.#postOne(parcel)) this.#parcels.shift();
    }
    // In the same turn as the last check of the parcels, so that one that arrives now starts a new run.
    this.#posting = null;
  }

  /** Resolves with false if the terminal stops before. */
  async #postOne(parcel: Parcel): Promise<boolean> {
    const { uuid, body } = parcel;
    for (let attempt = 0; ; attempt += 1) {
      const answer = await this.#client.postResult(body, this.#signal).catch(reasonOf);
      if (this.#signal.aborted && typeof answer === "string") return false;
      if (typeof answer !== "string" && answer.status === 200) {
        parcel.acknowledged();
        this.#onEvent({ type: "posted", uuid });
        return true;
      }
      if (typeof answer !== "string" && (answer.status === 400 || answer.status === 413)) {
        parcel.acknowledged();
        this.#onEvent({ type: "refused", uuid, status: answer.status });
        return true;
      }
      const asked = typeof answer === "string" ? null : answer.retryAfterMs;
      const retryMs = asked ?? this.#pace.backOffMs(attempt);
      this.#onEvent({ type: "not_posted", uuid, reason: typeof answer === "string" ? answer : `status ${answer.status}`, retryMs });
      if (!(await this.#pace.sleep(retryMs, this.#signal))) return false;
    }
  }
}
