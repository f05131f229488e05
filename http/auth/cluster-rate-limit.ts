import { BoundedMap } from "./bounded-map.ts";
import type { Admission, LocalRateLimit, RateLimitBucket } from "./rate-limiter.ts";

/** Maximum number of clients with data from other nodes: those that are not far below their limit. */
const CLIENTS_MAX = 50_000;

/** Admissions that were made without a request are reported to the others within this time. */
const REPORT_MS = 20;

const WINDOW_MS = 1_000;

/** How long no requests are sent after one has failed. */
const AWAY_MS = 1_000;

/**
 * What the other nodes may have admitted without this node's knowledge, as shares of the limit: for clients that they see rarely, and since
 * their last report. Together a tenth.
 */
const LITTLE_SHARE = 0.05;
const UNTOLD_SHARE = 0.05;

/** A client that is known to use no more than this share of its limit is far from it. */
const FAR_SHARE = 0.5;

/** The windows of all nodes together. */
export interface WindowsOfAll {
  /** Reports what was admitted without a request, and requests another admission if `asks` is set. Rejects if no answer can be obtained. */
  ask(question: { client: string; perSecond: number; noted: number; asks: boolean }): Promise<{
    count: number;
    admitted: boolean;
    waitMs: number;
  }>;
}

export interface ClusterRateLimitOptions {
  bucket: string;
  local: LocalRateLimit;
  all: WindowsOfAll;
  /** The number of live nodes, including this one. */
  nodes(): number;
  monotonicMs(): number;
}

interface Client {
  readonly name: string;
  readonly high: number;
  readonly low: number;
  /** Its limit, of which the shares are taken: the bucket's, or its own at its last request. */
  limit: number;
  /** Admissions of all nodes at the last report, and those of this thread since. */
  count: number;
  since: number;
  heardAt: number;
  /** When this thread last saw more than a few requests of it. */
  activeAt: number;
  /** Admitted here, and not reported yet. */
  untold: number;
  /** Reported or requested, and not answered yet. */
  unanswered: number;
  /** Until then no node has room for another request of this client. */
  fullUntil: number;
}

/**
 * A limit that holds over all nodes. Each node has its own counts, and:
 *
 * - A client that a node sees rarely causes no messages.
 * - A client that is known to use less than half of its limit is admitted at once, and the others get a report within 20 ms, or sooner if
 *   there are many admissions.
 * - For a client that is nearer to its limit, the shared windows are requested, together with other requests of the moment; if the client
 *   is at its limit, there is no further request until it is below.
 *
 * So a limit of 100 is exceeded by a tenth at most, and only by requests of the same moment; a limit of 10 by one per node. If the shared
 * windows cannot be read, each node admits its share of the limit.
 */
export function createClusterRateLimit({ bucket, local, all, nodes, monotonicMs }: ClusterRateLimitOptions): RateLimitBucket {
  const clients = new BoundedMap<string, Client>(CLIENTS_MAX);
  let telling = new Set<Client>();
  let awayUntil = Number.NEGATIVE_INFINITY;

  function clientOf(high: number, low: number, limit: number): Client {
    const name = `${bucket}:${(high >>> 0).toString(16)}:${(low >>> 0).toString(16)}`;
    const known = clients.get(name);
    if (known !== undefined) {
      known.limit = limit;
      return known;
    }
    const client: Client = {
      name,
      high,
      low,
      limit,
      count: 0,
      since: 0,
      heardAt: Number.NEGATIVE_INFINITY,
      activeAt: Number.NEGATIVE_INFINITY,
      untold: 0,
      unanswered: 0,
      fullUntil: Number.NEGATIVE_INFINITY,
    };
    clients.set(name, client);
    return client;
  }

  function isHeard(client: Client): boolean {
    return monotonicMs() - client.heardAt <= WINDOW_MS;
  }

  function heard(client: Client, use: { count: number; admitted: boolean; waitMs: number }): void {
    client.count = use.count;
    client.since = 0;
    client.heardAt = monotonicMs();
    if (!use.admitted && use.waitMs > 0) client.fullUntil = client.heardAt + use.waitMs;
  }

  /** In the background: until the report arrives, other nodes admit a little more. */
  function tellSoon(client: Client): void {
    if (telling.size === 0) {
      setTimeout(() => {
        const told = telling;
        telling = new Set();
        for (const one of told) tell(one);
      }, REPORT_MS);
    }
    telling.add(client);
  }

  function tell(client: Client): void {
    // It still counts here, and its window elsewhere ends within a second anyway.
    if (client.untold > 0) question(client, false).catch(() => {});
  }

  async function question(client: Client, asks: boolean): Promise<boolean> {
    const noted = client.untold;
    const open = noted + (asks ? 1 : 0);
    client.untold = 0;
    client.unanswered += open;
    try {
      const use = await all.ask({ client: client.name, perSecond: client.limit, noted, asks });
      heard(client, use);
      return use.admitted;
    } catch (error) {
      awayUntil = monotonicMs() + AWAY_MS;
      throw error;
    } finally {
      client.unanswered -= open;
    }
  }

  async function ask(client: Client, used: number): Promise<Admission> {
    try {
      if (await question(client, true)) return Math.max(0, client.limit - client.count);
    } catch {
      return withoutOthers(client, used);
    }
    return giveBack(client);
  }

  function withoutOthers(client: Client, used: number): Admission {
    return used <= Math.ceil(client.limit / nodes()) ? client.limit - used : giveBack(client);
  }

  function giveBack({ high, low }: Client): Admission {
    local.giveBack(high, low);
    return "limited";
  }

  return {
    perSecond: local.perSecond,
    take: (high, low, n = local.perSecond) => {
      const admission = local.take(high, low, n);
      const others = nodes() - 1;
      if (typeof admission !== "number" || others <= 0) return admission;
      const used = n - admission;
      const little = Math.floor((n * LITTLE_SHARE) / others);
      const isLittle = used <= little;
      if (isLittle && clients.size === 0) return admission;
      const client = clientOf(high, low, n);
      const now = monotonicMs();
      if (awayUntil > now) return withoutOthers(client, used);
      if (client.fullUntil > now) return giveBack(client);
      const known = isHeard(client) ? Math.max(used, client.count + client.since + 1) : used;
      const isFar = known <= n * FAR_SHARE;
      if (isFar && isLittle) return admission;
      // Earlier admissions that were too few to be reported are included now.
      if (now - client.activeAt > WINDOW_MS) client.untold += Math.min(used - 1, little);
      client.activeAt = now;
      const untoldMax = little + Math.max(1, Math.floor((n * UNTOLD_SHARE) / others));
      if (!isFar || client.untold + client.unanswered >= untoldMax) return ask(client, used);
      client.untold += 1;
      client.since += 1;
      tellSoon(client);
      return n - known;
    },
  };
}
