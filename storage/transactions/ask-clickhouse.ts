import type { ClickHouseClient, ClickHouseSettings } from "@clickhouse/client";

export interface ClickHouseQuestion {
  query: string;
  /** All values are parameters; none is written into the text of the query. */
  parameters: Record<string, unknown>;
  signal: AbortSignal;
  /** ClickHouse itself ends the query after this time. */
  secondsMax: number;
  settings?: ClickHouseSettings;
}

/** Returns rows of one of the tables whose keys never change their day. */
export async function askClickHouse<Row>(client: ClickHouseClient, question: ClickHouseQuestion): Promise<Row[]> {
  const result = await client.query({ ...requestOf(question), format: "JSONEachRow" });
  return result.json<Row>();
}

/**
 * Returns the rows of a query of one text column as lines. They contain no line breaks, so they
 * need no parsing.
 */
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
