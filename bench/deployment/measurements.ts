import { createHistogram, type RecordableHistogram } from "node:perf_hooks";

/** What is measured, and from what to what. */
export const METRICS = {
  pay: "payment accepted: from when it was due to its 200, with every repetition",
  push: "payment at its terminal's WebSocket: from when it was due",
  poll: "a terminal's poll: from its request to its answer",
  post: "result stored: from the terminal's first attempt to post it to its 200",
  found: "result at the partner: from the terminal's first attempt to post it to the answer of the partner's look-up",
  whole: "from when the payment was due to its result at the partner, with the time that the terminal took",
  wholeSlow: "the same at the slow terminals",
  back: "terminal is back: from the cut of its WebSocket to its new subscription, with the wait before it tries",
  deploy: "version deployed to a terminal: from the administrator's request to its answer",
  notice: "notice of the version at its terminal's WebSocket: from the request that deploys to the terminal",
  check: "a terminal's question for a version: from its request to its answer",
  download: "package at its terminal: from when it begins to download to its last byte, with the wait for its turn",
  installed: "from the request that deploys to a terminal to the 200 to its install report",
  late: "how late the generator itself was",
} as const;
export type Metric = keyof typeof METRICS;

/** In milliseconds. */
export interface Latency {
  count: number;
  p50: number;
  p90: number;
  p99: number;
  max: number;
}

export interface WholeLatency extends Latency {
  mean: number;
  p999: number;
  /** Milliseconds by percentile, rising. */
  curve: readonly (readonly [percentile: number, ms: number])[];
}

/** What was in one interval: latencies by when they ended. */
export interface Interval {
  /** From the start to its end. */
  untilSeconds: number;
  /** Requests that were due in it. */
  due: number;
  latencies: { [metric in Metric]?: Latency };
  errors: { [kind: string]: number };
  retried: { [kind: string]: number };
  /** Of packages; left out where there is none. */
  receivedBytes?: number;
}

/** Histograms hold whole microseconds, up to an hour; what takes longer counts as that. */
const MICROSECONDS_MAX = 3_600_000_000;

/** Three digits of each value are exact. */
const FIGURES = 3;

const CURVE = [0, 10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 92.5, 95, 97.5, 99, 99.5, 99.9, 99.95, 99.99, 100];

/** Kinds of errors that are told apart; more of them are one, so that a relay that answers nonsense fills no memory. */
const KINDS_MAX = 40;
const KIND_LENGTH_MAX = 80;

/** Intervals of a run: beyond that they are longer than a second. */
const INTERVALS_MAX = 3_600;

/** Everything that is counted and timed: of the whole run, and of each interval. */
export class Measurements {
  /** Of one interval. */
  readonly intervalMs: number;
  readonly #whole = new Map<Metric, RecordableHistogram>();
  readonly #current = new Map<Metric, RecordableHistogram>();
  readonly #errors = new Counts();
  readonly #retried = new Counts();
  readonly #intervals: Interval[] = [];
  #due = 0;
  #dueInAll = 0;
  #receivedBytes = 0;
  #receivedInAll = 0;
  #recent: Interval | null = null;

  /** `forMs`: how long it is to be, which decides how long an interval is. */
  constructor(forMs: number) {
    this.intervalMs = Math.max(1, Math.ceil(forMs / 1_000 / INTERVALS_MAX)) * 1_000;
  }

  /** A request is due. */
  due(): void {
    this.#due += 1;
    this.#dueInAll += 1;
  }

  took(metric: Metric, ms: number): void {
    const microseconds = Math.min(MICROSECONDS_MAX, Math.max(1, Math.round(ms * 1_000)));
    histogramOf(this.#whole, metric).record(microseconds);
    histogramOf(this.#current, metric).record(microseconds);
  }

  /** Bytes of a package have come. */
  received(bytes: number): void {
    this.#receivedBytes += bytes;
    this.#receivedInAll += bytes;
  }

  /** Something that its client is left with. */
  failed(kind: string): void {
    this.#errors.add(kind);
  }

  /** Something that was tried again, as a client is to do. */
  retried(kind: string): void {
    this.#retried.add(kind);
  }

  /** Ends an interval. */
  tick(untilSeconds: number): Interval {
    const latencies: Interval["latencies"] = {};
    for (const [metric, histogram] of this.#current) {
      if (histogram.count === 0) continue;
      latencies[metric] = latencyOf(histogram);
      histogram.reset();
    }
    const interval: Interval = {
      untilSeconds,
      due: this.#due,
      latencies,
      errors: this.#errors.take(),
      retried: this.#retried.take(),
      ...(this.#receivedBytes > 0 ? { receivedBytes: this.#receivedBytes } : {}),
    };
    this.#due = 0;
    this.#receivedBytes = 0;
    this.#intervals.push(interval);
    this.#recent = interval;
    return interval;
  }

  get intervals(): readonly Interval[] {
    return this.#intervals;
  }

  /** The latest interval that has ended. */
  get recent(): Interval | null {
    return this.#recent;
  }

  get dueInAll(): number {
    return this.#dueInAll;
  }

  get receivedInAll(): number {
    return this.#receivedInAll;
  }

  get errors(): { [kind: string]: number } {
    return this.#errors.inAll;
  }

  get retries(): { [kind: string]: number } {
    return this.#retried.inAll;
  }

  whole(): { [metric in Metric]?: WholeLatency } {
    return Object.fromEntries([...this.#whole].map(([metric, histogram]) => [metric, wholeLatencyOf(histogram)]));
  }
}

/** Counts by kind, since the last `take` and in all. */
class Counts {
  readonly #inAll = new Map<string, number>();
  #recent = new Map<string, number>();

  add(kind: string): void {
    const short = kind.slice(0, KIND_LENGTH_MAX);
    const known = this.#inAll.has(short) || this.#inAll.size < KINDS_MAX ? short : "others";
    this.#inAll.set(known, (this.#inAll.get(known) ?? 0) + 1);
    this.#recent.set(known, (this.#recent.get(known) ?? 0) + 1);
  }

  take(): { [kind: string]: number } {
    const taken = Object.fromEntries(this.#recent);
    this.#recent = new Map();
    return taken;
  }

  get inAll(): { [kind: string]: number } {
    return Object.fromEntries([...this.#inAll].sort(([, one], [, other]) => other - one));
  }
}

function histogramOf(histograms: Map<Metric, RecordableHistogram>, metric: Metric): RecordableHistogram {
  let histogram = histograms.get(metric);
  if (histogram === undefined) {
    histogram = createHistogram({ lowest: 1, highest: MICROSECONDS_MAX, figures: FIGURES });
    histograms.set(metric, histogram);
  }
  return histogram;
}

function latencyOf(histogram: RecordableHistogram): Latency {
  return {
    count: histogram.count,
    p50: percentileOf(histogram, 50),
    p90: percentileOf(histogram, 90),
    p99: percentileOf(histogram, 99),
    max: milliseconds(histogram.max),
  };
}

function wholeLatencyOf(histogram: RecordableHistogram): WholeLatency {
  return {
    ...latencyOf(histogram),
    mean: milliseconds(histogram.mean),
    p999: percentileOf(histogram, 99.9),
    curve: CURVE.map((percentile) => [percentile, percentileOf(histogram, percentile)] as const),
  };
}

/** A histogram of Node has no percentile 0; and a percentile may be the upper end of a step that the largest value lies in. */
function percentileOf(histogram: RecordableHistogram, percentile: number): number {
  return milliseconds(percentile === 0 ? histogram.min : Math.min(histogram.percentile(percentile), histogram.max));
}

/** With a microsecond's digits at most. */
function milliseconds(microseconds: number): number {
  return Math.round(microseconds) / 1_000;
}
