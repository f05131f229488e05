/** In milliseconds, with one decimal. */
export interface Latencies {
  median: number;
  p99: number;
  most: number;
}

export function latenciesOf(times: readonly number[]): Latencies {
  const sorted = [...times].sort((one, other) => one - other);
  const at = (share: number) => Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 10) / 10;
  return { median: at(0.5), p99: at(0.99), most: at(1) };
}
