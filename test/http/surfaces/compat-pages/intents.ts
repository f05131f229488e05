import type { Attempt, IntentRecord } from "../../../../engine/intents/intent.ts";
import type { CompatPageOperations } from "../../../../http/surfaces/compat-pages/surface.ts";

const ID = "pi_0123456789abcdefghijklmn";
export const TOKEN = "0123456789abcdefghijklmnTOKENTOKENTOKENTOKENTOKE";
export const SECRET = `${ID}_secret_abcdefghijklmnopqrstuvwx`;
export const GATEWAY_PAGE = "https://gateway.example/pay/1?x=1";

export function attempt(members: Partial<Attempt> = {}): Attempt {
  return {
    txId: `${ID}.1`,
    chargeId: "ch_0123456789abcdefghijklmn",
    state: "open",
    amountMinor: 1_050,
    currency: "EUR",
    capture: "now",
    createdAtMs: 1,
    url: GATEWAY_PAGE,
    expiresAtMs: 3_600_000,
    endedAtMs: null,
    resultCode: null,
    resultDescription: null,
    settled: false,
    paid: null,
    followUps: [],
    unwanted: false,
    ...members,
  };
}

export const PAID = attempt({
  state: "paid",
  resultCode: "GW_000",
  paid: { atMs: 2, amountMinor: 1_050, currency: "EUR", authCode: "123456", cardBrand: "VISA", cardLast4: "1111" },
});
export const AUTHORIZED = attempt({ ...PAID, capture: "later" });
export const failedWith = (resultCode: string) => attempt({ state: "failed", resultCode, settled: true });
export const CANCELED = { reason: null, requestedAtMs: 3, canceledAtMs: 3 } as const;

export function intent(
  attempts: Attempt[],
  members: Partial<IntentRecord> = {},
  returnUrl: string | null = "https://shop.example/done",
): IntentRecord {
  return {
    schema: 1,
    id: ID,
    merchantId: "SHOP-001",
    partnerId: 1,
    livemode: false,
    clientSecret: SECRET,
    token: TOKEN,
    order: {
      amountMinor: 1_050,
      currency: "EUR",
      captureMethod: "automatic",
      confirmationMethod: "automatic",
      description: null,
      metadata: {},
      receiptEmail: null,
      returnUrl,
      shipping: null,
      customer: null,
      statementDescriptor: null,
      statementDescriptorSuffix: null,
      paymentMethodTypes: ["card"],
      automaticPaymentMethods: null,
    },
    createdAtMs: 1,
    attempts,
    cancellation: null,
    refunds: [],
    events: 0,
    ...members,
  };
}

/** One intent, what the gateway says of it, and timers that the test lets pass. */
export class Shop {
  stored: IntentRecord;
  /** Null: the gateway does not answer. */
  atGateway: IntentRecord | null;
  /** What the store rejects with. */
  broken: Error | null = null;
  verified = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(stored: IntentRecord, atGateway: IntentRecord | null = stored) {
    this.stored = stored;
    this.atGateway = atGateway;
  }

  readonly operations: CompatPageOperations = {
    intents: {
      byToken: async (token) => {
        if (this.broken !== null) throw this.broken;
        return token === this.stored.token ? this.stored : null;
      },
      verify: () => {
        this.verified += 1;
        return this.atGateway === null ? new Promise(() => {}) : Promise.resolve(this.atGateway);
      },
    },
    shops: { of: async () => ({ name: "Bar Centrale", color: null, logo: null }) },
    linkPages: { own: () => "https://relay.example" },
    timers: {
      set: (_ms, work) => {
        this.#waiting.push(work);
        return { clear: () => {} };
      },
      every: () => ({ clear: () => {} }),
      soon: (work) => queueMicrotask(work),
    },
  };

  /** How many requests wait for the gateway. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Lets the eight seconds pass of all who wait. */
  pass(): void {
    for (const work of this.#waiting.splice(0)) work();
  }
}
