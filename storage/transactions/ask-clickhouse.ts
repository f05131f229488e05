import type { ClickHouseClient, ClickHouseSettings } from "@clickhouse/client";

export interface ClickHouseQuestion {
  query: string;
  /** Values go nowhere but here. */
  parameters: Record<string, unknown>;
  signal: AbortSignal;
  /** After this time ClickHouse ends the query by itself. */
  secondsMax: number;
  settings?: ClickHouseSettings;
}

/** Rows of one of the tables of rows, whose key never changes its day. */
export async function askClickHouse<Row>(client: ClickHouseClient, question: ClickHouseQuestion): Promise<Row[]> {
  const result = await client.query({ ...requestOf(question), format: "JSONEachRow" });
  return result.json<Row>();
}

/** The rows of a query of one text column, as its lines: without a line break in it, they are not parsed. */
export async function askLines(client: ClickHouseClient, question: ClickHouseQuestion): Promise<string[]> {
  const result = await client.query({ ...requestOf(question), format: "TabSeparatedRaw" });
  const text = await result.text();
  return text === "" ? [] : text.slice(0, -1).split("\n");
}

function requestOf({ query, parameters, signal, secondsMax, settings = {} }: ClickHouseQuestion) {
  return {
    query,
    query_params: parameters,
    abort_signal: signal,
    clickhouse_settings: {
      do_not_merge_across_partitions_select_final: 1,
      output_format_json_quote_64bit_integers: 0,
      max_execution_time: secondsMax,
      ...settings,
    } satisfies ClickHouseSettings,
  };
}
