import type { IncomingHttpHeaders } from "node:http";
import { retryAfterMs } from "./http-caller.ts";
import type { Invariant } from "./ledger.ts";

/** The limit holds in any second; times in the relay are whole milliseconds. */
const WINDOW_MS = 1_000;
const CLOCK_MS = 2;

/** Over nodes a limit holds within a tenth. */
const TOLERANCE = 0.1;

/** Admissions and refusals whose times are kept, and refusals that are asked for at the end. */
const KEPT_MAX = 500_000;
const ASKED_MAX = 500;
const ASKED_AT_ONCE = 25;

/** When something was decided: between the two, by `performance.now`. */
interface Span {
  sentMs: number;
  answeredMs: number;
}

/** What became of payments that were sent on purpose beyond what is allowed. */
export class Refusals {
  readonly #admissions: Span[] = [];
  readonly #refusals: (Span & { index: number; limit: number })[] = [];
  #admitted = 0;
  #refused = 0;
  /** Answers that do not say what a 429 has to say. */
  #silent = 0;

  admitted(span: Span): void {
    this.#admitted += 1;
    if (this.#admissions.length < KEPT_MAX) this.#admissions.push(span);
  }

  /** A payment of this index was answered 429. */
  refused(index: number, { sentMs, answeredMs }: Span, headers: IncomingHttpHeaders): void {
    this.#refused += 1;
    const limit = Number(headers["ratelimit-limit"]);
    if (retryAfterMs(headers) === null || headers["ratelimit-remaining"] !== "0" || !(limit > 0)) this.#silent += 1;
    // While an admission is missing, none of this could be told.
    else if (this.#refusals.length < KEPT_MAX && this.#admitted <= KEPT_MAX) this.#refusals.push({ index, sentMs, answeredMs, limit });
  }

  get count(): number {
    return this.#refused;
  }

  /** `allowed`: of the address, and of the partner beyond it. `isKnown` asks the relay whether it knows a payment; null where it does not answer. */
  async invariant(
    { paysPerSecond, ownPaysPerSecond }: { paysPerSecond: number; ownPaysPerSecond: number },
    isKnown: (index: number) => Promise<boolean | null>,
  ): Promise<Invariant> {
    const examples: string[] = [];
    if (this.#refused === 0) examples.push("nothing was refused");
    const most = this.mostInWindow();
    if (most > paysPerSecond * (1 + TOLERANCE))
      examples.push(`${most} were admitted within one second, where ${paysPerSecond} are allowed`);
    const early = this.early((limit) => (limit === ownPaysPerSecond ? paysPerSecond : limit));
    if (early > 0) examples.push(`${early} were refused although not so many had been admitted within a second`);
    if (this.#silent > 0)
      examples.push(`${this.#silent} refusals do not say which limit it is, that nothing remains of it, and when to come again`);
    const asked = this.#refusals.slice(0, ASKED_MAX);
    let stored = 0;
    for (let from = 0; from < asked.length; from += ASKED_AT_ONCE) {
      const known = await Promise.all(asked.slice(from, from + ASKED_AT_ONCE).map(({ index }) => isKnown(index)));
      stored += known.filter((one) => one !== false).length;
    }
    if (stored > 0)
      examples.push(`of ${asked.length} refused payments that were asked for, ${stored} are stored or could not be asked for`);
    return {
      name: "429s are right",
      meaning:
        "in no second more was admitted than is allowed, nothing was refused before that (within a tenth, as over nodes), each 429 says when to come again, and nothing of it is stored",
      holds: examples.length === 0,
      checked: this.#admitted + this.#refused,
      broken: examples.length,
      examples,
    };
  }

  /** The most that were certainly admitted within one second: sent and answered in it, whatever the way to the relay took. */
  mostInWindow(): number {
    const bySent = [...this.#admissions].sort((one, other) => one.sentMs - other.sentMs);
    let most = 0;
    for (const [position, { sentMs }] of bySent.entries()) {
      const untilMs = sentMs + WINDOW_MS;
      let inside = 0;
      for (let at = position; at < bySent.length; at += 1) {
        const next = bySent[at];
        if (next === undefined || next.sentMs >= untilMs) break;
        if (next.answeredMs < untilMs) inside += 1;
      }
      most = Math.max(most, inside);
    }
    return most;
  }

  /**
   * Refusals that were not right whatever the way to the relay took: of all that may have been admitted in the second before, there are fewer than the limit that
   * the refusal tells of. `neededFor` that limit so many have to have been admitted.
   */
  early(neededFor: (limit: number) => number): number {
    const sent = this.#admissions.map(({ sentMs }) => sentMs).sort((one, other) => one - other);
    const answered = this.#admissions.map(({ answeredMs }) => answeredMs).sort((one, other) => one - other);
    return this.#refusals.filter(({ sentMs, answeredMs, limit }) => {
      const perhaps = countBelow(sent, answeredMs) - countBelow(answered, sentMs - WINDOW_MS - CLOCK_MS);
      return perhaps < Math.floor(neededFor(limit) * (1 - TOLERANCE));
    }).length;
  }
}

/** How many of these, which rise, are below a value. */
function countBelow(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
