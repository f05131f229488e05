import { RelayError } from "../../engine/domain/errors.ts";
export interface Analytics {
  url: string | null;
  list: import("../../engine/ports/transaction-list.ts").TransactionList;
  stats(): { depth: number; oldestAgeMs: number; inserted: number; failures: number; poison: number };
  nudge(): void;
  stop(): Promise<void>;
}
export async function startAnalytics(_: unknown): Promise<Analytics> {
  return {
    url: null,
    list: {
      page: async () => {
        throw new RelayError("unavailable", "no clickhouse");
      },
    },
    stats: () => ({ depth: 0, oldestAgeMs: 0, inserted: 0, failures: 0, poison: 0 }),
    nudge: () => {},
    stop: async () => {},
  };
}
