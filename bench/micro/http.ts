import type { Bench } from "tinybench";
import { createRateLimitMemory, openRateLimit } from "../../http/auth/rate-limiter.ts";

const ADDRESSES = 20_000;

/** The exact limiter, with as many addresses as a chain has tills. */
export function addAuthentication(bench: Bench): void {
  // A clock that a request moves a little, so that nobody is refused.
  let nowMs = 0;
  const limit = openRateLimit(createRateLimitMemory("bench", 100, 1), () => nowMs);
  let address = 0;
  bench.add("rate limiter: take", () => {
    nowMs += 0.02;
    address = address + 1 === ADDRESSES ? 0 : address + 1;
    limit.take(-1, address);
  });
}
