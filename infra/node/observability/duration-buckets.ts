/** One sample in the form of prom-client's `getMetricsAsJSON`. */
export interface Sample {
  labels: { readonly [label: string]: string | number };
  value: number;
  metricName: string;
}

/** Durations in buckets, as Prometheus' histograms have them. An observation is an array increment, and makes no object. */
export class DurationBuckets {
  readonly #boundsSeconds: readonly number[];
  readonly #counts: number[];
  #sumSeconds = 0;
  #count = 0;

  /** Upper bounds in seconds, growing; what is above the last one is counted too. */
  constructor(boundsSeconds: readonly number[]) {
    this.#boundsSeconds = boundsSeconds;
    this.#counts = new Array<number>(boundsSeconds.length + 1).fill(0);
  }

  observe(durationMs: number): void {
    const bounds = this.#boundsSeconds;
    const seconds = durationMs / 1_000;
    let index = 0;
    while (index < bounds.length && seconds > (bounds[index] ?? 0)) index += 1;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sumSeconds += seconds;
    this.#count += 1;
  }

  samples(name: string, labels: Sample["labels"]): Sample[] {
    const samples: Sample[] = [];
    let total = 0;
    for (const [index, count] of this.#counts.entries()) {
      total += count;
      samples.push({ labels: { ...labels, le: this.#boundsSeconds[index] ?? "+Inf" }, value: total, metricName: `${name}_bucket` });
    }
    samples.push({ labels, value: this.#sumSeconds, metricName: `${name}_sum` });
    samples.push({ labels, value: this.#count, metricName: `${name}_count` });
    return samples;
  }
}
