/** `npm run sql -- "select ..."`: queries the ClickHouse of the running relay as its analyst. */
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { ANALYST_USERNAME, readAnalystAccess } from "../../storage/clickhouse/analyst-access.ts";
import type { ClickHouseAddress } from "../../storage/clickhouse/client.ts";
import { commandLine } from "../command-line.ts";

const TIMEOUT_MS = 60_000;

interface Options {
  format: string;
  param: Record<string, string>;
  url?: string;
}

/** An error message for the user of the command, without a stack. */
class UsageError extends Error {}

/** The given address, else RELAY_CLICKHOUSE_URL, else the one in the relay's data directory. */
async function addressOf(url: string | undefined): Promise<ClickHouseAddress> {
  const given = url ?? process.env["RELAY_CLICKHOUSE_URL"];
  if (given !== undefined && given !== "") {
    if (!URL.canParse(given)) throw new UsageError("the address is not valid; use the form http://user:password@host:port");
    const parsed = new URL(given);
    const username = decodeURIComponent(parsed.username) || ANALYST_USERNAME;
    return { url: parsed.origin + parsed.pathname, username, password: decodeURIComponent(parsed.password) };
  }
  const directory = process.env["RELAY_DATA_DIR"] || "./data";
  const access = await readAnalystAccess(directory);
  if (access !== null) return access;
  throw new UsageError(
    `no relay has run with the data directory ${directory}. Start one with "npm start", or name its data directory in RELAY_DATA_DIR, ` +
      "or a ClickHouse in RELAY_CLICKHOUSE_URL (http://user:password@host:port).",
  );
}

async function run(words: string[], { format, param, url }: Options): Promise<void> {
  const query = words.length > 0 ? words.join(" ") : await fromStandardInput();
  const address = await addressOf(url);
  const target = new URL(address.url);
  target.searchParams.set("default_format", format);
  target.searchParams.set("database", "relay");
  if (format.startsWith("Pretty")) target.searchParams.set("output_format_pretty_color", process.stdout.isTTY ? "1" : "0");
  for (const [name, value] of Object.entries(param)) target.searchParams.set(`param_${name}`, value);
  const headers = { "X-ClickHouse-User": address.username, "X-ClickHouse-Key": address.password };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(target, { method: "POST", headers, body: query, signal }).catch((error: unknown) => {
    throw new UsageError(`no ClickHouse responds at ${target.origin}; is the relay running? (${causeOf(error)})`);
  });
  if (!response.ok) throw new UsageError((await response.text()).trim());
  if (response.body !== null) await pipeline(Readable.fromWeb(response.body), process.stdout, { end: false });
}

async function fromStandardInput(): Promise<string> {
  if (process.stdin.isTTY) throw new UsageError('give a query, for example: npm run sql -- "select count() from transactions_final"');
  return text(process.stdin);
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string") return cause.code;
  return cause instanceof Error ? cause.message : String(cause);
}

function collectParameter(text: string, known: Record<string, string>): Record<string, string> {
  const equals = text.indexOf("=");
  if (equals < 1) throw new UsageError(`a parameter must be name=value: ${text}`);
  return { ...known, [text.slice(0, equals)]: text.slice(equals + 1) };
}

/** The reader of the output may stop (`| head`). */
function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EPIPE" || error.code === "ERR_STREAM_PREMATURE_CLOSE");
}

const command = commandLine("sql")
  .description("Queries the ClickHouse of the running relay, read-only. Tables and views: infra/docs/analytics.md")
  .argument("[query...]", "SQL; read from standard input if absent")
  .option("-f, --format <name>", "ClickHouse output format: CSVWithNames, JSONEachRow, Vertical, ...", "PrettyCompact")
  .option("-p, --param <name=value>", "value of a {name:Type} in the query; may be repeated", collectParameter, {})
  .option("-u, --url <url>", "use another ClickHouse (http://user:password@host:port)")
  .action(run);

try {
  await command.parseAsync();
} catch (error) {
  if (!isBrokenPipe(error)) {
    console.error(error instanceof UsageError ? error.message : error);
    process.exitCode = 1;
  }
}
