import {
  type Attempt,
  type AttemptFollowUp,
  capturedMinor,
  type IntentRecord,
  paidAttempt,
  statusOf,
} from "../../../engine/intents/intent.ts";
import type { ChargeOf, IntentObjects, RefundOf } from "../../../engine/intents/intents.ts";
import { wordsOfCharge } from "../../../engine/intents/rules.ts";
import type { WebhookEndpointRecord } from "../../../engine/webhooks/webhook-endpoint.ts";
import { declineOf } from "./declines.ts";

/** The address of the page where a buyer pays the intent with this token. */
export type PayPage = (token: string) => string;

/** The renderers of an intent's objects, for answers and for the events that are frozen with a change. Pure. */
export function intentObjectsOf(payPage: PayPage) {
  return {
    intent: (record: IntentRecord) => intentObject(record, payPage),
    charge: chargeObject,
    refund: refundObject,
  } satisfies IntentObjects;
}

export type Objects = ReturnType<typeof intentObjectsOf>;
export type IntentObject = ReturnType<typeof intentObject>;
export type ChargeObject = ReturnType<typeof chargeObject>;
export type RefundObject = ReturnType<typeof refundObject>;

/** Times on this wire are whole seconds. */
export function seconds(atMs: number): number {
  return Math.floor(atMs / 1_000);
}

function intentObject(record: IntentRecord, payPage: PayPage) {
  const { order } = record;
  const status = statusOf(record);
  const paid = paidAttempt(record);
  const last = record.attempts.at(-1) ?? null;
  // Of what was paid in another currency, which only the charge can say, nothing was received in this one.
  const isInItsCurrency = paid?.paid?.currency === order.currency;
  return {
    id: record.id,
    object: "payment_intent" as const,
    allowed_payment_method_types: null,
    amount: order.amountMinor,
    amount_capturable: status === "requires_capture" && isInItsCurrency ? (paid?.paid?.amountMinor ?? 0) : 0,
    amount_details: {},
    amount_received: status === "succeeded" && paid !== null && isInItsCurrency ? capturedMinor(paid) : 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: order.automaticPaymentMethods === true ? { allow_redirects: "always", enabled: true } : null,
    canceled_at: canceledAt(record, paid),
    cancellation_reason: status === "canceled" ? (record.cancellation?.reason ?? null) : null,
    capture_method: order.captureMethod,
    client_secret: record.clientSecret,
    confirmation_method: order.confirmationMethod,
    created: seconds(record.createdAtMs),
    currency: order.currency.toLowerCase(),
    customer: order.customer,
    customer_account: null,
    description: order.description,
    excluded_payment_method_types: null,
    last_payment_error: last?.state === "failed" ? paymentError(last) : null,
    latest_charge: latestCharge(record)?.chargeId ?? null,
    livemode: record.livemode,
    managed_payments: null,
    metadata: order.metadata,
    next_action:
      status === "requires_action"
        ? { type: "redirect_to_url", redirect_to_url: { return_url: order.returnUrl, url: payPage(record.token) } }
        : null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: order.paymentMethodTypes,
    processing: null,
    receipt_email: order.receiptEmail,
    review: null,
    setup_future_usage: null,
    shipping: order.shipping,
    statement_descriptor: order.statementDescriptor,
    statement_descriptor_suffix: order.statementDescriptorSuffix,
    status,
    transfer_data: null,
    transfer_group: null,
  };
}

/** What a page may see, whose publishable key everybody can read. */
export function intentForPages(object: IntentObject) {
  const { metadata: _m, customer: _c, latest_charge: _l, amount_received: _a, receipt_email: _r, ...shown } = object;
  if (shown.last_payment_error === null) return shown;
  const { charge: _charge, ...error } = shown.last_payment_error;
  return { ...shown, last_payment_error: error };
}

/** Of an authorization that the gateway no longer has, the time at which it was reversed. */
function canceledAt(record: IntentRecord, paid: Attempt | null): number | null {
  if (statusOf(record) !== "canceled") return null;
  const reversal = paid?.followUps.find(({ type, state }) => type === "reversal" && state === "done");
  const atMs = record.cancellation?.canceledAtMs ?? reversal?.finishedAtMs ?? null;
  return atMs === null ? null : seconds(atMs);
}

/** The attempt that was paid, else the latest that ended: whoever looks at an intent wants to know of its money. */
export function latestCharge(record: IntentRecord): Attempt | null {
  return paidAttempt(record) ?? record.attempts.findLast(({ endedAtMs }) => endedAtMs !== null) ?? null;
}

function paymentError(attempt: Attempt) {
  const { type, code, declineCode, networkDeclineCode, message } = declineOf(attempt);
  return {
    ...{ type, code, message, charge: attempt.chargeId },
    ...(declineCode === null ? {} : { decline_code: declineCode }),
    ...(networkDeclineCode === null ? {} : { network_decline_code: networkDeclineCode }),
  };
}

function chargeObject({ intent, attempt, isDisputed = false }: ChargeOf) {
  const { order } = intent;
  const { description, metadata } = wordsOfCharge(intent, attempt);
  // What nobody wants is given back by the relay itself: to the shop it is no payment.
  const succeeded = attempt.state === "paid" && !attempt.unwanted;
  const decline = succeeded ? null : declineOf(attempt);
  const amount = attempt.paid?.amountMinor ?? attempt.amountMinor;
  const captured = succeeded ? capturedMinor(attempt) : 0;
  const refunded = succeeded ? refundedMinor(attempt) : 0;
  return {
    id: attempt.chargeId,
    object: "charge" as const,
    amount,
    amount_captured: captured,
    amount_refunded: refunded,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: { address: null, email: order.receiptEmail, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: null,
    captured: captured > 0,
    created: seconds(attempt.endedAtMs ?? attempt.createdAtMs),
    currency: (attempt.paid?.currency ?? attempt.currency).toLowerCase(),
    customer: order.customer,
    description,
    disputed: isDisputed,
    failure_balance_transaction: null,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    fraud_details: null,
    livemode: intent.livemode,
    metadata,
    on_behalf_of: null,
    outcome: {
      ...{ advice_code: null, network_advice_code: null, network_decline_code: decline?.networkDeclineCode ?? null },
      ...(decline === null
        ? PAID_OUTCOME
        : decline.type === "card_error"
          ? { ...DECLINED_OUTCOME, reason: decline.declineCode }
          : UNSENT_OUTCOME),
    },
    paid: succeeded,
    payment_intent: intent.id,
    payment_method: null,
    payment_method_details: {
      type: "card",
      card: {
        authorization_code: attempt.paid?.authCode ?? null,
        brand: brandOf(attempt),
        checks: null,
        country: null,
        exp_month: null,
        exp_year: null,
        fingerprint: null,
        funding: null,
        installments: null,
        last4: attempt.paid?.cardLast4 ?? null,
        mandate: null,
        network: brandOf(attempt),
        three_d_secure: null,
        wallet: null,
      },
    },
    receipt_email: order.receiptEmail,
    receipt_number: null,
    receipt_url: null,
    refunded: refunded > 0,
    review: null,
    shipping: order.shipping,
    source_transfer: null,
    statement_descriptor: order.statementDescriptor,
    statement_descriptor_suffix: order.statementDescriptorSuffix,
    status: succeeded ? ("succeeded" as const) : ("failed" as const),
    transfer_data: null,
    transfer_group: null,
  };
}

const PAID_OUTCOME = { network_status: "approved_by_network", reason: null, seller_message: "Payment complete.", type: "authorized" };
const DECLINED_OUTCOME = {
  network_status: "declined_by_network",
  seller_message: "The bank declined the payment.",
  type: "issuer_declined",
};
const UNSENT_OUTCOME = {
  network_status: "not_sent_to_network",
  reason: null,
  seller_message: "The buyer did not complete the payment.",
  type: "invalid",
};

/** Only the whole is refunded or reversed; one whose answer is missing counts, as it may have happened. */
function refundedMinor({ followUps }: Attempt): number {
  return followUps.find((one) => isMoneyBack(one))?.amountMinor ?? 0;
}

function isMoneyBack({ type, state }: AttemptFollowUp): boolean {
  return (type === "refund" && state !== "refused") || (type === "reversal" && state === "done");
}

const BRANDS: ReadonlyMap<string, string> = new Map([
  ["visa", "visa"],
  ["mastercard", "mastercard"],
  ["maestro", "mastercard"],
  ["amex", "amex"],
  ["americanexpress", "amex"],
  ["diners", "diners"],
  ["dinersclub", "diners"],
  ["discover", "discover"],
  ["jcb", "jcb"],
  ["unionpay", "unionpay"],
]);

/** In the platform's words; null where the gateway names none. */
function brandOf({ paid }: Attempt): string | null {
  if (paid === null || paid.cardBrand === null) return null;
  return BRANDS.get(paid.cardBrand.toLowerCase().replace(/[^a-z]/g, "")) ?? "unknown";
}

function refundObject({ intent, attempt, refund }: RefundOf) {
  const followUp = attempt.followUps.find(({ id }) => id === refund.id);
  const state = followUp?.state ?? "requested";
  return {
    id: refund.id,
    object: "refund" as const,
    amount: followUp?.amountMinor ?? capturedMinor(attempt),
    balance_transaction: null,
    charge: refund.chargeId,
    created: seconds(refund.createdAtMs),
    currency: (attempt.paid?.currency ?? attempt.currency).toLowerCase(),
    customer: intent.order.customer,
    customer_account: null,
    metadata: refund.metadata,
    payment_intent: intent.id,
    payment_method: null,
    reason: refund.reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: REFUND_STATUS[state],
    transfer_reversal: null,
    ...(state === "refused" ? { failure_reason: "declined" } : {}),
    ...(state === "requested" ? { pending_reason: "processing" } : {}),
  };
}

const REFUND_STATUS = { requested: "pending", done: "succeeded", refused: "failed" } as const;

/** The secret is in the answer to the creation only. */
export function webhookEndpointObject(record: WebhookEndpointRecord, secret?: string) {
  return {
    id: record.id,
    object: "webhook_endpoint" as const,
    api_version: record.apiVersion,
    application: null,
    created: seconds(record.createdAtMs),
    description: record.description,
    disabled_reason: record.disabledReason,
    enabled_events: record.events,
    livemode: record.livemode,
    metadata: record.metadata,
    ...(secret === undefined ? {} : { secret }),
    status: record.status,
    url: record.url,
  };
}
