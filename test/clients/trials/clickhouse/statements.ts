import { createClient } from "@clickhouse/client";
import type { ClickHouseAddress } from "../../../../storage/clickhouse/client.ts";
import { listOf, member } from "../../../support/http/matches.ts";

/** What every program asks, by the name of its step. */
export const STATEMENTS = {
  types: `SELECT
    toDecimal64('1234.5678', 4) AS decimal,
    toDecimal128('-123456789012345678.123456789', 9) AS decimal_long,
    toDateTime64('2026-01-02 03:04:05.678', 3, 'UTC') AS moment,
    toDateTime('2026-07-02 03:04:05', 'Europe/Rome') AS moment_of_rome,
    toDate('2026-03-04') AS day,
    toLowCardinality('CARD') AS low,
    CAST(NULL AS Nullable(String)) AS nothing,
    CAST('x' AS Nullable(String)) AS something,
    CAST(NULL AS Nullable(DateTime64(3, 'UTC'))) AS never,
    toUUID('5f0c3b9e-0f0a-4e65-9c39-0d5a3a1b2c3d') AS uuid,
    CAST([1, 2, 3] AS Array(UInt32)) AS numbers,
    CAST(['a', 'é', NULL] AS Array(Nullable(String))) AS texts,
    CAST(map('a', 1, 'b', 2) AS Map(String, UInt64)) AS map,
    CAST('OK' AS Enum8('OK' = 1, 'KO' = 2)) AS enum,
    toUInt64('18446744073709551615') AS huge,
    toInt64('-9223372036854775808') AS least,
    '€ — Zürich 😀 \\'quoted\\'\\n' AS text,
    toFloat64(0.1) AS float,
    true AS yes,
    toIPv4('10.0.0.1') AS address`,
  transactions:
    "SELECT terminal_id, day, uuid, created_at, method, status, amount_cents, unsolicited, message FROM transactions_final ORDER BY amount_cents",
  many: "SELECT number AS n, concat('row ', toString(number)) AS text, toDateTime64(number / 10, 3, 'UTC') AS moment FROM numbers(100000)",
  empty: "SELECT terminal_id, amount_cents FROM transactions_final WHERE terminal_id = 'nobody'",
  unknownColumn: "SELECT nothing FROM transactions_final",
  throws: "SELECT throwIf(number = 70000, 'thrown on the way') FROM numbers(100000)",
  tooMany: "SELECT number FROM numbers(1000001)",
  hidden: "SELECT name FROM system.users",
  insert: "INSERT INTO transactions (terminal_id, uuid) VALUES ('T1', 'written')",
  create: "CREATE TABLE written (a UInt8) ENGINE = Memory",
} as const;

/** What an analyst asks with a parameter, however the client writes it: the text is one that a terminal reported. */
export const PARAMETERS = { amount: 1_051, text: 'O\'Hara \\ "x"\ttab' };

/** A value as programs print it: scalars as their text, moments and days in UTC by ISO 8601 with milliseconds. */
export type Printed = string | null | readonly Printed[] | { readonly [key: string]: Printed };

/** What each step of a program has to print. */
export type Expected = { readonly [step: string]: Printed | RegExp };

/** What the relay's own client, in JSON, reads. */
export async function expectedSteps({ url, username, password }: ClickHouseAddress): Promise<Expected> {
  const client = createClient({
    url,
    username,
    password,
    clickhouse_settings: {
      date_time_output_format: "iso",
      output_format_json_quote_64bit_integers: 1,
      output_format_json_quote_decimals: 1,
    },
  });
  const rows = async (query: string): Promise<Printed[][]> => {
    const answer: unknown = await (await client.query({ query, format: "JSONCompact" })).json();
    return listOf(member(answer, "data")).map((row) => listOf(row).map(printed));
  };
  const names = async (query: string): Promise<Printed[]> => (await rows(query)).map(([name = null]) => name);
  try {
    const transactions = await rows(STATEMENTS.transactions);
    const { amount, text } = PARAMETERS;
    return {
      types: await rows(STATEMENTS.types),
      transactions,
      empty: [],
      many: ["100000", "4999950000", "row 99999", "1970-01-01T02:46:39.900Z"],
      streamed: "100000",
      parameters: [[String(amount + 1), text]],
      version: (await rows("SELECT extract(version(), '^[0-9]+.[0-9]+')"))[0]?.[0] ?? null,
      zone: "UTC",
      schemas: await names("SHOW DATABASES"),
      tables: await names("SHOW TABLES"),
      columns: await names("DESCRIBE TABLE transactions_daily"),
      unknownColumn: /\b47\b.*nothing.*UNKNOWN_IDENTIFIER/s,
      throws: /\b395\b.*thrown on the way.*FUNCTION_THROW_IF_VALUE_IS_NON_ZERO/s,
      tooMany: /\b396\b.*TOO_MANY_ROWS_OR_BYTES/s,
      hidden: /\b497\b.*system\.users.*ACCESS_DENIED/s,
      insert: /\b497\b.*Analysts may SELECT.*ACCESS_DENIED/s,
      // Bytes of rows, which the client compresses in a way of its choice: refused for one reason or the other.
      bulkInsert: /ACCESS_DENIED|NOT_IMPLEMENTED/,
      create: /\b497\b.*Analysts may SELECT.*ACCESS_DENIED/s,
    };
  } finally {
    await client.close();
  }
}

export function printed(value: unknown): Printed {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map(printed);
  if (typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, printed(item)]));
  const text = String(value);
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${text}T00:00:00.000Z`;
  return text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)Z$/, "$1.000Z");
}
