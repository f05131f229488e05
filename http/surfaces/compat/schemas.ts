import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { WEBHOOK_DISABLED_REASONS } from "../../../engine/webhooks/webhook-endpoint.ts";
import { metadata } from "./params.ts";

/** The objects of this API, for the document. Their members and what each means are the platform's; the descriptions say what is different or of note. */

const orNull = (schema: TSchema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
const text = (description?: string) => Type.String(description === undefined ? {} : { description });
const textOrNull = (description?: string) => orNull(Type.String(), description);
const second = (description: string) => Type.Integer({ description: `${description} Seconds since 1970.` });
const amount = (description: string) => Type.Integer({ description: `${description} In the currency's smallest unit.` });

/** Members of the platform for which there is nothing here. */
const always = (...names: string[]): TProperties =>
  Object.fromEntries(names.map((name) => [name, Type.Null({ description: "Always null." })]));

const Metadata = Type.Record(Type.String(), Type.String(), { description: metadata().schema.description ?? "" });
const Livemode = Type.Boolean({ description: "Whether the merchant's environment is LIVE." });
const Currency = text("ISO 4217, lower case.");
const expandable = (description: string) =>
  Type.Union([Type.String(), Type.Unknown(), Type.Null()], { description: `${description} Can be expanded.` });

const Shipping = orNull(Type.Unknown(), "As it was given; stored and answered only.");

export const LastPaymentError = Type.Object(
  {
    type: text("`card_error`, or `invalid_request_error` where no card was declined."),
    code: text("`card_declined`, `payment_intent_payment_attempt_expired` or `payment_method_customer_decline`."),
    decline_code: Type.Optional(text("`generic_decline` or `insufficient_funds`.")),
    network_decline_code: Type.Optional(text("The card gateway's code, where the platform has no word for it.")),
    message: text("For the buyer."),
    charge: Type.Optional(text("The failed charge.")),
  },
  { title: "CompatLastPaymentError" },
);

export const PaymentIntent = Type.Object(
  {
    id: text("`pi_` and 24 letters or digits."),
    object: Type.Literal("payment_intent"),
    amount: amount("What is to be paid."),
    amount_capturable: amount("What is authorized and can be captured."),
    amount_details: Type.Object({}, { description: "Always empty." }),
    amount_received: Type.Optional(amount("What was paid, by the card gateway's word, or captured. Not for publishable keys.")),
    automatic_payment_methods: orNull(Type.Object({ allow_redirects: Type.String(), enabled: Type.Boolean() })),
    canceled_at: orNull(Type.Integer(), "Seconds since 1970."),
    cancellation_reason: textOrNull(),
    capture_method: text("`automatic`, `automatic_async` (the same) or `manual`."),
    client_secret: text("For the merchant's pages: lets them see and confirm this payment, and nothing else. Never log it."),
    confirmation_method: text(),
    created: second("When it was created."),
    currency: Currency,
    customer: Type.Optional(textOrNull("As it was given. There are no customers here, so it is not expanded. Not for publishable keys.")),
    description: textOrNull(),
    last_payment_error: orNull(
      LastPaymentError,
      "Why the last attempt failed. Declines are told here and in events: the buyer enters the card on the payment page.",
    ),
    latest_charge: Type.Optional(expandable("The charge that was paid, else the last that failed. Not for publishable keys.")),
    livemode: Livemode,
    metadata: Type.Optional(Metadata),
    next_action: orNull(
      Type.Object({
        type: Type.Literal("redirect_to_url"),
        redirect_to_url: Type.Object({
          return_url: textOrNull("Where the buyer comes back to."),
          url: text("The page where the buyer pays. Send the buyer there."),
        }),
      }),
      "With `requires_action` only.",
    ),
    payment_method_options: Type.Object({}, { description: "Always empty." }),
    payment_method_types: Type.Array(Type.String()),
    receipt_email: Type.Optional(textOrNull("Not for publishable keys.")),
    shipping: Shipping,
    statement_descriptor: textOrNull("As it was given; it has no effect."),
    statement_descriptor_suffix: textOrNull("As it was given; it has no effect."),
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
          "`requires_confirmation` does not occur. `processing`: whether it can be paid, or was, is being found out; ask again, or wait for the event.",
      },
    ),
    ...always(
      ...["allowed_payment_method_types", "application", "application_fee_amount", "customer_account", "excluded_payment_method_types"],
      ...["managed_payments", "on_behalf_of", "payment_method", "payment_method_configuration_details", "processing", "review"],
      ...["setup_future_usage", "transfer_data", "transfer_group"],
    ),
  },
  { title: "CompatPaymentIntent", description: "A payment, over all attempts at it." },
);

export const Charge = Type.Object(
  {
    id: text("`ch_` and 24 letters or digits."),
    object: Type.Literal("charge"),
    amount: amount("What was paid, or was to be."),
    amount_captured: amount("What of it was captured."),
    amount_refunded: amount("What was given back; a refund that is pending counts."),
    billing_details: Type.Object({
      ...always("address", "name", "phone", "tax_id"),
      email: textOrNull("The intent's `receipt_email`."),
    }),
    captured: Type.Boolean(),
    created: second("When the attempt ended."),
    currency: Currency,
    customer: textOrNull("The intent's."),
    description: textOrNull("The intent's."),
    disputed: Type.Boolean({ description: "Whether it is under dispute: then it is not given back (`charge_disputed`)." }),
    failure_code: textOrNull(),
    failure_message: textOrNull(),
    livemode: Livemode,
    metadata: Type.Record(Type.String(), Type.String(), { description: "The intent's, until the charge's own is changed." }),
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
        exp_month: Type.Null({ description: "Always null, unlike at the platform: the card gateway does not say it." }),
        exp_year: Type.Null({ description: "Always null, unlike at the platform." }),
        ...always("checks", "country", "fingerprint", "funding", "installments", "mandate", "three_d_secure", "wallet"),
      }),
    }),
    receipt_email: textOrNull("The intent's."),
    refunded: Type.Boolean({ description: "Only the whole can be refunded." }),
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
  { title: "CompatCharge", description: "One attempt to pay that has ended, also one that failed." },
);

export const Refund = Type.Object(
  {
    id: text("`re_` and 24 letters or digits."),
    object: Type.Literal("refund"),
    amount: amount("Always the whole."),
    charge: expandable("What is refunded."),
    created: second("When it was asked for."),
    currency: Currency,
    customer: textOrNull("The intent's."),
    metadata: Metadata,
    payment_intent: expandable("Its payment intent."),
    reason: textOrNull(),
    failure_reason: Type.Optional(text("Of a failed one.")),
    pending_reason: Type.Optional(text("Of a pending one.")),
    status: Type.Union([Type.Literal("pending"), Type.Literal("succeeded"), Type.Literal("failed")], {
      description: "`pending`: the card gateway's answer is missing; the event `refund.updated` or `refund.failed` follows.",
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
    api_version: textOrNull("The version that its events name. Client libraries read only events of their own version."),
    created: second("When it was created."),
    description: textOrNull(),
    disabled_reason: Type.Union([...WEBHOOK_DISABLED_REASONS.map((reason) => Type.Literal(reason)), Type.Null()], {
      description:
        "Not of the platform. Why it was disabled: it answered 410 (`gone`), or nothing was delivered for five days (`failing`).",
    }),
    enabled_events: Type.Array(Type.String()),
    livemode: Livemode,
    metadata: Metadata,
    secret: Type.Optional(text("In the answers to the creation and to rolling it only: keep it.")),
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
    id: text("`evt_` and 24 letters or digits. Deliveries may come twice: remember it."),
    object: Type.Literal("event"),
    api_version: textOrNull("The effective version of this request; in a delivery, the endpoint's."),
    created: second("When it happened."),
    data: Type.Object(
      { object: Type.Unknown({ description: "The object as it was then." }), previous_attributes: Type.Optional(Type.Unknown()) },
      { additionalProperties: true },
    ),
    livemode: Livemode,
    pending_webhooks: Type.Integer({ description: "Deliveries that have neither succeeded nor been given up." }),
    request: Type.Object({ id: textOrNull(), idempotency_key: textOrNull() }, { description: "The request that caused it, if one did." }),
    type: text("`payment_intent.succeeded` and others."),
  },
  { title: "CompatEvent", description: "Kept for 30 days." },
);

export const Account = Type.Object(
  {
    id: text("`acct_` and 16 letters or digits."),
    object: Type.Literal("account"),
    charges_enabled: Type.Literal(true, { description: "Otherwise the answer is 403." }),
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
      code: Type.Optional(text("The error, as a code for programs.")),
      decline_code: Type.Optional(text()),
      network_decline_code: Type.Optional(text()),
      param: Type.Optional(text("The member that is wrong.")),
      message: text("The error, as a text for people."),
      charge: Type.Optional(text()),
      payment_intent: Type.Optional(Type.Unknown({ description: "The payment intent as it stands." })),
    }),
  },
  { title: "CompatError" },
);
