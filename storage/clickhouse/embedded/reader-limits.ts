/**
 * Limits for an analyst's query. The engine shares the machine, two or four cores and some gigabytes, with the relay, so the limits are
 * small; an external ClickHouse server has none of them.
 */

/** Longest run of one query. */
export const READER_EXECUTION_SECONDS_MAX = 10;

/** A query that the engine does not end itself is killed this long after its time, and the engine is ended after the same time again. */
export const READER_KILL_AFTER_MS = 15_000;
export const READER_GIVE_UP_AFTER_MS = 30_000;

/** Memory of one query; the engine itself takes about 300 MB. */
export const READER_MEMORY_BYTES_MAX = 512 * 1_048_576;

/**
 * How much the process may grow while a query runs. ClickHouse does not count the text of the result, and JSON repeats the names of columns
 * in every line: a result within all other limits took 4 GB. Beyond the first limit the query is killed, which takes effect with its next
 * block; beyond the second the engine is ended.
 */
export const READER_GROWTH_BYTES_MAX = 1_024 * 1_048_576;
export const READER_GIVE_UP_GROWTH_BYTES_MAX = 2_560 * 1_048_576;
/** How often the growth is checked: text is written at about 1 GB a second. */
export const READER_GROWTH_LOOK_MS = 25;

/** A result is held in memory as a whole before it is sent. */
export const READER_RESULT_ROWS_MAX = 1_000_000;
export const READER_RESULT_BYTES_MAX = 64 * 1_048_576;

/** ClickHouse's default: larger blocks take more memory before a limit is checked. */
export const READER_BLOCK_ROWS_MAX = 65_409;

/** Tables that a request filters by expressions of its own; each expression is parsed by the engine. */
export const READER_FILTERS_MAX = 16;

/** Text of a query with its parameters. */
export const READER_BODY_BYTES_MAX = 131_072;

/** Maximum number of analysts' queries that wait, and how long one waits. */
export const READER_WAITING_MAX = 16;
export const READER_WAIT_MS_MAX = 15_000;

/** Settings of each of an analyst's queries; `readonly` last, since nothing can be set after it. What its client may change of them: reader-settings.ts. */
export const READER_SETTINGS: readonly (readonly [string, string])[] = [
  ["max_execution_time", String(READER_EXECUTION_SECONDS_MAX)],
  ["timeout_overflow_mode", "throw"],
  ["max_memory_usage", String(READER_MEMORY_BYTES_MAX)],
  ["max_result_rows", String(READER_RESULT_ROWS_MAX)],
  ["max_result_bytes", String(READER_RESULT_BYTES_MAX)],
  ["result_overflow_mode", "throw"],
  ["max_temporary_data_on_disk_size_for_query", String(1_073_741_824)],
  ["max_threads", "1"],
  ["max_query_size", "1048576"],
  ["allow_introspection_functions", "0"],
  ["allow_ddl", "0"],
  ["readonly", "1"],
];
