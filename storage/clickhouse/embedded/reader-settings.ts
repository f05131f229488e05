import { CLICKHOUSE_CODE, ClickHouseError } from "./clickhouse-error.ts";
import {
  READER_BLOCK_ROWS_MAX,
  READER_EXECUTION_SECONDS_MAX,
  READER_FILTERS_MAX,
  READER_RESULT_BYTES_MAX,
  READER_RESULT_ROWS_MAX,
  READER_SETTINGS,
} from "./reader-limits.ts";
import { literal } from "./sql-literal.ts";

/** Settings that an analyst's client may change as it likes: they affect the rows and the text of its own response alone. */
const FREE_SETTINGS = new Set([
  ...["date_time_output_format", "date_time_input_format", "session_timezone", "extremes", "limit", "offset"],
  ...["output_format_json_quote_64bit_integers", "output_format_json_quote_decimals", "output_format_json_quote_denormals"],
  ...["output_format_json_named_tuples_as_objects", "output_format_binary_write_json_as_string", "output_format_write_statistics"],
  ...["output_format_pretty_max_rows", "output_format_pretty_color", "format_csv_delimiter"],
  ...["join_use_nulls", "final", "prefer_column_name_to_alias"],
  // About inserts, which analysts do not send, and replicas, which do not exist; drivers set them once for everything.
  ...["async_insert", "wait_for_async_insert", "select_sequential_consistency"],
]);

/** Settings that it may change up to a limit. */
const LIMITED_SETTINGS: ReadonlyMap<string, number> = new Map([
  ["max_execution_time", READER_EXECUTION_SECONDS_MAX],
  ["max_result_rows", READER_RESULT_ROWS_MAX],
  ["max_result_bytes", READER_RESULT_BYTES_MAX],
  ["max_block_size", READER_BLOCK_ROWS_MAX],
  // Tools ask for all cores of a server; a query has one thread here.
  ["max_threads", 1],
]);

/** Settings on which the types of a result depend, and nothing that would cut what the engine says of a statement. */
const TYPE_SETTINGS = new Set(["join_use_nulls", "prefer_column_name_to_alias"]);

/** Expressions by table; they are checked like the statement. */
const FILTERS = "additional_table_filters";

const OVERFLOW_MODE = "result_overflow_mode";

/** What an analyst may set, for `system.settings`; the value is its greatest one. */
export const READER_CHANGEABLE: ReadonlyMap<string, number | null> = new Map([
  ...[...FREE_SETTINGS, OVERFLOW_MODE, FILTERS].map((name) => [name, null] as const),
  ...LIMITED_SETTINGS,
]);

export interface ReaderSettings {
  /** To be set for the query, in this order. */
  set: [name: string, value: string][];
  /** Settings that are fixed: the query may run only if they have these values already. */
  fixed: Map<string, string>;
  /** Expressions that filter tables, to be checked and then set; ClickHouse's text of a map. Empty for none. */
  filters: string;
}

/** A table of the relay, or its alias in the statement; a filter of a system table would see what its replacement hides. */
const FILTERED_TABLE = /^(?:relay\.)?[A-Za-z_][A-Za-z0-9_]{0,127}$/;

const TEXT = String.raw`'((?:[^'\\]|\\['\\]|'')*)'`;
const FILTER = new RegExp(String.raw`\s*${TEXT}\s*:\s*${TEXT}\s*(,|$)`, "y");

/** Reads ClickHouse's text of a map from tables to expressions. Throws ClickHouseError for any other text, and for other tables than the relay's. */
export function filtersOf(text: string): [table: string, expression: string][] {
  const inner = /^\s*\{([\s\S]*)\}\s*$/.exec(text)?.[1] ?? refuseFilters("is a map such as {'transactions_final': 'amount > 100'}");
  const filters: [string, string][] = [];
  if (inner.trim() === "") return filters;
  let separator = ",";
  for (FILTER.lastIndex = 0; separator === ","; ) {
    const [, table, expression, next] = FILTER.exec(inner) ?? refuseFilters("is a map from names of tables to expressions, both in quotes");
    const name = unquoted(table);
    if (!FILTERED_TABLE.test(name)) refuseFilters("names tables of the database relay");
    filters.push([name, unquoted(expression)]);
    if (filters.length > READER_FILTERS_MAX) refuseFilters(`names at most ${READER_FILTERS_MAX} tables`);
    separator = next ?? "";
  }
  return filters;
}

function unquoted(text = ""): string {
  return text.replace(/\\(['\\])|''/g, (_, escaped?: string) => escaped ?? "'");
}

function refuseFilters(rule: string): never {
  throw new ClickHouseError(CLICKHOUSE_CODE.badArguments, "BAD_ARGUMENTS", `Setting ${FILTERS} ${rule}.`, 400);
}

/** Sets what filters tables, as ClickHouse's text of a map. */
export function filterSetting(filters: readonly (readonly [table: string, expression: string])[]): [name: string, value: string] {
  return [FILTERS, `{${filters.map(([table, expression]) => `${literal(table)}:${literal(expression)}`).join(",")}}`];
}

/** Those of a query's settings with which the types of its result are described. */
export function typeSettings(set: readonly (readonly [string, string])[]): (readonly [string, string])[] {
  return [...set.filter(([name]) => TYPE_SETTINGS.has(name)), ...READER_SETTINGS];
}

/**
 * What the settings of an analyst's request mean. Drivers take the time of a query from their caller's deadline, often a minute, and tools ask for a few more rows than
 * there may be; 0 means no limit. All of these get the limit here: whoever asked for more is told by an exception, and never left with fewer rows. Throws
 * ClickHouseError for a value that a limit cannot have.
 */
export function readerSettings(asked: ReadonlyMap<string, string>): ReaderSettings {
  const set = new Map(READER_SETTINGS);
  const fixed = new Map<string, string>();
  const own = new Set<string>();
  let mode = "throw";
  let filters = "";
  for (const [name, value] of asked) {
    const max = LIMITED_SETTINGS.get(name);
    if (name === OVERFLOW_MODE) mode = overflowMode(value);
    else if (name === FILTERS) filters = value;
    else if (max !== undefined) {
      if (!isWithin(name, value, max)) continue;
      set.set(name, value);
      own.add(name);
    } else if (FREE_SETTINGS.has(name)) set.set(name, value);
    else fixed.set(name, value);
  }
  if (mode === "break" && own.has("max_result_rows")) {
    set.set(OVERFLOW_MODE, mode);
    // The result would be cut at the server's limit too; the engine checks the size of what is answered itself.
    if (!own.has("max_result_bytes")) set.set("max_result_bytes", "0");
  }
  // Nothing can be set after it.
  set.delete("readonly");
  return { set: [...set, ["readonly", "1"]], fixed, filters };
}

/** Whether a setting has the value that is asked for: booleans and numbers have several texts. */
export function isSameValue(current: string, asked: string): boolean {
  return current === asked || plain(current) === plain(asked);
}

function plain(value: string): string {
  if (value === "true") return "1";
  if (value === "false") return "0";
  return /^\d+(\.\d+)?$/.test(value) ? String(Number(value)) : value;
}

function overflowMode(value: string): string {
  if (value === "throw" || value === "break") return value;
  throw new ClickHouseError(CLICKHOUSE_CODE.badArguments, "BAD_ARGUMENTS", `Setting ${OVERFLOW_MODE} is 'throw' or 'break'.`, 400);
}

/** Whether a limit is within the server's; 0 is none. Throws ClickHouseError for what is no number. */
function isWithin(name: string, value: string, max: number): boolean {
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) > 0 && Number(value) <= max;
  throw new ClickHouseError(CLICKHOUSE_CODE.badArguments, "BAD_ARGUMENTS", `Setting ${name} is a number, up to ${max}.`, 400);
}
