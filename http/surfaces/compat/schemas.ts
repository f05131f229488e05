import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { WEBHOOK_DISABLED_REASONS } from "../../../engine/webhooks/webhook-endpoint.ts";
import { metadata } from "./params.ts";

/** The objects of this API, for the document. Their members and what each means are the platform's; the descriptions say what is different or of note. */

const orNull = (schema: TSchema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
const text = (description?: string) => Type.String(description === undefined ? {} : { description });
const textOrNull = (description?: string) => orNull(Type.String(), description);
const second = (description: string) => Type.Integer({ description: `${description} Seconds since 1970.` });
const amount = (description: string) => Type.Integer({ description: `${description} The amount is in the currency's smallest unit.` });

/** Members of the platform for which there is nothing here. */
const always = (...names: string[]): TProperties =>
  Object.fromEntries(names.map((name) => [name, Type.Null({ description: "Always null." })]));

const Metadata = Type.Record(Type.String(), Type.String(), { description: metadata().schema.description ?? "" });
const Livemode = Type.Boolean({ description: "Whether the merchant's environment is LIVE." });
const Currency = text("ISO 4217, lower case.");
const expandable = (description: string) =>
  Type.Union([Type.String(), Type.Unknown(), Type.Null()], { description: `${description} Can be expanded.` });

const Shipping = orNull(Type.Unknown(), "Returned as it was sent; it has no effect.");

export const LastPaymentError = Type.Object(
  {
    type: text("`card_error`, or `invalid_request_error` if no card was declined."),
    code: text("`card_declined`, `payment_intent_payment_attempt_expired` or `payment_method_customer_decline`."),
    decline_code: Type.Optional(text("`generic_decline` or `insufficient_funds`.")),
    network_decline_code: Type.Optional(text("The card gateway's code, if the platform has no code for it.")),
    message: text("Message for the buyer."),
    charge: Type.Optional(text("The failed charge.")),
  },
  { title: "CompatLastPaymentError" },
);

export const PaymentIntent = Type.Object(
  {
    id: text("`pi_` and 24 letters or digits."),
    object: Type.Literal("payment_intent"),
    amount: amount("The amount of the order."),
    amount_capturable: amount("The authorized amount that can be captured."),
    amount_details: Type.Object({}, { description: "Always empty." }),
    amount_received: Type.Optional(
      amount("The amount that was captured, or paid according to the card gateway. Absent with a publishable key."),
    ),
    automatic_payment_methods: orNull(Type.Object({ allow_redirects: Type.String(), enabled: Type.Boolean() })),
    canceled_at: orNull(Type.Integer(), "Seconds since 1970."),
    cancellation_reason: textOrNull(),
    capture_method: text("`automatic`, `automatic_async` (the same) or `manual`."),
    client_secret: text("For the merchant's pages: permits them to read and confirm this payment, and nothing else. Never log it."),
    confirmation_method: text(),
    created: second("When it was created."),
    currency: Currency,
    customer: Type.Optional(
      textOrNull("The id that was sent. Customers do not exist here, so it cannot be expanded. Absent with a publishable key."),
    ),
    description: textOrNull(),
    last_payment_error: orNull(
      LastPaymentError,
      "Why the last attempt failed. Declines are reported here and in events, because the buyer enters the card on the payment page.",
    ),
    latest_charge: Type.Optional(
      expandable("The charge that was paid, otherwise the last one that failed. Absent with a publishable key."),
    ),
    livemode: Livemode,
    metadata: Type.Optional(Metadata),
    next_action: orNull(
      Type.Object({
        type: Type.Literal("redirect_to_url"),
        redirect_to_url: Type.Object({
          return_url: textOrNull("Address to which the buyer returns."),
          url: text("The page where the buyer pays. Send the buyer there."),
        }),
      }),
      "Present only with `requires_action`.",
    ),
    payment_method_options: Type.Object({}, { description: "Always empty." }),
    payment_method_types: Type.Array(Type.String()),
    receipt_email: Type.Optional(textOrNull("Absent with a publishable key.")),
    shipping: Shipping,
    statement_descriptor: textOrNull("Returned as it was sent; it has no effect."),
    statement_descriptor_suffix: textOrNull("Returned as it was sent; it has no effect."),
    status: Type.Union(
      [
        "requires_payment_method",
        "requires_confirmation",
        "requires_action",
        "processing",
        "requires_capture",
        "succeeded",
        "canceled",
      ].map((one) => Type.Literal(one)),
      {
        description:
          "`requires_confirmation` does not occur. `processing`: the relay is finding out whether the intent can be paid or was paid; ask again, or wait for the event.",
      },
    ),
    ...always(
      ...["allowed_payment_method_types", "application", "application_fee_amount", "customer_account", "excluded_payment_method_types"],
      ...["managed_payments", "on_behalf_of", "payment_method", "payment_method_configuration_details", "processing", "review"],
      ...["setup_future_usage", "transfer_data", "transfer_group"],
    ),
  },
  { title: "CompatPaymentIntent", description: "A payment with all its attempts." },
);

export const Charge = Type.Object(
  {
    id: text("`ch_` and 24 letters or digits."),
    object: Type.Literal("charge"),
    amount: amount("The amount that was paid, or that the attempt was for."),
    amount_captured: amount("The captured amount."),
    amount_refunded: amount("The refunded amount, including pending refunds."),
    billing_details: Type.Object({
      ...always("address", "name", "phone", "tax_id"),
      email: textOrNull("The `receipt_email` of the intent."),
    }),
    captured: Type.Boolean(),
    created: second("When the attempt ended."),
    currency: Currency,
    customer: textOrNull("The intent's."),
    description: textOrNull("The intent's."),
    disputed: Type.Boolean({ description: "Whether the payment is under dispute: it then cannot be refunded (`charge_disputed`)." }),
    failure_code: textOrNull(),
    failure_message: textOrNull(),
    livemode: Livemode,
    metadata: Type.Record(Type.String(), Type.String(), { description: "The intent's value, until the charge's own is changed." }),
    outcome: Type.Object({
      ...always("advice_code", "network_advice_code"),
      network_decline_code: textOrNull(),
      network_status: text(),
      reason: textOrNull(),
      seller_message: text(),
      type: text(),
    }),
    paid: Type.Boolean(),
    payment_intent: expandable("Its payment intent."),
    payment_method_details: Type.Object({
      type: Type.Literal("card"),
      card: Type.Object({
        authorization_code: textOrNull(),
        brand: textOrNull(),
        last4: textOrNull("The last four digits."),
        network: textOrNull(),
        exp_month: Type.Null({ description: "Always null, unlike at the platform: the card gateway does not report it." }),
        exp_year: Type.Null({ description: "Always null, unlike at the platform." }),
        ...always("checks", "country", "fingerprint", "funding", "installments", "mandate", "three_d_secure", "wallet"),
      }),
    }),
    receipt_email: textOrNull("The intent's."),
    refunded: Type.Boolean({ description: "Only the whole amount can be refunded." }),
    shipping: Shipping,
    statement_descriptor: textOrNull(),
    statement_descriptor_suffix: textOrNull(),
    status: Type.Union([Type.Literal("succeeded"), Type.Literal("failed")]),
    ...always(
      ...["application", "application_fee", "application_fee_amount", "balance_transaction", "calculated_statement_descriptor"],
      ...["failure_balance_transaction", "fraud_details", "on_behalf_of", "payment_method", "receipt_number", "receipt_url", "review"],
      ...["source_transfer", "transfer_data", "transfer_group"],
    ),
  },
  { title: "CompatCharge", description: "One attempt to pay that has ended, successfully or not." },
);

export const Refund = Type.Object(
  {
    id: text("`re_` and 24 letters or digits."),
    object: Type.Literal("refund"),
    amount: amount("Always the whole amount."),
    charge: expandable("What is refunded."),
    created: second("When the refund was requested."),
    currency: Currency,
    customer: textOrNull("The intent's."),
    metadata: Metadata,
    payment_intent: expandable("Its payment intent."),
    reason: textOrNull(),
    failure_reason: Type.Optional(text("Present for a failed refund.")),
    pending_reason: Type.Optional(text("Present for a pending refund.")),
    status: Type.Union([Type.Literal("pending"), Type.Literal("succeeded"), Type.Literal("failed")], {
      description: "`pending`: the card gateway's response was lost; the event `refund.updated` or `refund.failed` follows.",
    }),
    ...always(
      "balance_transaction",
      "customer_account",
      "payment_method",
      "receipt_number",
      "source_transfer_reversal",
      "transfer_reversal",
    ),
  },
  { title: "CompatRefund" },
);

export const WebhookEndpoint = Type.Object(
  {
    id: text("`we_` and 24 letters or digits."),
    object: Type.Literal("webhook_endpoint"),
    api_version: textOrNull("The API version of its events. Client libraries read only events of their own version."),
    created: second("When it was created."),
    description: textOrNull(),
    disabled_reason: Type.Union([...WEBHOOK_DISABLED_REASONS.map((reason) => Type.Literal(reason)), Type.Null()], {
      description:
        "Not part of the platform. Why the endpoint was disabled: it answered 410 (`gone`), or nothing was delivered for five days (`failing`).",
    }),
    enabled_events: Type.Array(Type.String()),
    livemode: Livemode,
    metadata: Metadata,
    secret: Type.Optional(text("Present only in the responses to creating the endpoint and rotating its secret: store it.")),
    status: Type.Union([Type.Literal("enabled"), Type.Literal("disabled")]),
    url: text(),
    ...always("application"),
  },
  { title: "CompatWebhookEndpoint" },
);

export const DeletedWebhookEndpoint = Type.Object(
  { id: Type.String(), object: Type.Literal("webhook_endpoint"), deleted: Type.Literal(true) },
  { title: "CompatDeletedWebhookEndpoint" },
);

export const Event = Type.Object(
  {
    id: text("`evt_` and 24 letters or digits. An event may be delivered twice: use the id to detect this."),
    object: Type.Literal("event"),
    api_version: textOrNull("The effective version of this request; in a delivery, the endpoint's version."),
    created: second("When the event happened."),
    data: Type.Object(
      {
        object: Type.Unknown({ description: "The object as it was at the time of the event." }),
        previous_attributes: Type.Optional(Type.Unknown()),
      },
      { additionalProperties: true },
    ),
    livemode: Livemode,
    pending_webhooks: Type.Integer({ description: "Number of deliveries that have neither succeeded nor been abandoned." }),
    request: Type.Object(
      { id: textOrNull(), idempotency_key: textOrNull() },
      { description: "The request that caused the event, if a request did." },
    ),
    type: text("Name of the event, such as `payment_intent.succeeded`."),
  },
  { title: "CompatEvent", description: "Stored for 30 days." },
);

export const Account = Type.Object(
  {
    id: text("`acct_` and 16 letters or digits."),
    object: Type.Literal("account"),
    charges_enabled: Type.Literal(true, { description: "Always true: otherwise the response is 403." }),
    details_submitted: Type.Literal(true),
    metadata: Type.Object({ merchant_id: text("The merchant's id at the relay.") }),
    payouts_enabled: Type.Literal(false),
    type: Type.Literal("standard"),
    ...always("business_profile", "email"),
  },
  { title: "CompatAccount" },
);

/** The one error body of everything under `/v1`. */
export const CompatError = Type.Object(
  {
    error: Type.Object({
      type: Type.Union(["api_error", "card_error", "idempotency_error", "invalid_request_error"].map((one) => Type.Literal(one))),
      code: Type.Optional(text("Error code for programs.")),
      decline_code: Type.Optional(text()),
      network_decline_code: Type.Optional(text()),
      param: Type.Optional(text("The member that is wrong.")),
      message: text("The error as a text for people."),
      charge: Type.Optional(text()),
      payment_intent: Type.Optional(Type.Unknown({ description: "The payment intent in its present state." })),
    }),
  },
  { title: "CompatError" },
);
