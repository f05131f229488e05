import { Type } from "@sinclair/typebox";

/** What a browser says of the page that sends something. */
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
 * Whether a page of another site says that it sends this. No credential is attached that such a page could use: whoever knows the token may do it all the same, so a request
 * that says nothing of its page is admitted. Browsers leave `Sec-Fetch-Site` out over plain http to other hosts than this machine; and since our page tells nobody its
 * address, they send `Origin: null` from it.
 */
export function isFromElsewhere({ "sec-fetch-site": site = "", origin = "", host = "" }: Sent, own: string): boolean {
  if (site !== "") return site === "cross-site" || site === "same-site";
  if (origin === "" || origin === "null" || origin === own) return false;
  return !/^https?:\/\//.test(origin) || origin.replace(/^https?:\/\//, "") !== host.toLowerCase();
}
