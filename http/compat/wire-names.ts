/**
 * Every word of the compatible platform that the wire must carry, and nothing else does: client libraries and pages of shops look for these. All of them stand in
 * this file.
 */
export const WIRE_NAMES = {
  /** Headers. */
  version: "Stripe-Version",
  shouldRetry: "Stripe-Should-Retry",
  signature: "Stripe-Signature",
  account: "Stripe-Account",
  context: "Stripe-Context",
  /** The global function of the browser script. */
  browserGlobal: "Stripe",
  /** The host that the platform's own script comes from, for tests that must not reach it. */
  scriptHost: "js.stripe.com",
} as const;

/** The version header of our own interface (spec), accepted and echoed beside the platform's. */
export const VERSION_HEADER = "Platform-Version";

/** The header of every response: `req_` and 24 letters or digits. */
export const REQUEST_ID_HEADER = "Request-Id";

/** The version that is effective where neither the request nor the merchant has named one. */
export const DEFAULT_API_VERSION = "2026-10-28.endive";
