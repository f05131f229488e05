import { randomInt, randomUUID } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { PROTOCOL_RESULT } from "../../../http/gateway/forms.ts";
import type { FollowUpOrder, InitOrder } from "../../../http/gateway/requests.ts";
import { APPROVED, EXPIRED, type Outcome } from "./test-cards.ts";

/** Maximum number of stored payments; beyond it the oldest are dropped. About 1.5 KB each. */
const PAYMENTS_MAX = 200_000;
const OPERATIONS_PER_PAYMENT_MAX = 100;
/** The lifetime of an order without an expiry of its own; the same as for the relay's links. */
const LIFETIME_MS = 3_600_000;

/** How a payment was made; only the parts of a card that may be shown are stored. */
export interface Paid {
  tranId: string;
  authCode: string;
  maskedPan: string | null;
  cardBrand: string | null;
  payerName: string | null;
  payerLastName: string | null;
  /** Absent: the ordered amount. */
  amount?: InitOrder["amount"];
}

export interface Payment {
  paymentId: string;
  order: InitOrder;
  expiresAtMs: number;
  /** Null while it waits for the buyer. */
  outcome: Outcome | null;
  paid: Paid | null;
  captured: boolean;
  reversedValue: number;
  refundedValue: number;
  operations: { kind: FollowUp; order: FollowUpOrder; tranId: string }[];
}

export type FollowUp = "capture" | "reversal" | "refund";

export type FollowUpOutcome = { type: "done"; tranId: string } | { type: "refused"; outcome: Outcome };

/** All payments of the gateway. */
export class Payments {
  readonly #byId = new Map<string, Payment>();
  readonly #byTx = new Map<string, Payment>();
  readonly #byTran = new Map<string, Payment>();
  readonly #file: string | null;
  readonly #nowMs: () => number;

  /** Throws when the file cannot be read or written. */
  constructor(file: string | null, nowMs: () => number) {
    this.#file = file;
    this.#nowMs = nowMs;
    if (file === null) return;
    if (existsSync(file)) this.#load(readFileSync(file, "utf8"));
    // Rewrites the file with one line per payment, atomically.
    writeFileSync(`${file}.new`, [...this.#byId.values()].map((payment) => `${JSON.stringify(payment)}\n`).join(""), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  /** At most one payment for each txId of a merchant; null when it was used for another order. */
  init(order: InitOrder): Payment | null {
    const known = this.byTx(order.merId, order.txId);
    if (known !== null) return isDeepStrictEqual(known.order, order) ? known : null;
    const payment: Payment = {
      paymentId: randomUUID(),
      order,
      expiresAtMs: order.expiresAtMs ?? this.#nowMs() + LIFETIME_MS,
      outcome: null,
      paid: null,
      captured: false,
      reversedValue: 0,
      refundedValue: 0,
      operations: [],
    };
    this.#keep(payment);
    return payment;
  }

  byId(paymentId: string): Payment | null {
    return this.#current(this.#byId.get(paymentId));
  }

  byTx(merId: string, txId: string): Payment | null {
    return this.#current(this.#byTx.get(`${merId}/${txId}`));
  }

  all(): Payment[] {
    return [...this.#byId.values()].map((payment) => this.#current(payment) ?? payment);
  }

  /** Ends a payment; a payment that has ended keeps its outcome. Returns whether it ended now. */
  end(payment: Payment, outcome: Outcome, paid: Omit<Paid, "tranId" | "authCode"> | null): boolean {
    if (this.#current(payment)?.outcome !== null) return false;
    payment.outcome = outcome;
    if (outcome.resultCode === APPROVED.resultCode && paid !== null) {
      payment.paid = { tranId: newTranId(), authCode: String(randomInt(1_000_000)).padStart(6, "0"), ...paid };
      payment.captured = payment.order.txOp === "SALE";
    }
    this.#keep(payment);
    return true;
  }

  followUp(kind: FollowUp, order: FollowUpOrder): FollowUpOutcome {
    const payment = this.#byTran.get(order.origTranId);
    if (payment === undefined || payment.order.merId !== order.merId || payment.paid === null) {
      return refused(PROTOCOL_RESULT.paymentUnknown, "There is no movement with this origTranId");
    }
    const earlier = payment.operations.find(({ order: { txId } }) => txId === order.txId);
    if (earlier !== undefined) {
      const same = earlier.kind === kind && isDeepStrictEqual(earlier.order, order);
      return same ? { type: "done", tranId: earlier.tranId } : refused(PROTOCOL_RESULT.txIdReused, "The txId was used for something else");
    }
    const paid = payment.paid.amount ?? payment.order.amount;
    const left = paid.value - payment.reversedValue - payment.refundedValue;
    const value = order.amount?.value ?? left;
    if (order.amount !== null && order.amount.currency !== paid.currency) {
      return refused(PROTOCOL_RESULT.invalidRequest, "amount.currency: is not the payment's");
    }
    if (left === 0) return refused(PROTOCOL_RESULT.notPossible, "The payment was reversed or refunded already");
    if (value > left) return refused(PROTOCOL_RESULT.notPossible, "The amount is more than what is left of the payment");
    if (kind === "capture" && payment.captured) return refused(PROTOCOL_RESULT.notPossible, "The payment was captured already");
    if (kind === "refund" && !payment.captured) return refused(PROTOCOL_RESULT.notPossible, "The payment was not captured");
    if (payment.operations.length >= OPERATIONS_PER_PAYMENT_MAX) return refused(PROTOCOL_RESULT.notPossible, "Too many operations");
    if (kind === "capture") payment.captured = true;
    if (kind === "reversal") payment.reversedValue += value;
    if (kind === "refund") payment.refundedValue += value;
    const tranId = newTranId();
    payment.operations.push({ kind, order, tranId });
    this.#keep(payment);
    return { type: "done", tranId };
  }

  /** A payment also ends when its time is over; this is noticed when it is read. */
  #current(payment: Payment | undefined): Payment | null {
    if (payment === undefined) return null;
    if (payment.outcome === null && this.#nowMs() >= payment.expiresAtMs) {
      payment.outcome = EXPIRED;
      this.#keep(payment);
    }
    return payment;
  }

  #keep(payment: Payment): void {
    this.#index(payment);
    if (this.#file !== null) appendFileSync(this.#file, `${JSON.stringify(payment)}\n`, { mode: 0o600 });
  }

  #index(payment: Payment): void {
    if (this.#byId.size >= PAYMENTS_MAX && !this.#byId.has(payment.paymentId)) {
      const [oldest] = this.#byId.values();
      if (oldest !== undefined) this.#forget(oldest);
    }
    this.#byId.set(payment.paymentId, payment);
    this.#byTx.set(`${payment.order.merId}/${payment.order.txId}`, payment);
    for (const { tranId } of [...(payment.paid === null ? [] : [payment.paid]), ...payment.operations]) this.#byTran.set(tranId, payment);
  }

  #forget(payment: Payment): void {
    this.#byId.delete(payment.paymentId);
    this.#byTx.delete(`${payment.order.merId}/${payment.order.txId}`);
    for (const { tranId } of [...(payment.paid === null ? [] : [payment.paid]), ...payment.operations]) this.#byTran.delete(tranId);
  }

  #load(text: string): void {
    for (const line of text.split("\n")) {
      if (line === "") continue;
      let payment: Payment;
      try {
        payment = JSON.parse(line);
      } catch {
        // For a line that was cut off by a kill no response had been sent.
        continue;
      }
      this.#index(payment);
    }
  }
}

function newTranId(): string {
  return `${Date.now()}${String(randomInt(100_000)).padStart(5, "0")}`;
}

function refused(resultCode: string, description: string): FollowUpOutcome {
  return { type: "refused", outcome: { resultCode, description } };
}
