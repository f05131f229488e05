import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { RelayError } from "../../engine/kernel/errors.ts";

/** About 50 ms and 16 MiB a hash. */
const COST = { N: 16_384, r: 8, p: 1 };
const KEY_BYTES = 32;

/** The thread pool that computes hashes also writes to disk, so each thread of the relay computes one hash at a time. */
const RUNNING_MAX = 1;

/** Passwords that wait for their hash: of accounts at their usual addresses, and as many of all others. */
const WAITING_MAX = 64;

/** The same of one address, so that none fills the queue. A shop's tills that start at once are fewer. */
const WAITING_OF_ADDRESS_MAX = 16;

/** The hash for unknown user names, so that their check takes as long as for a known one. */
const NOBODY = `scrypt$${COST.N}$${COST.r}$${COST.p}$${"A".repeat(22)}$${"A".repeat(43)}`;

/** Salted one-way hash of a password that a person may have chosen, `scrypt$N$r$p$salt$key` in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, COST);
  return `scrypt$${COST.N}$${COST.r}$${COST.p}$${salt.toString("base64url")}$${key.toString("base64url")}`;
}

/** Whose turn a check is. */
export interface HashTurn {
  /** The client's address as failures are counted by it. */
  readonly address: string;
  /** Whether the account has logged in from there before: such checks come first. */
  readonly isUsual: boolean;
}

/** Checks that wait, served address by address in turn, so that one with many does not delay the others. */
class HashQueue {
  readonly #byAddress = new Map<string, (() => void)[]>();
  #waiting = 0;

  /** Resolves when it is this check's turn; null where the queue, or the address's share of it, is full. */
  wait(address: string): Promise<void> | null {
    const own = this.#byAddress.get(address) ?? [];
    if (this.#waiting >= WAITING_MAX || own.length >= WAITING_OF_ADDRESS_MAX) return null;
    this.#byAddress.set(address, own);
    this.#waiting += 1;
    return new Promise((resolve) => own.push(resolve));
  }

  next(): (() => void) | undefined {
    const [first] = this.#byAddress;
    if (first === undefined) return undefined;
    const [address, own] = first;
    const turn = own.shift();
    // Behind the other addresses.
    this.#byAddress.delete(address);
    if (own.length > 0) this.#byAddress.set(address, own);
    this.#waiting -= 1;
    return turn;
  }
}

/** Checks passwords off the event loop, a bounded number at a time. */
export class PasswordVerifier {
  #running = 0;
  readonly #usual = new HashQueue();
  readonly #others = new HashQueue();

  /**
   * `hash` is null for an unknown user; it takes the same time and resolves with false. Throws RelayError `too_busy` when too many wait.
   */
  async verify(password: string, hash: string | null, { address, isUsual }: HashTurn): Promise<boolean> {
    if (this.#running >= RUNNING_MAX) {
      const turn = (isUsual ? this.#usual : this.#others).wait(address);
      if (turn === null) throw new RelayError("too_busy", "Too many logins at once; retry shortly", { retryAfterSeconds: 2 });
      await turn;
    } else {
      this.#running++;
    }
    try {
      const matches = await matchesHash(password, hash ?? NOBODY);
      return hash !== null && matches;
    } finally {
      // The next in line gets the slot, or it becomes free.
      const next = this.#usual.next() ?? this.#others.next();
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
