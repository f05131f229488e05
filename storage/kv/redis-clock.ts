/**
 * Estimates Redis's clock from replies that contain its time. The true difference to our monotonic clock lies between the differences at
 * the sending of the request and at the arrival of the reply. The narrowest bounds of all replies are used, until the clock is moved.
 */
export class RedisClock {
  /** Redis's time minus the monotonic clock's, µs; null before the first reply. */
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
