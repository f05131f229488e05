import { DISPLAY_NAME } from "./access.ts";
import { READER_CHANGEABLE } from "./reader-settings.ts";
import { literal } from "./sql-literal.ts";

/**
 * What drivers and tools ask a server about itself would show its machine, or what is true only of the relay's own queries. An analyst's statement asks for something
 * else instead: it is rewritten before it is checked, so that a place which was missed is refused (reader-guard.ts), and nothing is allowed by rewriting.
 */
export interface Rewritten {
  statement: string;
  /** How often each table was replaced, by its name; the replacement itself reads it as often. */
  tables: ReadonlyMap<string, number>;
}

/** Functions without arguments that are answered here, in lower case: the machine's name, and the user's (the engine has one user for everybody). */
const HOST_CALLS = ["hostname", "fullhostname", "fqdn"];
const USER_CALLS = ["currentuser", "current_user", "user", "initialuser", "initial_user", "authenticateduser", "authuser"];

const CHANGEABLE = listOf([...READER_CHANGEABLE.keys()]);
const LIMITED = [...READER_CHANGEABLE].flatMap(([name, max]) => (max === null ? [] : [{ name, max: String(max) }]));
const GREATEST = `transform(name, [${listOf(LIMITED.map(({ name }) => name))}], [${listOf(LIMITED.map(({ max }) => max))}], '')`;
/** In a subquery the engine shows 0 for limits of the result. */
const VALUE = `if(value = '0' AND ${GREATEST} != '', ${GREATEST}, value)`;

/**
 * System tables, and what analysts read in their place: which settings they may change, and no paths (but as many as there are: JDBC takes a table without one for a
 * remote one).
 */
const REPLACEMENTS: ReadonlyMap<string, string> = new Map([
  [
    "settings",
    `SELECT * REPLACE(${VALUE} AS value, toUInt8(name NOT IN (${CHANGEABLE})) AS readonly, nullIf(${GREATEST}, '') AS max) FROM system.settings`,
  ],
  ["tables", "SELECT * REPLACE(arrayMap(path -> '', data_paths) AS data_paths, '' AS metadata_path) FROM system.tables"],
  ["databases", "SELECT * REPLACE('' AS data_path, '' AS metadata_path) FROM system.databases"],
]);

/** Names of the tables that are only read through a replacement. */
export const REPLACED_TABLES: ReadonlySet<string> = new Set([...REPLACEMENTS.keys()].map((name) => `system.${name}`));

/** In the engine's canonical text: texts and quoted names, which stay as they are, the functions, the view with a zone, and the tables. */
const PLACES = new RegExp(
  [
    String.raw`'(?:[^'\\]|\\.)*'|${"`"}(?:[^${"`"}\\]|\\.)*${"`"}|"(?:[^"\\]|\\.)*"`,
    String.raw`(?<![\w.])(?<call>(?:${[...HOST_CALLS, ...USER_CALLS].join("|")})\(\))(?<named> AS )?`,
    String.raw`(?<![\w.])(?:relay\.)?(?<zoned>reconciliation)(?=\()`,
    String.raw`(?<![\w.])system\.(?<table>${[...REPLACEMENTS.keys()].join("|")})(?!\w)(?<next>\.| AS (?<alias>\w+|${"`"}(?:[^${"`"}\\]|\\.)*${"`"}))?`,
  ].join("|"),
  "gis",
);

/** Rewrites a statement in the engine's canonical text. Only what reads rows: DESCRIBE and EXISTS name the tables themselves. */
export function rewriteForReader(statement: string, user: string): Rewritten {
  const tables = new Map<string, number>();
  if (!/\bSELECT\b/i.test(statement)) return { statement, tables };
  const names = new Map<string, string>();
  for (const { groups: { table, alias } = {} } of statement.matchAll(PLACES)) {
    if (table !== undefined && alias !== undefined && !names.has(table)) names.set(table, alias);
  }
  const rewritten = statement.replace(PLACES, (place, ...rest) => {
    const { call, named, zoned, table, next, alias } = rest.at(-1);
    // Its name while it could not be read without a zone.
    if (zoned !== undefined) return "relay.reconciliation_in";
    if (call !== undefined) {
      const value = literal(HOST_CALLS.includes(call.slice(0, -2).toLowerCase()) ? DISPLAY_NAME : user);
      return named === undefined ? `(${value} AS \`${call}\`)` : `${value}${named}`;
    }
    const replacement = REPLACEMENTS.get(table);
    if (replacement === undefined) return place;
    // A column by its table's full name, which the replacement does not have.
    if (next === ".") return `${names.get(table) ?? table}.`;
    const name = `system.${table}`;
    tables.set(name, (tables.get(name) ?? 0) + 1);
    return `(${replacement}) AS ${alias ?? table}`;
  });
  return { statement: rewritten, tables };
}

function listOf(names: readonly string[]): string {
  return names.map(literal).join(", ");
}
