import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { PORTAL_WORKLOAD, REPORTS_WORKLOAD } from "../workloads.ts";
import { CLICKHOUSE_CODE, ClickHouseError } from "./clickhouse-error.ts";
import type { Engine, InsertFormat, InsertRequest, QueryAnswer, QueryRequest, ReaderQueryRequest } from "./engine.ts";
import { watchGrowth } from "./memory-growth.ts";
import {
  READER_BODY_BYTES_MAX,
  READER_GIVE_UP_AFTER_MS,
  READER_KILL_AFTER_MS,
  READER_WAIT_MS_MAX,
  READER_WAITING_MAX,
} from "./reader-limits.ts";
import { authenticate, bodyOf, type Credentials, compressionOfError, optionsOf, type Role, textOf } from "./request.ts";
import { sendAnswer, sendError, sendText, setQueryHeaders } from "./response.ts";
import { Semaphore, type SemaphoreRefusal } from "./semaphore.ts";

/** A batch of the feed: ten thousand rows of a few kilobytes. */
const ADMIN_BODY_BYTES_MAX = 64 * 1_048_576;

/** Maximum number of the relay's own queries at once (the engine runs on a few threads) and waiting, and how long they wait. */
const ADMIN_RUNNING = 4;
const ADMIN_WAITING_MAX = 256;
const ADMIN_WAIT_MS_MAX = 30_000;

/**
 * The same of queries for merchants' pages, which have turns of their own: whatever merchants ask for never stands before an insert of the feed or a terminal's list. The
 * relay asks for four at once (storage/transactions/merchant-turns.ts), each on one thread and for three seconds at most, a batch of a file for ten.
 */
const PORTAL_RUNNING = 2;
const PORTAL_WAITING_MAX = 64;
const PORTAL_WAIT_MS_MAX = 10_000;

/** The same of merchants' reports, apart from their lists, which never wait for one. The relay asks for as many (storage/reports/merchant-reports.ts). */
const REPORTS_RUNNING = 2;

/** Who asks for work that can wait does one thing after the other; two nodes of a test may do so at once. */
const BACKGROUND_WAITING_MAX = 4;

/** Parameters of a query are part of the address. ClickHouse's own limit is 1 MiB. */
const HEADER_BYTES_MAX = 262_144;

const CONNECTIONS_MAX = 256;

export interface InterfaceOptions {
  engine: Engine;
  credentials: Credentials;
  /** Called when a query holds the engine and cannot be ended. */
  onStuck(): void;
}

/** The parts of ClickHouse's HTTP interface that its clients use, over the embedded engine; not listening yet. */
export function httpInterface({ engine, credentials, onStuck }: InterfaceOptions): Server {
  const admins = new Semaphore({ running: ADMIN_RUNNING, waiting: ADMIN_WAITING_MAX, waitMs: ADMIN_WAIT_MS_MAX });
  // The relay's queries have priority: no analyst's query starts while one waits.
  const readers = new Semaphore({
    running: 1,
    waiting: READER_WAITING_MAX,
    waitMs: READER_WAIT_MS_MAX,
    yields: () => admins.waiting > 0,
  });
  const portals = new Semaphore({
    running: PORTAL_RUNNING,
    waiting: PORTAL_WAITING_MAX,
    waitMs: PORTAL_WAIT_MS_MAX,
    yields: () => admins.waiting > 0,
  });
  const reports = new Semaphore({
    running: REPORTS_RUNNING,
    waiting: PORTAL_WAITING_MAX,
    waitMs: PORTAL_WAIT_MS_MAX,
    yields: () => admins.waiting > 0,
  });
  const merchants = [portals, reports];
  // What can wait for all of the relay's others: none starts beside one of them.
  const background = new Semaphore({
    running: 1,
    waiting: BACKGROUND_WAITING_MAX,
    waitMs: ADMIN_WAIT_MS_MAX,
    yields: () => [admins, ...merchants].some(({ running, waiting }) => running > 0 || waiting > 0),
  });
  let tags = 0;

  async function runAdmin(work: () => Promise<QueryAnswer>): Promise<QueryAnswer> {
    const outcome = await admins.run(work).finally(() => {
      for (const own of merchants) own.wake();
      readers.wake();
      background.wake();
    });
    return outcome.type === "done" ? outcome.value : refuseQuery(outcome.type);
  }

  async function runBackground(work: () => Promise<QueryAnswer>): Promise<QueryAnswer> {
    const outcome = await background.run(work);
    return outcome.type === "done" ? outcome.value : refuseQuery(outcome.type);
  }

  /** Reads, and ends when its reader has gone. */
  async function runPortal(turns: Semaphore, request: QueryRequest, response: ServerResponse): Promise<QueryAnswer> {
    const work = async () => {
      if (response.destroyed) throw new ClickHouseError(CLICKHOUSE_CODE.aborted, "ABORTED", "The client disconnected.", 500);
      const kill = (): void => void engine.kill(request.tag).catch(() => undefined);
      response.once("close", kill);
      try {
        return await engine.query(request, "read");
      } finally {
        response.off("close", kill);
      }
    };
    const outcome = await turns.run(work).finally(() => background.wake());
    return outcome.type === "done" ? outcome.value : refuseQuery(outcome.type);
  }

  async function runReader(request: ReaderQueryRequest, response: ServerResponse): Promise<QueryAnswer> {
    const outcome = await readers.run(async () => {
      if (response.destroyed) throw new ClickHouseError(CLICKHOUSE_CODE.aborted, "ABORTED", "The client disconnected.", 500);
      const kill = (): void => void engine.kill(request.tag).catch(() => undefined);
      const late = setTimeout(kill, READER_KILL_AFTER_MS);
      const stuck = setTimeout(onStuck, READER_GIVE_UP_AFTER_MS);
      response.once("close", kill);
      const growth = watchGrowth({ onTooLarge: kill, onGivenUp: onStuck });
      try {
        return await engine.readerQuery(request);
      } catch (error) {
        throw growth.tooLarge() ? TOO_LARGE : error;
      } finally {
        growth.stop();
        response.off("close", kill);
        clearTimeout(late);
        clearTimeout(stuck);
      }
    });
    return outcome.type === "done" ? outcome.value : refuseQuery(outcome.type);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://clickhouse");
    if (url.pathname === "/ping" || url.pathname === "/replicas_status") return sendText(response, 200, "Ok.\n");
    if (url.pathname !== "/") throw new ClickHouseError(CLICKHOUSE_CODE.badArguments, "BAD_ARGUMENTS", "There is /, and /ping.", 404);
    const method = request.method ?? "GET";
    if (method !== "GET" && method !== "POST") {
      throw new ClickHouseError(CLICKHOUSE_CODE.badArguments, "BAD_ARGUMENTS", "Only GET and POST are supported.", 405);
    }
    if (method === "GET" && url.search === "" && request.headers.authorization === undefined) return sendText(response, 200, "Ok.\n");
    setQueryHeaders(response, url.searchParams.get("query_id") || randomUUID());
    const role: Role = authenticate(request, url, credentials);
    const options = optionsOf(request, url);
    const body = await bodyOf(request, role === "admin" ? ADMIN_BODY_BYTES_MAX : READER_BODY_BYTES_MAX);
    tags += 1;
    const { settings, parameters } = options;
    const shared = { settings, parameters, tag: `http-${tags}` };
    const insert = role === "admin" && method === "POST" ? insertOf(options.query) : null;
    if (insert !== null && body.length > 0) {
      const answer = await runAdmin(() => engine.insert({ ...shared, ...insert, rows: body }));
      return sendAnswer(response, answer, { ...options, encoding: null, blocks: null });
    }
    const bodyText = textOf(body);
    const queryText = options.query !== "" && bodyText !== "" ? `${options.query}\n${bodyText}` : options.query + bodyText;
    if (queryText.trim() === "") throw new ClickHouseError(CLICKHOUSE_CODE.syntaxError, "SYNTAX_ERROR", "Empty query", 400);
    const query: QueryRequest = { ...shared, text: queryText, format: options.format, protocolVersion: options.protocolVersion };
    const access = method === "GET" ? "read" : "write";
    const run = () => {
      if (role === "reader") return runReader({ ...query, user: credentials.reader.username }, response);
      if (settings.get("workload") === PORTAL_WORKLOAD) return runPortal(portals, query, response);
      if (settings.get("workload") === REPORTS_WORKLOAD) return runPortal(reports, query, response);
      const work = () => engine.query(query, access);
      return isBackground(settings) ? runBackground(work) : runAdmin(work);
    };
    const answer = await run();
    await sendAnswer(response, answer, options);
  }

  const server = createServer({ maxHeaderSize: HEADER_BYTES_MAX, requestTimeout: 60_000 }, (request, response) => {
    serve(request, response)
      .catch((error: unknown) => sendError(response, error, compressionOfError(request)))
      // The client left in the middle.
      .catch(() => response.destroy());
  });
  server.maxConnections = CONNECTIONS_MAX;
  // Longer than clients keep idle connections, so that no client writes to a connection that this side is closing.
  server.keepAliveTimeout = 30_000;
  return server;
}

const TOO_LARGE = new ClickHouseError(
  CLICKHOUSE_CODE.memoryLimitExceeded,
  "MEMORY_LIMIT_EXCEEDED",
  "The query, or the text of its result, takes too much memory.",
  500,
);

/** ClickHouse's own setting: a number above 1 means that queries with a lower one go before it. */
function isBackground(settings: ReadonlyMap<string, string>): boolean {
  return Number(settings.get("priority") ?? 0) > 1;
}

/** The simple form of an insert with its rows in the body; any other form is executed as text. */
function insertOf(query: string): Pick<InsertRequest, "table" | "columns" | "format"> | null {
  const [, table, columns, format] =
    /^\s*INSERT\s+INTO\s+(?:TABLE\s+)?([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)\s*(?:\(([\w\s,]*)\)\s*|\s)FORMAT\s+(\w+)\s*;?\s*$/i.exec(query) ??
    [];
  const known = INSERT_FORMATS.find((name) => name === format);
  if (table === undefined || known === undefined) return null;
  return { table, format: known, columns: columns === undefined ? null : columns.split(",").map((name) => name.trim()) };
}

const INSERT_FORMATS: readonly InsertFormat[] = ["JSONEachRow", "JSONCompactEachRow", "TabSeparated", "RowBinary"];

function refuseQuery(refusal: SemaphoreRefusal): never {
  throw refusal === "full"
    ? new ClickHouseError(CLICKHOUSE_CODE.tooManyQueries, "TOO_MANY_SIMULTANEOUS_QUERIES", "Too many queries wait; try again later.", 429)
    : new ClickHouseError(CLICKHOUSE_CODE.tooSlow, "TOO_SLOW", "Other queries took too long; try again later.", 503);
}
