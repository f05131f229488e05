import type { Caller } from "../../engine/access/caller.ts";
import { type MerchantAct, type MerchantUserGrant, merchantRoleMay, rolesThatMay } from "../../engine/access/merchant-user-grant.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { PortalAuth } from "../endpoint/portal-auth.ts";
import type { Refusal } from "./credential-source.ts";
import { sha256Hex } from "./digest.ts";

/**
 * Finds the session of a token by its SHA-256 (hex), which is all that is stored of it. Null for one that was never there, has ended or was idle for too long,
 * and for one of a merchant that is deactivated or whose partner is disabled. Rejects with RelayError `unavailable`.
 */
export type FindPortalSession = (tokenSha256: string) => Promise<MerchantUserGrant | null>;

/** What the authenticator needs for sessions of the portal. */
export interface PortalSessions {
  find: FindPortalSession;
  cookie: PortalCookie;
  /** Wall time on the clock by which `steppedUpUntilMs` was stored. */
  nowMs(): number;
}

/** The cookie of one relay, under its one name. */
export interface PortalCookie {
  readonly name: string;
  /**
   * The `Set-Cookie` value that hands out a token. The cookie ends with the browser; when the session ends is for the server to say. Throws for what is no token.
   */
  handOut(token: string): string;
  /** The `Set-Cookie` value that takes the cookie back. */
  readonly takenBack: string;
  /** The token in a `Cookie` header: null for none, `unclear` for one that is not as handed out, or for several. */
  tokenIn(header: string): string | "unclear" | null;
}

/** 32 random bytes in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** uWebSockets takes 4 KB of headers by default, and no proxy more than 64 KB; a longer header is not looked through. */
const HEADER_LENGTH_MAX = 65_536;

/**
 * `isSecure`: browsers reach the relay over TLS. The prefix `__Host-` then has them take the cookie only with `Secure`, for this very host and for all of its paths, so no
 * other host and no page over http can set one beside it. Over plain http, which only a sandbox should be, they would refuse such a cookie; there it has another name.
 */
export function portalCookie({ isSecure }: { isSecure: boolean }): PortalCookie {
  const name = isSecure ? "__Host-relay_portal" : "relay_portal";
  const attributes = `HttpOnly; SameSite=Strict; Path=/${isSecure ? "; Secure" : ""}`;
  return {
    name,
    handOut: (token) => {
      if (!TOKEN.test(token)) throw new Error("a session's token has 43 characters of base64url");
      return `${name}=${token}; ${attributes}`;
    },
    takenBack: `${name}=; Max-Age=0; ${attributes}`,
    tokenIn: (header) => tokenIn(header, name),
  };
}

/** Under which a session is stored and looked up. */
export function portalTokenSha256(token: string): string {
  return sha256Hex(token);
}

/**
 * Of two cookies with our name one may be planted (by another path, or another host of the same domain), and nothing says which: none of them counts.
 */
function tokenIn(header: string, name: string): string | "unclear" | null {
  if (header === "") return null;
  if (header.length > HEADER_LENGTH_MAX) return "unclear";
  let found: string | null = null;
  for (const pair of header.split(";")) {
    const equals = pair.indexOf("=");
    if (equals === -1 || pair.slice(0, equals).trim() !== name) continue;
    if (found !== null) return "unclear";
    found = pair.slice(equals + 1).trim();
  }
  return found === null || TOKEN.test(found) ? found : "unclear";
}

const ANONYMOUS: Caller = { type: "anonymous" };

function refused(message: string): Refusal {
  return { type: "refused", code: "unauthorized", message };
}

const NO_SESSION = refused("Sign in: there is no session, or it has ended");
const NO_SESSION_OR_KEY = refused("Sign in, or send the merchant's secret key: Authorization: Bearer sk_merchant_...");
const NO_SECOND_FACTOR = refused("Sign in: the second factor is missing");
const NOT_ENROLLED = refused("Sign in: the account has no second factor yet, and needs one before anything else");

/** The session that a request's cookie names. `optionalPortalSession` refuses nobody; `merchantUser` and `merchantUserOrKey` want all factors. */
export async function callerByPortalSession(
  { find, cookie }: Pick<PortalSessions, "find" | "cookie">,
  header: string,
  auth: PortalAuth,
): Promise<Caller | Refusal> {
  const token = cookie.tokenIn(header);
  if (token === "unclear") return auth === "optionalPortalSession" ? ANONYMOUS : unclear(cookie);
  const user = token === null ? null : await find(portalTokenSha256(token));
  if (user === null) {
    if (auth === "optionalPortalSession") return ANONYMOUS;
    return auth === "merchantUserOrKey" && token === null ? NO_SESSION_OR_KEY : NO_SESSION;
  }
  const wantsAllFactors = auth === "merchantUser" || auth === "merchantUserOrKey";
  if (wantsAllFactors && user.stage !== "full") return user.stage === "factor" ? NO_SECOND_FACTOR : NOT_ENROLLED;
  return { type: "merchantUser", user };
}

function unclear({ name }: PortalCookie): Refusal {
  return refused(`Sign in: the cookie ${name} is not one of this relay, or came twice; delete the cookies of this site`);
}

/** What an endpoint asks of a person beside the session. */
export interface PortalNeeds {
  readonly may?: MerchantAct | undefined;
  readonly stepUp?: true | undefined;
}

/** Throws RelayError `forbidden` for a person whose role does not permit it (`role`), or who has to show a second factor again (`step_up_required`). */
export function requirePortalNeeds(caller: Caller, { may, stepUp }: PortalNeeds, nowMs: () => number): void {
  if (caller.type !== "merchantUser") return;
  const { role, steppedUpUntilMs } = caller.user;
  if (may !== undefined && !merchantRoleMay(role, may)) {
    throw new RelayError("forbidden", `Not permitted for the role ${role}; it needs ${rolesThatMay(may).join(", ")}`, { detail: "role" });
  }
  if (stepUp === true && steppedUpUntilMs <= nowMs()) {
    throw new RelayError("forbidden", "Show a second factor again: this needs one of the last ten minutes", { detail: "step_up_required" });
  }
}

/** A request that a cookie speaks for, as far as it says whose page sent it. Headers are empty if absent. */
export interface SentByPage {
  secFetchSite: string;
  /** Whether `Origin` is there and is the relay's own. */
  isOriginOwn: boolean;
  contentType: string;
  /** `X-Relay-Portal`. */
  portalHeader: string;
}

/**
 * Throws RelayError `forbidden` (`csrf`) unless the relay's own page has sent the request: a browser attaches the cookie to requests of any page that it
 * takes for one of the same site, and lets every page send forms. `Sec-Fetch-Site` no page can set; browsers leave it out over plain http to other
 * hosts than this machine, and old ones always: there `Origin` decides. A request with neither is no browser's, and says nothing of itself, so it is
 * refused too. The content type, or the header of our own, cannot be sent by a form, nor by a page of another origin without being asked.
 */
export function requireOwnPage({ secFetchSite, isOriginOwn, contentType, portalHeader }: SentByPage): void {
  const isOwn = secFetchSite === "" ? isOriginOwn : secFetchSite === "same-origin";
  if (!isOwn)
    throw csrf("Only the portal's own pages may send this with a session: Sec-Fetch-Site or Origin says that it is from elsewhere");
  if (portalHeader !== "1" && !JSON_TYPE.test(contentType)) {
    throw csrf("With a session, send a JSON body (Content-Type: application/json) or the header X-Relay-Portal: 1");
  }
}

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

function csrf(message: string): RelayError {
  return new RelayError("forbidden", message, { detail: "csrf" });
}
