import { createHash } from "node:crypto";
import { RelayError } from "../../engine/kernel/errors.ts";
import { BoundedMap } from "./bounded-map.ts";
import { countedAddress } from "./login-throttle.ts";

/** Keys that are none, of one address in a second on one thread: each costs a read of the store. */
export const WRONG_KEYS_PER_SECOND = 20;

/** What an address owes at most, however many came at once: as much as is let off in a minute. */
const OWED_MAX = WRONG_KEYS_PER_SECOND * 60;

/** Addresses with wrong keys that one thread counts, 100 bytes each; who has more of them is not held back by any limit of addresses. */
const ADDRESSES_MAX = 50_000;

/** Keys that were right a moment ago, as digests of 22 characters: merchants of one thread, or their agents, with some room. */
const RIGHT_MAX = 20_000;

/**
 * Looks keys up, and holds back who invents them: rejects also with RelayError `rate_limited`, without a look-up, while too many from the address were none. Nobody guesses one; but each costs a read of the store, and the limits of merchants count only calls with a key that is
 * right. Only wrong keys count. A key that was right the last time is looked up all the same, so that somebody at the same address stops no shop's
 * payments. IPv6 addresses count by /64.
 */
export function withoutGuesses<Found extends object | string | null>(
  find: (key: string, ipAddress: string) => Promise<Found>,
  monotonicMs: () => number,
): (key: string, ipAddress: string) => Promise<Found> {
  /** Wrong keys that are not let off yet, as of a time. */
  const owed = new BoundedMap<string, { count: number; atMs: number }>(ADDRESSES_MAX);
  const right = new BoundedMap<string, true>(RIGHT_MAX);

  function owedBy(address: string): number {
    const known = owed.get(address);
    if (known === undefined) return 0;
    const count = known.count - ((monotonicMs() - known.atMs) * WRONG_KEYS_PER_SECOND) / 1_000;
    if (count > 0) return count;
    owed.delete(address);
    return 0;
  }

  return async (key, ipAddress) => {
    const address = countedAddress(ipAddress);
    const digest = createHash("sha256").update(key).digest("base64url").slice(0, 22);
    const over = owedBy(address) + 1 - WRONG_KEYS_PER_SECOND;
    if (over > 0 && right.get(digest) === undefined) throw tooMany(over);
    const found = await find(key, ipAddress);
    // A word says why a key is one no more.
    if (typeof found === "object" && found !== null) {
      right.set(digest, true);
      return found;
    }
    right.delete(digest);
    // Of many at once all are counted, also those that were let through before the first was known to be wrong.
    owed.set(address, { count: Math.min(owedBy(address) + 1, OWED_MAX), atMs: monotonicMs() });
    return found;
  };
}

function tooMany(over: number): RelayError {
  const retryAfterSeconds = Math.max(1, Math.ceil(over / WRONG_KEYS_PER_SECOND));
  return new RelayError("rate_limited", "Too many requests with an invalid API key from this address", { retryAfterSeconds });
}
