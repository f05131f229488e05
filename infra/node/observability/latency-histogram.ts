/** Upper bounds in seconds: from half a millisecond to the longest `wait`. */
const BOUNDS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

interface Series {
  endpoint: string;
  status: string;
  counts: number[];
  sumSeconds: number;
  count: number;
}

/**
 * Request durations by endpoint and class of status, in Prometheus' histogram form. An observation is an array increment: prom-client's own
 * histogram hashes its labels each time, which would cost more than the rest of a poll.
 */
export class LatencyHistogram {
  readonly name = "relay_http_request_duration_seconds";
  readonly help = "Time from the first byte of a request to its response.";
  readonly #series = new Map<string, Series[]>();

  observe(endpoint: string, status: number, durationMs: number): void {
    const statusClass = Math.floor(status / 100);
    const series = this.#seriesOf(endpoint, statusClass);
    const seconds = durationMs / 1_000;
    let index = 0;
    while (index < BOUNDS_SECONDS.length && seconds > (BOUNDS_SECONDS[index] ?? 0)) index += 1;
    series.counts[index] = (series.counts[index] ?? 0) + 1;
    series.sumSeconds += seconds;
    series.count += 1;
  }

  #seriesOf(endpoint: string, statusClass: number): Series {
    let byClass = this.#series.get(endpoint);
    if (byClass === undefined) {
      byClass = [];
      this.#series.set(endpoint, byClass);
    }
    let series = byClass[statusClass];
    if (series === undefined) {
      series = { endpoint, status: `${statusClass}xx`, counts: new Array(BOUNDS_SECONDS.length + 1).fill(0), sumSeconds: 0, count: 0 };
      byClass[statusClass] = series;
    }
    return series;
  }

  /** In the form of prom-client's `getMetricsAsJSON`, to be aggregated with the other metrics. */
  toJson() {
    const values: { labels: Record<string, string | number>; value: number; metricName: string }[] = [];
    for (const byClass of this.#series.values()) {
      for (const series of byClass) {
        if (series === undefined) continue;
        const labels = { endpoint: series.endpoint, status: series.status };
        let total = 0;
        for (const [index, count] of series.counts.entries()) {
          total += count;
          values.push({ labels: { ...labels, le: BOUNDS_SECONDS[index] ?? "+Inf" }, value: total, metricName: `${this.name}_bucket` });
        }
        values.push({ labels, value: series.sumSeconds, metricName: `${this.name}_sum` });
        values.push({ labels, value: series.count, metricName: `${this.name}_count` });
      }
    }
    return { name: this.name, help: this.help, type: "histogram", values, aggregator: "sum" };
  }
}
