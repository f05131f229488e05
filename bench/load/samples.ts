/** Samples that one measurement keeps; more are counted and left out. */
const SAMPLES_MAX = 4_000_000;

/** Milliseconds. */
export interface LatencySummary {
  count: number;
  p50: number;
  p99: number;
  p999: number;
  max: number;
}

/** Times in milliseconds, all kept, so that percentiles are exact. */
export class Samples {
  #values = new Float64Array(65_536);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(ms: number): void {
    if (this.#count === this.#values.length) {
      if (this.#count >= SAMPLES_MAX) return;
      const larger = new Float64Array(this.#count * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#count] = ms;
    this.#count += 1;
  }

  /** Forgets what was added. */
  clear(): void {
    this.#count = 0;
  }

  summary(): LatencySummary {
    const sorted = this.#values.slice(0, this.#count).sort();
    const at = (share: number) => round(sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0);
    return { count: sorted.length, p50: at(0.5), p99: at(0.99), p999: at(0.999), max: round(sorted.at(-1) ?? 0) };
  }
}

function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
