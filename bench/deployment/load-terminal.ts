import { setTimeout as delay } from "node:timers/promises";
import { terminalPassword } from "../../http/auth/terminal-password.ts";
import { type ReceivedCommand, readCommand } from "../../infra/sandbox/terminal/command.ts";
import { executionOf } from "../../infra/sandbox/terminal/execution.ts";
import { settingsOf, type TerminalEvent } from "../../infra/sandbox/terminal/options.ts";
import { Outbox } from "../../infra/sandbox/terminal/outbox.ts";
import { Pace } from "../../infra/sandbox/terminal/pace.ts";
import { poll } from "../../infra/sandbox/terminal/poll-link.ts";
import { type Answer, RelayClient } from "../../infra/sandbox/terminal/relay-client.ts";
import { keepConnected } from "../../infra/sandbox/terminal/websocket-link.ts";

/** Commands that a terminal executes at once; a relay sends no more before their results. */
const AT_WORK_MAX = 64;

/** What a terminal tells of the run's payments, by their index; times are of `performance.now`. */
export interface TerminalReports {
  /** Which payment of the run it is, or null for a command of anybody else. */
  indexOf(uuid: string): number | null;
  /** It got the command. Answers whether it is to execute it, and whether its result was stored before. */
  handedOut(index: number, again: boolean): { first: boolean; stored: boolean };
  posting(index: number): void;
  stored(index: number): void;
  /** A result that the relay does not take; it is not posted again. */
  refused(index: number, status: number): void;
  polled(ms: number): void;
  /** Something that it tries again. */
  retried(kind: string): void;
  /** A command that no payment of this run is: it was declined. */
  foreign(): void;
  /** Its connection was lost. */
  offline(terminalId: string): void;
  /** A notice of an app version came, with these members. */
  noticed(terminalId: string, notice: ReceivedCommand["members"]): void;
}

export interface LoadTerminalOptions {
  terminalId: string;
  url: string;
  terminalSecret: string;
  link: "websocket" | "poll";
  pollIntervalMs: number;
  answerMs: number;
  reports: TerminalReports;
}

/**
 * A simulated terminal (infra/sandbox/terminal) for loads: it executes all that it gets at once, and keeps no memory of its own, since the run's ledger has
 * one of all. Commands that are not of this run are declined, whoever sent them: nothing is charged here, and a command without a result would be unknown.
 */
export class LoadTerminal {
  readonly terminalId: string;
  readonly link: "websocket" | "poll";
  readonly answerMs: number;
  /** Resolves when it is online for the first time. */
  readonly online: Promise<void>;
  readonly #reports: TerminalReports;
  readonly #settings: ReturnType<typeof settingsOf>;
  readonly #outbox: Outbox;
  readonly #stopping = new AbortController();
  readonly #work: Promise<void>;
  #atWork = 0;
  #isOnline = false;
  #connection: { cut(): void } | null = null;
  #cutAtMs: number | null = null;
  /** Why it is not online, as last heard. */
  #reason = "it has not been answered yet";
  #cameOnline: () => void = () => {};
  #cameBack: (ms: number) => void = () => {};

  constructor({ terminalId, url, terminalSecret, link, pollIntervalMs, answerMs, reports }: LoadTerminalOptions) {
    this.terminalId = terminalId;
    this.link = link;
    this.answerMs = answerMs;
    this.#reports = reports;
    this.online = new Promise((resolve) => {
      this.#cameOnline = resolve;
    });
    this.#settings = settingsOf({
      terminalId,
      url,
      username: terminalId,
      password: terminalPassword(terminalSecret, terminalId),
      link,
      pollIntervalMs,
      latencyMs: answerMs,
      // Loads are compared with those of before terminals sent slips.
      slips: false,
      // The ledger remembers uuids for it.
      redeliver: true,
      onEvent: (event) => this.#heard(event),
    });
    const { signal } = this.#stopping;
    const pace = new Pace(1, Math.random);
    const client = new RelayClient(this.#settings);
    this.#outbox = new Outbox(client, pace, signal, this.#settings.onEvent);
    const runner = { full: false, receive: (text: string) => this.#receive(text) };
    this.#work =
      link === "poll"
        ? poll(this.#settings, { client: { get: (stop) => this.#polled(client, stop) }, runner, pace, signal })
        : keepConnected(this.#settings, {
            runner,
            pace,
            signal,
            connecting: (connection) => {
              this.#connection = connection;
            },
          });
  }

  get isOnline(): boolean {
    return this.#isOnline;
  }

  get reason(): string {
    return this.#reason;
  }

  /** Cuts its WebSocket without a word; `back` is told how long it took until it was subscribed again. */
  cut(back: (ms: number) => void): void {
    if (!this.#isOnline) return;
    this.#cutAtMs = performance.now();
    this.#cameBack = back;
    this.#connection?.cut();
  }

  /** Leaves; what it has not posted stays so. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#work, this.#outbox.stopped()]);
  }

  async #polled(client: RelayClient, signal: AbortSignal): Promise<Answer> {
    const startedMs = performance.now();
    const answer = await client.get(signal);
    if (answer.status === 200 || answer.status === 204) this.#reports.polled(performance.now() - startedMs);
    return answer;
  }

  #heard(event: TerminalEvent): void {
    if (event.type === "online") {
      this.#isOnline = true;
      this.#cameOnline();
      if (this.#cutAtMs !== null) this.#cameBack(performance.now() - this.#cutAtMs);
      this.#cutAtMs = null;
    }
    if (event.type === "offline") {
      this.#isOnline = false;
      this.#reason = event.reason;
      this.#reports.retried(`terminal offline: ${event.reason}`);
      this.#reports.offline(this.terminalId);
    }
    if (event.type === "not_posted") this.#reports.retried(`result: ${event.reason}`);
    if (event.type === "posted" || event.type === "refused") {
      const index = this.#reports.indexOf(event.uuid);
      if (index === null) return;
      if (event.type === "posted") this.#reports.stored(index);
      else this.#reports.refused(index, event.status);
    }
  }

  /** Answers false for what it does not take: the relay is to send it again. */
  #receive(text: string): boolean {
    const command = readCommand(text);
    // Notices that want no result.
    if (command === null || command.service === "CONFIG") return true;
    if (command.service === "FORCE_UPDATE") {
      this.#reports.noticed(this.terminalId, command.members);
      return true;
    }
    if (this.#atWork >= AT_WORK_MAX) return false;
    const index = this.#reports.indexOf(command.uuid);
    if (index === null) {
      this.#reports.foreign();
      this.#post(command.uuid, declined(command));
      return true;
    }
    // A terminal that polls has not asked for that.
    const again = this.link === "websocket" && command.members["redelivered"] === true;
    const { first, stored } = this.#reports.handedOut(index, again);
    if (first) this.#execute(command, index);
    // It is at work, or was: the same result again, as a terminal does that has executed it.
    else if (stored) this.#postResult(command);
    return true;
  }

  #execute(command: ReceivedCommand, index: number): void {
    this.#atWork += 1;
    delay(this.answerMs, undefined, { signal: this.#stopping.signal })
      .then(() => {
        this.#reports.posting(index);
        this.#postResult(command);
      })
      .catch(() => undefined)
      .finally(() => {
        this.#atWork -= 1;
      });
  }

  #postResult(command: ReceivedCommand): void {
    for (const body of executionOf(command, this.#settings).posts(Date.now())) this.#post(command.uuid, body);
  }

  #post(uuid: string, body: string): void {
    this.#outbox.post({ uuid, body, acknowledged: () => undefined });
  }
}

function declined({ uuid, service, cancels }: ReceivedCommand): string {
  return JSON.stringify({ uuid, service, result: "KO", message: "LOAD TEST", ...(cancels === null ? {} : { cancels }) });
}
