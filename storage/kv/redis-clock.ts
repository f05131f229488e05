/**
 * Redis's clock as known here, from the replies that carry it: the true difference to our monotonic clock lies between what a reply
 * says when it was sent for and when it came. Of the replies seen the narrowest bounds count, until the clock is moved.
 */
export class RedisClock {
  /** Redis's time less the monotonic clock's, µs; null before the first reply. */
  #differenceUs: number | null = null;

  /** `redisUs` was read between these two moments of the monotonic clock. */
  saw(redisUs: number, sentAtMs: number, cameAtMs: number): void {
    const least = redisUs - cameAtMs * 1_000;
    const most = redisUs - sentAtMs * 1_000;
    this.#differenceUs = Math.min(Math.max(this.#differenceUs ?? least, least), most);
  }

  /** Redis's time at a moment of the monotonic clock, µs; rather too early than too late. Null before the first reply. */
  atUs(monotonicMs: number): number | null {
    return this.#differenceUs === null ? null : Math.floor(this.#differenceUs + monotonicMs * 1_000);
  }
}
