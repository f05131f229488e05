import type { HttpConnection } from "./http-connection.ts";
import type { Measurement, Start } from "./measurement.ts";
import { PaymentTemplate } from "./payment-requests.ts";
import { pollsByTerminal } from "./poll-requests.ts";
import type { Channel } from "./task.ts";
import type { TerminalSession } from "./terminal-session.ts";
import { clientAddress, PARTNER_ADDRESSES, terminalAuthorization, terminalId } from "./terminals.ts";

/** Amounts have four digits, so that every request is as long. */
const AMOUNT_MIN_CENTS = 1_000;
const AMOUNTS = 9_000;

/** A payment that was sent, as its result names it. */
export interface SentPayment {
  /** The index of its terminal. */
  terminal: number;
  uuid: string;
  amountCents: number;
}

/** The requests of a life, written over those before; a connection has one of each kind. */
export class LifeRequests {
  readonly #terminals: number;
  readonly #kind: "polling" | "connected";
  readonly #polls: readonly Uint8Array[];
  readonly #authorizations: readonly string[];
  readonly #payments = new Map<HttpConnection, PaymentTemplate>();
  #counter = 0;

  constructor(channel: Channel, terminals: number) {
    this.#terminals = terminals;
    this.#kind = channel === "poll" ? "polling" : "connected";
    this.#polls = channel === "poll" ? pollsByTerminal(terminals) : [];
    this.#authorizations =
      channel === "poll" ? Array.from({ length: terminals }, (_, n) => terminalAuthorization(terminalId("polling", n))) : [];
  }

  /** Pays at the terminals in turn; `counter` is in the payment's uuid. `phase` as in a task. */
  pay(connection: HttpConnection, phase: number): SentPayment & { counter: number } {
    this.#counter += 1;
    const counter = this.#counter;
    const terminal = counter % this.#terminals;
    const template = this.#payments.get(connection) ?? new PaymentTemplate();
    this.#payments.set(connection, template);
    const amountCents = AMOUNT_MIN_CENTS + (counter % AMOUNTS);
    template.fill({
      terminal: terminalId(this.#kind, this.#kind === "connected" ? phase * 1_000_000 + terminal : terminal),
      address: clientAddress(counter % PARTNER_ADDRESSES),
      counter,
      amountCents,
    });
    connection.send(template.bytes);
    return { terminal, uuid: template.uuid, amountCents, counter };
  }

  poll(connection: HttpConnection, { terminal }: SentPayment): void {
    const request = this.#polls[terminal];
    if (request === undefined) throw new Error("there is no such terminal");
    connection.send(request);
  }

  result(connection: HttpConnection, payment: SentPayment): void {
    const body = resultBody(payment);
    const text = `POST /api/v1/${terminalId("polling", payment.terminal)}/receipt HTTP/1.1\r\nHost: localhost\r\nUser-Agent: bench-terminal/1.0\r\nX-Forwarded-For: ${clientAddress(payment.terminal)}\r\nAuthorization: ${this.#authorizations[payment.terminal]}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    connection.send(Buffer.from(text, "latin1"));
  }
}

/** As a terminal that approved it writes it. */
export function resultBody({ uuid, amountCents }: SentPayment): string {
  return `{"uuid":"${uuid}","result":"OK","amount":${amountCents},"authCode":"482913","stan":"000123","maskedPan":"************1234","brand":"VISA"}`;
}

interface Life extends SentPayment {
  connection: HttpConnection;
  counter: number;
  /** Which one it waits for. */
  step: number;
  steppedMs: number;
  start: Start;
  /** By push both have to be there before it ends. */
  isAnswered: boolean;
  isRecorded: boolean;
}

export interface LivesOptions {
  channel: Channel;
  terminals: number;
  phase: number;
  measurement: Measurement;
  /** By push: of the terminals, by their indexes. */
  sessions: readonly TerminalSession[];
  /** A life is over, with the status that ended it. */
  ended(connection: HttpConnection, status: number): void;
}

/** Whole lives, one at a time on each connection: the next request of one leaves when the one before is answered. */
export class Lives {
  readonly #options: LivesOptions;
  readonly #requests: LifeRequests;
  readonly #byConnection = new Map<HttpConnection, Life>();
  readonly #byCounter = new Map<number, Life>();

  constructor(options: LivesOptions) {
    this.#options = options;
    this.#requests = new LifeRequests(options.channel, options.terminals);
  }

  begin(connection: HttpConnection, start: Start): void {
    const payment = this.#requests.pay(connection, this.#options.phase);
    const life = { ...payment, connection, step: 0, steppedMs: start.fromMs, start, isAnswered: false, isRecorded: false };
    this.#byConnection.set(connection, life);
    if (this.#options.channel === "poll") return;
    this.#byCounter.set(payment.counter, life);
    this.#options.measurement.awaitPush(payment.counter, start);
  }

  answered(connection: HttpConnection, status: number): void {
    const life = this.#byConnection.get(connection);
    if (life === undefined) throw new Error("an answer that no life waits for");
    const { measurement, channel } = this.#options;
    if (status !== 200) {
      this.#end(life, status);
      return;
    }
    if (channel === "push") {
      measurement.stepped(0, performance.now() - life.start.fromMs);
      life.isAnswered = true;
      if (life.isRecorded) this.#end(life, status);
      return;
    }
    this.#stepped(life);
    if (life.step === 1) this.#requests.poll(connection, life);
    else if (life.step === 2) this.#requests.result(connection, life);
    else this.#end(life, status);
  }

  /** The payment's MESSAGE came to its terminal. It may come before the payment is answered. */
  pushed(counter: number): void {
    const life = this.#byCounter.get(counter);
    if (life === undefined) return;
    life.steppedMs = performance.now();
    this.#options.measurement.pushed(counter);
    this.#options.measurement.stepped(1, life.steppedMs - life.start.fromMs);
    this.#options.sessions[life.terminal]?.sendResult(counter, resultBody(life));
  }

  /** The result that was sent for it is stored. */
  recorded(counter: number): void {
    const life = this.#byCounter.get(counter);
    if (life === undefined) throw new Error("a RECEIPT that nobody asked for");
    this.#options.measurement.stepped(2, performance.now() - life.steppedMs);
    life.isRecorded = true;
    if (life.isAnswered) this.#end(life, 200);
  }

  #stepped(life: Life): void {
    const nowMs = performance.now();
    this.#options.measurement.stepped(life.step, nowMs - life.steppedMs);
    life.steppedMs = nowMs;
    life.step += 1;
  }

  #end(life: Life, status: number): void {
    this.#byCounter.delete(life.counter);
    this.#byConnection.delete(life.connection);
    this.#options.ended(life.connection, status);
  }
}
