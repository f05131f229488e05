import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { hashOf } from "../kernel/hash.ts";
import type { Stored } from "../kernel/stored.ts";
import { type CallbackRecord, claimedCallback, failedCallback } from "./callback.ts";
import type { CallbackStore } from "./callback-store.ts";

/** Posts callbacks to addresses that clients gave. */
export interface CallbackTarget {
  /** One attempt. Does not reject for what the address does; the reason holds nothing secret. */
  post(url: string, body: string): Promise<{ type: "delivered" } | { type: "failed"; reason: string }>;
}

/** How often the store is asked for what is due. */
const LOOK_MS = 500;
/** Read at once: more than can be under way, so that those of a client that does not answer do not hide the others. */
const PAGE = 500;
/** Under way at once, in all and to one host: a client that is slow costs only itself. */
const UNDER_WAY_MAX = 64;
const PER_HOST_MAX = 8;

export interface CallbackSender {
  /** Called by the owner every 50 ms or so. */
  tick(): void;
  /** Begins nothing more, and waits for what is under way. */
  stop(): Promise<void>;
}

export interface CallbackSenderOptions {
  store: CallbackStore;
  target: CallbackTarget;
  clock: Clock;
  told(event: { type: "delivered" | "failed" | "dead"; id: string; attempts: number; reason: string | null }): void;
  failed(what: string, error: unknown): void;
}

/**
 * Sends what is owed, at least once. Each node runs one; who claims a callback (by the version of its record) has it for the time of a lease, so
 * nodes do not send the same one together, and one whose sender died is sent by another.
 */
export function createCallbackSender({ store, target, clock, told, failed }: CallbackSenderOptions): CallbackSender {
  const underWay = new Map<string, { host: string; work: Promise<void> }>();
  let nextLookMs = 0;
  let looking: Promise<void> = Promise.resolve();
  let busy = false;
  let stopped = false;

  async function look(): Promise<void> {
    for (const stored of await store.due(clock.nowMs(), PAGE)) {
      if (stopped || underWay.size >= UNDER_WAY_MAX) return;
      const { id, url } = stored.record;
      const host = hostOf(url);
      const toHost = [...underWay.values()].filter((other) => other.host === host).length;
      if (underWay.has(id) || toHost >= PER_HOST_MAX) continue;
      const work = send(stored)
        .catch((error: unknown) => {
          if (!isUnavailable(error)) failed("callback", error);
        })
        .finally(() => underWay.delete(id));
      underWay.set(id, { host, work });
    }
  }

  async function send(stored: Stored<CallbackRecord>): Promise<void> {
    const claimed = await store.replace(stored, claimedCallback(stored.record, clock.nowMs()));
    if (claimed === null) return;
    const { record } = claimed;
    const outcome = await target.post(record.url, JSON.stringify(record.body));
    if (outcome.type === "delivered") {
      await store.remove(claimed);
      told({ type: "delivered", id: record.id, attempts: record.attempts, reason: null });
      return;
    }
    const after = failedCallback(record, outcome.reason, clock.nowMs(), (hashOf(record.id) % 1_000) / 1_000);
    await store.replace(claimed, after);
    told({ type: after.state === "dead" ? "dead" : "failed", id: record.id, attempts: record.attempts, reason: outcome.reason });
  }

  return {
    tick: () => {
      if (stopped || busy || clock.monotonicMs() < nextLookMs) return;
      nextLookMs = clock.monotonicMs() + LOOK_MS;
      busy = true;
      looking = look()
        .catch((error: unknown) => {
          // The store is away: what is due stays so.
          if (!isUnavailable(error)) failed("callbacks", error);
        })
        .finally(() => {
          busy = false;
        });
    },
    stop: async () => {
      stopped = true;
      await looking;
      await Promise.all([...underWay.values()].map(({ work }) => work));
    },
  };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "";
}

function isUnavailable(error: unknown): boolean {
  return error instanceof RelayError && error.code === "unavailable";
}
