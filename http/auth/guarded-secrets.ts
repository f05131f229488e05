import type { GuardedSecrets } from "../../engine/accounts/factors.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { Refusal } from "./credential-source.ts";
import type { ComparedLogin, LoginLimits, LoginThrottle } from "./login-throttle.ts";
import { PasswordVerifier } from "./partner-password.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * How many different wrong passwords and codes the portal compares. From an address where the account signed in before, five in a quarter of an hour; from
 * all others together the same, and the more there were the longer the pause, up to a day. One address may try 30 a minute on all accounts.
 */
export const PORTAL_LIMITS: LoginLimits = {
  pair: [{ max: 5, windowMs: 15 * MINUTE_MS }],
  account: [
    { max: 5, windowMs: 15 * MINUTE_MS },
    { max: 10, windowMs: HOUR_MS },
    { max: 20, windowMs: 6 * HOUR_MS },
    { max: 40, windowMs: 24 * HOUR_MS },
  ],
  address: [{ max: 30, windowMs: MINUTE_MS }],
};

/** The length of a code's step: the same code in another step is another guess. */
const STEP_MS = 30_000;

/** Compares the passwords and codes of the portal behind a throttle with PORTAL_LIMITS. */
export function createGuardedSecrets(throttle: LoginThrottle): GuardedSecrets {
  const passwords = new PasswordVerifier();

  async function compared<T>(
    login: ComparedLogin | Refusal,
    version: number,
    compare: (login: ComparedLogin) => Promise<T | null>,
  ): Promise<T | null> {
    if (login.type === "refused") throw refused(login);
    let outcome: T | null;
    try {
      outcome = await compare(login);
    } catch (error) {
      login.notCompared();
      throw error;
    }
    if (outcome === null) login.wrong(version);
    else login.right();
    return outcome;
  }

  return {
    isPassword: async (password, { account, hash, version }, ipAddress) => {
      // No guess: it was compared, and counted, and the account is the same since.
      if (throttle.isKnownWrong(account, password, ipAddress, version)) return false;
      const login = await throttle.begin(account, password, ipAddress);
      const isRight = await compared(login, version, async ({ turn }) => ((await passwords.verify(password, hash, turn)) ? true : null));
      return isRight !== null;
    },
    compareCode: async (code, { accountId, atMs }, ipAddress, compare) => {
      const guess = `${Math.floor(atMs / STEP_MS)} ${code}`;
      const login = await throttle.begin({ username: accountId, isKnown: true }, guess, ipAddress);
      return compared(login, 0, compare);
    },
    signedIn: (accountId, ipAddress) => throttle.seen(throttle.accountOf(accountId), ipAddress),
  };
}

function refused({ code, retryAfterSeconds }: Refusal): RelayError {
  return new RelayError(
    code,
    "Too many failed attempts; wait before the next one",
    retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
  );
}
