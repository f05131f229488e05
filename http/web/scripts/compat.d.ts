/**
 * The global function of `/js/compat.js`. Pages that use the compatible platform's own type package keep it: what is here fits its types. The script has no
 * card fields: a confirmed payment goes on at the payment page of the card gateway, and its buyer comes back to `return_url`.
 */
export interface CompatFactory {
  /** A plain function, which works with `new` too. Throws for every key but a merchant's publishable one (`pk_merchant_...`). */
  (publishableKey: string, options?: CompatOptions): CompatClient;
  version: number;
}

export interface CompatOptions {
  /** Accepted; an intent has the same form in every version. */
  apiVersion?: string;
  /** `it` or `en`; any other, and `auto`, as the browser is set. */
  locale?: string;
  /** Where the API is: `https://pay.example`. Default: where the script came from. */
  apiBase?: string;
  /** Options of the platform without an effect here. */
  [other: string]: unknown;
}

export interface CompatClient {
  elements(options?: ElementsOptions): CompatElements;
  /** Confirms the payment and goes to the payment page: the promise settles only when that fails. */
  confirmPayment(options: {
    elements?: unknown;
    clientSecret?: string;
    confirmParams?: { return_url?: string };
    redirect?: "always" | "if_required";
  }): Promise<{ paymentIntent?: never; error: CompatError }>;
  /** As `confirmPayment`; with `handleActions: false` it answers with the intent and goes nowhere. */
  confirmCardPayment(
    clientSecret: string,
    data?: { return_url?: string } | object,
    options?: { handleActions?: boolean },
  ): Promise<PaymentIntentResult>;
  retrievePaymentIntent(clientSecret: string): Promise<PaymentIntentResult>;
  /** Goes to the payment page where the intent waits for it. */
  handleNextAction(options: { clientSecret?: string; hashedValue?: string }): Promise<PaymentIntentResult>;
  handleCardAction(clientSecret: string): Promise<PaymentIntentResult>;
  /** These three exist for wrappers that look for them. */
  createToken(...parts: unknown[]): Promise<{ token?: never; error: CompatError }>;
  createPaymentMethod(...parts: unknown[]): Promise<{ paymentMethod?: never; error: CompatError }>;
  createConfirmationToken(...parts: unknown[]): Promise<{ confirmationToken?: never; error: CompatError }>;
  /** Does nothing. */
  registerAppInfo(info: unknown): void;
  /** Does nothing. */
  _registerWrapper(wrapper: unknown): void;
}

export interface ElementsOptions {
  clientSecret?: string;
  locale?: string;
  [other: string]: unknown;
}

export interface CompatElements {
  create(type: string, options?: unknown): CompatElement;
  /** By its type, or by the component of the platform's wrapper for React. */
  getElement(type: unknown): CompatElement | null;
  update(options: object): Promise<void>;
  submit(): Promise<{ error?: never; selectedPaymentMethod?: never }>;
  fetchUpdates(): Promise<{ error?: never }>;
  on(event: "update-end", handler: () => void): void;
}

export type ElementHandler = (event: ElementEvent) => unknown;

/** Of `ready`: `elementType` alone. */
export interface ElementEvent {
  elementType: string;
  complete?: boolean;
  empty?: boolean;
  collapsed?: boolean;
  error?: undefined;
  value?: { type: string };
}

/** `payment` and `card` say that the payment goes on at the payment page; others are empty. */
export interface CompatElement {
  mount(target: string | HTMLElement): void;
  unmount(): void;
  destroy(): void;
  update(options?: unknown): void;
  on(event: string, handler?: ElementHandler): CompatElement;
  once(event: string, handler?: ElementHandler): CompatElement;
  /** Without a handler: all of the event. */
  off(event: string, handler?: ElementHandler): CompatElement;
  focus(): void;
  blur(): void;
  clear(): void;
  collapse(): void;
}

export type PaymentIntentResult = { paymentIntent: CompatPaymentIntent; error?: never } | { paymentIntent?: never; error: CompatError };

/** What a publishable key sees of a payment intent. */
export interface CompatPaymentIntent {
  id: string;
  object: "payment_intent";
  amount: number;
  canceled_at: number | null;
  cancellation_reason: "abandoned" | "duplicate" | "fraudulent" | "requested_by_customer" | null;
  capture_method: "automatic" | "manual";
  client_secret: string | null;
  confirmation_method: "automatic" | "manual";
  created: number;
  currency: string;
  description: string | null;
  last_payment_error: Omit<CompatError, "payment_intent" | "request_log_url"> | null;
  livemode: boolean;
  next_action: { type: string; redirect_to_url?: { url: string | null; return_url: string | null } } | null;
  payment_method: null;
  payment_method_types: string[];
  receipt_email: null;
  setup_future_usage: null;
  shipping: null;
  status:
    | "canceled"
    | "processing"
    | "requires_action"
    | "requires_capture"
    | "requires_confirmation"
    | "requires_payment_method"
    | "succeeded";
}

export interface CompatError {
  type:
    | "api_connection_error"
    | "api_error"
    | "authentication_error"
    | "card_error"
    | "idempotency_error"
    | "invalid_request_error"
    | "rate_limit_error";
  charge?: string;
  code?: string;
  decline_code?: string;
  doc_url?: string;
  message?: string;
  param?: string;
  payment_intent?: CompatPaymentIntent;
  request_log_url?: string;
}
