import type { Clock } from "../kernel/clock.ts";
import type { MerchantTerminals } from "./merchant-terminals.ts";
import type { OpeningHours, OpeningSource } from "./opening-hours.ts";

/** A terminal that connects again within this time is no task. */
const AWAY_MIN_MS = 2 * 60_000;

/** A terminal that has been away for longer is not used any more. */
const AWAY_MAX_MS = 7 * 86_400_000;

/** An overview names only so many terminals. */
const TASKS_MAX = 20;

export interface OfflineTask {
  readonly kind: "terminal_offline";
  readonly terminalId: string;
  /** When the relay last had contact with the terminal. */
  readonly atMs: number;
}

/**
 * Returns the terminals that went offline while the shop was open and are offline while it is open,
 * the longest first. There are none while the opening hours are unknown. Rejects with RelayError
 * `unavailable`.
 */
export type OfflineTasks = (merchantId: string) => Promise<{ source: OpeningSource; tasks: readonly OfflineTask[] }>;

export interface OfflineTasksOptions {
  openingHours: Pick<OpeningHours, "of" | "isOpen">;
  merchantTerminals: Pick<MerchantTerminals, "all">;
  clock: Clock;
}

export function createOfflineTasks({ openingHours, merchantTerminals, clock }: OfflineTasksOptions): OfflineTasks {
  return async (merchantId) => {
    const [{ source, hours }, terminals] = await Promise.all([openingHours.of(merchantId), merchantTerminals.all(merchantId)]);
    const nowMs = clock.nowMs();
    if (hours === null || !openingHours.isOpen(hours, nowMs)) return { source, tasks: [] };
    const tasks = terminals.flatMap(({ view: { terminalId, connected, lastSeenMs } }): OfflineTask[] => {
      if (connected || lastSeenMs === undefined) return [];
      const awayMs = nowMs - lastSeenMs;
      if (awayMs < AWAY_MIN_MS || awayMs > AWAY_MAX_MS || !openingHours.isOpen(hours, lastSeenMs)) return [];
      return [{ kind: "terminal_offline", terminalId, atMs: lastSeenMs }];
    });
    return { source, tasks: tasks.sort((one, other) => one.atMs - other.atMs).slice(0, TASKS_MAX) };
  };
}
