import { randomUUID } from "node:crypto";
import { API_KEY, clientAddress, PARTNER_ADDRESSES, QUEUEING_TERMINALS, terminalId } from "./terminals.ts";

/** Of so many payments one goes to a connected terminal. */
export const PUSHED_OF = 4;

/** The last digits of a uuid count the payments of a run, so that a frame at a terminal names its payment without a lookup. */
const COUNTER_DIGITS = 8;
const UUID_LENGTH = 36;

/** A payment as bytes that are filled in again and again: one for each connection. */
export class PaymentTemplate {
  readonly bytes: Buffer;
  readonly #terminalAt: number;
  readonly #addressAt: number;
  readonly #uuidAt: number;
  readonly #amountAt: number;

  constructor() {
    const uuid = "0".repeat(UUID_LENGTH);
    const body = `{"uuid":"${uuid}","amount":1000,"service":"PAYCC","type":"CARD","cardType":0,"description":"Order 004711, table 12"}`;
    const [id, address] = [terminalId("queueing", 0), clientAddress(0)];
    const text = `POST /api/v1/${id}/pay HTTP/1.1\r\nHost: localhost\r\nUser-Agent: bench-partner/1.0\r\nX-Forwarded-For: ${address}\r\nAPI-Key: ${API_KEY}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    this.bytes = Buffer.from(text, "latin1");
    this.#terminalAt = text.indexOf(id);
    this.#addressAt = text.indexOf(address);
    this.#uuidAt = text.indexOf(uuid);
    this.#amountAt = text.indexOf("1000,");
  }

  fill(payment: { terminal: string; address: string; counter: number; amountCents: number }): void {
    const { bytes } = this;
    bytes.write(payment.terminal, this.#terminalAt, "latin1");
    bytes.write(payment.address, this.#addressAt, "latin1");
    // Random at the front, which is what decides where it lands in the store.
    bytes.write(randomUUID(), this.#uuidAt, "latin1");
    bytes.write(payment.counter.toString(16).padStart(COUNTER_DIGITS, "0"), this.#uuidAt + UUID_LENGTH - COUNTER_DIGITS, "latin1");
    bytes.write(String(payment.amountCents), this.#amountAt, "latin1");
  }

  /** Of the payment that was filled in last. */
  get uuid(): string {
    return this.bytes.toString("latin1", this.#uuidAt, this.#uuidAt + UUID_LENGTH);
  }
}

/** The counter in a uuid that begins at `at`. */
export function counterIn(bytes: Buffer, at: number): number {
  return Number.parseInt(bytes.toString("latin1", at + UUID_LENGTH - COUNTER_DIGITS, at + UUID_LENGTH), 16);
}

/** Fills in payments for terminals and from addresses in turn. `connected` are the ids that one in `PUSHED_OF` goes to. */
export function createPayments(connected: readonly string[]): { next(template: PaymentTemplate): { counter: number; pushed: boolean } } {
  const queueing = Array.from({ length: QUEUEING_TERMINALS }, (_, index) => terminalId("queueing", index));
  const addresses = Array.from({ length: PARTNER_ADDRESSES }, (_, index) => clientAddress(index));
  let counter = 0;
  return {
    next: (template) => {
      counter += 1;
      const pushed = connected.length > 0 && counter % PUSHED_OF === 0;
      const terminals = pushed ? connected : queueing;
      const turn = pushed ? counter / PUSHED_OF : counter;
      template.fill({
        terminal: terminals[turn % terminals.length] ?? "",
        address: addresses[counter % addresses.length] ?? "",
        counter,
        amountCents: 1_000 + (counter % 9_000),
      });
      return { counter, pushed };
    },
  };
}
