import type { Caller } from "../../engine/access/caller.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { AuthRequirement } from "../endpoint/endpoint.ts";
import { isOriginAllowed, partnerByKey } from "./api-key.ts";
import { administratorByFastPassword, callerByFastPassword, parseBasic, partnerCaller, type UserPassword } from "./basic.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { AdministratorCredential, CredentialSource, PartnerCredential, Refusal } from "./credential-source.ts";
import { callerByBearer, type PartnerApiCredentials } from "./partner-api-key.ts";
import { PasswordVerifier } from "./partner-password.ts";

/**
 * Maximum number of verified headers per shard. If a fleet that polls in turn has one terminal more than this, every poll is verified
 * again, so the number is greater than the number of terminals that one shard serves.
 */
const VERIFIED_MAX = 250_000;

/** Maximum number of cached partner logins whose passwords were hashed; a change of other credentials does not have them hashed again. */
const HASHED_MAX = 10_000;

/** A longer header is not cached but verified each time, if that is fast. Headers of terminals have 160 characters. */
const REMEMBERED_LENGTH_MAX = 256;

/** Failed passwords of one address within `FAILURES_WINDOW_MS`, after which none is checked any more until the window ends. */
const FAILURES_MAX = 10;

const FAILURES_WINDOW_MS = 60_000;

const FAILURE_ADDRESSES_MAX = 10_000;

/** Texts of a 401: the same whichever part was wrong. */
const INVALID_KEY: Refusal = { type: "refused", code: "unauthorized", message: "Invalid API Key" };

const INVALID_LOGIN: Refusal = { type: "refused", code: "unauthorized", message: "Invalid credentials" };

const MISSING_LOGIN: Refusal = { type: "refused", code: "unauthorized", message: "Authentication required" };

const FOREIGN_ORIGIN: Refusal = { type: "refused", code: "forbidden", message: "This origin may not use this API Key" };

const ANONYMOUS: Caller = { type: "anonymous" };

function throttled(forMs: number): Refusal {
  return { type: "refused", code: "rate_limited", message: "Too many failed logins", retryAfterSeconds: Math.ceil(forMs / 1_000) };
}

function refusalOf({ code, message, retryAfterSeconds }: RelayError): Refusal {
  return { type: "refused", code, message, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
}

/** The credentials in a request; headers are empty if absent. */
export interface Credentials {
  authorization: string;
  apiKey: string;
  origin: string;
  /** Failed logins are counted per address. */
  ipAddress: string;
}

export interface Authenticator {
  /** Synchronous, except for the first login by a password that a person may have chosen, whose slow hash is checked off the event loop. */
  authenticate(requirement: AuthRequirement, credentials: Credentials): Caller | Refusal | Promise<Caller | Refusal>;
  /** Whether any enabled partner lists this origin. */
  isOriginListed(origin: string): boolean;
  /** Whether the caller is a partner that lists this origin itself. A partner without a list has listed none. */
  isOriginListedBy(caller: Caller, origin: string): boolean;
}

interface Failures {
  count: number;
  untilMs: number;
}

/** Used if no partner has a key for Partner API v1. */
const NO_PARTNER_API: PartnerApiCredentials = { byKeySha256: () => null, called: () => {} };

/**
 * Authenticates with the credentials in memory. Verified headers are remembered until any credential changes, and slow hashes until their
 * own credential changes.
 */
export function createAuthenticator(
  source: CredentialSource,
  monotonicMs: () => number,
  partnerApi: PartnerApiCredentials = NO_PARTNER_API,
): Authenticator {
  const logins = new BoundedMap<string, Caller>(VERIFIED_MAX);
  /** By header: the hash against which its password was verified. */
  const hashed = new BoundedMap<string, string>(HASHED_MAX);
  const keys = new BoundedMap<string, { partner: PartnerCredential; caller: Caller }>(VERIFIED_MAX);
  const failures = new BoundedMap<string, Failures>(FAILURE_ADDRESSES_MAX);
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

  function byLogin(header: string, ipAddress: string): Caller | Refusal | Promise<Caller | Refusal> {
    const known = logins.get(header);
    if (known !== undefined) return known;
    const user = parseBasic(header);
    if (user === null) return header === "" ? MISSING_LOGIN : INVALID_LOGIN;
    const caller = callerByFastPassword(source, user);
    if (caller !== null) {
      if (header.length <= REMEMBERED_LENGTH_MAX) logins.set(header, caller);
      return caller;
    }
    const administrator = bySlowAdministrator(header, user, ipAddress);
    if (administrator !== null) return administrator;
    const partner = source.partnerByUsername(user.username);
    if (partner?.enabled === true && hashed.get(header) === partner.passwordHash) return verified(header, partner);
    // A till that starts sends many requests with the same header at once; they share one check.
    let check = checking.get(header);
    if (check === undefined) {
      check = byPartnerPassword(header, user, ipAddress).finally(() => checking.delete(header));
      checking.set(header, check);
    }
    return check;
  }

  async function byPartnerPassword(header: string, user: UserPassword, ipAddress: string): Promise<Caller | Refusal> {
    const heldBack = afterFailures(ipAddress);
    if (heldBack !== null) return heldBack;
    const before = source.partnerByUsername(user.username);
    let right: boolean;
    try {
      right = await passwords.verify(user.password, before?.passwordHash ?? null);
    } catch (error) {
      if (error instanceof RelayError) return refusalOf(error);
      throw error;
    }
    // The record may have changed while the hash was computed.
    forgetWhenChanged();
    const partner = source.partnerByUsername(user.username);
    if (!right || partner === null || !partner.enabled || partner.passwordHash !== before?.passwordHash) {
      countFailure(ipAddress);
      return INVALID_LOGIN;
    }
    hashed.set(header, partner.passwordHash);
    return verified(header, partner);
  }

  function verified(header: string, partner: PartnerCredential): Caller {
    const caller = partnerCaller(partner);
    logins.set(header, caller);
    return caller;
  }

  /** The refusal for an address with too many failed passwords; null while it may try. */
  function afterFailures(ipAddress: string): Refusal | null {
    const failed = failures.get(ipAddress);
    const nowMs = monotonicMs();
    return failed !== undefined && failed.untilMs > nowMs && failed.count >= FAILURES_MAX ? throttled(failed.untilMs - nowMs) : null;
  }

  /** An administrator whose password a person has chosen; null where the name is no such administrator's. */
  function bySlowAdministrator(header: string, user: UserPassword, ipAddress: string): Caller | Refusal | Promise<Caller | Refusal> | null {
    const before = source.administratorByUsername(user.username);
    if (before?.password.type !== "slow") return null;
    const { hash } = before.password;
    if (hashed.get(header) === hash) return loggedIn(header, before);
    const heldBack = afterFailures(ipAddress);
    if (heldBack !== null) return heldBack;
    const check = async () => {
      const right = await passwords.verify(user.password, hash);
      forgetWhenChanged();
      const now = source.administratorByUsername(user.username);
      if (!right || now?.password.type !== "slow" || now.password.hash !== hash) {
        countFailure(ipAddress);
        return INVALID_LOGIN;
      }
      hashed.set(header, hash);
      return loggedIn(header, now);
    };
    const checked = checking.get(header) ?? check().finally(() => checking.delete(header));
    checking.set(header, checked);
    return checked.catch((error: unknown) => {
      if (error instanceof RelayError) return refusalOf(error);
      throw error;
    });
  }

  function loggedIn(header: string, { username, role }: AdministratorCredential): Caller {
    const caller: Caller = { type: "administrator", username, role };
    logins.set(header, caller);
    return caller;
  }

  function byAdministrator(header: string, ipAddress: string): Caller | Refusal | Promise<Caller | Refusal> {
    const known = logins.get(header);
    if (known !== undefined) return known.type === "administrator" ? known : INVALID_LOGIN;
    const user = parseBasic(header);
    if (user === null) return header === "" ? MISSING_LOGIN : INVALID_LOGIN;
    const heldBack = afterFailures(ipAddress);
    if (heldBack !== null) return heldBack;
    // Partners' passwords are not checked here: in an attack on this login each would cost a slow hash.
    const caller = administratorByFastPassword(source, user);
    if (caller === null) {
      const administrator = bySlowAdministrator(header, user, ipAddress);
      if (administrator !== null) return administrator;
      // A correct login used at the wrong endpoint is not an attempt to guess a password.
      if (callerByFastPassword(source, user) === null) countFailure(ipAddress);
      return INVALID_LOGIN;
    }
    logins.set(header, caller);
    return caller;
  }

  function countFailure(ipAddress: string): void {
    const nowMs = monotonicMs();
    const failed = failures.get(ipAddress);
    if (failed === undefined || failed.untilMs <= nowMs) failures.set(ipAddress, { count: 1, untilMs: nowMs + FAILURES_WINDOW_MS });
    else failed.count++;
  }

  return {
    isOriginListed: source.isOriginListed,
    isOriginListedBy: (caller, origin) =>
      caller.type === "partner" && source.partnerByUsername(caller.username)?.allowedOrigins.includes(origin) === true,
    authenticate(requirement, { authorization, apiKey, origin, ipAddress }) {
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
        case "admin":
          return byAdministrator(authorization, ipAddress);
      }
    },
  };
}

/** Where a login may be left out, a wrong one opens nothing and says nothing. */
function anonymousIfRefused(found: Caller | Refusal): Caller {
  return found.type === "refused" ? ANONYMOUS : found;
}
