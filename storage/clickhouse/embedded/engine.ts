import { open, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Session } from "chdb";
import { ANALYST_ROLE, OWNER_ROLE, prepareDirectory } from "./access.ts";
import { CLICKHOUSE_CODE, ClickHouseError, engineError } from "./clickhouse-error.ts";
import { nativeOfRevision } from "./native-format.ts";
import { DENIED_FUNCTIONS_QUERY, type DeniedNames, deniedNames, refuseUnsafe } from "./reader-guard.ts";
import { READER_RESULT_BYTES_MAX, READER_SETTINGS } from "./reader-limits.ts";
import { rewriteForReader } from "./reader-rewrite.ts";
import { filterSetting, filtersOf, isSameValue, type ReaderSettings, readerSettings, typeSettings } from "./reader-settings.ts";
import { literal } from "./sql-literal.ts";

export interface QueryRequest {
  /** The statement, followed by the data for an insert. */
  text: string;
  /** Format of the response if the statement names none. */
  format: string;
  settings: ReadonlyMap<string, string>;
  parameters: ReadonlyMap<string, string>;
  /** The revision of ClickHouse's protocol that the Native format is for; 0: none. */
  protocolVersion: number;
  /** A name for `kill`, unique among running queries. */
  tag: string;
}

export interface ReaderQueryRequest extends QueryRequest {
  /** The name that the analyst signed in with. */
  user: string;
}

export interface InsertRequest extends Omit<QueryRequest, "text" | "protocolVersion"> {
  table: string;
  /** null: all of the table, in its order. */
  columns: string[] | null;
  format: InsertFormat;
  rows: Buffer;
}

/** Formats for which an insert's data is accepted as bytes. */
export type InsertFormat = "JSONEachRow" | "JSONCompactEachRow" | "TabSeparated" | "RowBinary";

export interface QueryAnswer {
  bytes: Uint8Array;
  /** The statement's own, or else the request's. */
  format: string;
  resultRows: number;
  resultBytes: number;
  /** Known for an insert of rows as bytes of text. */
  writtenRows: number;
  writtenBytes: number;
  elapsedSeconds: number;
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/**
 * The embedded ClickHouse. Every query has a connection of its own (about a millisecond), so that settings, parameters and roles
 * never reach the next one; the package's own parameter binding is not used, because it is not safe with several at once.
 */
export class Engine {
  readonly #open: () => Session;
  readonly #hidden: string;
  readonly #denied: DeniedNames;
  /** Keeps the data directory open while connections are opened and closed. */
  readonly #anchor: Session;

  private constructor(open: () => Session, anchor: Session, hidden: string, denied: DeniedNames) {
    this.#open = open;
    this.#anchor = anchor;
    this.#hidden = hidden;
    this.#denied = denied;
  }

  /**
   * Opens the directory, which is created if it does not exist. Throws if the engine does not run on this platform or the directory is in
   * use.
   */
  static async open(directory: string): Promise<Engine> {
    const { Session } = await import("chdb");
    const { dataPath, configPath } = prepareDirectory(directory);
    const anchor = new Session(dataPath, { connectionArgs: [`--config-file=${configPath}`] });
    await anchor.queryAsync("CREATE DATABASE IF NOT EXISTS relay");
    const functions = await anchor.queryAsync(DENIED_FUNCTIONS_QUERY, { format: "JSONEachRow" });
    return new Engine(() => new Session(dataPath), anchor, directory, deniedNames(functions.text()));
  }

  /** Runs a query of the relay. Throws ClickHouseError. */
  async query(request: QueryRequest, access: "write" | "read"): Promise<QueryAnswer> {
    return this.#connected(async (session) => {
      const settings = [...request.settings];
      if (access === "read") settings.push(["readonly", "1"]);
      await this.#prepare(session, request, OWNER_ROLE, settings);
      return forProtocol(await answer(session, request.text, request), request, async () => []);
    });
  }

  /** Inserts rows of the relay. The bytes are not copied into a string, which would take longer than the insert. Throws ClickHouseError. */
  async insert(request: InsertRequest): Promise<QueryAnswer> {
    return this.#connected(async (session) => {
      await this.#prepare(session, request, OWNER_ROLE, [...request.settings]);
      const { table, columns, format, rows } = request;
      if (format === "RowBinary") return insertFromFile(session, request, this.#hidden);
      const shape = columns === null ? { table, format } : { table, columns, format };
      const { rowsWritten, bytesWritten, elapsed } = await session.insert({ ...shape, values: rows });
      return {
        bytes: new Uint8Array(0),
        format,
        resultRows: rowsWritten,
        resultBytes: bytesWritten,
        writtenRows: rowsWritten,
        writtenBytes: bytesWritten,
        elapsedSeconds: elapsed,
      };
    });
  }

  /** Runs an analyst's query: read-only, within limits, after a check of what it does. Throws ClickHouseError. */
  async readerQuery(request: ReaderQueryRequest): Promise<QueryAnswer> {
    const { set: asked, fixed, filters } = readerSettings(request.settings);
    const { statement, set } = await this.#connected(async (session) => {
      const checked = await this.#checkedStatement(session, request, fixed);
      if (filters === "") return { statement: checked, set: asked };
      return { statement: checked, set: [filterSetting(await this.#checkedFilters(session, request.user, filters)), ...asked] };
    });
    const found = await this.#connected(async (session) => {
      await this.#prepare(session, request, ANALYST_ROLE, set);
      return answer(session, statement, request);
    });
    // max_result_bytes counts a constant column once, however often it is printed; the memory limit applies up to here.
    if (found.bytes.length > READER_RESULT_BYTES_MAX) {
      throw new ClickHouseError(396, "TOO_MANY_ROWS_OR_BYTES", `Limit for result exceeded, max bytes: ${READER_RESULT_BYTES_MAX}.`, 500);
    }
    return forProtocol(found, request, () => this.#connected((session) => this.#columnTypes(session, request, statement, set)));
  }

  /** The types of what a checked statement answers; none for a statement that is no query. */
  async #columnTypes(session: Session, request: QueryRequest, statement: string, set: ReaderSettings["set"]): Promise<string[]> {
    if (!/^\W*(SELECT|WITH)\b/.test(statement)) return [];
    await this.#prepare(session, request, ANALYST_ROLE, typeSettings(set));
    const query = statement.replace(/ FORMAT \w+$/, "");
    const described = await session.queryAsync(`DESCRIBE TABLE (${query})`, { format: "JSONCompactEachRow" });
    return lines(described.text()).map((line): string => JSON.parse(line)[1]);
  }

  /**
   * The engine's canonical text of an analyst's statement, one statement, without comments and without ambiguity, when it has been checked. The connection has none of
   * the client's settings: some would cut or repeat what the engine says of the statement.
   */
  async #checkedStatement(session: Session, request: ReaderQueryRequest, fixed: ReadonlyMap<string, string>): Promise<string> {
    await this.#prepare(session, request, ANALYST_ROLE, READER_SETTINGS);
    if (fixed.size > 0) await refuseChanges(session, fixed);
    return this.#checkedText(session, request.text, request.user);
  }

  /**
   * What filters tables, in the engine's canonical text and checked like a statement. Only the relay's own tables have filters: one on a system table would see
   * what its replacement hides.
   */
  async #checkedFilters(session: Session, user: string, text: string): Promise<[table: string, expression: string][]> {
    const filters: [string, string][] = [];
    for (const [table, expression] of filtersOf(text)) {
      const statement = await this.#checkedText(session, `SELECT 1 WHERE (${expression}\n)`, user);
      // The engine takes one expression alone, so that whatever else is in the text is an error of its syntax.
      filters.push([table, statement.slice("SELECT 1 WHERE ".length)]);
    }
    return filters;
  }

  async #checkedText(session: Session, text: string, user: string): Promise<string> {
    const canonical = await canonicalText(session, text);
    const { statement: rewritten, tables } = rewriteForReader(canonical, user);
    // Once more, so that what is checked is one statement whatever was put into it.
    const statement = rewritten === canonical ? canonical : await canonicalText(session, rewritten);
    // EXPLAIN AST of a statement with INTO OUTFILE could write the file.
    if (/\b(?:outfile|infile)\b/i.test(statement)) {
      throw new ClickHouseError(CLICKHOUSE_CODE.accessDenied, "ACCESS_DENIED", "The files of the server are not accessible.", 403);
    }
    const tree = await session.queryAsync(`EXPLAIN AST ${statement}`, { format: "TSVRaw" });
    refuseUnsafe({ statement, tree: tree.text(), replaced: tables }, this.#denied);
    return statement;
  }

  /** Makes the engine end the query with this tag at its next check. */
  async kill(tag: string): Promise<void> {
    await this.#connected(async (session) => {
      await session.queryAsync(`KILL QUERY WHERE Settings['log_comment'] = ${literal(tag)} ASYNC`);
    });
  }

  close(): void {
    this.#anchor.close();
  }

  async #connected<T>(work: (session: Session) => Promise<T>): Promise<T> {
    try {
      const session = this.#open();
      try {
        return await work(session);
      } finally {
        session.close();
      }
    } catch (error) {
      throw error instanceof ClickHouseError ? error : engineError(error, this.#hidden);
    }
  }

  async #prepare(
    session: Session,
    request: Omit<QueryRequest, "text" | "protocolVersion">,
    role: string,
    settings: readonly (readonly [string, string])[],
  ): Promise<void> {
    const statements = [`SET log_comment = ${literal(request.tag)}`, `SET ROLE ${role}`, "USE relay"];
    for (const [name, value] of request.parameters) statements.push(`SET param_${checked(name)} = ${literal(value)}`);
    for (const [name, value] of settings) statements.push(`SET ${checked(name)} = ${literal(value)}`);
    await session.queryAsync(statements.join("; "));
  }
}

async function answer(session: Session, text: string, request: Pick<QueryRequest, "format">): Promise<QueryAnswer> {
  const result = await session.queryAsync(text, { format: request.format });
  const format = formatOf(text, request.format);
  // What the package calls read is what the query returned.
  const { rowsRead, bytesRead, elapsed } = result;
  return {
    bytes: result.bytes(),
    format,
    resultRows: rowsRead,
    resultBytes: bytesRead,
    writtenRows: 0,
    writtenBytes: 0,
    elapsedSeconds: elapsed,
  };
}

/**
 * The engine ends rows behind a statement at the first empty line, which bytes may well contain, so it reads these from a file. The file has no name any more: it
 * ends with its handle, also when this process is killed, and characters of its path mean nothing to the engine. It is not synced.
 */
async function insertFromFile(session: Session, request: InsertRequest, directory: string): Promise<QueryAnswer> {
  const { table, columns, format, rows, tag } = request;
  const path = join(directory, `insert-${tag}`);
  const file = await open(path, "w+", 0o600);
  try {
    await unlink(path);
    for (let written = 0; written < rows.length; ) {
      // At a position: where opening the handle's path shares its offset, that stays at the start.
      written += (await file.write(rows, written, rows.length - written, written)).bytesWritten;
    }
    const names = columns === null ? "" : ` (${columns.map(checked).join(", ")})`;
    const statement = `INSERT INTO ${table}${names} FROM INFILE '/dev/fd/${file.fd}' FORMAT ${format}`;
    return await answer(session, statement, request);
  } finally {
    await file.close();
  }
}

/** Throws where the text is not one statement. */
async function canonicalText(session: Session, text: string): Promise<string> {
  const formatted = await session.queryAsync(`SELECT formatQuerySingleLine(${literal(text)})`, { format: "TSVRaw" });
  return formatted.text().replace(/\n$/, "");
}

async function forProtocol(found: QueryAnswer, request: QueryRequest, types: () => Promise<readonly string[]>): Promise<QueryAnswer> {
  if (found.format.toLowerCase() !== "native") return found;
  return { ...found, bytes: await nativeOfRevision(found.bytes, request.protocolVersion, types) };
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** The format of the response: the statement's, or else the request's. */
function formatOf(statement: string, requested: string): string {
  return /\bFORMAT\s+([A-Za-z]+)\s*(?:SETTINGS\b[^()]*)?;?\s*$/i.exec(statement.slice(-2_000))?.[1] ?? requested;
}

/** Throws ClickHouseError where a setting that is fixed for analysts has another value than its client asks for. */
async function refuseChanges(session: Session, fixed: ReadonlyMap<string, string>): Promise<void> {
  const names = [...fixed.keys()].map((name) => literal(checked(name))).join(", ");
  const found = await session.queryAsync(`SELECT name, value FROM system.settings WHERE name IN (${names})`, { format: "JSONEachRow" });
  const current = new Map<string, string>();
  for (const line of lines(found.text())) {
    const { name, value }: { name: string; value: string } = JSON.parse(line);
    current.set(name, value);
  }
  for (const [name, asked] of fixed) {
    const value = current.get(name);
    if (value === undefined)
      throw new ClickHouseError(CLICKHOUSE_CODE.unknownSetting, "UNKNOWN_SETTING", `Unknown setting '${name}'.`, 400);
    if (isSameValue(value, asked)) continue;
    throw new ClickHouseError(CLICKHOUSE_CODE.readonly, "READONLY", `Cannot modify '${name}' setting in readonly mode.`, 403);
  }
}

function checked(name: string): string {
  if (IDENTIFIER.test(name)) return name;
  throw new ClickHouseError(CLICKHOUSE_CODE.badArguments, "BAD_ARGUMENTS", "The name of a setting or parameter is not valid.", 400);
}
