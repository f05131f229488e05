import type { Page } from "playwright-core";

/** A slow connection, such as one bar of a mobile network in a cellar. */
export const SLOW_LINE = { bytesPerSecond: 50_000, latencyMs: 400 } as const;

/** The requests of a page over the slow connection. */
export interface SlowLoad {
  /**
   * `depth` is the position in a chain of requests, each of which begins after the end of another.
   */
  requests: readonly { path: string; bytes: number; depth: number }[];
  /** The size of all answers with their headers. */
  bytes: number;
  /** The length of the longest chain. */
  depth: number;
  /**
   * The time that the connection takes: a latency for each request of the longest chain, and the
   * transfer of all bytes. It does not depend on the speed of this machine.
   */
  lineMs: number;
  /** The time that passed on this machine. */
  passedMs: number;
}

interface Timed {
  path: string;
  startedAt: number;
  endedAt: number;
  bytes: number;
}

/** Runs `act` while the page has a slow connection. The cache is empty at the beginning. */
export async function overSlowLine(page: Page, act: () => Promise<unknown>): Promise<SlowLoad> {
  const debug = await page.context().newCDPSession(page);
  await debug.send("Network.enable");
  await debug.send("Network.clearBrowserCache");
  await debug.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: SLOW_LINE.latencyMs,
    downloadThroughput: SLOW_LINE.bytesPerSecond,
    uploadThroughput: SLOW_LINE.bytesPerSecond,
  });
  const timed = new Map<string, Timed>();
  debug.on("Network.requestWillBeSent", ({ requestId, request: { url }, timestamp }) => {
    const { protocol, pathname } = new URL(url);
    if (protocol !== "data:") timed.set(requestId, { path: pathname, startedAt: timestamp, endedAt: Number.POSITIVE_INFINITY, bytes: 0 });
  });
  debug.on("Network.loadingFinished", ({ requestId, timestamp, encodedDataLength }) => {
    const request = timed.get(requestId);
    if (request !== undefined) Object.assign(request, { endedAt: timestamp, bytes: encodedDataLength });
  });
  const startMs = performance.now();
  await act();
  const passedMs = Math.round(performance.now() - startMs);
  await debug.detach();
  const requests = chained([...timed.values()].filter(({ endedAt }) => Number.isFinite(endedAt)));
  const bytes = requests.reduce((sum, request) => sum + request.bytes, 0);
  const depth = Math.max(0, ...requests.map((request) => request.depth));
  const lineMs = Math.round(depth * SLOW_LINE.latencyMs + (bytes / SLOW_LINE.bytesPerSecond) * 1_000);
  return { requests, bytes, depth, lineMs, passedMs };
}

/** The requests in the order of their beginnings, each with its position in its chain. */
function chained(timed: readonly Timed[]): SlowLoad["requests"] {
  const depths = new Map<Timed, number>();
  for (const request of [...timed].sort((one, other) => one.startedAt - other.startedAt)) {
    const before = [...depths].flatMap(([{ endedAt }, depth]) => (endedAt <= request.startedAt ? [depth] : []));
    depths.set(request, 1 + Math.max(0, ...before));
  }
  return [...depths].map(([{ path, bytes }, depth]) => ({ path, bytes, depth }));
}
