import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { outboxOperation } from "../../engine/payments/outbox.ts";
import { clickHouseSink } from "../../storage/feed/clickhouse-sink.ts";
import { encodeFeedMessage } from "../../storage/feed/kafka/kafka-message.ts";
import { resultRow } from "../cluster/result-row.ts";
import { startClickHouse } from "../load/clickhouse.ts";

const DAY_MS = 86_400_000;
/** Within one month, which is one partition. */
const DAYS = 28;
const ROWS_AN_INSERT = 25_000;
const SHOPS = 1_000;
const MICROSECONDS = 1_000;

/** A result with the end of its command fills these; a row is in the third where it is a merchant's. */
const TABLES = ["transactions", "command_lives", "merchant_transactions"] as const;

export interface RowBytesResult {
  rows: number;
  /** On disk, with all parts of the month merged into one. */
  tables: { table: string; rows: number; bytes: number }[];
  /** Of the message of one result to Kafka, mean: its value, and its key. */
  messageBytes: { value: number; key: number };
}

/** Inserts `rows` results of 5,000 terminals as the feed does, merges them, and asks ClickHouse what they take. */
export async function measureRowBytes(rows: number, note: (text: string) => void): Promise<RowBytesResult> {
  const directory = await mkdtemp(join(tmpdir(), "relay-bench-scaling-"));
  const { client, stop } = await startClickHouse(join(directory, "clickhouse"));
  try {
    const sink = clickHouseSink(client);
    const firstMs = Date.UTC(2026, 9, 1);
    let valueBytes = 0;
    let keyBytes = 0;
    for (let inserted = 0; inserted < rows; inserted += ROWS_AN_INSERT) {
      const insert = sink.begin();
      for (let n = inserted; n < Math.min(inserted + ROWS_AN_INSERT, rows); n += 1) {
        const nowMs = firstMs + Math.floor((n / rows) * DAYS * DAY_MS);
        const row = resultRow(n, { sender: "partner:1", nowMs, shop: `SHOP-${n % SHOPS}` });
        insert.add(row);
        const { key, ...put } = outboxOperation(row, nowMs, `node-1-${n.toString(36)}`);
        if (!("value" in put)) throw new Error("a row is put into the outbox");
        valueBytes += encodeFeedMessage(key, put.value, nowMs * MICROSECONDS).length;
        keyBytes += row.transaction.terminalId.length;
      }
      await insert.send();
    }
    const tables: RowBytesResult["tables"] = [];
    for (const table of TABLES) {
      await client.command({ query: `OPTIMIZE TABLE relay.${table} FINAL` });
      const query =
        "SELECT sum(rows) AS stored, sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND database = 'relay' AND table = {table:String}";
      const result = await client.query({ query, query_params: { table }, format: "JSONEachRow" });
      const [sums] = await result.json<{ stored: string; bytes: string }>();
      const bytes = Number(sums?.bytes) / Number(sums?.stored);
      tables.push({ table, rows: Number(sums?.stored), bytes });
      note(`a row of ${table}: ${bytes.toFixed(0)} bytes`);
    }
    return { rows, tables, messageBytes: { value: valueBytes / rows, key: keyBytes / rows } };
  } finally {
    await stop();
    await rm(directory, { recursive: true, force: true });
  }
}
