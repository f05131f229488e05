import { Readable } from "node:stream";
import { type ClickHouseClient, ClickHouseError } from "@clickhouse/client";
import { type FeedRow, lifeRowOf, type TransactionRow } from "../../engine/payments/feed-row.ts";
import { CONFLICTS, type FeedColumns, type FeedTable, LIVES, OBJECTS, TRANSACTIONS } from "./clickhouse-rows.ts";
import { type FeedInsert, type FeedSink, RowsRefused } from "./feed-sink.ts";
import { RowBinary } from "./row-binary.ts";

/**
 * ClickHouse's error codes for a value that is not acceptable: it cannot be parsed, is out of
 * range, has the wrong type or is too large. All other errors (no memory, no disk, no table) may be
 * temporary, and no row is set aside because of them.
 */
const REFUSED_CODES = new Set(["6", "25", "26", "27", "38", "41", "53", "69", "70", "72", "117", "130", "131", "321", "349", "407"]);

/**
 * Inserts rows into the tables of storage/clickhouse/migrations. `send` resolves when they are
 * synced, which is a setting of the tables.
 */
export function clickHouseSink(client: ClickHouseClient): FeedSink {
  return { begin: () => new ClickHouseInsert(client) };
}

class ClickHouseInsert implements FeedInsert {
  readonly #client: ClickHouseClient;
  readonly #rows = new Map<FeedColumns, RowBinary>();

  constructor(client: ClickHouseClient) {
    this.#client = client;
  }

  add(row: FeedRow): void {
    switch (row.type) {
      case "transaction":
        this.#addResult(row);
        break;
      case "life":
        this.#write(LIVES, row).endRow();
        break;
      case "conflict":
        this.#write(CONFLICTS, row).endRow();
        break;
      case "object":
        this.#write(OBJECTS, row).endRow();
        break;
      default:
        row satisfies never;
        throw new RowsRefused("the row has a type that this version does not know");
    }
  }

  async send(): Promise<void> {
    for (const [{ table, columns }, { chunks }] of this.#rows) {
      if (chunks.length > 0) await insertBytes(this.#client, table, `(${columns.join(", ")}) FORMAT RowBinary`, chunks);
    }
  }

  /** Adds a result and, if the row contains it, the end of its command. Adds both or neither. */
  #addResult(row: TransactionRow): void {
    const life = lifeRowOf(row);
    const lives = life === null ? null : this.#write(LIVES, life);
    try {
      this.#write(TRANSACTIONS, row).endRow();
    } catch (error) {
      lives?.dropRow();
      throw error;
    }
    lives?.endRow();
  }

  /** Writes a row. The caller then ends or drops it. A row that throws is already dropped. */
  #write<Row extends FeedRow>(table: FeedTable<Row>, row: Row): RowBinary {
    const rows = this.#rowsOf(table);
    try {
      table.write(rows, row);
      return rows;
    } catch (error) {
      rows.dropRow();
      if (error instanceof RowsRefused) throw error;
      throw new RowsRefused(`the row is not of type ${row.type}`, { cause: error });
    }
  }

  #rowsOf(table: FeedColumns): RowBinary {
    let rows = this.#rows.get(table);
    if (rows === undefined) {
      rows = new RowBinary();
      this.#rows.set(table, rows);
    }
    return rows;
  }
}

/**
 * Inserts lines of JSONEachRow into one of the relay's tables. Rejects with RowsRefused if
 * ClickHouse does not accept a value.
 */
export function insertLines(client: ClickHouseClient, table: string, chunks: readonly Buffer[], signal?: AbortSignal): Promise<void> {
  return insertBytes(client, table, "FORMAT JSONEachRow", chunks, signal);
}

async function insertBytes(
  client: ClickHouseClient,
  table: string,
  format: string,
  chunks: readonly Buffer[],
  signal?: AbortSignal,
): Promise<void> {
  try {
    const { stream } = await client.exec({
      query: `INSERT INTO relay.${table} ${format}`,
      // Bytes are sent unchanged; the client would serialize rows one by one.
      values: Readable.from(chunks, { objectMode: false }),
      // ClickHouse responds when the insert is written and synced, not when it is buffered.
      clickhouse_settings: { async_insert: 0, wait_end_of_query: 1 },
      ...(signal === undefined ? {} : { abort_signal: signal }),
    });
    // The response is empty, but it holds the connection until it is read.
    stream.resume();
  } catch (error) {
    if (!(error instanceof ClickHouseError) || !REFUSED_CODES.has(error.code)) throw error;
    // ClickHouse's own message would quote the row.
    throw new RowsRefused(`ClickHouse refused the row for ${table}: code ${error.code} (${error.type ?? "unknown"})`, { cause: error });
  }
}
