import { DurationBuckets } from "./duration-buckets.ts";

/** Upper bounds in seconds: from half a millisecond to the longest `wait`. */
const BOUNDS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * Request durations by endpoint and class of status, in Prometheus' histogram form. prom-client's own histogram hashes its labels each time,
 * which would cost more than the rest of a poll.
 */
export class LatencyHistogram {
  readonly name = "relay_http_request_duration_seconds";
  readonly help = "Time from the first byte of a request to its response.";
  readonly #series = new Map<string, DurationBuckets[]>();

  observe(endpoint: string, status: number, durationMs: number): void {
    this.#seriesOf(endpoint, Math.floor(status / 100)).observe(durationMs);
  }

  #seriesOf(endpoint: string, statusClass: number): DurationBuckets {
    let byClass = this.#series.get(endpoint);
    if (byClass === undefined) {
      byClass = [];
      this.#series.set(endpoint, byClass);
    }
    let series = byClass[statusClass];
    if (series === undefined) {
      series = new DurationBuckets(BOUNDS_SECONDS);
      byClass[statusClass] = series;
    }
    return series;
  }

  /** In the form of prom-client's `getMetricsAsJSON`, to be aggregated with the other metrics. */
  toJson() {
    const values = [...this.#series].flatMap(([endpoint, byClass]) =>
      // What was never observed is no element of the array, and is not visited.
      byClass.flatMap((series, statusClass) => series.samples(this.name, { endpoint, status: `${statusClass}xx` })),
    );
    return { name: this.name, help: this.help, type: "histogram", values, aggregator: "sum" };
  }
}
