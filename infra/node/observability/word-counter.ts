export interface WordCounterOptions {
  name: string;
  help: string;
  label: string;
  /** Values of the label that are told from the start, as 0: an increase is seen only of what was there before. */
  words?: readonly string[];
}

/**
 * A counter by one label, for what a flood of requests or of terminals counts: an addition is one look-up and one increment, where prom-client hashes
 * the labels each time. The caller's words are bounded.
 */
export class WordCounter {
  readonly #options: WordCounterOptions;
  readonly #counts = new Map<string, { count: number }>();

  constructor(options: WordCounterOptions) {
    this.#options = options;
    for (const word of options.words ?? []) this.#counts.set(word, { count: 0 });
  }

  add(word: string): void {
    const counted = this.#counts.get(word);
    if (counted === undefined) this.#counts.set(word, { count: 1 });
    else counted.count += 1;
  }

  /** In the form of prom-client's `getMetricsAsJSON`, to be aggregated with the other metrics. */
  toJson() {
    const { name, help, label } = this.#options;
    const values = [...this.#counts].map(([word, { count }]) => ({ labels: { [label]: word }, value: count, metricName: name }));
    return { name, help, type: "counter", values, aggregator: "sum" };
  }
}
