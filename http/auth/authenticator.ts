import type { Caller } from "../../engine/access/caller.ts";
import type { PasswordAlone } from "../../engine/administrators/password-alone.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { AuthRequirement } from "../endpoint/endpoint.ts";
import { type AdministratorSessions, administratorCookie, callerByAdministratorSession } from "./administrator-session.ts";
import { callerByAgentToken, type FindAgent } from "./agent-key.ts";
import { isOriginAllowed, partnerByKey } from "./api-key.ts";
import {
  callerByFastPassword,
  callerBySlowPassword,
  isAccount,
  parseBasic,
  partnerCaller,
  terminalByDerivedPassword,
  type UserPassword,
} from "./basic.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { CredentialSource, PartnerCredential, Refusal } from "./credential-source.ts";
import { createLoginThrottle, type KnownAccount, type LoginAccount, type LoginThrottle, looksRandom } from "./login-throttle.ts";
import { callerByMerchantKey, type FindMerchant, isBearer } from "./merchant-key.ts";
import { callerByBearer, type PartnerApiCredentials } from "./partner-api-key.ts";
import { PasswordVerifier } from "./partner-password.ts";
import { callerByPortalSession, type PortalSessions, portalCookie, requireSessionNeeds, type SessionNeeds } from "./portal-session.ts";

/**
 * Maximum number of verified headers per shard. If a fleet that polls in turn has one terminal more than this, every poll is verified
 * again, so the number is greater than the number of terminals that one shard serves.
 */
const VERIFIED_MAX = 250_000;

/** Maximum number of cached logins whose passwords were hashed; a change of other credentials does not have them hashed again. */
const HASHED_MAX = 10_000;

/** Stands for a password that is compared without a slow hash. */
const FAST = "";

/** A longer header is not cached but verified each time, if that is fast. Headers of terminals have 160 characters. */
const REMEMBERED_LENGTH_MAX = 256;

/** Texts of a 401: the same whichever part was wrong. */
const INVALID_KEY: Refusal = { type: "refused", code: "unauthorized", message: "Invalid API Key" };

const INVALID_LOGIN: Refusal = { type: "refused", code: "unauthorized", message: "Invalid credentials" };

const EXPIRED_TOKEN: Refusal = {
  type: "refused",
  code: "unauthorized",
  message: "This machine token has expired; ask an owner for another one (POST /admin/machine-tokens)",
};

const MISSING_LOGIN: Refusal = { type: "refused", code: "unauthorized", message: "Authentication required" };

const FOREIGN_ORIGIN: Refusal = { type: "refused", code: "forbidden", message: "This origin may not use this API Key" };

const ANONYMOUS: Caller = { type: "anonymous" };

function refusalOf({ code, message, retryAfterSeconds }: RelayError): Refusal {
  return { type: "refused", code, message, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
}

/** The credentials in a request; headers are empty if absent. */
export interface Credentials {
  authorization: string;
  apiKey: string;
  origin: string;
  /** All lines of `Cookie`, joined by "; "; read only where a session may be in it. */
  cookie: string;
  /** Wrong passwords are counted per account and address. */
  ipAddress: string;
}

export interface Authenticator {
  /** Synchronous, except for merchants' keys, agents' tokens, sessions and for passwords that are compared: not for other keys, terminals' own passwords and logins that were verified before. */
  authenticate(requirement: AuthRequirement, credentials: Credentials): Caller | Refusal | Promise<Caller | Refusal>;
  /**
   * The partner that these headers are known to be of already: looked for among those that were verified, and verified by none of it. So whoever is beyond an
   * address's rate can have neither keys guessed at nor passwords hashed.
   */
  knownPartner(credentials: Pick<Credentials, "authorization" | "apiKey">): PartnerCredential | null;
  /** Whether any enabled partner lists this origin. */
  isOriginListed(origin: string): boolean;
  /** Whether the caller is a partner that lists this origin itself. A partner without a list has listed none. */
  isOriginListedBy(caller: Caller, origin: string): boolean;
  /**
   * Throws, or rejects with, RelayError `forbidden` for who has a session and may not do what an
   * endpoint needs, and for an administrator whose password alone is not enough for it.
   */
  requireSessionNeeds(caller: Caller, needs: SessionNeeds): void | Promise<void>;
  /** Whether a `Cookie` header names a session of an administrator, right or wrong. */
  namesAdministratorSession(cookie: string): boolean;
  /**
   * An administrator, or a machine token, by the password of its login, compared and counted as in
   * a login.
   */
  administratorByPassword(user: UserPassword, ipAddress: string): Caller | Refusal | Promise<Caller | Refusal>;
}

/** A verified login by a password that somebody may have chosen. */
interface PasswordLogin {
  readonly type: "password";
  readonly caller: Caller;
  readonly account: KnownAccount;
  /**
   * Its password looks like one of a generator. Such a login is answered even while its account is held back at its address: otherwise who
   * guesses behind the same NAT stops a running till. Of any other password the answer would tell the guesser that it is right.
   */
  readonly isRandom: boolean;
}

/** Used if no partner has a key for Partner API v1. */
const NO_PARTNER_API: PartnerApiCredentials = { byKeySha256: () => null, called: () => {} };

/** Used if nobody has a merchant's key. */
const NO_MERCHANTS: FindMerchant = async () => null;

/** Used where no AI agent has a credential. */
const NO_AGENTS: FindAgent = async () => null;

/** Used where there is no portal. */
const NO_PORTAL: PortalSessions = { find: async () => null, cookie: portalCookie({ isSecure: true }), nowMs: () => 0 };

/** Used where administrators have no pages. */
const NO_ADMINISTRATOR_SESSIONS: AdministratorSessions = { find: async () => null, cookie: administratorCookie({ isSecure: true }) };

/**
 * Authenticates with the credentials in memory; merchants' keys, agents' tokens and sessions are looked up in the store. Verified headers are remembered until any credential changes, and slow hashes until their
 * own credential changes. No password that somebody may have chosen is compared, and none that was verified before is answered, without the
 * throttle (login-throttle.ts); machine-made secrets (keys, terminals' derived passwords) need none.
 */
export function createAuthenticator(
  source: CredentialSource,
  monotonicMs: () => number,
  partnerApi: PartnerApiCredentials = NO_PARTNER_API,
  throttle: LoginThrottle = createLoginThrottle({ monotonicMs }),
  findMerchant: FindMerchant = NO_MERCHANTS,
  portal: PortalSessions = NO_PORTAL,
  administrators: AdministratorSessions = NO_ADMINISTRATOR_SESSIONS,
  findAgent: FindAgent = NO_AGENTS,
  isPasswordEnough: PasswordAlone = async () => true,
): Authenticator {
  const logins = new BoundedMap<string, Caller | PasswordLogin>(VERIFIED_MAX);
  /** By header: the hash against which its password was verified, or `FAST`. */
  const hashed = new BoundedMap<string, string>(HASHED_MAX);
  const keys = new BoundedMap<string, { partner: PartnerCredential; caller: Caller }>(VERIFIED_MAX);
  const checking = new Map<string, Promise<Caller | Refusal>>();
  const passwords = new PasswordVerifier();
  let generation = source.generation();

  function forgetWhenChanged(): void {
    if (generation === source.generation()) return;
    generation = source.generation();
    logins.clear();
    keys.clear();
  }

  function byKey(key: string, origin: string): Caller | Refusal {
    let known = keys.get(key);
    if (known === undefined) {
      const partner = partnerByKey(source, key);
      if (partner === null) return INVALID_KEY;
      known = { partner, caller: partnerCaller(partner) };
      keys.set(key, known);
    }
    return isOriginAllowed(known.partner, origin) ? known.caller : FOREIGN_ORIGIN;
  }

  /** A machine token that has expired is told so: whoever sends it has it. */
  function unlessExpired(found: Caller | Refusal): Caller | Refusal {
    return found.type === "machine" && found.expiresAtMs <= portal.nowMs() ? EXPIRED_TOKEN : found;
  }

  function byLogin(header: string, ipAddress: string): Caller | Refusal | Promise<Caller | Refusal> {
    const found = byAnyLogin(header, ipAddress);
    return found instanceof Promise ? found.then(unlessExpired) : unlessExpired(found);
  }

  function byAnyLogin(header: string, ipAddress: string): Caller | Refusal | Promise<Caller | Refusal> {
    const known = logins.get(header);
    if (known === undefined) return byUnknownLogin(header, ipAddress);
    return known.type === "password" ? again(known, ipAddress) : known;
  }

  function byUnknownLogin(header: string, ipAddress: string): Caller | Refusal | Promise<Caller | Refusal> {
    const user = parseBasic(header);
    if (user === null) return header === "" ? MISSING_LOGIN : INVALID_LOGIN;
    const terminal = terminalByDerivedPassword(source, user);
    if (terminal === "denied") return INVALID_LOGIN;
    if (terminal !== null) {
      if (header.length <= REMEMBERED_LENGTH_MAX) logins.set(header, terminal);
      return terminal;
    }
    const proven = provenBefore(header, user);
    if (proven !== null) return again(verified(header, user, proven), ipAddress);
    const account = { username: user.username, isKnown: isAccount(source, user.username) };
    if (throttle.isKnownWrong(account, user.password, ipAddress, generation)) return INVALID_LOGIN;
    // A till that starts sends many requests with the same header at once; they share one check.
    const shared = `${ipAddress} ${header}`;
    let check = checking.get(shared);
    if (check === undefined) {
      check = byPassword(header, user, account, ipAddress).finally(() => checking.delete(shared));
      checking.set(shared, check);
    }
    return check;
  }

  /** The caller of a header whose password was right before and still is, though other credentials have changed; that is no guess. */
  function provenBefore(header: string, user: UserPassword): Caller | null {
    const hash = hashed.get(header);
    if (hash === undefined) return null;
    if (hash === FAST) return callerByFastPassword(source, user);
    const slow = callerBySlowPassword(source, user.username);
    return slow !== null && slow.hash === hash ? slow.caller : null;
  }

  /** The answer to a login whose password was right before. */
  function again({ caller, account, isRandom }: PasswordLogin, ipAddress: string): Caller | Refusal | Promise<Caller | Refusal> {
    if (account.seen.get(ipAddress) === throttle.day && (isRandom || !throttle.isHolding)) return caller;
    const answer = (passes: boolean) => {
      if (!passes) return throttle.heldBack(account, ipAddress);
      throttle.seen(account, ipAddress);
      return caller;
    };
    const passes = isRandom || throttle.mayPass(account, ipAddress);
    return passes instanceof Promise ? passes.then(answer) : answer(passes);
  }

  async function byPassword(header: string, user: UserPassword, account: LoginAccount, ipAddress: string): Promise<Caller | Refusal> {
    const { username, password } = user;
    const login = await throttle.begin(account, password, ipAddress);
    if (login.type === "refused") return login;
    let caller = callerByFastPassword(source, user);
    if (caller !== null) hashed.set(header, FAST);
    else {
      // Whoever it is and is not, a wrong password takes the time of one slow hash.
      const before = callerBySlowPassword(source, username)?.hash ?? null;
      let right: boolean;
      try {
        right = await passwords.verify(password, before, login.turn);
      } catch (error) {
        login.notCompared();
        if (error instanceof RelayError) return refusalOf(error);
        throw error;
      }
      // The record may have changed while the hash was computed.
      forgetWhenChanged();
      const slow = callerBySlowPassword(source, username);
      if (right && slow !== null && slow.hash === before) {
        caller = slow.caller;
        hashed.set(header, slow.hash);
      }
    }
    if (caller === null) {
      login.wrong(generation);
      return INVALID_LOGIN;
    }
    login.right();
    throttle.seen(verified(header, user, caller).account, ipAddress);
    return caller;
  }

  function verified(header: string, { username, password }: UserPassword, caller: Caller): PasswordLogin {
    const login: PasswordLogin = { type: "password", caller, account: throttle.accountOf(username), isRandom: looksRandom(password) };
    logins.set(header, login);
    return login;
  }

  function byAdministrator(header: string, ipAddress: string): Caller | Refusal | Promise<Caller | Refusal> {
    const found = byLogin(header, ipAddress);
    return found instanceof Promise ? found.then(administratorOnly) : administratorOnly(found);
  }

  /**
   * A session first: a browser attaches a login that it remembers to whatever its page sends. Where the session has ended, the login counts, for a browser keeps the
   * cookie.
   */
  async function bySessionOrLogin(cookie: string, authorization: string, ipAddress: string): Promise<Caller | Refusal> {
    const found = await callerByAdministratorSession(administrators, cookie, "fullAdminSession");
    return found.type === "refused" && authorization !== "" ? byAdministrator(authorization, ipAddress) : found;
  }

  return {
    knownPartner({ authorization, apiKey }) {
      forgetWhenChanged();
      if (apiKey !== "") return keys.get(apiKey)?.partner ?? null;
      const known = logins.get(authorization);
      const caller = known?.type === "password" ? known.caller : known;
      return caller?.type === "partner" ? source.partnerByUsername(caller.username) : null;
    },
    isOriginListed: source.isOriginListed,
    isOriginListedBy: (caller, origin) =>
      caller.type === "partner" && source.partnerByUsername(caller.username)?.allowedOrigins.includes(origin) === true,
    requireSessionNeeds: (caller, needs) => {
      requireSessionNeeds(caller, needs, portal.nowMs);
      if (needs.stepUp !== true || caller.type !== "administrator" || caller.session !== undefined) return undefined;
      return requirePasswordEnough(isPasswordEnough, caller.username, needs.firstByPassword === true);
    },
    namesAdministratorSession: (cookie) => cookie !== "" && administrators.cookie.tokenIn(cookie) !== null,
    administratorByPassword: ({ username, password }, ipAddress) => {
      forgetWhenChanged();
      // In a login the name would end there.
      if (username.includes(":")) return INVALID_LOGIN;
      return byAdministrator(`Basic ${Buffer.from(`${username}:${password}`, "utf8").toString("base64")}`, ipAddress);
    },
    authenticate(requirement, { authorization, apiKey, origin, cookie, ipAddress }) {
      forgetWhenChanged();
      switch (requirement) {
        case "none":
          return ANONYMOUS;
        case "optionalBasic": {
          const found = authorization === "" ? ANONYMOUS : byLogin(authorization, ipAddress);
          return found instanceof Promise ? found.then(anonymousIfRefused) : anonymousIfRefused(found);
        }
        case "apiKey":
          return byKey(apiKey, origin);
        case "basicOrApiKey":
          return apiKey === "" ? byLogin(authorization, ipAddress) : byKey(apiKey, origin);
        case "basic":
          return byLogin(authorization, ipAddress);
        case "signature":
          // A signature covers the whole request: SignatureAuthenticator checks it.
          return INVALID_LOGIN;
        case "partnerApi":
          return callerByBearer(partnerApi, authorization, ipAddress);
        case "merchantKey":
          return callerByMerchantKey(findMerchant, { authorization, ipAddress }, "secret");
        case "optionalMerchantKey":
          return authorization === "" ? ANONYMOUS : callerByMerchantKey(findMerchant, { authorization, ipAddress }, "any");
        case "agent":
          return callerByAgentToken(findAgent, { authorization, ipAddress });
        case "admin":
          return administrators.cookie.tokenIn(cookie) === null
            ? byAdministrator(authorization, ipAddress)
            : bySessionOrLogin(cookie, authorization, ipAddress);
        case "optionalAdminSession":
        case "adminSession":
        case "fullAdminSession":
          return callerByAdministratorSession(administrators, cookie, requirement);
        case "merchantUserOrKey":
        case "merchantUserOrAnyKey":
          // Bearer alone: a browser attaches a key that it remembers as a login to requests of any page.
          if (isBearer(authorization)) {
            return callerByMerchantKey(findMerchant, { authorization, ipAddress }, requirement === "merchantUserOrKey" ? "secret" : "any");
          }
          return callerByPortalSession(portal, cookie, requirement);
        case "optionalPortalSession":
        case "portalSession":
        case "merchantUser":
          return callerByPortalSession(portal, cookie, requirement);
      }
    },
  };
}

/** Where a login may be left out, a wrong one opens nothing and says nothing. */
function anonymousIfRefused(found: Caller | Refusal): Caller {
  return found.type === "refused" ? ANONYMOUS : found;
}

/**
 * A right login that is neither an administrator's nor a machine token is answered as a wrong one.
 */
function administratorOnly(found: Caller | Refusal): Caller | Refusal {
  return found.type === "administrator" || found.type === "machine" || found.type === "refused" ? found : INVALID_LOGIN;
}

async function requirePasswordEnough(isEnough: PasswordAlone, username: string, first: boolean): Promise<void> {
  if (await isEnough(username, first)) return;
  const message = `A password alone cannot manage people, secrets or factors: sign in at /admin with a second factor (POST /admin/session), and repeat the request with that session${first ? ". A password alone creates administrators only while no owner has a second factor" : ""}`;
  throw new RelayError("forbidden", message, { detail: "second_factor_required" });
}
