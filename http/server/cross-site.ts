import type { RequestHead } from "./request-head.ts";

type Headers = Pick<RequestHead, "getHeader">;

/** What is known of the relay's own origin. */
export interface OwnOrigin {
  /** The origin of `RELAY_PUBLIC_URL`, and its host with the port; null if it is not set. */
  readonly publicOrigin: string | null;
  readonly publicHost: string | null;
  /** True if the relay terminates TLS itself. If not, a proxy may do so. */
  readonly tls: boolean;
}

export function ownOrigin(publicUrl: string | null, tls: boolean): OwnOrigin {
  if (publicUrl === null) return { publicOrigin: null, publicHost: null, tls };
  const { origin, host } = new URL(publicUrl);
  return { publicOrigin: origin, publicHost: host, tls };
}

/**
 * The origin of the page that sends the request, if it is not one of the relay's own pages: "" if the browser does not name it. Null for the
 * relay's own pages, for addresses that a person opens, and for clients that are not browsers, which send neither header. `origin` is the
 * header, empty when absent; the other headers are read only if they decide.
 */
export function foreignOrigin(origin: string, req: Headers, own: OwnOrigin): string | null {
  if (origin !== "") return isOwn(origin, req.getHeader("host"), own) ? null : origin;
  return isFromOtherSite(req) ? "" : null;
}

/** Whether a page of another origin sends the request, as far as `Sec-Fetch-Site` says so; browsers before 2023 do not all send it. */
export function isFromOtherSite(req: Headers): boolean {
  const site = req.getHeader("sec-fetch-site");
  return site === "cross-site" || site === "same-site";
}

/** Whether a page of the relay itself sends the request, by `Origin`; false without one. */
export function isOwnOrigin(origin: string, req: Headers, own: OwnOrigin): boolean {
  return origin !== "" && isOwn(origin, req.getHeader("host"), own);
}

/** Whether a page sends the request, its own or another's, as far as a browser says so. */
export function isFromPage(req: Headers): boolean {
  return req.getHeader("origin") !== "" || req.getHeader("sec-fetch-site") !== "";
}

/**
 * `null` (a sandboxed frame, a local file, a redirect from elsewhere) is nobody's own. Behind a proxy that terminates TLS the scheme is
 * known only if the public URL says it: a page over http, which anyone on the way can write, is not the page over https.
 */
function isOwn(origin: string, host: string, { publicOrigin, publicHost, tls }: OwnOrigin): boolean {
  if (origin === publicOrigin) return true;
  const [, scheme, authority] = /^(https?):\/\/([^/]+)$/.exec(origin) ?? [];
  if (authority === undefined || authority === publicHost || (tls && scheme !== "https")) return false;
  const named = host.toLowerCase();
  return named === authority || named === `${authority}:${scheme === "https" ? 443 : 80}`;
}
