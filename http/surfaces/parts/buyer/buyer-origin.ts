import { Type } from "@sinclair/typebox";

/** The headers with which a browser identifies the page that sends a request. */
export const OriginHeaders = Type.Object({
  "sec-fetch-site": Type.Optional(Type.String()),
  origin: Type.Optional(Type.String()),
  host: Type.Optional(Type.String()),
});

interface Sent {
  "sec-fetch-site"?: string;
  origin?: string;
  host?: string;
}

/**
 * Returns true if a page of another site sent the request. Requests without these headers are
 * admitted, because such a page has no credential to misuse: anybody who knows the token may send
 * the request. Browsers omit `Sec-Fetch-Site` over plain HTTP to other hosts. Our page hides its
 * address, so browsers send `Origin: null` from it.
 */
export function isFromElsewhere({ "sec-fetch-site": site = "", origin = "", host = "" }: Sent, own: string): boolean {
  if (site !== "") return site === "cross-site" || site === "same-site";
  if (origin === "" || origin === "null" || origin === own) return false;
  return !/^https?:\/\//.test(origin) || origin.replace(/^https?:\/\//, "") !== host.toLowerCase();
}
