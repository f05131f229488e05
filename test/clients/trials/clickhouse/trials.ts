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

const go = once(() => goProgram({ name: "clickhouse-go", folder: `${FOLDER}/go` }));
const python = once(() => pythonProgram({ name: "clickhouse-python", folder: `${FOLDER}/python` }));
const clientV2 = once(() => javaProgram({ name: "clickhouse-client-v2", folder: `${FOLDER}/client-v2` }));
const jdbc = {
  "0.6.5": once(() => jdbcProgram("0.6.5")),
  "0.8.6": once(() => jdbcProgram("0.8.6")),
  "0.9.0": once(() => jdbcProgram("0.9.0")),
};

const GO = versionIn("go/go.mod", /clickhouse-go\/v2 v(\S+)/);
const CONNECT = versionIn("python/requirements.txt", /^clickhouse-connect==(\S+)/m);

const V2: Expected = {
  streamed: ["100000", "100000"],
  limited: [
    ["1050", "approvato"],
    ["1051", "Zürich — 5 € 😀"],
  ],
  text: '1051,"Zürich — 5 € 😀"',
};

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
      { args: ["connect", "none"], steps: [...DAY, "streamed"] },
      { args: ["connect", "any"], steps: [...DAY, "streamed"] },
    ],
  }),
  trial({
    client: "pandas, over clickhouse-connect",
    version: versionIn("python/requirements.txt", /^pandas==(\S+)/m),
    tried: "data frames, typed, of 4 and of 100,000 rows, and of none",
    program: python,
    runs: [{ args: ["pandas"], steps: ["transactions", "many", "empty"] }],
  }),
  trial({
    client: "SQLAlchemy, over clickhouse-connect, as Superset asks",
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
    tried: `${ALL}; into structs, without compression, with LZ4 and gzip`,
    program: go,
    runs: ["none", "lz4", "gzip"].map((compression) => ({ args: ["native", compression], steps: [...DAY, "version"] })),
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
      tried: `${ALL}; limits of rows and of time, DatabaseMetaData`,
      program: jdbc[version],
      runs: [{ args: ["analyst"], steps: [...DAY, "version", "schemas", "limited"], own: { limited: "3" } }],
    }),
  ),
  trial({
    client: "HikariCP, over clickhouse-jdbc 0.9.0",
    version: versionIn("jdbc/0.9.0/pom.xml", /HikariCP<\/artifactId><version>([^<]+)/),
    tried: "a pool of four connections, eight threads",
    program: jdbc["0.9.0"],
    runs: [{ args: ["pool"], steps: ["parameters"] }],
  }),
  trial({
    client: "clickhouse-jdbc, as DBeaver asks",
    version: "0.9.0",
    tried: "connecting with a session, the tree of databases, tables and columns, a view's text, a page of 200 rows, a refused write",
    program: jdbc["0.9.0"],
    runs: [{ args: ["dbeaver"], steps: ["version", "schemas", ...NAMES, "limited", "insert"], own: { limited: "4" } }],
  }),
  trial({
    client: "clickhouse-jdbc, as Metabase asks",
    version: "0.9.0",
    tried: "connecting with its properties, reading all tables and columns, a question with a parameter, an error",
    program: jdbc["0.9.0"],
    runs: [{ args: ["metabase"], steps: ["version", "zone", ...NAMES, "limited", "unknownColumn"], own: { limited: "3" } }],
  }),
  trial({
    client: "client-v2",
    version: versionIn("client-v2/pom.xml", /client-v2<\/artifactId><version>([^<]+)/),
    tried: `${ALL}; queryAll, query, queryRecords, Native, CSV, into a class, without compression and with LZ4`,
    program: clientV2,
    runs: ["plain", "lz4"].map((compression) => ({
      args: [compression],
      steps: [...DAY, "version", "streamed", "limited", "text"],
      own: V2,
    })),
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

function jdbcProgram(version: string): Promise<Installed<Program>> {
  return javaProgram({ name: `clickhouse-jdbc-${version}`, folder: `${FOLDER}/jdbc`, libraries: `${FOLDER}/jdbc/${version}` });
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

/** The version that is installed, so that a row cannot name another one. */
function versionIn(file: string, pattern: RegExp): string {
  const version = pattern.exec(readFileSync(join(import.meta.dirname, file), "utf8"))?.[1];
  if (version === undefined) throw new Error(`${file} names no such version`);
  return version;
}
