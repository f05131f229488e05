import type { SlowPush } from "./task.ts";

/** Milliseconds since 1970. */
export interface Span {
  fromMs: number;
  toMs: number;
}

/** Of one measurement: how many pushes took longer than the goal, and what else the relay did while they did. */
export interface SlowPushes {
  seconds: number;
  pushes: number;
  /** These four are all that were slow. */
  besideCollection: number;
  besideStoreWork: number;
  besideBoth: number;
  besideNeither: number;
  /** Collections of the heap of the thread that serves, and how long they stopped it. */
  collections: number;
  collectionMs: number;
  /** How long the store wrote out or merged tables. */
  storeWorkMs: number;
}

export interface MeasuredPushes {
  startedAtMs: number;
  seconds: number;
  pushes: number;
  slow: readonly SlowPush[];
}

/** What waits when something ends takes a while to be caught up with: a payment that came so soon after it counts as beside it. */
const BACKLOG_MS = 10;

/** Says of each slow push what ran at some moment between its payment and its frame. */
export function sortSlowPushes(
  { startedAtMs, seconds, pushes, slow }: MeasuredPushes,
  collections: readonly Span[],
  storeWork: readonly Span[],
): SlowPushes {
  const during = { fromMs: startedAtMs, toMs: startedAtMs + seconds * 1_000 };
  const [collected, worked] = [within(collections, during), within(storeWork, during)];
  const sorted: SlowPushes = {
    seconds,
    pushes,
    besideCollection: 0,
    besideStoreWork: 0,
    besideBoth: 0,
    besideNeither: 0,
    collections: collected.length,
    collectionMs: lengthMs(collected),
    storeWorkMs: lengthMs(worked),
  };
  for (const { atMs, ms } of slow) {
    const push = { fromMs: atMs - BACKLOG_MS, toMs: atMs + ms };
    const besideCollection = collected.some((span) => overlap(span, push));
    const besideStoreWork = worked.some((span) => overlap(span, push));
    if (besideCollection && besideStoreWork) sorted.besideBoth += 1;
    else if (besideCollection) sorted.besideCollection += 1;
    else if (besideStoreWork) sorted.besideStoreWork += 1;
    else sorted.besideNeither += 1;
  }
  return sorted;
}

function overlap(one: Span, other: Span): boolean {
  return one.fromMs < other.toMs && other.fromMs < one.toMs;
}

/** The parts of the spans that lie in another. */
function within(spans: readonly Span[], { fromMs, toMs }: Span): Span[] {
  return spans
    .filter((span) => overlap(span, { fromMs, toMs }))
    .map((span) => ({ fromMs: Math.max(span.fromMs, fromMs), toMs: Math.min(span.toMs, toMs) }));
}

function lengthMs(spans: readonly Span[]): number {
  return spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
}
