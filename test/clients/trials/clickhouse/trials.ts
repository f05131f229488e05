import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Program } from "../../support/program.ts";
import { goProgram, type Installed, javaProgram, pythonProgram } from "../../support/toolchains.ts";
import type { ClientTrial } from "../trial.ts";
import { runNodeClient } from "./node-client.ts";
import { runAnalyst } from "./run.ts";
import type { Expected } from "./statements.ts";

const FOLDER = "trials/clickhouse";

/** What every analyst does; a program may print a step more than once, for the ways that its client has to do it. */
const VALUES = ["types", "transactions", "empty", "parameters", "many"];
const NAMES = ["tables", "columns"];
const REFUSALS = ["unknownColumn", "throws", "tooMany", "hidden", "insert", "create"];
const DAY = [...VALUES, ...NAMES, ...REFUSALS];

const go = () => goProgram({ name: "clickhouse-go", folder: `${FOLDER}/go` });
const python = () => pythonProgram({ name: "clickhouse-python", folder: `${FOLDER}/python` });
const clientV2 = () => javaProgram({ name: "clickhouse-client-v2", folder: `${FOLDER}/client-v2` });
const jdbc = (version: string) => () =>
  javaProgram({ name: `clickhouse-jdbc-${version}`, folder: `${FOLDER}/jdbc`, libraries: `${FOLDER}/jdbc/${version}` });

const GO = versionIn("go/go.mod", /clickhouse-go\/v2 v(\S+)/);
const CONNECT = versionIn("python/requirements.txt", /^clickhouse-connect==(\S+)/m);

/** All in one run: most of its time goes to the start of Java. */
const V2_COMPRESSIONS = ["plain", "lz4", "http"];

const V2: Expected = {
  compressions: V2_COMPRESSIONS,
  streamed: ["100000", "100000"],
  limited: [
    ["1050", "approvato"],
    ["1051", "Zürich — 5 € 😀"],
  ],
  text: '1051,"Zürich — 5 € 😀"',
  unescaped: /\b457\b.*BAD_QUERY_PARAMETER/s,
};

const V2_DAY = [...DAY, "compressions", "version", "streamed", "limited", "text", "unescaped"];

/** Rows of the engine's block, of a hundred thousand. */
const BLOCK_ROWS = "65409";

const ALL = "every type of column, parameters, 100,000 rows, tables and columns, errors, refused writes";

export const CLICKHOUSE_TRIALS: readonly ClientTrial[] = [
  {
    group: "ClickHouse",
    client: "@clickhouse/client",
    version: versionIn("../../../../package.json", /"@clickhouse\/client": "([^"]+)"/),
    tried: `${ALL}; JSON and CSV, streamed, gzip`,
    result: "works",
    quick: true,
    prepare: () => Promise.resolve(null),
    run: runNodeClient,
  },
  trial({
    client: "clickhouse-connect",
    version: CONNECT,
    tried: `${ALL}; streamed, with a limit of its own, without compression and with what it prefers`,
    program: python,
    runs: [
      { args: ["connect", "none"], steps: [...DAY, "streamed", "bulkInsert"] },
      { args: ["connect", "any"], steps: [...DAY, "streamed", "bulkInsert"] },
    ],
  }),
  trial({
    client: "pandas over clickhouse-connect",
    version: versionIn("python/requirements.txt", /^pandas==(\S+)/m),
    tried: "data frames, typed, of 4 and of 100,000 rows, and of none",
    program: python,
    runs: [{ args: ["pandas"], steps: ["transactions", "many", "empty"] }],
  }),
  trial({
    client: "SQLAlchemy over clickhouse-connect, as Superset asks",
    version: versionIn("python/requirements.txt", /^SQLAlchemy==(\S+)/m),
    tried: "every type of column, parameters, schemas, tables and columns by its inspector, a reflected table, errors, refused writes",
    program: python,
    runs: [
      {
        args: ["sqlalchemy"],
        steps: ["types", "parameters", "schemas", ...NAMES, "limited", "unknownColumn", "tooMany", "hidden", "insert", "create"],
        own: { limited: [["1050"], ["1051"]] },
      },
    ],
  }),
  trial({
    client: "clickhouse-driver",
    version: versionIn("python/requirements.txt", /^clickhouse-driver==(\S+)/m),
    tried: "connecting",
    result: 'no: it knows only the native TCP protocol; it says "Unexpected packet from server"',
    program: python,
    runs: [{ args: ["driver"], steps: ["transactions"], own: { transactions: /Unexpected packet from server/ } }],
  }),
  trial({
    client: "clickhouse-go, its own interface",
    version: GO,
    tried: `${ALL}; into structs, without compression, with LZ4, gzip and ZSTD`,
    result: "works; ZSTD is refused by name: choose LZ4, gzip or none",
    program: go,
    runs: [
      ...["none", "lz4", "gzip"].map((compression) => ({ args: ["native", compression], steps: [...DAY, "version"] })),
      {
        args: ["unsupported", "zstd"],
        steps: ["unsupported"],
        own: { unsupported: /\b48\b.*network_compression_method.*NOT_IMPLEMENTED/ },
      },
    ],
  }),
  trial({
    client: "clickhouse-go, database/sql",
    version: GO,
    tried: `${ALL}; without compression, with LZ4 and gzip`,
    program: go,
    runs: ["none", "lz4", "gzip"].map((compression) => ({ args: ["std", compression], steps: DAY })),
  }),
  trial({
    client: "clickhouse-go, as Grafana asks",
    version: GO,
    tried: "the data source's defaults (gzip, a minute for a query): saving it, its query builder, a panel over time, an error",
    program: go,
    runs: [
      {
        args: ["grafana", "gzip"],
        steps: ["version", "schemas", ...NAMES, "panel", "unknownColumn"],
        own: { panel: String(1_051 + 1_052 + 1_053) },
      },
    ],
  }),
  ...(["0.6.5", "0.8.6", "0.9.0"] as const).map((version) =>
    trial({
      client: "clickhouse-jdbc",
      version,
      tried: `${ALL}; limits of rows and of time, DatabaseMetaData, without compression and with LZ4`,
      ...(version === "0.6.5"
        ? {}
        : { result: "works; as with any ClickHouse, `setMaxRows` ends with the block of rows that has the last one" }),
      program: jdbc(version),
      runs: ["false", "true"].map((compress) => ({
        args: ["analyst", `compress=${compress}`],
        steps: [...DAY, "version", "schemas", "limited"],
        own: { limited: version === "0.6.5" ? "3" : BLOCK_ROWS },
      })),
    }),
  ),
  trial({
    client: "HikariCP over clickhouse-jdbc 0.9.0",
    version: versionIn("jdbc/0.9.0/pom.xml", /HikariCP<\/artifactId><version>([^<]+)/),
    tried: "a pool of four connections, eight threads",
    program: jdbc("0.9.0"),
    runs: [{ args: ["pool"], steps: ["parameters"] }],
  }),
  trial({
    client: "clickhouse-jdbc, as DBeaver asks",
    version: "0.8.6",
    tried: "connecting with a session, the tree of databases, tables and columns, a view's text, a page of 200 rows, a refused write",
    program: jdbc("0.8.6"),
    runs: [{ args: ["dbeaver"], steps: ["version", "schemas", ...NAMES, "limited", "insert"], own: { limited: "4" } }],
  }),
  trial({
    client: "clickhouse-jdbc, as Metabase asks",
    version: "0.9.0",
    tried: "connecting with its properties, reading all tables and columns, a question with a parameter, an error",
    program: jdbc("0.9.0"),
    runs: [{ args: ["metabase"], steps: ["version", "zone", ...NAMES, "limited", "unknownColumn"], own: { limited: "3" } }],
  }),
  trial({
    client: "client-v2",
    version: versionIn("client-v2/pom.xml", /client-v2<\/artifactId><version>([^<]+)/),
    tried: `${ALL}; queryAll, query, queryRecords, Native, CSV, into a class, without compression, with LZ4 and over HTTP's`,
    result: "works; a tab, a line's end or a backslash in a parameter is for the caller to escape, else it is refused",
    program: clientV2,
    runs: [{ args: V2_COMPRESSIONS, steps: V2_DAY, own: V2 }],
  }),
];

interface TrialOptions {
  client: string;
  version: string;
  tried: string;
  result?: string;
  program: () => Promise<Installed<Program>>;
  runs: readonly { args: readonly string[]; steps: readonly string[]; own?: Expected }[];
}

function trial({ client, version, tried, result = "works", program, runs }: TrialOptions): ClientTrial {
  return {
    group: "ClickHouse",
    client,
    version,
    tried,
    result,
    prepare: async () => {
      const installed = await program();
      return installed.type === "missing" ? installed.reason : null;
    },
    run: async () => {
      const installed = await program();
      if (installed.type === "missing") throw new Error(installed.reason);
      for (const { args, steps, own } of runs) await runAnalyst(installed.value, args, steps, own);
    },
  };
}

/** The version that is installed, so that a row cannot name another one. */
function versionIn(file: string, pattern: RegExp): string {
  const version = pattern.exec(readFileSync(join(import.meta.dirname, file), "utf8"))?.[1];
  if (version === undefined) throw new Error(`${file} names no such version`);
  return version;
}
