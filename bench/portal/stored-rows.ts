import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ClickHouseClient } from "@clickhouse/client";
import type { ClickHouseAddress } from "../../storage/clickhouse/client.ts";
import type { EmbeddedClickHouse } from "../../storage/clickhouse/embedded/supervisor.ts";
import { startClickHouse } from "../load/clickhouse.ts";
import { fillTransactions } from "./rows.ts";

/** Of the merchants beside the big one. */
const SMALL_MERCHANTS = 1_000;

/** Merges of what was inserted take the processor for a while. */
const MERGES_WAIT_MS = 120_000;

/** A file of so many rows has these goals. */
export const CSV_ROWS = 1_000_000;
export const CSV_SECONDS_MAX = 30;
export const CSV_GROWTH_MB_MAX = 150;

/** An embedded ClickHouse with the rows of all merchants. */
export interface StoredRows {
  /** With `clickhouse` in it. */
  directory: string;
  address: ClickHouseAddress;
  client: ClickHouseClient;
  server: EmbeddedClickHouse;
  /** Of all merchants together, as they are there. */
  rows: number;
  /** 0 where they were there. */
  fillSeconds: number;
  /** Ends ClickHouse; the folder is then another's. */
  close(): Promise<void>;
  /** Nothing where it is kept. */
  remove(): Promise<void>;
}

export interface StoredRowsOptions {
  rows: number;
  /** A folder that is filled once and kept; null for one of this run. */
  keep: string | null;
  say(text: string): void;
}

export async function openRows({ rows, keep, say }: StoredRowsOptions): Promise<StoredRows> {
  const directory = keep === null ? await mkdtemp(join(tmpdir(), "relay-bench-portal-")) : resolve(keep);
  const { server, address, client, stop: close } = await startClickHouse(join(directory, "clickhouse"));
  const remove = async () => {
    if (keep === null) await rm(directory, { recursive: true, force: true });
  };
  try {
    const number = async (query: string) => {
      const [row] = await (await client.query({ query, format: "JSONEachRow" })).json<{ n: string }>();
      return Number(row?.n);
    };
    const count = () => number("SELECT count() AS n FROM relay.merchant_transactions");
    const filledAt = performance.now();
    const isEmpty = (await count()) === 0;
    if (isEmpty) {
      say(`filling ${rows.toLocaleString("en")} rows`);
      await fillTransactions(client, { rows, smallMerchants: SMALL_MERCHANTS, nowMs: Date.now() });
    }
    const fillSeconds = isEmpty ? Math.round((performance.now() - filledAt) / 1_000) : 0;
    const mergedUntil = performance.now() + MERGES_WAIT_MS;
    while ((await number("SELECT count() AS n FROM system.merges")) > 0 && performance.now() < mergedUntil) await delay(500);
    return { directory, address, client, server, rows: await count(), fillSeconds, close, remove };
  } catch (error) {
    await close();
    await remove();
    throw error;
  }
}
