import { CLICKHOUSE_CODE, ClickHouseError } from "./clickhouse-error.ts";
import { REPLACED_TABLES } from "./reader-rewrite.ts";

/**
 * Refuses what `readonly` and the analysts' role still allow in an embedded engine, which trusts its host: functions that read the host's
 * files or its properties, internal tables of the engine, statements that change a connection. The checks use the engine's own parse tree
 * of the statement (EXPLAIN AST of its canonical text).
 */

/** Functions that access more than the data, by the engine's own categories and by name. */
const DENIED_CATEGORIES = ["AI", "Introspection", "Dictionary", "Embedded Dictionary", "Machine Learning"];
const DENIED_FUNCTIONS = [
  ...["file", "catboostevaluate", "filesystemavailable", "filesystemcapacity", "filesystemunreserved", "showcertificate"],
  ...["hostname", "fqdn", "fullhostname", "getoskernelversion", "getserverport", "tcpport", "getserversetting"],
  ...["getmacro", "serveruuid"],
  ...["buildid", "getclienthttpheader", "generateserialid", "zookeepersessionuptime", "logtrace", "sleep", "sleepeachrow"],
  ...["joinget", "joingetornull", "currentprofiles", "globalvariable", "hasthreadfuzzer", "transactionid"],
];

/** Table functions that generate their rows; all others access files, networks or internal parts of tables. */
const OPEN_TABLE_FUNCTIONS = new Set([
  ...["numbers", "numbers_mt", "zeros", "zeros_mt", "primes", "generateseries", "generate_series", "values", "null", "format", "view"],
]);

/** System tables that describe the language and the schema. */
const OPEN_SYSTEM_TABLES = new Set([
  ...["one", "numbers", "numbers_mt", "zeros", "zeros_mt", "tables", "columns", "databases", "functions", "formats", "keywords"],
  ...["data_type_families", "table_functions", "table_engines", "aggregate_function_combinators", "collations", "time_zones", "settings"],
  ...["completions", "contributors", "licenses", "documentation"],
]);

const QUERY_ROOTS = new Set(["SelectWithUnionQuery", "SelectIntersectExceptQuery"]);
const OTHER_ROOTS = new Set(["DescribeQuery", "ExistsTableQuery", "ExistsViewQuery", "ExistsDatabaseQuery"]);
const SHOW_ROOTS = new Set([
  ...["ShowTables", "ShowColumns", "ShowFunctions", "ShowIndexes", "ShowEngine", "ShowSetting"],
  ...["ShowCreateTableQuery", "ShowCreateViewQuery", "ShowCreateDatabaseQuery"],
]);

export interface DeniedNames {
  /** Lower-case; refused if they are called or only named, since a name can be passed as a function. */
  functions: ReadonlySet<string>;
  /** Lower-case; refused if they are called. */
  tableFunctions: ReadonlySet<string>;
}

/** Lists the functions of this version of the engine, so that new aliases and table functions are not allowed by accident. */
export const DENIED_FUNCTIONS_QUERY = `
SELECT 'function' AS kind, lower(name) AS name, lower(alias_to) AS meaning FROM system.functions
WHERE hasAny(splitByString(', ', categories), [${DENIED_CATEGORIES.map((name) => `'${name}'`).join(", ")}])
  OR lower(name) IN (${DENIED_FUNCTIONS.map((name) => `'${name}'`).join(", ")})
  OR lower(alias_to) IN (${DENIED_FUNCTIONS.map((name) => `'${name}'`).join(", ")})
UNION ALL SELECT 'table', lower(name), '' FROM system.table_functions`;

/** Reads the answer of DENIED_FUNCTIONS_QUERY in JSONEachRow. */
export function deniedNames(lines: string): DeniedNames {
  const functions = new Set(DENIED_FUNCTIONS);
  const tableFunctions = new Set<string>();
  for (const line of lines.split("\n")) {
    if (line === "") continue;
    const { kind, name }: { kind: string; name: string } = JSON.parse(line);
    if (kind === "function") functions.add(name);
    else if (!OPEN_TABLE_FUNCTIONS.has(name)) tableFunctions.add(name);
  }
  return { functions, tableFunctions };
}

export interface CheckedStatement {
  statement: string;
  /** The engine's EXPLAIN AST of it. */
  tree: string;
  /** How often it reads the tables that are only read through a replacement (reader-rewrite.ts). */
  replaced: ReadonlyMap<string, number>;
}

/** Throws ClickHouseError for a statement that does more than read tables. */
export function refuseUnsafe({ statement, tree, replaced }: CheckedStatement, denied: DeniedNames): void {
  const nodes = nodesOf(tree);
  refuseStatement(statement, nodes);
  refuseUnreplaced(nodes, replaced);
  for (const { kind, rest } of nodes) {
    switch (kind) {
      case "Function":
        refuseFunction(rest, denied);
        break;
      case "Identifier":
      case "TableIdentifier":
      case "QualifiedAsterisk":
        refuseIdentifier(rest, denied);
        break;
      // The tree does not show its function.
      case "ColumnsApplyTransformer":
        refuse("APPLY is not available to analysts; call the function for each column.");
        break;
      case "Set":
        refuse("A SETTINGS clause is not available to analysts; some settings can be parameters of the request.");
        break;
      default:
    }
  }
}

interface Node {
  depth: number;
  kind: string;
  rest: string;
}

/** One node a line, indented by its depth; a literal with a line break in it is printed escaped. */
function nodesOf(tree: string): Node[] {
  const nodes: Node[] = [];
  for (const line of tree.split("\n")) {
    const match = /^( *)(\S+) ?(.*)$/.exec(line);
    if (match !== null) nodes.push({ depth: (match[1] ?? "").length, kind: match[2] ?? "", rest: match[3] ?? "" });
  }
  return nodes;
}

function refuseStatement(statement: string, nodes: readonly Node[]): void {
  const root = nodes[0]?.kind ?? "";
  if (QUERY_ROOTS.has(root) || OTHER_ROOTS.has(root)) return;
  if (root === "Explain") {
    const inner = nodes.find((node) => node.depth === 1 && node.kind !== "Set")?.kind ?? "";
    if (QUERY_ROOTS.has(inner)) return;
  }
  // The tree does not show the conditions of a SHOW, so they must not call functions.
  if (SHOW_ROOTS.has(root) && !statement.includes("(")) return;
  refuse("Analysts may SELECT, SHOW, DESCRIBE, EXISTS and EXPLAIN a SELECT.");
}

/** A table that is named by a parameter was not replaced. */
function refuseUnreplaced(nodes: readonly Node[], replaced: ReadonlyMap<string, number>): void {
  if (!nodes.some(({ kind }) => kind === "SelectQuery")) return;
  for (const table of REPLACED_TABLES) {
    const read = nodes.filter(({ kind, rest }) => kind.endsWith("Identifier") && nameOf(rest) === table).length;
    if (read !== (replaced.get(table) ?? 0)) refuse(`Name the table '${table}' itself, not by a parameter.`);
  }
}

function refuseFunction(rest: string, denied: DeniedNames): void {
  const name = nameOf(rest);
  if (denied.functions.has(name) || denied.tableFunctions.has(name)) refuse(`Function '${name}' is not available to analysts.`);
}

function refuseIdentifier(rest: string, denied: DeniedNames): void {
  const name = nameOf(rest);
  if (denied.functions.has(name)) refuse(`The name '${name}' is a function that is not available to analysts.`);
  const system = /^system\.([^.]+)/.exec(name);
  if (system !== null && !OPEN_SYSTEM_TABLES.has(system[1] ?? "")) refuse(`Table '${name}' is not available to analysts.`);
}

/**
 * The name in "name (alias a) (children 1)"; an alias is the analyst's text and may contain anything, so everything after the name is
 * removed.
 */
function nameOf(rest: string): string {
  return (rest.split(/ \((?:alias|children) /, 1)[0] ?? "").toLowerCase();
}

function refuse(text: string): never {
  throw new ClickHouseError(CLICKHOUSE_CODE.accessDenied, "ACCESS_DENIED", `analyst: ${text}`, 403);
}
