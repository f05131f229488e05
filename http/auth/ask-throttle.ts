import { createHmac, randomBytes } from "node:crypto";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { LoginCounts } from "./login-counts.ts";
import { countedAddress } from "./login-throttle.ts";

/** Mails that one address may ask for within an hour, whoever they are for: an office behind one address forgets fewer passwords. */
const ASKED_MAX = 20;
const ASKED_WINDOW_MS = 3_600_000;

/**
 * Addresses share so many counts. The table that they stand in is that of wrong passwords, which does not become full because each of those costs a slow hash. To
 * ask costs nothing, and a network of IPv6 has 65,536 addresses to ask from: with a count each, they would hold back everybody's login.
 */
export const ASKING_ADDRESSES = 4_096;

/**
 * Counts what an address asks for without being signed in, over all threads and nodes, with others that share its count. Throws RelayError `rate_limited`. `key` keys the digests of addresses that threads
 * and nodes share.
 */
export function createAskThrottle({ counts, key }: { counts: LoginCounts; key: Buffer }): (ipAddress: string) => Promise<void> {
  return async (ipAddress) => {
    const digest = createHmac("sha256", key).update(countedAddress(ipAddress), "utf8").digest();
    const address = createHmac("sha256", key)
      .update(`asked ${digest.readUInt32BE(0) % ASKING_ADDRESSES}`, "utf8")
      .digest("hex")
      .slice(0, 32);
    const window = { key: address, max: ASKED_MAX, windowMs: ASKED_WINDOW_MS };
    // Each one counts, the same again too.
    const verdict = await counts.attempt({ secret: randomBytes(6).toString("base64url"), windows: [window] });
    if (verdict.type !== "held") return;
    throw new RelayError("rate_limited", "Too many requests from this address within an hour; retry later", {
      retryAfterSeconds: Math.ceil(verdict.forMs / 1_000),
    });
  };
}
