import { createHmac, randomBytes } from "node:crypto";
import ipaddr from "ipaddr.js";
import type { UsualLogins } from "../../engine/access/usual-login-store.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { Refusal } from "./credential-source.ts";
import { createLoginCounts, type LoginAttempt, type LoginCounts, type LoginWindow } from "./login-counts.ts";

/** Different wrong passwords of one account from one address within a minute, after which none is compared until it is over. */
const PAIR_MAX = 10;
const PAIR_WINDOW_MS = 60_000;

/** The same for all accounts together: who tries one password on many names. Not for accounts at their usual addresses. */
const ADDRESS_MAX = 30;
const ADDRESS_WINDOW_MS = 60_000;

/** Different wrong passwords of one account within an hour, from all addresses where it never logged in. */
const ACCOUNT_MAX = 100;
const ACCOUNT_WINDOW_MS = 3_600_000;

/** A limit for different wrong passwords. */
export interface LoginLimit {
  readonly max: number;
  readonly windowMs: number;
}

/** What one throttle permits of each kind; where several limits stand, all of them hold, so that pauses grow with the failures. */
export type LoginLimits = { readonly [by in HeldBy]: readonly LoginLimit[] };

/** Of logins by Basic. */
const LOGIN_LIMITS: LoginLimits = {
  pair: [{ max: PAIR_MAX, windowMs: PAIR_WINDOW_MS }],
  account: [{ max: ACCOUNT_MAX, windowMs: ACCOUNT_WINDOW_MS }],
  address: [{ max: ADDRESS_MAX, windowMs: ADDRESS_WINDOW_MS }],
};

/** Names without an account share so many counts, so that invented names need no memory and are held back as accounts are. */
const UNKNOWN_ACCOUNTS = 4_096;

/** Wrong passwords that are answered without comparing them again; about 100 bytes each. */
const WRONG_MAX = 20_000;

/** Accounts that logged in, and addresses of each: more than a fleet with one credential has terminals on a shard. */
const ACCOUNTS_MAX = 10_000;
const ADDRESSES_MAX = 100_000;

/** What is held back, as this thread knows it; an entry that was dropped is asked for again. */
const HOLDS_MAX = 50_000;

/** For whom an address is usual, as the store said a moment ago. */
const ASKED_MAX = 20_000;
const ASKED_MS = 10_000;

/** Usual addresses that are being stored at once; more are stored at their next request. */
const REMEMBERING_MAX = 64;

const DAY_MS = 86_400_000;

/** An address that was seen no longer ago is usual; the store knows it as long (engine/access/usual-login-store.ts). */
const USUAL_DAYS = 30;

/** Of this thread alone: keys the digests of wrong passwords that it keeps. */
const OWN_KEY = randomBytes(32);

/** The form of a terminal's derived password. */
const DERIVED_PASSWORD = /^[A-Za-z0-9_-]{43}$/;

/** Shortest password that can be as random as 128 bits, in base64; and how often its characters must change between kinds. */
const RANDOM_LENGTH_MIN = 22;
const RANDOM_CHANGES_MIN = 10;

/** `pair`: an account from an address. `address`: all accounts from it. `account`: it from all addresses where it never logged in. */
export type HeldBy = "pair" | "address" | "account";

/** All kinds of holds. */
export const HELD_BY: readonly HeldBy[] = ["pair", "account", "address"];

/** Callbacks for logs and metrics; none gets a password, or a name that is no account's. */
export interface LoginObserver {
  /** A wrong password was compared. */
  failed?(): void;
  /** A login was refused without comparing its password. */
  heldBack?(by: HeldBy): void;
  /** From now on logins are held back, as far as this thread knows; `account` is null for a name without an account. */
  holdBegan?(hold: { by: HeldBy; account: string | null; address: string; forMs: number }): void;
}

/** A user name in a login; `isKnown` says whether there is such an account. */
export interface LoginAccount {
  readonly username: string;
  readonly isKnown: boolean;
}

/** A password that may be compared; exactly one of its methods is called afterwards. */
export interface ComparedLogin {
  type: "compare";
  /** The place in the queue for slow hashes. */
  readonly turn: { address: string; isUsual: boolean };
  right(): void;
  /** `generation`: that of the credentials with which it was compared. */
  wrong(generation: number): void;
  notCompared(): void;
}

/** What this thread remembers of an account that logged in. */
export interface KnownAccount {
  readonly username: string;
  /** By a client's address: the day (`LoginThrottle.day`) on which its login was stored. */
  readonly seen: BoundedMap<string, number>;
}

/**
 * Holds back who guesses passwords, before any is compared. Only failures count, and the same wrong password counts once. IPv6 addresses count
 * by /64. An account at an address where it logged in within 30 days is held back by the failures of this account at this address
 * only, so strangers can lock nobody out. infra/docs/administration.md has the rules.
 */
export interface LoginThrottle {
  /** True while anything is held back, as far as this thread knows. */
  readonly isHolding: boolean;
  /** Changes once a day; a login that was seen on another day is stored again. */
  readonly day: number;
  accountOf(username: string): KnownAccount;
  /** True if this password was wrong for the account at this address, with credentials of this generation. */
  isKnownWrong(account: LoginAccount, password: string, ipAddress: string, generation: number): boolean;
  /** Counts a password that is to be compared, or refuses it. */
  begin(account: LoginAccount, password: string, ipAddress: string): Promise<ComparedLogin | Refusal>;
  /** Whether a login that was verified before is still answered. */
  mayPass(account: KnownAccount, ipAddress: string): boolean | Promise<boolean>;
  heldBack(account: KnownAccount, ipAddress: string): Refusal;
  /** A right password came from this address. */
  seen(account: KnownAccount, ipAddress: string): void;
  everySecond(): void;
}

export interface LoginThrottleOptions {
  monotonicMs(): number;
  counts?: LoginCounts;
  usual?: UsualLogins;
  /** The same for all threads that share counts. */
  key?: Buffer;
  limits?: LoginLimits;
  observe?: LoginObserver;
}

/** For a thread by itself. */
function usualInMemory(): UsualLogins {
  const accounts = new BoundedMap<string, Set<string>>(ADDRESSES_MAX);
  return {
    at: async (address) => accounts.get(address) ?? new Set(),
    remember: async (address, account) => {
      accounts.set(address, new Set([...(accounts.get(address) ?? []), account]));
    },
  };
}

/** The address by which failures are counted: an IPv4 address, or the /64 of an IPv6 address. */
export function countedAddress(ipAddress: string): string {
  if (!ipAddress.includes(":") || !ipaddr.IPv6.isValid(ipAddress)) return ipAddress;
  const address = ipaddr.IPv6.parse(ipAddress);
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  return address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":");
}

/**
 * Whether a password looks like one of a generator (24 characters of base64, 32 hexadecimal digits): it is long, and the kind of its
 * characters changes as often as by chance. Nobody finds such a password by guessing.
 */
export function looksRandom(password: string): boolean {
  if (password.length < RANDOM_LENGTH_MIN) return false;
  let changes = 0;
  for (let at = 1; at < password.length; at += 1) if (kindOf(password, at) !== kindOf(password, at - 1)) changes += 1;
  return changes >= RANDOM_CHANGES_MIN;
}

function kindOf(text: string, at: number): "digit" | "upper" | "lower" | "other" {
  const char = text.charAt(at);
  if (char >= "0" && char <= "9") return "digit";
  if (char >= "A" && char <= "Z") return "upper";
  return char >= "a" && char <= "z" ? "lower" : "other";
}

function refusal(forMs: number): Refusal {
  const retryAfterSeconds = Math.max(1, Math.ceil(forMs / 1_000));
  return { type: "refused", code: "rate_limited", message: "Too many failed logins", retryAfterSeconds };
}

export function createLoginThrottle({
  monotonicMs,
  counts = createLoginCounts(monotonicMs),
  usual = usualInMemory(),
  key = OWN_KEY,
  limits = LOGIN_LIMITS,
  observe = {},
}: LoginThrottleOptions): LoginThrottle {
  const wrong = new BoundedMap<string, number>(WRONG_MAX);
  const accounts = new BoundedMap<string, KnownAccount>(ACCOUNTS_MAX);
  const asked = new BoundedMap<string, { accounts: ReadonlySet<string>; untilMs: number }>(ASKED_MAX);
  const holds = new Map<string, number>();
  let remembering = 0;
  let day = Math.floor(monotonicMs() / DAY_MS);

  const digest = (withKey: Buffer, ...parts: string[]) =>
    createHmac("sha256", withKey).update(parts.join("\0"), "utf8").digest("base64url");

  function wrongName({ username }: LoginAccount, password: string, ipAddress: string): string {
    return digest(OWN_KEY, countedAddress(ipAddress), username, password).slice(0, 22);
  }

  function nameOf(account: LoginAccount): string {
    if (account.isKnown) return `=${account.username}`;
    const number = createHmac("sha256", key).update(account.username, "utf8").digest().readUInt32BE(0);
    return `?${number % UNKNOWN_ACCOUNTS}`;
  }

  // Each begins with a letter of its own, and a user name stands last: no name can be taken for another kind.
  const pairHold = (username: string, address: string) => `p ${address} ${username}`;
  const addressHold = (address: string) => `a ${address}`;
  const accountHold = (name: string) => `n ${name}`;

  function heldForMs(hold: string, nowMs: number): number {
    const untilMs = holds.get(hold);
    if (untilMs === undefined) return 0;
    if (untilMs > nowMs) return untilMs - nowMs;
    holds.delete(hold);
    return 0;
  }

  function hold(name: string, untilMs: number): boolean {
    const isNew = !holds.has(name);
    if (isNew && holds.size >= HOLDS_MAX) {
      const [oldest] = holds.keys();
      if (oldest !== undefined) holds.delete(oldest);
    }
    holds.set(name, untilMs);
    return isNew;
  }

  function refused(by: HeldBy, forMs: number): Refusal {
    observe.heldBack?.(by);
    return refusal(forMs);
  }

  /** The longest hold of a login at an address that is not usual for it. */
  function heldAmongStrangers(name: string, address: string, nowMs: number): { by: HeldBy; forMs: number } | null {
    const [account, all] = [heldForMs(accountHold(name), nowMs), heldForMs(addressHold(address), nowMs)];
    if (account === 0 && all === 0) return null;
    return account >= all ? { by: "account", forMs: account } : { by: "address", forMs: all };
  }

  const storedAddress = (address: string) => digest(key, "usual address", address).slice(0, 32);
  const storedAccount = (username: string) => digest(key, "usual account", username).slice(0, 32);

  /**
   * The store is asked by address alone, so that a name costs nothing and takes the same time whether or not there is such an account. Where it
   * cannot answer, no address is usual: then nobody can log in for long anyway.
   */
  async function isUsual(username: string, address: string): Promise<boolean> {
    const known = asked.get(address);
    let accounts = known?.accounts;
    if (known === undefined || accounts === undefined || known.untilMs <= monotonicMs()) {
      accounts = await usual.at(storedAddress(address)).catch((): ReadonlySet<string> => new Set());
      asked.set(address, { accounts, untilMs: monotonicMs() + ASKED_MS });
    }
    return accounts.size > 0 && accounts.has(storedAccount(username));
  }

  function seen(account: KnownAccount, ipAddress: string): void {
    if (account.seen.get(ipAddress) === day || remembering >= REMEMBERING_MAX) return;
    const before = account.seen.get(ipAddress);
    account.seen.set(ipAddress, day);
    const address = countedAddress(ipAddress);
    remembering += 1;
    usual
      .remember(storedAddress(address), storedAccount(account.username))
      .then(() => asked.delete(address))
      .catch(() => {
        // The store cannot be reached: it is tried again with the next request from there.
        if (before === undefined) account.seen.delete(ipAddress);
        else account.seen.set(ipAddress, before);
      })
      .finally(() => {
        remembering -= 1;
      });
  }

  /** The windows of an attempt, and what is held by which of them. */
  function windowsOf(account: LoginAccount, password: string, address: string, atUsual: boolean): (LoginWindow & { by: HeldBy })[] {
    const windows = (by: HeldBy, ...parts: string[]) =>
      limits[by].map(({ max, windowMs }, index) => ({
        by,
        max,
        windowMs,
        key: digest(key, ...(index === 0 ? [] : [`${index}`]), by, ...parts).slice(0, 32),
      }));
    const pair = windows("pair", address, account.username);
    if (atUsual) return pair;
    const ofAccount = [...pair, ...windows("account", nameOf(account))];
    // Terminals with an old secret come in numbers from one address, and are no attempt on other accounts.
    return DERIVED_PASSWORD.test(password) ? ofAccount : [...ofAccount, ...windows("address", address)];
  }

  return {
    get isHolding() {
      return holds.size > 0;
    },
    get day() {
      return day;
    },
    accountOf: (username) => {
      const known = accounts.get(username);
      if (known !== undefined) return known;
      const account = { username, seen: new BoundedMap<string, number>(ADDRESSES_MAX) };
      accounts.set(username, account);
      return account;
    },
    isKnownWrong: (account, password, ipAddress, generation) => wrong.get(wrongName(account, password, ipAddress)) === generation,
    begin: async (account, password, ipAddress) => {
      const address = countedAddress(ipAddress);
      const { username } = account;
      const name = nameOf(account);
      const pair = pairHold(username, address);
      const pairMs = heldForMs(pair, monotonicMs());
      if (pairMs > 0) return refused("pair", pairMs);
      const atUsual = await isUsual(username, address);
      const among = atUsual ? null : heldAmongStrangers(name, address, monotonicMs());
      if (among !== null) return refused(among.by, among.forMs);

      const wrongKey = wrongName(account, password, ipAddress);
      // Credentials have changed since this password was wrong: it is compared again, and was counted already.
      const wasCounted = wrong.get(wrongKey) !== undefined;
      const windows = windowsOf(account, password, address, atUsual);
      const attempt: LoginAttempt = {
        // Too short to find the password by it, long enough to tell a hundred of them apart.
        secret: digest(key, address, username, password).slice(0, 7),
        windows: windows.map(({ key, max, windowMs }) => ({ key, max, windowMs })),
      };
      const verdict = wasCounted ? ({ type: "again" } as const) : await counts.attempt(attempt);
      if (verdict.type === "held") {
        const by = windows[verdict.window]?.by ?? "pair";
        const held = by === "pair" ? pair : by === "account" ? accountHold(name) : addressHold(address);
        if (hold(held, monotonicMs() + verdict.forMs)) {
          observe.holdBegan?.({ by, account: account.isKnown ? username : null, address, forMs: verdict.forMs });
        }
        return refused(by, verdict.forMs);
      }
      const takeBack = () => {
        void counts.takeBack(attempt).catch(() => undefined);
      };
      return {
        type: "compare",
        turn: { address, isUsual: atUsual },
        right: takeBack,
        wrong: (generation) => {
          wrong.set(wrongKey, generation);
          observe.failed?.();
        },
        notCompared: () => {
          if (verdict.type === "counted") takeBack();
        },
      };
    },
    mayPass: ({ username, seen }, ipAddress) => {
      const nowMs = monotonicMs();
      const address = countedAddress(ipAddress);
      if (heldForMs(pairHold(username, address), nowMs) > 0) return false;
      const seenOn = seen.get(ipAddress);
      if (seenOn !== undefined && day - seenOn <= USUAL_DAYS) return true;
      if (heldAmongStrangers(`=${username}`, address, nowMs) === null) return true;
      return isUsual(username, address);
    },
    heldBack: ({ username }, ipAddress) => {
      const nowMs = monotonicMs();
      const address = countedAddress(ipAddress);
      const pairMs = heldForMs(pairHold(username, address), nowMs);
      const among = pairMs > 0 ? null : heldAmongStrangers(`=${username}`, address, nowMs);
      return among === null ? refused("pair", pairMs) : refused(among.by, among.forMs);
    },
    seen,
    everySecond: () => {
      const nowMs = monotonicMs();
      day = Math.floor(nowMs / DAY_MS);
      for (const name of holds.keys()) heldForMs(name, nowMs);
    },
  };
}
