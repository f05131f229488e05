import type { Method } from "../endpoint/endpoint.ts";
import { methodsOf, type ServedRoute } from "./route.ts";

/**
 * Pages of other origins may call what an API key opens, from origins that a partner lists. A preflight does not tell
 * whose key it is about, so it is answered for any listed origin; the call itself is held against the list of its key's partner.
 */

/** How long a browser need not ask again; short, so that an origin that was taken off the list is soon gone. */
const PREFLIGHT_SECONDS = 600;

/** Headers that a page may send, beside those that the endpoint declares. */
const REQUEST_HEADERS = ["API-Key", "Content-Type", "Idempotency-Key", "X-Request-Id"];

/** Headers of answers that a page may read. */
const EXPOSED_HEADERS =
  "X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, Relay-Command-State, Relay-Amount-Differs, Idempotent-Replayed, Location, Deprecation, Link";

/** Names and values, alternating, for every answer to a listed origin. `Vary` stands on every answer of such a route. */
export function corsHeaders(origin: string): readonly string[] {
  return ["Access-Control-Allow-Origin", origin, "Access-Control-Expose-Headers", EXPOSED_HEADERS];
}

export const PREFLIGHT_VARY = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers";

/** The method that a preflight asks for; null for one that no endpoint has. */
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

/** What a permitted preflight is answered. */
export function preflightHeaders(route: ServedRoute, origin: string): { readonly [name: string]: string } {
  const declared = Object.keys(route.endpoint.headers?.properties ?? {});
  return {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Allow-Methods": methodsOf(route).join(", "),
    "Access-Control-Allow-Headers": [...REQUEST_HEADERS, ...declared].join(", "),
    "Access-Control-Max-Age": String(PREFLIGHT_SECONDS),
    Vary: PREFLIGHT_VARY,
  };
}

/** The origin that a request comes from: `Origin`, or that of `Referer` where a browser sends only this; empty without either. */
export function requestOrigin(origin: string, referer: string): string {
  if (origin !== "" || referer === "") return origin;
  // What is no address is no origin that anybody lists.
  return URL.canParse(referer) ? new URL(referer).origin : "null";
}
