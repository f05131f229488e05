import type { CompatError, CompatPaymentIntent, PaymentIntentResult } from "./compat.d.ts";

/** Longer than the relay's own deadline of 10 s and what a slow network adds. */
const REQUEST_TIMEOUT_MS = 30_000;

/** The secret of an intent begins with the intent's id. */
const CLIENT_SECRET = /^(pi_[A-Za-z0-9]{1,64})_secret_[A-Za-z0-9]{1,128}$/;

/** The two requests that a publishable key may make. None of them rejects. */
export interface CompatRequests {
  retrieve(clientSecret: unknown): Promise<PaymentIntentResult>;
  confirm(clientSecret: unknown, returnUrl: string | undefined): Promise<PaymentIntentResult>;
}

/**
 * Key and secret travel as members, so that a browser asks nothing beforehand (no preflight): in the body of the form that confirms, and in the query
 * of the request that reads.
 */
export function createRequests(base: string, key: string): CompatRequests {
  const send = async (clientSecret: unknown, method: "GET" | "POST", action: string, members: { [name: string]: string }) => {
    const [secret, id] = CLIENT_SECRET.exec(typeof clientSecret === "string" ? clientSecret : "") ?? [];
    if (secret === undefined)
      return failed("invalid_request_error", "The client secret is not one of a payment intent.", "parameter_invalid", "client_secret");
    const form = new URLSearchParams({ key, client_secret: secret, ...members });
    const address = `${base}/v1/payment_intents/${id}${action}`;
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), REQUEST_TIMEOUT_MS);
    const request: RequestInit = { method, credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer", signal: limit.signal };
    try {
      const response = await (method === "GET" ? fetch(`${address}?${form}`, request) : fetch(address, { ...request, body: form }));
      return read(response.ok, await response.json().catch(() => null));
    } catch {
      return failed("api_connection_error", "The payment service could not be reached. Check the connection and try again.");
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    retrieve: (clientSecret) => send(clientSecret, "GET", "", {}),
    confirm: (clientSecret, returnUrl) => send(clientSecret, "POST", "/confirm", returnUrl === undefined ? {} : { return_url: returnUrl }),
  };
}

export function failed(type: CompatError["type"], message: string, code?: string, param?: string): { error: CompatError } {
  return { error: { type, message, ...(code === undefined ? {} : { code }), ...(param === undefined ? {} : { param }) } };
}

function read(ok: boolean, body: unknown): PaymentIntentResult {
  if (ok && isIntent(body)) return { paymentIntent: body };
  if (!ok && isObject(body) && isError(body["error"])) return { error: body["error"] };
  return failed("api_error", "The payment service gave an answer that cannot be read.");
}

function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === "object" && value !== null;
}

/** The server's tests check its members; an answer from elsewhere has another `object`. */
function isIntent(body: unknown): body is CompatPaymentIntent {
  return isObject(body) && body["object"] === "payment_intent" && typeof body["status"] === "string";
}

function isError(error: unknown): error is CompatError {
  return isObject(error) && typeof error["type"] === "string";
}
