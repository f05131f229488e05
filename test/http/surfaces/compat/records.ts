/** Records of the engine as examples, each test changing what it is about. */
import type { Attempt, IntentOrder, IntentRecord } from "../../../../engine/intents/intent.ts";
import type { WebhookEndpointRecord } from "../../../../engine/webhooks/webhook-endpoint.ts";
import type { WebhookEvent } from "../../../../engine/webhooks/webhook-event.ts";

export const NOW_MS = Date.UTC(2026, 10, 20, 12, 0, 0);
export const INTENT_ID = "pi_aaaaaaaaaaaaaaaaaaaaaaaa";
export const CLIENT_SECRET = `${INTENT_ID}_secret_bbbbbbbbbbbbbbbbbbbbbbbb`;
export const CHARGE_ID = "ch_cccccccccccccccccccccccc";
export const REFUND_ID = "re_dddddddddddddddddddddddd";

export function order(change: Partial<IntentOrder> = {}): IntentOrder {
  return {
    amountMinor: 1_099,
    currency: "EUR",
    captureMethod: "automatic_async",
    confirmationMethod: "automatic",
    description: "Order 7",
    metadata: { order_id: "7" },
    receiptEmail: "buyer@example.com",
    returnUrl: "https://shop.example/return",
    shipping: null,
    customer: "cus_7",
    statementDescriptor: null,
    statementDescriptorSuffix: null,
    paymentMethodTypes: ["card"],
    automaticPaymentMethods: true,
    ...change,
  };
}

export function intent(change: Partial<IntentRecord> = {}): IntentRecord {
  return {
    schema: 1,
    id: INTENT_ID,
    merchantId: "SHOP-001",
    partnerId: 7,
    livemode: false,
    clientSecret: CLIENT_SECRET,
    token: "aaaaaaaaaaaaaaaaaaaaaaaatoken",
    order: order(),
    createdAtMs: NOW_MS,
    attempts: [],
    cancellation: null,
    refunds: [],
    events: 0,
    ...change,
  };
}

export function attempt(change: Partial<Attempt> = {}): Attempt {
  return {
    txId: `${INTENT_ID}.1`,
    chargeId: CHARGE_ID,
    state: "open",
    amountMinor: 1_099,
    currency: "EUR",
    capture: "now",
    createdAtMs: NOW_MS + 1_000,
    url: "https://gateway.example/pay/1",
    expiresAtMs: NOW_MS + 3_600_000,
    endedAtMs: null,
    resultCode: null,
    resultDescription: null,
    settled: false,
    paid: null,
    followUps: [],
    unwanted: false,
    ...change,
  };
}

export function paidAttempt(change: Partial<Attempt> = {}): Attempt {
  return attempt({
    state: "paid",
    endedAtMs: NOW_MS + 60_000,
    resultCode: "GW_000",
    settled: true,
    paid: {
      atMs: NOW_MS + 60_000,
      amountMinor: 1_099,
      currency: "EUR",
      authCode: "123456",
      cardBrand: "VISA",
      cardLast4: "4242",
    },
    ...change,
  });
}

export function failedAttempt(resultCode: string | null, change: Partial<Attempt> = {}): Attempt {
  return attempt({
    state: "failed",
    endedAtMs: NOW_MS + 60_000,
    resultCode,
    resultDescription: "The gateway's words",
    settled: true,
    ...change,
  });
}

export function refundedIntent(state: "requested" | "done" | "refused"): IntentRecord {
  const followUp = {
    id: REFUND_ID,
    type: "refund",
    amountMinor: 1_099,
    state,
    requestedAtMs: NOW_MS + 90_000,
    finishedAtMs: state === "requested" ? null : NOW_MS + 91_000,
    description: null,
  } as const;
  return intent({
    attempts: [paidAttempt({ followUps: [followUp] })],
    refunds: [
      {
        id: REFUND_ID,
        chargeId: CHARGE_ID,
        reason: "requested_by_customer",
        metadata: {},
        createdAtMs: NOW_MS + 90_000,
        told: true,
      },
    ],
  });
}

/** Of one that was confirmed, and waits for the buyer at the gateway. */
export const OPEN: IntentRecord = intent({ attempts: [attempt()] });
export const PAID: IntentRecord = intent({ attempts: [paidAttempt()] });
export const DECLINED: IntentRecord = intent({ attempts: [failedAttempt("GW_10002")] });

export function webhookEndpoint(change: Partial<WebhookEndpointRecord> = {}): WebhookEndpointRecord {
  return {
    schema: 1,
    id: "we_eeeeeeeeeeeeeeeeeeeeeeee",
    owner: { type: "merchant", merchantId: "SHOP-001" },
    format: "platform",
    livemode: false,
    url: "https://shop.example/webhook",
    events: ["payment_intent.succeeded"],
    apiVersion: "2026-10-28.endive",
    description: null,
    metadata: {},
    status: "enabled",
    disabledReason: null,
    secrets: [{ sealed: "sealed", untilMs: null, madeBy: "operation" }],
    rolls: [],
    createdAtMs: NOW_MS,
    updatedAtMs: NOW_MS,
    ...change,
  };
}

export function event(change: Partial<WebhookEvent> = {}): WebhookEvent {
  return {
    schema: 1,
    id: "evt_ffffffffffffffffffffffff",
    format: "platform",
    merchantId: "SHOP-001",
    partnerId: 7,
    livemode: false,
    type: "payment_intent.succeeded",
    createdAtMs: NOW_MS,
    objectId: INTENT_ID,
    sequence: 1,
    data: { object: { id: INTENT_ID, object: "payment_intent" } },
    request: { id: null, idempotencyKey: null },
    ...change,
  };
}
