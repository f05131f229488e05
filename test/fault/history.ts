import { type Answer, member } from "./relay-caller.ts";

/** Commands wait this long for a terminal; an earlier end is wrong. */
const LIFETIME_MS = 60_000;
const CLOCKS_MS = 1_000;

type Outcome = "OK" | "KO";

/** All that is known of one uuid, from outside the relay. */
export interface Course {
  readonly uuid: string;
  readonly terminalId: string;
  readonly amountCents: number;
  readonly firstSentMs: number;
  /** Pay requests that nobody answered, or with 503. */
  unanswered: number;
  /** When a 200, or a "Duplicate" after an unanswered request, said that it is stored. */
  acceptedMs: number | null;
  /** A 429 said that it is not stored. */
  refused: boolean;
  /** When it came to a terminal, each time. */
  readonly handedOutMs: number[];
  /** What the terminal found out; executed once. */
  outcome: Outcome | null;
  /** When a 200 said that the result is stored. */
  postedMs: number | null;
  /** When an answer first showed it as expired. */
  expiredMs: number | null;
}

/**
 * The history of a run as its partners and terminals saw it, and every answer that contradicts it. Times are `performance.now()`; an answer is
 * judged by what was certain when its request was sent.
 */
export class History {
  readonly courses = new Map<string, Course>();
  readonly violations: string[] = [];
  readonly #redelivering: ReadonlySet<string>;

  /** Terminals that declared that they remember uuids, and may get a command again. */
  constructor(redelivering: ReadonlySet<string>) {
    this.#redelivering = redelivering;
  }

  begin(uuid: string, terminalId: string, amountCents: number): Course {
    const course: Course = {
      uuid,
      terminalId,
      amountCents,
      firstSentMs: performance.now(),
      unanswered: 0,
      acceptedMs: null,
      refused: false,
      handedOutMs: [],
      outcome: null,
      postedMs: null,
      expiredMs: null,
    };
    this.courses.set(uuid, course);
    return course;
  }

  /** An answer to a pay request that was sent at `sentMs`, or its lack. */
  paid(course: Course, answer: Answer | null, sentMs: number): void {
    if (answer === null || answer.status === 503) {
      course.unanswered += 1;
      return;
    }
    const state = answer.headers["relay-command-state"];
    if (answer.status === 200) {
      if (course.acceptedMs !== null) this.#violated(course, "was accepted twice");
      course.acceptedMs ??= performance.now();
    } else if (answer.status === 400 && typeof state === "string") {
      if (course.acceptedMs === null && course.unanswered === 0) this.#violated(course, "was called a duplicate when it was new");
      course.acceptedMs ??= performance.now();
      this.#stateSeen(course, state, null, sentMs);
    } else if (answer.status === 429) {
      if (course.acceptedMs !== null) this.#violated(course, "was accepted, then refused");
      course.refused = true;
    } else this.#violated(course, `pay was answered ${answer.status} ${answer.text}`);
  }

  /** A command came to a terminal, or came to it again. */
  handedOut(uuid: string, terminalId: string): void {
    const course = this.courses.get(uuid);
    if (course === undefined) {
      this.violations.push(`${uuid} came to ${terminalId}, and nobody sent it`);
      return;
    }
    if (course.terminalId !== terminalId) this.#violated(course, `came to ${terminalId}`);
    if (course.handedOutMs.length > 0 && !this.#redelivering.has(terminalId)) this.#violated(course, "was handed out twice");
    if (course.refused && course.acceptedMs === null) this.#violated(course, "was refused, and handed out");
    course.handedOutMs.push(performance.now());
  }

  /** The terminal has carried it out. */
  executed(uuid: string, outcome: Outcome): void {
    const course = this.courses.get(uuid);
    if (course === undefined) return;
    if (course.outcome !== null) this.#violated(course, "was executed twice");
    course.outcome = outcome;
  }

  /** The result was answered 200. */
  posted(uuid: string): void {
    const course = this.courses.get(uuid);
    if (course !== undefined) course.postedMs ??= performance.now();
  }

  /** Those among these terminals without an acknowledged result of a command that was paid after this moment. */
  withoutResultSince(sinceMs: number, terminalIds: Iterable<string>): Set<string> {
    const left = new Set(terminalIds);
    for (const { terminalId, firstSentMs, postedMs } of this.courses.values()) {
      if (firstSentMs > sinceMs && postedMs !== null) left.delete(terminalId);
    }
    return left;
  }

  /** An answer of `GET /api/v1/commands/{uuid}`. */
  lifeSeen(course: Course, answer: Answer, sentMs: number): void {
    if (answer.status === 404) {
      if (isBefore(course.acceptedMs, sentMs)) this.#violated(course, "was accepted, and is not known");
      if (isBefore(course.handedOutMs[0], sentMs)) this.#violated(course, "was handed out, and is not known");
      return;
    }
    const state = member(answer.body, "data", "state");
    if (answer.status !== 200 || typeof state !== "string") {
      this.#violated(course, `its life was answered ${answer.status} ${answer.text}`);
      return;
    }
    if (course.refused && course.acceptedMs === null) this.#violated(course, `was refused, and is ${state}`);
    this.#stateSeen(course, state, member(answer.body, "data", "result"), sentMs);
  }

  /** An answer of the lookup of a result that was acknowledged before it was asked for. */
  resultSeen(course: Course, answer: Answer): void {
    const status = member(answer.body, "data", "status");
    const amountCents = member(answer.body, "data", "amountCents");
    if (answer.status === 200 && status === course.outcome && amountCents === course.amountCents) return;
    this.#violated(course, `its result was acknowledged as ${course.outcome} and is answered ${answer.status} ${answer.text}`);
  }

  /** What can only be said at the end. */
  finish(): void {
    for (const course of this.courses.values()) {
      if (course.expiredMs !== null && course.handedOutMs.length > 0) this.#violated(course, "was shown as expired, and was handed out");
    }
  }

  #stateSeen(course: Course, state: string, result: unknown, sentMs: number): void {
    const handedOut = isBefore(course.handedOutMs[0], sentMs);
    const posted = isBefore(course.postedMs, sentMs);
    const mayGoBack = this.#redelivering.has(course.terminalId);
    switch (state) {
      case "queued":
        if ((handedOut && !mayGoBack) || posted) this.#violated(course, "was handed out, and is queued");
        break;
      case "sent":
        if (posted) this.#violated(course, "its result was acknowledged, and it is sent");
        break;
      case "done":
        if (course.outcome === null) this.#violated(course, "is done, and was not executed");
        else if (result !== null && result !== course.outcome) this.#violated(course, `ended ${course.outcome}, and is shown as ${result}`);
        break;
      case "expired":
        course.expiredMs ??= performance.now();
        if (performance.now() < course.firstSentMs + LIFETIME_MS - CLOCKS_MS) this.#violated(course, "expired early");
        if (posted) this.#violated(course, "its result was acknowledged, and it is expired");
        break;
      case "unknown":
        if (posted) this.#violated(course, "its result was acknowledged, and it is unknown");
        break;
      default:
        this.#violated(course, `is ${state}, which nobody asked for`);
    }
  }

  #violated(course: Course, what: string): void {
    this.violations.push(`${course.uuid} ${what}: ${JSON.stringify(course)}`);
  }
}

function isBefore(eventMs: number | null | undefined, sentMs: number): boolean {
  return eventMs !== null && eventMs !== undefined && eventMs < sentMs;
}
