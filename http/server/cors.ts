import type { Method } from "../endpoint/endpoint.ts";
import type { ServedRoute } from "./route.ts";

/**
 * Pages of other origins may call endpoints with an API key, from origins that a partner lists. A preflight does not say which key will be
 * used, so it is permitted for any listed origin; the call itself is checked against the list of the key's partner. Endpoints that are `openToPages` are for
 * pages of any origin; no browser sends a login that it remembers to them, because they answer without `Access-Control-Allow-Credentials`.
 */

/** How long a browser caches a preflight; short, so that a removed origin is soon refused. */
const PREFLIGHT_SECONDS = 600;

/** Headers that a page may send, in addition to those that the endpoint declares. */
const REQUEST_HEADERS = ["API-Key", "Content-Type", "Idempotency-Key", "X-Request-Id"];

/** Headers of answers that a page may read. */
const EXPOSED_HEADERS =
  "X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, Relay-Command-State, Relay-Amount-Differs, Relay-Answer-Stale, Relay-Verified-At, Relay-Ignored, Idempotent-Replayed, Location, Deprecation, Link";

/** Names and values, alternating, for every response to a listed origin. Every response of such a route has `Vary`. */
export function corsHeaders(origin: string): readonly string[] {
  return ["Access-Control-Allow-Origin", origin, "Access-Control-Expose-Headers", EXPOSED_HEADERS];
}

export const PREFLIGHT_VARY = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers";

/** The method that a preflight requests; null if no endpoint has it. */
export function preflightMethod(requested: string): Method | null {
  switch (requested) {
    case "HEAD":
      return "GET";
    case "GET":
    case "POST":
    case "PUT":
    case "PATCH":
    case "DELETE":
      return requested;
    default:
      return null;
  }
}

/** The headers of the response to a permitted preflight. */
export function preflightHeaders(route: ServedRoute, methods: readonly string[], origin: string): { readonly [name: string]: string } {
  const declared = Object.keys(route.endpoint.headers?.properties ?? {});
  // A page may send its publishable key as a bearer key, too.
  const names = route.openToPages ? ["Authorization", ...REQUEST_HEADERS, ...declared] : [...REQUEST_HEADERS, ...declared];
  return {
    "Access-Control-Allow-Origin": route.openToPages ? "*" : origin,
    "Access-Control-Allow-Methods": methods.join(", "),
    "Access-Control-Allow-Headers": names.join(", "),
    "Access-Control-Max-Age": String(PREFLIGHT_SECONDS),
    Vary: PREFLIGHT_VARY,
  };
}

/** The origin of a request: `Origin`, or that of `Referer` if the browser sends only this; empty without either. */
export function requestOrigin(origin: string, referer: string): string {
  if (origin !== "" || referer === "") return origin;
  // A text that is not a URL is not a listed origin.
  return URL.canParse(referer) ? new URL(referer).origin : "null";
}
