import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { terminalPassword } from "../../http/auth/terminal-password.ts";
import { type SimulatedTerminal, startSimulatedTerminal } from "../../infra/sandbox/terminal/terminal.ts";
import type { Course, History } from "./history.ts";
import { member, type RelayCaller, TERMINAL } from "./relay-caller.ts";

/** How a terminal gets its commands; `away` never asks for any. */
export type Link = "poll" | "websocket" | "redelivering" | "away";

export interface Fleet {
  readonly terminals: ReadonlyMap<string, Link>;
  readonly redelivering: ReadonlySet<string>;
}

export function fleetOf(counts: { readonly [link in Link]: number }): Fleet {
  const links: Link[] = ["poll", "websocket", "redelivering", "away"];
  const terminals = new Map(
    links.flatMap((link) => Array.from({ length: counts[link] }, (_, n): [string, Link] => [`${link}-${n}`, link])),
  );
  return { terminals, redelivering: new Set([...terminals].filter(([, link]) => link === "redelivering").map(([id]) => id)) };
}

export interface LoadOptions {
  history: History;
  fleet: Fleet;
  caller: RelayCaller;
  /** Where terminals connect. */
  url: string;
  random(below: number): number;
  partners: number;
  /** Of a partner after each pay, on average. */
  pauseMs?: number;
  /** Of all partners together, instead of pauses: as long as there are enough of them for what is under way. */
  perSecond?: number;
  /** How long terminals take for a command, at most. */
  answerMs?: number;
}

/** Pauses of terminals between two polls, and of everyone after a request that was not answered. */
const POLL_MS = 20;
const RETRY_MS = 50;
const PAUSE_MS = 15;
const ANSWER_MS = 100;
/** Simulated terminals wait so much less than real ones, which come back within seconds. */
const SPEED = 40;
const REPEAT_ONE_IN = 12;
const AMOUNTS = [1_000, 1_005, 1_051, 1_100];

/** Partners that pay and terminals that take, carry out and answer, all through one caller, until they are stopped. */
export class Load {
  readonly #options: LoadOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>[] = [];
  #simulated: SimulatedTerminal[] = [];
  #paying = true;
  /** When the next payment is due, where there is a rate. */
  #dueMs = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    // Everyone who sleeps listens.
    setMaxListeners(0, this.#stopping.signal);
  }

  async start(): Promise<void> {
    const { fleet, partners } = this.#options;
    for (const [terminalId, link] of fleet.terminals) {
      if (link === "poll") this.#running.push(this.#polls(terminalId));
      else if (link !== "away") this.#simulated.push(await this.#connects(terminalId, link === "redelivering"));
    }
    for (let n = 0; n < partners; n++) this.#running.push(this.#pays());
  }

  /** No new payments; what has been paid goes on. */
  stopPaying(): void {
    this.#paying = false;
  }

  /** Ends everyone; requests under way are waited for. */
  async stop(): Promise<void> {
    this.#paying = false;
    this.#stopping.abort();
    await Promise.all([...this.#running, ...this.#simulated.map((terminal) => terminal.stop())]);
  }

  async #pays(): Promise<void> {
    const { history, fleet, random } = this.#options;
    const ids = [...fleet.terminals.keys()];
    const accepted: Course[] = [];
    while (this.#paying) {
      const terminalId = ids[random(ids.length)] ?? "";
      const again = random(REPEAT_ONE_IN) === 0 ? accepted[random(accepted.length)] : undefined;
      const course = again ?? history.begin(randomUUID(), terminalId, AMOUNTS[random(AMOUNTS.length)] ?? 0);
      await this.#pay(course);
      if (again === undefined && course.acceptedMs !== null) accepted.push(course);
      await this.#sleep(this.#pauseMs());
    }
  }

  /** What an outage has kept from being paid is not made up for. */
  #pauseMs(): number {
    const { random, pauseMs = PAUSE_MS, perSecond } = this.#options;
    if (perSecond === undefined) return random(2 * pauseMs);
    const nowMs = performance.now();
    this.#dueMs = Math.max(this.#dueMs + 1_000 / perSecond, nowMs);
    return this.#dueMs - nowMs;
  }

  /** Asks until there is an answer, always with the same uuid. */
  async #pay(course: Course): Promise<void> {
    const { history, caller, random } = this.#options;
    for (;;) {
      const sentMs = performance.now();
      const answer = await caller.pay(course.terminalId, course.uuid, course.amountCents);
      history.paid(course, answer, sentMs);
      if (answer !== null && answer.status !== 503) return;
      if (!(await this.#sleep(RETRY_MS + random(RETRY_MS)))) return;
    }
  }

  async #polls(terminalId: string): Promise<void> {
    const { history, caller } = this.#options;
    const results: Promise<void>[] = [];
    while (!this.#stopping.signal.aborted) {
      const answer = await caller.poll(terminalId);
      if (answer?.status === 200) {
        const uuid = member(answer.body, "uuid");
        if (typeof uuid !== "string") history.violations.push(`${terminalId} was handed ${answer.text}`);
        else {
          history.handedOut(uuid, terminalId);
          results.push(this.#carriesOut(uuid, terminalId));
        }
      } else if (answer !== null && answer.status !== 204 && answer.status !== 503) {
        history.violations.push(`${terminalId}'s poll was answered ${answer.status} ${answer.text}`);
      }
      await this.#sleep(answer === null ? RETRY_MS : POLL_MS);
    }
    await Promise.all(results);
  }

  /** Takes a while, as a customer with a card does, and posts the result until it is acknowledged. */
  async #carriesOut(uuid: string, terminalId: string): Promise<void> {
    const { history, caller, random, answerMs = ANSWER_MS } = this.#options;
    await this.#sleep(random(answerMs));
    const amountCents = history.courses.get(uuid)?.amountCents ?? 0;
    const outcome = outcomeOf(amountCents);
    history.executed(uuid, outcome);
    for (;;) {
      const body = { uuid, result: outcome, amount: amountCents, type: "CARD", timestamp: new Date().toISOString() };
      const answer = await caller.post(`/api/v1/${terminalId}/receipt`, body, TERMINAL);
      if (answer?.status === 200) {
        history.posted(uuid);
        return;
      }
      if (answer !== null && answer.status !== 503) {
        history.violations.push(`${uuid}'s result was answered ${answer.status} ${answer.text}`);
        return;
      }
      if (!(await this.#sleep(RETRY_MS))) return;
    }
  }

  #connects(terminalId: string, redeliver: boolean): Promise<SimulatedTerminal> {
    const { history, url, random, answerMs } = this.#options;
    return startSimulatedTerminal({
      terminalId,
      url,
      redeliver,
      // What was not acknowledged comes again only under the terminal's own login.
      ...(redeliver ? { username: terminalId, password: terminalPassword("sandbox-terminal-secret", terminalId) } : {}),
      speed: SPEED,
      ...(answerMs === undefined ? {} : { latencyMs: SPEED * random(answerMs) }),
      random: () => random(1_000) / 1_000,
      onEvent: (event) => {
        if (event.type === "received" || event.type === "repeated") history.handedOut(event.uuid, terminalId);
        else if (event.type === "executed") history.executed(event.uuid, outcomeOf(history.courses.get(event.uuid)?.amountCents ?? 0));
        else if (event.type === "posted") history.posted(event.uuid);
        else if (event.type === "refused") history.violations.push(`${event.uuid}'s result was answered ${event.status}`);
      },
    });
  }

  /** Answers false when everything ends. */
  #sleep(ms: number): Promise<boolean> {
    return delay(ms, true, { signal: this.#stopping.signal }).catch(() => false);
  }
}

/** As the simulated terminals decide it, by the last digits. */
function outcomeOf(amountCents: number): "OK" | "KO" {
  return amountCents % 100 === 5 || amountCents % 100 === 51 ? "KO" : "OK";
}
