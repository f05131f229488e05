import type {
  ZvtBegun,
  ZvtConnection,
  ZvtEnded,
  ZvtFollower,
  ZvtFollowing,
  ZvtLastReceipt,
  ZvtOutcome,
  ZvtPayment,
  ZvtPaymentRequest,
  ZvtPayments,
  ZvtReceipt,
  ZvtRouteChoice,
  ZvtStatus,
} from "../../../engine/zvt/zvt-payments.ts";

const REATTACH_MS = 60_000;

export const RECEIPT: ZvtReceipt = {
  resultCode: 0,
  amountCents: 1_234,
  trace: 17,
  atMs: 0,
  entry: "ICC",
  maskedPan: "6799EEEEEEEE1234",
  tid: "12345678",
  authCode: "123456",
  currency: "0978",
  receiptNo: 42,
  cardType: 5,
  cardName: "girocard",
  message: null,
  slipLines: [],
};

export const PAID: ZvtEnded = { type: "paid", receipt: RECEIPT };
export const DECLINED: ZvtEnded = { type: "notPaid", code: 0x33, receipt: { ...RECEIPT, resultCode: 0x33, message: "Not enough money" } };

interface Open {
  payment: ZvtPayment;
  amountCents: number;
  connectionId: string;
  connected: boolean;
  follower: ZvtFollower | null;
  sent: boolean;
  outcome: ZvtOutcome | null;
  endedAtMs: number;
  delivered: boolean;
}

/**
 * The engine's side as its interface describes it, for one route: one open payment, repeats attached to it, results kept until they are delivered. The
 * terminal executes what is sent to it, and the test says how it ends.
 */
export class FakePayments implements ZvtPayments {
  /** Payments that the terminal was sent, by uuid; twice the same is one more entry. */
  readonly executed: string[] = [];
  /** What the session asked, in order: `begin 1234`, `heard`, `delivered u1`. */
  readonly asked: string[] = [];
  statusIs: ZvtStatus = { state: "ready", answers: true };
  choose: (connection: ZvtConnection, password: string | null) => ZvtRouteChoice = () => ({
    type: "route",
    route: { routeId: "r1", tid: "12345678", needsPassword: false },
  });
  /** Waits before it answers `begin` or `delivered`, where a test holds them back. */
  gate: Promise<void> = Promise.resolve();
  #open: Open | null = null;
  #count = 0;
  #refuses: number | null = null;
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get open(): Open | null {
    return this.#open;
  }

  route(connection: ZvtConnection, password: string | null): ZvtRouteChoice {
    return this.choose(connection, password);
  }

  async begin(request: ZvtPaymentRequest): Promise<ZvtBegun> {
    this.asked.push(`begin ${request.amountCents}${request.intermediateStatus ? " status" : ""}`);
    await this.gate;
    if (this.#refuses !== null) return { type: "refused", code: this.#refuses };
    const open = this.#open;
    const same = open !== null && open.amountCents === request.amountCents;
    if (open !== null && open.outcome === null) {
      if (!same || open.connected) return { type: "busy" };
      const replaces = open.connectionId;
      open.connectionId = request.connection.id;
      open.connected = true;
      return { type: "reattached", payment: open.payment, replaces };
    }
    if (open !== null && open.outcome?.type === "unknown" && same) return { type: "busy" };
    if (open !== null && same && !open.delivered && open.outcome !== null && this.#nowMs() <= open.endedAtMs + REATTACH_MS) {
      if (open.outcome.type !== "unknown") return { type: "deliver", payment: open.payment, outcome: open.outcome, replaces: null };
    }
    this.#count += 1;
    this.#open = {
      payment: { routeId: request.routeId, uuid: `u${this.#count}` },
      amountCents: request.amountCents,
      ...{
        connectionId: request.connection.id,
        connected: true,
        follower: null,
        sent: false,
        outcome: null,
        endedAtMs: 0,
        delivered: false,
      },
    };
    return { type: "begun", payment: this.#open.payment };
  }

  follow(payment: ZvtPayment, follower: ZvtFollower): ZvtFollowing {
    this.asked.push(`follow ${payment.uuid}`);
    const open = this.#open;
    if (open === null || open.payment.uuid !== payment.uuid) throw new Error("followed what was not begun");
    const before = open.follower;
    open.follower = follower;
    if (before !== null) queueMicrotask(() => before.replaced());
    if (!open.sent) {
      open.sent = true;
      this.executed.push(payment.uuid);
    }
    return {
      heard: () => void this.asked.push("heard"),
      cancel: () => void this.asked.push("cancel"),
      disconnected: () => {
        this.asked.push("disconnected");
        if (open.follower !== follower) return;
        open.follower = null;
        open.connected = false;
        open.endedAtMs = this.#nowMs();
      },
    };
  }

  async delivered(payment: ZvtPayment): Promise<void> {
    this.asked.push(`delivered ${payment.uuid}`);
    await this.gate;
    if (this.#open?.payment.uuid === payment.uuid) this.#open.delivered = true;
  }

  async undelivered(payment: ZvtPayment): Promise<void> {
    this.asked.push(`undelivered ${payment.uuid}`);
    if (this.#open?.payment.uuid !== payment.uuid) return;
    this.#open.connected = false;
    this.#open.endedAtMs = this.#nowMs();
  }

  async refusedByRegister(payment: ZvtPayment, code: number): Promise<void> {
    this.asked.push(`refused ${payment.uuid} ${code.toString(16)}`);
    if (this.#open?.payment.uuid === payment.uuid) this.#open.delivered = true;
  }

  async lastReceipt(): Promise<ZvtLastReceipt> {
    const open = this.#open;
    if (open === null) return { type: "none" };
    const { outcome } = open;
    if (outcome === null || outcome.type === "unknown") return { type: "live" };
    return outcome.receipt === null ? { type: "none" } : { type: "receipt", payment: open.payment, receipt: outcome.receipt };
  }

  async status(): Promise<ZvtStatus> {
    return this.#open !== null && this.#open.outcome === null ? { ...this.statusIs, state: "paying" } : this.statusIs;
  }

  /** Every 06-01, with this code; null: none. */
  refuseWith(code: number | null): void {
    this.#refuses = code;
  }

  /** The terminal is at work, or a cancel was asked for. */
  progress(progress: "waiting" | "sent" | "cancelling"): void {
    this.#open?.follower?.progress(progress);
  }

  /** The payment ends; the session is told if it is there. */
  end(outcome: ZvtOutcome): void {
    const open = this.#open;
    if (open === null || open.outcome !== null) return;
    open.outcome = outcome;
    open.endedAtMs = this.#nowMs();
    const { follower } = open;
    open.follower = null;
    follower?.ended(outcome);
  }
}
