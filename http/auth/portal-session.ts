import type { Caller } from "../../engine/access/caller.ts";
import { type MerchantAct, type MerchantUserGrant, merchantRoleMay, rolesThatMay } from "../../engine/access/merchant-user-grant.ts";
import { otherEnvironment } from "../../engine/access/other-environment.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import { needsAct, type PortalAuth, takesMerchantKey } from "../endpoint/portal-auth.ts";
import type { Refusal } from "./credential-source.ts";
import { type SessionCookie, sessionCookie, sessionTokenSha256 } from "./session-cookie.ts";

/**
 * Finds the session of a token by its SHA-256 (hex), which is all that is stored of it. Null for one that was never there, has ended or was idle for too long,
 * and for one of a merchant that is deactivated or whose partner is disabled. Rejects with RelayError `unavailable`.
 */
export type FindPortalSession = (tokenSha256: string) => Promise<MerchantUserGrant | null>;

/** What the authenticator needs for sessions of the portal. */
export interface PortalSessions {
  find: FindPortalSession;
  cookie: SessionCookie;
  /** Wall time on the clock by which `steppedUpUntilMs` was stored. */
  nowMs(): number;
}

/** The portal's cookie. */
export function portalCookie(options: { isSecure: boolean }): SessionCookie {
  return sessionCookie("relay_portal", options);
}

const ANONYMOUS: Caller = { type: "anonymous" };

function refused(message: string): Refusal {
  return { type: "refused", code: "unauthorized", message };
}

const NO_SESSION = refused("Sign in: there is no session, or it has ended");
const NO_SESSION_OR_KEY = refused("Sign in, or send the merchant's secret key: Authorization: Bearer sk_merchant_...");
const NO_SECOND_FACTOR = refused("Sign in: the second factor is missing");
const NOT_ENROLLED = refused("Sign in and enrol a second factor: the account has none yet, and every other call needs one");

/** The session that a request's cookie names. `optionalPortalSession` refuses nobody; `merchantUser` wants all factors, with a key beside it or without. */
export async function callerByPortalSession(
  { find, cookie }: Pick<PortalSessions, "find" | "cookie">,
  header: string,
  auth: PortalAuth,
): Promise<Caller | Refusal> {
  const token = cookie.tokenIn(header);
  if (token === "unclear") return auth === "optionalPortalSession" ? ANONYMOUS : unclearCookie(cookie);
  const user = token === null ? null : await find(sessionTokenSha256(token));
  if (user === null) {
    if (auth === "optionalPortalSession") return ANONYMOUS;
    return takesMerchantKey(auth) && token === null ? NO_SESSION_OR_KEY : NO_SESSION;
  }
  if (needsAct(auth) && user.stage !== "full") return user.stage === "factor" ? NO_SECOND_FACTOR : NOT_ENROLLED;
  return { type: "merchantUser", user };
}

export function unclearCookie({ name }: SessionCookie): Refusal {
  return refused(`Sign in: the cookie ${name} was not set by this relay, or was sent twice; delete the cookies of this site`);
}

/** What an endpoint asks of who has a session beside it. */
export interface SessionNeeds {
  readonly may?: MerchantAct | undefined;
  readonly stepUp?: true | undefined;
  /** Whether a merchant's key of the environment that the merchant is not in is refused. */
  readonly sameEnvironment?: true | undefined;
  /** See `EndpointFacts`. */
  readonly firstByPassword?: true | undefined;
}

/**
 * Throws RelayError `forbidden` for a person whose role does not permit it (`role`), and for a person or an administrator who has to show a second factor again
 * (`step_up_required`). A login and a key need none.
 * Throws `conflict` (`other_environment`) for a key where `sameEnvironment` asks for it.
 */
export function requireSessionNeeds(caller: Caller, { may, stepUp, sameEnvironment }: SessionNeeds, nowMs: () => number): void {
  if (caller.type === "merchantKey" && sameEnvironment === true && caller.merchant.otherEnvironment === true) throw otherEnvironment();
  if (caller.type === "merchantUser" && may !== undefined && !merchantRoleMay(caller.user.role, may)) {
    const { role } = caller.user;
    throw new RelayError("forbidden", `Not permitted for the role ${role}; the role must be one of ${rolesThatMay(may).join(", ")}`, {
      detail: "role",
    });
  }
  if (stepUp !== true || steppedUpUntilMs(caller) > nowMs()) return;
  throw new RelayError("forbidden", "Show your second factor again: this call needs one shown in the last ten minutes", {
    detail: "step_up_required",
  });
}

/** Infinity for who has no session. */
function steppedUpUntilMs(caller: Caller): number {
  switch (caller.type) {
    case "merchantUser":
      return caller.user.steppedUpUntilMs;
    case "administrator":
    case "administratorSigningIn":
      return caller.session?.steppedUpUntilMs ?? Number.POSITIVE_INFINITY;
    default:
      return Number.POSITIVE_INFINITY;
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
    throw csrf("Only the relay's own pages may send this with a session: Sec-Fetch-Site or Origin shows that another page sent it");
  if (portalHeader !== "1" && !JSON_TYPE.test(contentType)) {
    throw csrf("With a session, send a JSON body (Content-Type: application/json) or the header X-Relay-Portal: 1");
  }
}

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

function csrf(message: string): RelayError {
  return new RelayError("forbidden", message, { detail: "csrf" });
}
