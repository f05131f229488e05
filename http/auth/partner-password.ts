import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { RelayError } from "../../engine/kernel/errors.ts";

/** About 50 ms and 16 MiB a hash. */
const COST = { N: 16_384, r: 8, p: 1 };
const KEY_BYTES = 32;

/** The thread pool that computes hashes also writes to disk, so each thread of the relay computes one hash at a time. */
const RUNNING_MAX = 1;
const WAITING_MAX = 64;

/** The hash for unknown user names, so that their check takes as long as for a known one. */
const NOBODY = `scrypt$${COST.N}$${COST.r}$${COST.p}$${"A".repeat(22)}$${"A".repeat(43)}`;

/** Salted one-way hash of a partner's password, `scrypt$N$r$p$salt$key` in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, COST);
  return `scrypt$${COST.N}$${COST.r}$${COST.p}$${salt.toString("base64url")}$${key.toString("base64url")}`;
}

/** Checks passwords off the event loop, a bounded number at a time. */
export class PasswordVerifier {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /**
   * `hash` is null for an unknown user; it takes the same time and resolves with false. Throws RelayError `too_busy` when too many wait.
   */
  async verify(password: string, hash: string | null): Promise<boolean> {
    if (this.#running >= RUNNING_MAX) {
      if (this.#waiting.length >= WAITING_MAX) throw new RelayError("too_busy", "Too many logins at once.", { retryAfterSeconds: 2 });
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running++;
    }
    try {
      const matches = await matchesHash(password, hash ?? NOBODY);
      return hash !== null && matches;
    } finally {
      // The next in line gets the slot, or it becomes free.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}

async function matchesHash(password: string, hash: string): Promise<boolean> {
  const [scheme, n, r, p, salt, key] = hash.split("$");
  if (scheme !== "scrypt" || salt === undefined || key === undefined) throw new Error("a stored password hash is not readable");
  const expected = Buffer.from(key, "base64url");
  const derived = await derive(password, Buffer.from(salt, "base64url"), { N: Number(n), r: Number(r), p: Number(p) });
  return expected.length === derived.length && timingSafeEqual(expected, derived);
}

function derive(password: string, salt: Buffer, cost: { N: number; r: number; p: number }): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, KEY_BYTES, cost, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}
