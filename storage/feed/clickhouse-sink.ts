import { Readable } from "node:stream";
import { type ClickHouseClient, ClickHouseError } from "@clickhouse/client";
import { type FeedRow, lifeRowOf } from "../../engine/payments/feed-row.ts";
import { clickHouseRow, type FeedTable } from "./clickhouse-rows.ts";
import { type FeedInsert, type FeedSink, RowsRefused } from "./feed-sink.ts";
import { TextChunks } from "./text-chunks.ts";

/**
 * Codes by which ClickHouse says that a value itself is not acceptable: not parsed, out of range, of a wrong type, too large. All others
 * (no memory, no disk, no table, ...) may be temporary, and no row is set aside because of them.
 */
const REFUSED_CODES = new Set(["6", "25", "26", "27", "38", "41", "53", "69", "70", "72", "117", "130", "131", "321", "349", "407"]);

/** Inserts rows into the tables of storage/clickhouse/migrations; resolves when they are synced (a setting of the tables). */
export function clickHouseSink(client: ClickHouseClient): FeedSink {
  return { begin: () => new ClickHouseInsert(client) };
}

class ClickHouseInsert implements FeedInsert {
  readonly #client: ClickHouseClient;
  readonly #lines = new Map<FeedTable, TextChunks>();

  constructor(client: ClickHouseClient) {
    this.#client = client;
  }

  add(row: FeedRow): void {
    // Both before either is added: a row that is refused leaves nothing here.
    const own = mapped(row);
    const life = lifeRowOf(row);
    const ended = life === null ? null : mapped(life);
    this.#addLine(own);
    if (ended !== null) this.#addLine(ended);
  }

  #addLine({ table, line }: ReturnType<typeof clickHouseRow>): void {
    let lines = this.#lines.get(table);
    if (lines === undefined) {
      lines = new TextChunks();
      this.#lines.set(table, lines);
    }
    lines.add(line);
  }

  async send(): Promise<void> {
    for (const [table, { chunks }] of this.#lines) await insertLines(this.#client, table, chunks);
  }
}

/** Inserts lines of JSONEachRow into a table of the relay's. Rejects with RowsRefused where ClickHouse does not accept a value. */
export async function insertLines(client: ClickHouseClient, table: string, chunks: readonly Buffer[], signal?: AbortSignal): Promise<void> {
  try {
    const { stream } = await client.exec({
      query: `INSERT INTO relay.${table} FORMAT JSONEachRow`,
      // As bytes, which are sent unchanged: rows would be serialized one by one.
      values: Readable.from(chunks, { objectMode: false }),
      // The response is sent when the insert is written and synced, not when it is buffered.
      clickhouse_settings: { async_insert: 0, wait_end_of_query: 1 },
      ...(signal === undefined ? {} : { abort_signal: signal }),
    });
    // The response is empty; if it were not read, it would hold the connection.
    stream.resume();
  } catch (error) {
    if (!(error instanceof ClickHouseError) || !REFUSED_CODES.has(error.code)) throw error;
    // The message would quote the row.
    throw new RowsRefused(`ClickHouse refused it for ${table}: code ${error.code} (${error.type ?? "unknown"})`, { cause: error });
  }
}

function mapped(row: FeedRow): ReturnType<typeof clickHouseRow> {
  try {
    return clickHouseRow(row);
  } catch (error) {
    throw new RowsRefused(`it is not a row of type ${row.type}`, { cause: error });
  }
}
