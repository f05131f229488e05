import { type HttpCaller, memberOf, type Outcome, retryAfterMs } from "./http-caller.ts";
import type { Fate, Ledger } from "./ledger.ts";
import type { Measurements } from "./measurements.ts";
import { pause, pauseMs } from "./pauses.ts";
import type { Asked } from "./payment-of.ts";
import type { Refusals } from "./refusals.ts";

/** A payment that was not accepted for so long after it was due is given up, as a till would. */
const PAY_GIVE_UP_MS = 30_000;

/** How long the relay keeps a command for its terminal, and some seconds for what is slow. */
const COMMAND_WAITS_MS = 60_000;
const LOOK_UP_MARGIN_MS = 20_000;

/** The longest that one look-up waits; the relay allows 30 s. */
const LOOK_UP_WAIT_SECONDS = 25;

/**
 * Where a look-up that was to wait is answered at once, too many of them wait: the document says to ask again after 3 to 5 seconds. One that is answered later, and
 * before its time, was ended by a node that stops, and is asked again at once.
 */
const LOOK_UP_AGAIN_MS = 3_000;
const AT_ONCE_MS = 250;

/** Attempts of the last questions of a run. */
const LAST_ATTEMPTS = 5;

/** What a terminal did with a payment, as far as its partner has to know. */
export interface Execution {
  /** When the terminal began to post the result, by `performance.now`; null before it has. */
  postedAtMs: number | null;
  isSlow: boolean;
}

export interface PartnerOptions {
  caller: HttpCaller;
  key: string;
  ledger: Ledger;
  measurements: Measurements;
  uuidOf(index: number): string;
  askedOf(index: number): Asked;
  /** Of a payment that is under way. */
  executionOf(index: number): Execution;
  /** The longest that a terminal takes. */
  answerMs: number;
  /** Where payments beyond a limit are sent on purpose: they are not repeated, and told here. Else null. */
  refusals: Refusals | null;
  /** Aborted when nobody waits any longer. */
  signal: AbortSignal;
}

/** What a partner does with a payment: sends it, repeats it until it is answered, and looks its result up. */
export class Partner {
  readonly #options: PartnerOptions;
  readonly #headers: { [name: string]: string };

  constructor(options: PartnerOptions) {
    this.#options = options;
    this.#headers = { "api-key": options.key };
  }

  /** The whole life of a payment. Never rejects: what goes wrong is counted. */
  async pay(index: number, dueAtMs: number): Promise<void> {
    const { ledger, measurements, executionOf } = this.#options;
    ledger.begin(index);
    measurements.took("late", performance.now() - dueAtMs);
    if (!(await this.#send(index, dueAtMs))) return;
    measurements.took("pay", performance.now() - dueAtMs);
    if (!(await this.#find(index))) return;
    const { postedAtMs, isSlow } = executionOf(index);
    const nowMs = performance.now();
    if (postedAtMs !== null) measurements.took("found", nowMs - postedAtMs);
    measurements.took(isSlow ? "wholeSlow" : "whole", nowMs - dueAtMs);
  }

  /** What became of a payment that nobody saw end. Nothing is asked any more once `until` aborts. */
  async fateOf(index: number, until: AbortSignal): Promise<Fate> {
    const found = await this.#lastly(`/api/v1/${this.#options.uuidOf(index)}/uuid`, [200], until);
    if (found === null) return "unasked";
    if (memberOf(found.text, "status") === "ok" && isObject(memberOf(found.text, "data"))) {
      this.#options.ledger.found(index, this.#isResultOf(index, found.text));
      return "known";
    }
    const isKnown = await this.isKnown(index, until);
    if (isKnown === null) return "unasked";
    return isKnown ? "known" : "lost";
  }

  /** Whether the relay knows a payment. Null where it does not answer. */
  async isKnown(index: number, until: AbortSignal): Promise<boolean | null> {
    const life = await this.#lastly(`/api/v1/commands/${this.#options.uuidOf(index)}`, [200, 404], until);
    return life === null ? null : life.status === 200;
  }

  /** Whether the result of a payment is there still, and the same. Null where the relay does not answer. */
  async isStillThere(index: number, until: AbortSignal): Promise<boolean | null> {
    const found = await this.#lastly(`/api/v1/${this.#options.uuidOf(index)}/uuid`, [200], until);
    return found === null ? null : this.#isResultOf(index, found.text);
  }

  /** Resolves with whether it was accepted. */
  async #send(index: number, dueAtMs: number): Promise<boolean> {
    const { caller, ledger, measurements, uuidOf, askedOf, refusals, signal } = this.#options;
    const { terminalId, service, amountCents } = askedOf(index);
    const uuid = uuidOf(index);
    const [path, body] = service === "SCAN" ? ["scan", { uuid }] : ["pay", { uuid, amount: amountCents, service }];
    const request = { method: "POST", path: `/api/v1/${terminalId}/${path}`, headers: this.#headers, body: JSON.stringify(body) } as const;
    let inDoubt = false;
    for (let attempt = 0; ; attempt += 1) {
      const sentAtMs = performance.now();
      const outcome = await caller.send(request);
      const span = { sentMs: sentAtMs, answeredMs: performance.now() };
      if (outcome.type === "answered" && outcome.status === 200) refusals?.admitted(span);
      if (refusals !== null && outcome.type === "answered" && kindOf(outcome) === "429") {
        refusals.refused(index, span, outcome.headers);
        return false;
      }
      if (outcome.type === "answered" && (outcome.status === 200 || (inDoubt && isDuplicate(outcome)))) {
        ledger.accepted(index);
        return true;
      }
      if (outcome.type === "answered" && outcome.status !== 503 && outcome.status !== 429) {
        measurements.failed(`${path} ${isDuplicate(outcome) ? "duplicate" : outcome.status}`);
        ledger.unanswered(index);
        return false;
      }
      // A 429 says that nothing was stored.
      inDoubt ||= outcome.type === "failed" || outcome.status === 503;
      const waitMs = pauseMs(attempt, outcome.type === "answered" ? retryAfterMs(outcome.headers) : null);
      if (signal.aborted || performance.now() + waitMs > dueAtMs + PAY_GIVE_UP_MS) {
        measurements.failed(`${path} given up after ${kindOf(outcome)}`);
        ledger.unanswered(index);
        return false;
      }
      measurements.retried(`${path} ${kindOf(outcome)}`);
      await pause(waitMs, signal);
    }
  }

  /** Resolves with whether the result was found, and is the one that was posted. */
  async #find(index: number): Promise<boolean> {
    const { caller, ledger, measurements, uuidOf, answerMs, signal } = this.#options;
    const giveUpAtMs = performance.now() + COMMAND_WAITS_MS + answerMs + LOOK_UP_MARGIN_MS;
    const path = `/api/v1/${uuidOf(index)}/uuid?wait=${LOOK_UP_WAIT_SECONDS}`;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const askedAtMs = performance.now();
      const outcome = await caller.send({ method: "GET", path, headers: this.#headers, waitMs: LOOK_UP_WAIT_SECONDS * 1_000 });
      const isAnswered = outcome.type === "answered" && outcome.status === 200;
      if (isAnswered && isObject(memberOf(outcome.text, "data"))) {
        const same = this.#isResultOf(index, outcome.text);
        ledger.found(index, same);
        if (!same) measurements.failed("another result");
        return same;
      }
      if (isAnswered) {
        const ended = await this.#endOf(index);
        if (ended !== null) {
          ledger.ended(index, ended);
          measurements.failed(`no result: ${ended}`);
          return false;
        }
        const answeredAfterMs = performance.now() - askedAtMs;
        if (answeredAfterMs < AT_ONCE_MS) await pause(pauseMs(2, LOOK_UP_AGAIN_MS), signal);
        else if (answeredAfterMs < LOOK_UP_WAIT_SECONDS * 500) {
          measurements.retried("look-up answered early");
          await pause(pauseMs(0, null), signal);
        }
      } else if (outcome.type === "answered" && outcome.status !== 503 && outcome.status !== 429) {
        measurements.failed(`look-up ${outcome.status}`);
        return false;
      } else {
        measurements.retried(`look-up ${kindOf(outcome)}`);
        await pause(pauseMs(attempt, outcome.type === "answered" ? retryAfterMs(outcome.headers) : null), signal);
      }
      if (performance.now() > giveUpAtMs) break;
    }
    measurements.failed("no result in time");
    return false;
  }

  /** The state in which it ended without a result; null where it has not, or the relay does not say. */
  async #endOf(index: number): Promise<"expired" | "cancelled" | "unknown" | null> {
    const { caller, uuidOf } = this.#options;
    const life = await caller.send({ method: "GET", path: `/api/v1/commands/${uuidOf(index)}`, headers: this.#headers });
    if (life.type === "failed" || life.status !== 200) return null;
    const state = memberOf(life.text, "data", "state");
    return state === "expired" || state === "cancelled" || state === "unknown" ? state : null;
  }

  /** Whether it is what the terminal posted for this payment. */
  #isResultOf(index: number, text: string): boolean {
    const { terminalId, service, amountCents } = this.#options.askedOf(index);
    const data = (member: string) => memberOf(text, "data", member);
    return (
      data("uuid") === this.#options.uuidOf(index) &&
      data("terminalId") === terminalId &&
      data("status") === "OK" &&
      data("amountCents") === amountCents &&
      data("method") === (service === "SCAN" ? "SCAN" : "CARD")
    );
  }

  /** A question at the end of the run, a few times; null where it is not answered with one of these. */
  async #lastly(path: string, statuses: readonly number[], until: AbortSignal): Promise<{ status: number; text: string } | null> {
    for (let attempt = 0; attempt < LAST_ATTEMPTS && !until.aborted; attempt += 1) {
      const outcome = await this.#options.caller.send({ method: "GET", path, headers: this.#headers, until });
      if (outcome.type === "answered" && statuses.includes(outcome.status)) return outcome;
      await pause(pauseMs(attempt, outcome.type === "answered" ? retryAfterMs(outcome.headers) : null), until);
    }
    return null;
  }
}

function isDuplicate(outcome: Outcome & { type: "answered" }): boolean {
  return outcome.status === 400 && String(memberOf(outcome.text, "error")).startsWith("Duplicate payment request");
}

function kindOf(outcome: Outcome): string {
  if (outcome.type === "failed") return outcome.reason;
  return memberOf(outcome.text, "code") === "terminal_queue_full" ? "429 terminal_queue_full" : String(outcome.status);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
