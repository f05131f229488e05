import { DurationBuckets } from "./duration-buckets.ts";

export interface DurationHistogramOptions {
  name: string;
  help: string;
  /** Upper bounds in seconds, growing. */
  boundsSeconds: readonly number[];
  label: string;
  /** All values that the label has: each is told from the start, as 0. */
  words: readonly string[];
}

/** Durations by one label of few known values, in Prometheus' histogram form, for what is observed too often for prom-client's own. */
export class DurationHistogram<Word extends string> {
  readonly #options: DurationHistogramOptions;
  readonly #series: ReadonlyMap<string, DurationBuckets>;

  constructor(options: DurationHistogramOptions & { words: readonly Word[] }) {
    this.#options = options;
    this.#series = new Map(options.words.map((word) => [word, new DurationBuckets(options.boundsSeconds)]));
  }

  observe(word: Word, durationMs: number): void {
    this.#series.get(word)?.observe(durationMs);
  }

  /** In the form of prom-client's `getMetricsAsJSON`, to be aggregated with the other metrics. */
  toJson() {
    const { name, help, label } = this.#options;
    const values = [...this.#series].flatMap(([word, buckets]) => buckets.samples(name, { [label]: word }));
    return { name, help, type: "histogram", values, aggregator: "sum" };
  }
}
