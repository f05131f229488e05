import { WIRE_NAMES } from "../../compat/wire-names.ts";
import type { CompatClient, CompatFactory, CompatOptions, CompatPaymentIntent, PaymentIntentResult } from "./compat.d.ts";
import { createElements, secretOf } from "./compat-elements.ts";
import { createRequests, failed } from "./compat-requests.ts";

/** Known only while the script itself runs. */
const script = document.currentScript;
const ownOrigin = script instanceof HTMLScriptElement && script.src !== "" ? new URL(script.src).origin : null;

/** Only a key that a page may show: a secret one that was put here by mistake is refused, and not repeated in the message. */
const PUBLISHABLE_KEY = /^pk_merchant_[A-Za-z0-9_]{1,128}$/;

function createClient(key: unknown, options: CompatOptions = {}): CompatClient {
  if (typeof key !== "string" || !PUBLISHABLE_KEY.test(key)) {
    throw mistake("The key is not the publishable key of a merchant, which begins with pk_merchant_.");
  }
  const { apiBase = ownOrigin, locale } = options;
  if (apiBase === null) throw mistake("The script does not know where it came from: give the option apiBase.");
  const requests = createRequests(apiBase.replace(/\/+$/, ""), key);

  /** To the payment page, if the intent waits there; then the promise that is returned never settles, because the page ends. */
  const goOn = (result: PaymentIntentResult): PaymentIntentResult | Promise<never> => {
    const address = result.paymentIntent === undefined ? null : paymentPageOf(result.paymentIntent);
    if (address === null) return result;
    location.assign(address);
    return new Promise<never>(() => {});
  };
  const next = async (clientSecret: unknown) => goOn(await requests.retrieve(clientSecret));

  return {
    elements: (elementsOptions = {}) => createElements(elementsOptions, locale),
    async confirmPayment({ elements, clientSecret, confirmParams }) {
      const result = await goOn(await requests.confirm(clientSecret ?? secretOf(elements), confirmParams?.return_url));
      if (result.error !== undefined) return { error: result.error };
      const { error } = failed("api_error", "The payment cannot go on yet. Try again in a moment.", "lock_timeout");
      return { error: { ...error, payment_intent: result.paymentIntent } };
    },
    async confirmCardPayment(clientSecret, data, { handleActions = true } = {}) {
      const given = data !== undefined && "return_url" in data ? data.return_url : undefined;
      const result = await requests.confirm(clientSecret, typeof given === "string" ? given : undefined);
      return handleActions ? goOn(result) : result;
    },
    retrievePaymentIntent: requests.retrieve,
    handleNextAction: ({ clientSecret }) => next(clientSecret),
    handleCardAction: next,
    createToken: async () => noCardData(),
    createPaymentMethod: async () => noCardData(),
    createConfirmationToken: async () => noCardData(),
    registerAppInfo() {},
    _registerWrapper() {},
  };
}

function paymentPageOf({ status, next_action: action }: CompatPaymentIntent): string | null {
  const url = status === "requires_action" ? action?.redirect_to_url?.url : null;
  return typeof url === "string" && /^https?:\/\//.test(url) ? url : null;
}

function noCardData() {
  return failed("invalid_request_error", "No card data is entered on this page: confirm the payment, which goes on at the payment page.");
}

function mistake(message: string): Error {
  const error = new Error(message);
  error.name = "IntegrationError";
  return error;
}

/** A plain function and no class: loaders call it with `apply`; `new` works too, because it returns an object. */
function factory(key: unknown, options?: CompatOptions): CompatClient {
  return createClient(key, options ?? {});
}

const global: CompatFactory = Object.assign(factory, { version: 3 });
Object.assign(window, { [WIRE_NAMES.browserGlobal]: global });
