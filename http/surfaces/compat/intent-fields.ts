import type { MerchantGrant } from "../../../engine/access/merchant-grant.ts";
import type { IntentOrder, OrderChange } from "../../../engine/intents/intent.ts";
import { changedMetadata, NO_METADATA } from "../../../engine/kernel/metadata.ts";
import { isReturnScheme } from "../../../engine/partners/return-schemes.ts";
import { CURRENCY_FORM, readCurrency, requireAmountOf } from "./currencies.ts";
import { EXPAND } from "./expand.ts";
import {
  amount,
  email,
  type Field,
  flag,
  group,
  metadata,
  notUrl,
  oneOf,
  openGroup,
  type ReadFields,
  refused,
  required,
  returnAddress,
  text,
  unsettableOneOf,
  withoutEffect,
  word,
  words,
} from "./params.ts";
import { invalidParam } from "./platform-error.ts";

const ADDRESS = {
  city: text(""),
  country: text(""),
  line1: text(""),
  line2: text(""),
  postal_code: text(""),
  state: text(""),
};

/** Stored and answered only. */
const shipping = group(
  {
    address: group(ADDRESS, "The address.", "CompatAddress"),
    carrier: text("The delivery service."),
    name: text("The recipient."),
    phone: text("The recipient's phone number."),
    tracking_number: text("The tracking number of the delivery."),
  },
  "Stored and returned; it has no effect.",
  "CompatShipping",
);

/** The one method of the payment page. */
const CARD = "card";

const paymentMethodTypes: Field<readonly string[] | undefined> = narrowed(
  words("Must contain `card`, the method that the payment page offers. Other methods are stored and returned.", 50),
  (given, param) => {
    if (given.includes(CARD)) return;
    throw invalidParam(param, `Invalid ${param}: must contain ${CARD}, the one method of payment here.`);
  },
);

const excludedPaymentMethodTypes: Field<readonly string[] | undefined> = narrowed(
  words("Accepted, has no effect; must not contain `card`.", 100),
  (given, param) => {
    if (given.includes(CARD)) throw invalidParam(param, `Invalid ${param}: must not contain ${CARD}, the one method of payment here.`);
  },
);

function narrowed<T>(field: Field<T | undefined>, check: (value: T, param: string) => void): Field<T | undefined> {
  return {
    ...field,
    read: (value, param) => {
      const read = field.read(value, param);
      if (read !== undefined) check(read, param);
      return read;
    },
  };
}

const automaticPaymentMethods = group(
  {
    enabled: required(flag("Whether the payment page chooses the method.")),
    allow_redirects: refused("the buyer pays on a payment page, so `never` is impossible", ["always"]),
  },
  "The payment page offers the same methods with and without it.",
);

/**
 * Options of the card say the same as members of the whole payment, and count like these. Those of other methods say nothing here: the
 * payment page has none of them.
 */
const cardOptions = group(
  {
    capture_method: unsettableOneOf(
      ["manual"],
      "Has the same effect as `capture_method` and takes precedence over it. An empty value has no effect.",
    ),
    cvc_token: withoutEffect("The buyer enters the card on the payment page."),
    installments: group(
      {
        enabled: withoutEffect("The payment page offers no installments."),
        plan: refused("the buyer pays the whole amount at once"),
      },
      "Payments in installments do not exist here.",
    ),
    mandate_options: refused("the buyer is always present"),
    moto: refused("the buyer is always present", [false]),
    network: withoutEffect("The payment page decides."),
    request_decremental_authorization: withoutEffect(""),
    request_extended_authorization: withoutEffect(""),
    request_incremental_authorization: withoutEffect(""),
    request_multicapture: withoutEffect("A payment can be captured once."),
    request_overcapture: withoutEffect("At most the authorized amount can be captured."),
    request_partial_authorization: withoutEffect(""),
    request_three_d_secure: withoutEffect("The payment page decides."),
    require_cvc_recollection: withoutEffect("The buyer enters the card on the payment page."),
    setup_future_usage: refused("cards are not stored", ["none"]),
    statement_descriptor_suffix_kana: withoutEffect(""),
    statement_descriptor_suffix_kanji: withoutEffect(""),
    three_d_secure: withoutEffect("The payment page decides."),
  },
  "The member that the platform uses for a card.",
  "CompatCardOptions",
);

const paymentMethodOptions = openGroup(
  { card: cardOptions },
  "Options for each method. Only `card` is used, which is the only method of the payment page.",
);

/** Members that clients of the platform send with every call that may confirm; what a buyer pays with is entered on the payment page. */
const PAYMENT_METHOD = {
  allowed_payment_method_types: narrowed(words("Accepted, has no effect; must contain `card`.", 50), (given, param) => {
    if (!given.includes(CARD)) throw invalidParam(param, `Invalid ${param}: must contain ${CARD}, the one method of payment here.`);
  }),
  amount_details: withoutEffect("The buyer does not see amounts of items."),
  confirmation_token: withoutEffect("The buyer enters the card on the payment page."),
  customer_account: withoutEffect(""),
  excluded_payment_method_types: excludedPaymentMethodTypes,
  hooks: withoutEffect(""),
  payment_details: withoutEffect(""),
  payment_method: withoutEffect("The buyer enters the card on the payment page."),
  payment_method_configuration: withoutEffect(""),
  payment_method_data: withoutEffect("The buyer enters the card on the payment page. Card data is refused."),
  payment_method_options: paymentMethodOptions,
  radar_options: withoutEffect(""),
  use_stripe_sdk: withoutEffect(""),
};

/** Members that would change where money goes, or when. */
const MONEY = {
  application_fee_amount: refused("platform fees do not exist here"),
  error_on_requires_action: refused("every payment needs the payment page", [false]),
  mandate: refused("the buyer is always present"),
  mandate_data: refused("the buyer is always present"),
  off_session: refused("the buyer is always present", [false]),
  on_behalf_of: refused("there are no connected accounts"),
  setup_future_usage: refused("cards are not stored"),
  transfer_data: refused("there are no connected accounts"),
};

const captureMethod = oneOf(
  ["automatic", "automatic_async", "manual"],
  "`manual`: the card is authorized when the buyer pays, and a capture takes the money. Default: `automatic_async`, which is the same as `automatic` here.",
  "CompatCaptureMethod",
);
const returnUrl = returnAddress(
  "Address to which the buyer returns, with `payment_intent`, `payment_intent_client_secret` and `redirect_status` added. It is https, or http in TEST; or an address of an app, such as `myapp://back`, whose scheme the merchant has registered in its portal.",
);

/** What create and update share. */
const ORDER = {
  capture_method: captureMethod,
  confirmation_method: oneOf(
    ["automatic", "manual"],
    "Stored and returned; both values confirm in the same way.",
    "CompatConfirmationMethod",
  ),
  customer: text("Your own customer id; stored and returned. Customers do not exist here."),
  description: text("Shown to the buyer on the payment page."),
  metadata: metadata(),
  payment_method_types: paymentMethodTypes,
  receipt_email: email("The buyer's e-mail address; the relay sends it to the card gateway with the payment."),
  return_url: returnUrl,
  shipping,
  statement_descriptor: text("Stored and returned; it has no effect."),
  statement_descriptor_suffix: text("Stored and returned; it has no effect."),
  transfer_group: withoutEffect(""),
  expand: EXPAND,
  ...PAYMENT_METHOD,
  ...MONEY,
};

const AMOUNT = "Amount in the currency's smallest unit. Amounts in three-decimal currencies must end in 0.";
const CURRENCY =
  "Three-letter ISO code, in lower or upper case. The relay rejects `isk`, `mga`, `ugx` and currencies with four decimals, because their smallest unit is ambiguous.";

export const CREATE_FIELDS = {
  amount: required(amount(AMOUNT)),
  currency: required(word(CURRENCY, { pattern: CURRENCY_FORM.source })),
  automatic_payment_methods: automaticPaymentMethods,
  confirm: flag("Also starts an attempt to pay: see confirm. Needs `return_url`."),
  ...ORDER,
};

export const UPDATE_FIELDS = {
  amount: amount(
    `${AMOUNT} It can be changed only while no attempt is in progress or paid; the same applies to \`currency\` and \`capture_method\`.`,
  ),
  currency: word(CURRENCY, { pattern: CURRENCY_FORM.source }),
  ...ORDER,
};

export const CONFIRM_FIELDS = {
  amount_to_confirm: refused("the buyer pays the whole amount"),
  capture_method: captureMethod,
  client_secret: word("Required with a publishable key: the intent's `client_secret`."),
  expand: EXPAND,
  key: word("A page's publishable key, if it is not sent in `Authorization`."),
  payment_method_types: paymentMethodTypes,
  receipt_email: email("The buyer's e-mail address."),
  return_url: returnUrl,
  shipping,
  ...PAYMENT_METHOD,
  ...MONEY,
};

export const CANCEL_FIELDS = {
  cancellation_reason: unsettableOneOf(["duplicate", "fraudulent", "requested_by_customer", "abandoned"], "Why."),
  expand: EXPAND,
};

export const CAPTURE_FIELDS = {
  amount_details: withoutEffect(""),
  amount_to_capture: amount("Default: the whole amount. The rest is released; a payment can be captured once."),
  application_fee_amount: MONEY.application_fee_amount,
  expand: EXPAND,
  final_capture: refused("a payment can be captured once", [true]),
  hooks: withoutEffect(""),
  metadata: metadata(),
  payment_details: withoutEffect(""),
  statement_descriptor: withoutEffect(""),
  statement_descriptor_suffix: withoutEffect(""),
  transfer_data: MONEY.transfer_data,
};

/** The members of an order that a request may change. */
type Change = Partial<Omit<ReadFields<typeof UPDATE_FIELDS>, "expand">>;

/** The default of the platform's present versions. */
const CAPTURE_DEFAULT = "automatic_async";

/** A new order. Throws PlatformError. */
export function orderOf(members: ReadFields<typeof CREATE_FIELDS>, merchant: Returning): IntentOrder {
  const currency = readCurrency(members.currency);
  requireAmountOf(members.amount, currency);
  if (members.confirm === true && (members.return_url ?? null) === null) throw returnUrlMissing();
  const types = members.payment_method_types;
  return {
    amountMinor: members.amount,
    currency,
    captureMethod: ofCard(members) ?? members.capture_method ?? CAPTURE_DEFAULT,
    confirmationMethod: members.confirmation_method ?? "automatic",
    description: members.description ?? null,
    metadata: changedMetadata(NO_METADATA, members.metadata),
    receiptEmail: members.receipt_email ?? null,
    returnUrl: returnUrlOf(members.return_url ?? null, merchant),
    shipping: shippingOf(members.shipping ?? null),
    customer: members.customer ?? null,
    statementDescriptor: members.statement_descriptor ?? null,
    statementDescriptorSuffix: members.statement_descriptor_suffix ?? null,
    paymentMethodTypes: types === undefined ? [CARD] : types,
    automaticPaymentMethods: automaticOf(members.automatic_payment_methods ?? null, types),
  };
}

/** Neither of both named: the platform chooses by itself. */
function automaticOf(given: { readonly enabled: boolean } | null, types: readonly string[] | undefined): boolean | null {
  if (given !== null) return given.enabled;
  return types === undefined ? true : null;
}

/** What the options of the card say of `capture_method`; null where they are to say nothing more, undefined where they say nothing. */
function ofCard({ payment_method_options: options }: Change): "manual" | null | undefined {
  return options?.card?.capture_method;
}

/** Throws PlatformError: what the options said was kept as `capture_method`, so that nobody knows what it was before. */
function changedCapture(members: Change, before: IntentOrder): IntentOrder["captureMethod"] | undefined {
  const asked = ofCard(members) ?? members.capture_method;
  if (asked !== undefined || ofCard(members) === undefined || before.captureMethod !== "manual") return asked;
  throw invalidParam(
    CARD_CAPTURE,
    `${CARD_CAPTURE} cannot be unset alone, because it is stored as capture_method. Send capture_method as well.`,
  );
}

export const CARD_CAPTURE = "payment_method_options[card][capture_method]";

/** What a request changes of an order; absent members stay. Throws PlatformError. */
export function changeOf(members: Change, before: IntentOrder, merchant: Returning): OrderChange {
  const currency = members.currency === undefined ? before.currency : readCurrency(members.currency);
  const captureMethod = changedCapture(members, before);
  if (members.amount !== undefined || members.currency !== undefined) requireAmountOf(members.amount ?? before.amountMinor, currency);
  return {
    ...(members.amount === undefined ? {} : { amountMinor: members.amount }),
    ...(members.currency === undefined ? {} : { currency }),
    ...(captureMethod === undefined ? {} : { captureMethod }),
    ...(members.confirmation_method === undefined ? {} : { confirmationMethod: members.confirmation_method }),
    ...(members.description === undefined ? {} : { description: members.description }),
    ...(members.metadata === undefined ? {} : { metadata: members.metadata }),
    ...(members.receipt_email === undefined ? {} : { receiptEmail: members.receipt_email }),
    ...(members.return_url === undefined ? {} : { returnUrl: returnUrlOf(members.return_url, merchant) }),
    ...(members.shipping === undefined ? {} : { shipping: shippingOf(members.shipping) }),
    ...(members.customer === undefined ? {} : { customer: members.customer }),
    ...(members.statement_descriptor === undefined ? {} : { statementDescriptor: members.statement_descriptor }),
    ...(members.statement_descriptor_suffix === undefined ? {} : { statementDescriptorSuffix: members.statement_descriptor_suffix }),
    ...(members.payment_method_types === undefined ? {} : { paymentMethodTypes: members.payment_method_types }),
  };
}

export function returnUrlMissing() {
  return invalidParam(
    "return_url",
    "Missing required param: return_url. The payment page sends the buyer back there; give it here or with the payment intent.",
    "parameter_missing",
  );
}

/** Where a merchant's buyers may return to. */
type Returning = Pick<MerchantGrant, "livemode" | "returnSchemes">;

function returnUrlOf(url: string | null, { livemode, returnSchemes = [] }: Returning): string | null {
  if (url === null) return null;
  const scheme = new URL(url).protocol.slice(0, -1);
  if (scheme === "https" || (scheme === "http" && !livemode)) return url;
  if (scheme === "http") throw notUrl("return_url", "must be an https URL in LIVE");
  if (returnSchemes.includes(scheme) && isReturnScheme(scheme)) return url;
  throw notUrl(
    "return_url",
    "must be an http or https URL, or begin with the scheme of an app that is registered in the merchant's portal",
  );
}

type Shipping = NonNullable<ReadFields<typeof UPDATE_FIELDS>["shipping"]>;

/** As the platform answers it: all members, null where nothing was given. */
function shippingOf(given: Shipping | null): object | null {
  if (given === null) return null;
  const { address: at, carrier, name, phone, tracking_number } = given;
  return {
    address: {
      city: at?.city ?? null,
      country: at?.country ?? null,
      line1: at?.line1 ?? null,
      line2: at?.line2 ?? null,
      postal_code: at?.postal_code ?? null,
      state: at?.state ?? null,
    },
    carrier: carrier ?? null,
    name: name ?? "",
    phone: phone ?? null,
    tracking_number: tracking_number ?? null,
  };
}
