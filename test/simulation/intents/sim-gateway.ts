import type { CardGateway } from "../../../engine/gateway/card-gateway.ts";
import type {
  GatewayAnswer,
  GatewayCredentials,
  GatewayFollowedUp,
  GatewayFollowUp,
  GatewayInitiated,
  GatewayOrder,
  GatewayPaymentState,
} from "../../../engine/gateway/gateway.ts";
import { FakeGateway } from "../../engine/links/world.ts";
import type { Random } from "../random.ts";

const AWAY = { type: "unavailable", reason: "away" } as const;
const REFUSED = { resultCode: "GW_30009", description: "not now" } as const;

/** How long after its own end the gateway still takes money. */
const EXPIRES_LATE_MS = 120_000;

/** A gateway to which calls get late or not at all, and whose answers are lost; it executes each id once. */
export class SimGateway implements CardGateway {
  readonly inner: FakeGateway;
  /** Payments whose address somebody was given: nobody else can pay. */
  readonly offered = new Set<string>();
  /** Calls on their way that arrive by and by. */
  readonly #late: (() => Promise<unknown>)[] = [];
  /** Captures, reversals and refunds by their ids. */
  readonly #refused = new Set<string>();
  readonly #random: Random;
  readonly #nowMs: () => number;
  /** How likely a call is not answered, and how likely it is refused. */
  trouble = 0;
  refusals = 0;

  constructor(random: Random, nowMs: () => number) {
    this.#random = random;
    this.#nowMs = nowMs;
    this.inner = new FakeGateway(nowMs);
  }

  init(credentials: GatewayCredentials, order: GatewayOrder): Promise<GatewayAnswer<GatewayInitiated>> {
    return this.#call(order.txId, async () => {
      const known = this.inner.payments.has(order.txId);
      // What it has it has: an init for it is answered with the same again.
      if (!known && this.#random.chance(this.refusals)) return { type: "refused", ...REFUSED };
      return this.inner.init(credentials, order);
    });
  }

  verify(credentials: GatewayCredentials, payment: { txId: string }): Promise<GatewayAnswer<GatewayPaymentState>> {
    return this.#call(payment.txId, () => {
      this.expire();
      return this.inner.verify(credentials, payment);
    });
  }

  capture(credentials: GatewayCredentials, followUp: GatewayFollowUp): Promise<GatewayAnswer<GatewayFollowedUp>> {
    return this.#call(followUp.txId, () => this.#once(followUp, () => this.inner.capture(credentials, followUp)));
  }

  reversal(credentials: GatewayCredentials, followUp: GatewayFollowUp): Promise<GatewayAnswer<GatewayFollowedUp>> {
    return this.#call(followUp.txId, () => this.#once(followUp, () => this.inner.reversal(credentials, followUp)));
  }

  refund(credentials: GatewayCredentials, followUp: GatewayFollowUp): Promise<GatewayAnswer<GatewayFollowedUp>> {
    return this.#call(followUp.txId, () => this.#once(followUp, () => this.inner.refund(credentials, followUp)));
  }

  /** A buyer pays or fails, if the payment is still to be paid; `payLate`: what the gateway had called failed is paid after all. */
  buyer(txId: string, does: "pay" | "fail" | "payLate"): boolean {
    this.expire();
    const payment = this.inner.payments.get(txId);
    if (payment === undefined || !this.offered.has(txId)) return false;
    if (payment.state.type !== (does === "payLate" ? "failed" : "pending")) return false;
    if (does !== "fail") this.inner.pay(txId);
    else this.inner.set(txId, { type: "failed", paymentId: `g-${txId}`, resultCode: "GW_10001", description: "no" });
    return true;
  }

  /** What is over for the gateway. */
  expire(): void {
    for (const [txId, { order, state }] of this.inner.payments) {
      if (state.type !== "pending" || this.#nowMs() < order.expiresAtMs + EXPIRES_LATE_MS) continue;
      this.inner.set(txId, { type: "failed", paymentId: `g-${txId}`, resultCode: "GW_20002", description: "too late" });
    }
  }

  /** Some of what is on its way arrives. */
  async arrive(all = false): Promise<void> {
    for (const call of this.#late.splice(0, all ? this.#late.length : 1)) await call();
  }

  /** An id that it has executed is answered the same again, and what it has refused it refuses, also where an earlier call for it comes late (engine/links/follow-ups.ts). */
  async #once(
    followUp: GatewayFollowUp,
    execute: () => Promise<GatewayAnswer<GatewayFollowedUp>>,
  ): Promise<GatewayAnswer<GatewayFollowedUp>> {
    const { txId } = followUp;
    if (this.inner.executed.has(txId)) return execute();
    if (this.#random.chance(this.refusals)) this.#refused.add(txId);
    return this.#refused.has(txId) ? { type: "refused", ...REFUSED } : execute();
  }

  async #call<T>(txId: string, work: () => Promise<GatewayAnswer<T>>): Promise<GatewayAnswer<T>> {
    await turns(this.#random.between(0, 12));
    if (!this.#random.chance(this.trouble)) {
      const answer = await work();
      if (answer.type === "done") this.offered.add(txId);
      await turns(this.#random.between(0, 12));
      return answer;
    }
    switch (this.#random.pick(["away", "lost", "late"])) {
      case "lost":
        await work();
        break;
      case "late":
        this.#late.push(work);
        break;
    }
    await turns(this.#random.between(0, 12));
    return AWAY;
  }
}

/** So many others may act before it goes on. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
}
