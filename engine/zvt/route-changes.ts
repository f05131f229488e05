import type { KeyedMutex } from "../kernel/keyed-mutex.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Timers } from "../kernel/timers.ts";
import type { LoadedRoute, ZvtRouteChange, ZvtRouteStore } from "./route-store.ts";

/** What is stored of a decision (null: nothing), and what its caller gets. */
export interface RouteDecision<T> {
  readonly change: Omit<ZvtRouteChange, "routeId" | "version"> | null;
  readonly result: T;
}

/** Changes of routes' records: on this node one at a time for each route, and decided again where another node was faster. */
export interface RouteChanges {
  /** Rejects with RelayError `unavailable` where the store does not answer, or others are always faster. */
  change<T>(routeId: string, decide: (stored: LoadedRoute | null) => RouteDecision<T>): Promise<T>;
  /** The same for what has to be stored: again while the store does not answer, for a minute; `otherwise` after it. Nothing else of the route happens here meanwhile. */
  insist<T>(routeId: string, what: string, decide: (stored: LoadedRoute | null) => RouteDecision<T>, otherwise: T): Promise<T>;
}

/** Nodes that change one route at once are two, of which one wins each time. */
const ATTEMPTS_MAX = 16;

const AGAIN_MS = 1_000;
const TRIES_MAX = 60;

export interface RouteChangesOptions {
  store: ZvtRouteStore;
  mutex: KeyedMutex<string>;
  timers: Timers;
  failed(what: string, error: unknown): void;
}

export function createRouteChanges({ store, mutex, timers, failed }: RouteChangesOptions): RouteChanges {
  function attempt<T>(routeId: string, decide: (stored: LoadedRoute | null) => RouteDecision<T>): Promise<T> {
    return retryOnConflict(ATTEMPTS_MAX, async () => {
      const stored = await store.load(routeId);
      const { change, result } = decide(stored);
      if (change === null) return result;
      return (await store.commit({ routeId, version: stored?.version ?? 0, ...change })) ? result : CONFLICT;
    });
  }

  return {
    change: (routeId, decide) => mutex.runExclusive(routeId, () => attempt(routeId, decide)),
    insist: (routeId, what, decide, otherwise) =>
      mutex.runExclusive(routeId, async () => {
        for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
          try {
            return await attempt(routeId, decide);
          } catch (error) {
            failed(what, error);
          }
          await new Promise<void>((resolve) => timers.set(AGAIN_MS, resolve));
        }
        return otherwise;
      }),
  };
}
