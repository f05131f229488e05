import { CLICKHOUSE_CODE, ClickHouseError } from "./clickhouse-error.ts";
import { READER_EXECUTION_SECONDS_MAX, READER_RESULT_BYTES_MAX, READER_RESULT_ROWS_MAX, READER_SETTINGS } from "./reader-limits.ts";

/** Settings that an analyst's client may change as it likes: they affect the rows and the text of its own response alone. */
const FREE_SETTINGS = new Set([
  ...["date_time_output_format", "date_time_input_format", "session_timezone", "extremes", "limit", "offset"],
  ...["output_format_json_quote_64bit_integers", "output_format_json_quote_decimals", "output_format_json_quote_denormals"],
  ...["output_format_json_named_tuples_as_objects", "output_format_binary_write_json_as_string", "output_format_write_statistics"],
  ...["output_format_pretty_max_rows", "output_format_pretty_color"],
  // About inserts, which analysts do not send, and replicas, which do not exist; drivers set them once for everything.
  ...["async_insert", "wait_for_async_insert", "select_sequential_consistency"],
]);

/** Settings that it may change up to a limit. */
const LIMITED_SETTINGS: ReadonlyMap<string, number> = new Map([
  ["max_execution_time", READER_EXECUTION_SECONDS_MAX],
  ["max_result_rows", READER_RESULT_ROWS_MAX],
  ["max_result_bytes", READER_RESULT_BYTES_MAX],
]);

const OVERFLOW_MODE = "result_overflow_mode";

/** What an analyst may set, for `system.settings`; the value is its greatest one. */
export const READER_CHANGEABLE: ReadonlyMap<string, number | null> = new Map([
  ...[...FREE_SETTINGS, OVERFLOW_MODE].map((name) => [name, null] as const),
  ...LIMITED_SETTINGS,
]);

export interface ReaderSettings {
  /** To be set for the query, in this order. */
  set: [name: string, value: string][];
  /** Settings that are fixed: the query may run only if they have these values already. */
  fixed: Map<string, string>;
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
  for (const [name, value] of asked) {
    const max = LIMITED_SETTINGS.get(name);
    if (name === OVERFLOW_MODE) mode = overflowMode(value);
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
  return { set: [...set, ["readonly", "1"]], fixed };
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
