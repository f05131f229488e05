import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { ADMIN, ANALYST, ask, type ClickHouseWorld, sharedClickHouse } from "./clickhouse-world.ts";

const SECRET = "a-secret-of-the-host";

describe("the analysts' user", async () => {
  const world: ClickHouseWorld = await sharedClickHouse();
  const host = join(world.directory, "host.csv");
  const written = join(world.directory, "written.csv");

  before(async () => {
    await writeFile(host, `a,b\n1,${SECRET}\n`);
    for (const sql of [
      "CREATE TABLE relay.t (a UInt64, b String) ENGINE = ReplacingMergeTree ORDER BY a",
      "INSERT INTO relay.t SELECT number, toString(number) FROM numbers(1000)",
      "CREATE TABLE relay.twice (a UInt64, b String) ENGINE = ReplacingMergeTree ORDER BY a",
      "INSERT INTO relay.twice VALUES (1, 'old')",
      "INSERT INTO relay.twice VALUES (1, 'new')",
      "CREATE VIEW relay.v AS SELECT a % 10 AS k, count() AS n FROM relay.t FINAL GROUP BY k",
    ]) {
      const answer = await ask(world, sql, {}, ADMIN);
      assert.equal(answer.status, 200, answer.text);
    }
  });

  const allowed: [string, string][] = [
    ["SELECT count() FROM relay.t", "1000\n"],
    ["SELECT count() FROM t -- the database is relay", "1000\n"],
    ["SELECT n FROM relay.v WHERE k = 3;", "100\n"],
    ["WITH x AS (SELECT a FROM t WHERE a < 3) SELECT sum(a) FROM x", "3\n"],
    ["SELECT arrayMap(x -> x + 1, [1, 2]), format('{}-{}', 'a;b', 'c')", "[2,3]\ta;b-c\n"],
    ["SELECT sum(number) FROM (SELECT * FROM numbers(2) UNION ALL SELECT * FROM numbers(3))", "4\n"],
    ["SELECT 1 INTERSECT SELECT 1", "1\n"],
    ["SHOW TABLES", "t\ntwice\nv\n"],
    ["SHOW TABLES FROM relay LIKE 't%'", "t\ntwice\n"],
    ["EXISTS TABLE relay.t", "1\n"],
    ["SELECT name FROM system.columns WHERE table = 't' AND database = 'relay' ORDER BY name", "a\nb\n"],
    ["SELECT table_name FROM information_schema.tables WHERE table_name = 't'", "t\n"],
    ["SELECT 'it''s \\'file(\\'', $$SELECT file('x')$$, /* file( */ 'é€😀'", "it\\'s \\'file(\\'\tSELECT file(\\'x\\')\té€😀\n"],
  ];
  for (const [sql, expected] of allowed) {
    it(`may: ${sql}`, async () => {
      const answer = await ask(world, sql);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.text, expected);
    });
  }

  for (const sql of [
    "DESCRIBE TABLE t",
    "SHOW CREATE TABLE t",
    "EXPLAIN SELECT a FROM t",
    "EXPLAIN PIPELINE SELECT a FROM t",
    "SHOW COLUMNS FROM t",
  ]) {
    it(`may: ${sql}`, async () => {
      const answer = await ask(world, sql);
      assert.equal(answer.status, 200, answer.text);
      assert.notEqual(answer.text, "");
    });
  }

  const refused: string[] = [
    "SET readonly = 0",
    "SET max_execution_time = 100",
    "SET ROLE owner",
    "SET ROLE ALL",
    "SET param_x = 'y'",
    "USE system",
    "SELECT 1 SETTINGS readonly = 0",
    "SELECT 1 SETTINGS max_execution_time = 100",
    "SELECT (SELECT count() FROM t SETTINGS max_threads = 8)",
    "SELECT 1; SELECT 2",
    "SELECT 1; INSERT INTO relay.t VALUES (9999, 'x')",
    "INSERT INTO relay.t VALUES (9999, 'x')",
    "INSERT INTO relay.t SELECT 9999, 'x'",
    `INSERT INTO FUNCTION file('${written}') SELECT 1`,
    "CREATE TABLE relay.u (a Int8) ENGINE = Memory",
    "CREATE TEMPORARY TABLE u (a Int8)",
    "CREATE FUNCTION f AS x -> x",
    "CREATE DATABASE d",
    "CREATE USER u",
    "GRANT ALL ON *.* TO default",
    "DROP TABLE relay.t",
    "TRUNCATE TABLE relay.t",
    "ALTER TABLE relay.t DELETE WHERE 1",
    "OPTIMIZE TABLE relay.t",
    "RENAME TABLE relay.t TO relay.u",
    "DETACH TABLE relay.t",
    "KILL QUERY WHERE 1",
    "SYSTEM SHUTDOWN",
    "SYSTEM FLUSH LOGS",
    `BACKUP TABLE relay.t TO File('${written}')`,
    "EXECUTE AS default SELECT 1",
    "SELECT 1 PARALLEL WITH SELECT 2",
    "CHECK TABLE relay.t",
    "SELECT file('HOST')",
    "SELECT FILE('HOST')",
    "SELECT `file`('HOST')",
    "SELECT \"file\"('HOST')",
    "SELECT `f\\x69le`('HOST')",
    "SELECT file/**/ ('HOST')",
    "SELECT file('HOST') AS `a\nb`",
    "SELECT file('HOST') AS `x) (children 1)\nLiteral`",
    "WITH file('HOST') AS secret SELECT secret",
    "SELECT (SELECT file('HOST'))",
    "SELECT * FROM (SELECT file('HOST'))",
    "SELECT 1 UNION ALL SELECT length(file('HOST'))",
    "SELECT 1 WHERE file('HOST') != ''",
    "SELECT 1 ORDER BY file('HOST')",
    "SELECT arrayMap(x -> file(x), ['HOST'])",
    "SELECT arrayMap(file, ['HOST'])",
    "SELECT arrayMap(`f\\x69le`, ['HOST'])",
    "SELECT * APPLY(file) FROM (SELECT 'HOST')",
    "SELECT * APPLY file FROM (SELECT 'HOST')",
    "SELECT * APPLY(x -> file(x)) FROM (SELECT 'HOST')",
    "SELECT COLUMNS('.') APPLY file FROM (SELECT 'HOST' AS c)",
    "SELECT * REPLACE(file('HOST') AS dummy) FROM system.one",
    "EXPLAIN SELECT file('HOST')",
    "EXPLAIN QUERY TREE SELECT file('HOST')",
    "EXPLAIN SYNTAX SELECT file('HOST')",
    "DESCRIBE (SELECT file('HOST') AS x)",
    "DESCRIBE file('HOST')",
    "DESCRIBE TABLE url('http://127.0.0.1:1/')",
    "SHOW TABLES WHERE file('HOST') != ''",
    "SHOW COLUMNS FROM t WHERE length(file('HOST')) > 0",
    "SELECT * FROM file('HOST')",
    "SELECT 1 IN file('HOST')",
    "SELECT * FROM `HOST`",
    "SELECT * FROM 'HOST'",
    "SELECT * FROM default.`HOST`",
    "SELECT * FROM view(SELECT * FROM file('HOST'))",
    "SELECT * FROM fileCluster('c', 'HOST')",
    "SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a String')",
    "SELECT * FROM s3('http://127.0.0.1:1/x.csv')",
    "SELECT * FROM executable('ls', 'CSV', 'a String')",
    "SELECT * FROM remote('127.0.0.1', 'system', 'one')",
    "SELECT * FROM sqlite('HOST', 't')",
    "SELECT * FROM mysql('127.0.0.1:1', 'd', 't', 'u', 'p')",
    "SELECT * FROM postgresql('127.0.0.1:1', 'd', 't', 'u', 'p')",
    "SELECT * FROM filesystem('/')",
    "SELECT * FROM merge('system', '.*')",
    "SELECT * FROM eval('SELECT 1')",
    "SELECT * FROM loop(relay.t)",
    "SELECT * FROM viewExplain('EXPLAIN', '', (SELECT 1))",
    "SELECT 1 INTO OUTFILE 'WRITTEN'",
    "SELECT 1 INTO /* */ OUTFILE 'WRITTEN' TRUNCATE",
    "EXPLAIN SELECT 1 INTO OUTFILE 'WRITTEN'",
    "SHOW TABLES INTO OUTFILE 'WRITTEN'",
    "DESCRIBE TABLE t INTO OUTFILE 'WRITTEN'",
    "INSERT INTO relay.t FROM INFILE 'HOST' FORMAT CSV",
    "SELECT * FROM system.processes",
    "SELECT * FROM system.`stack_trace`",
    "SELECT 1 IN system.disks",
    "SELECT 1 IN (SELECT pid FROM system.processes)",
    "SELECT hostName(), filesystemAvailable()",
    "SELECT serverUUID()",
    "SELECT buildId()",
    "SELECT tcpPort()",
    "SELECT getOSKernelVersion()",
    "SELECT arrayMap(hostName, [1])",
    "SELECT * APPLY hostName FROM t",
    "TABLE system.processes",
    "FROM system.processes",
    "SELECT file('HOST'), hostName(), metadata_path FROM system.tables",
    "SELECT metadata_path FROM system.tables INTO OUTFILE 'WRITTEN'",
    "SELECT metadata_path FROM system.tables SETTINGS readonly = 0",
    "SELECT hostName(1)",
    "SELECT * FROM system.server_settings",
    "SELECT * FROM system.query_log",
    "SELECT * FROM system.users",
    "SELECT * FROM system.grants",
    "SELECT * FROM system.settings_profiles",
    "SELECT * FROM system.parts",
    "SELECT * FROM system.merge_tree_settings",
    "SELECT getServerSetting('path')",
    "SELECT aiGenerate('x')",
    "SELECT dictGet('a', 'b', 1)",
    "SELECT catboostEvaluate('HOST', 1)",
    "SELECT sleep(3)",
  ];
  for (const sql of refused) {
    it(`may not: ${JSON.stringify(sql)}`, async () => {
      const answer = await ask(world, sql.replaceAll("HOST", host).replaceAll("WRITTEN", written));
      assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} ${answer.text}`);
      assert.match(answer.text, /^Code: (60|62|164|497)\. DB::Exception: /);
      assert.equal(answer.headers.get("x-clickhouse-exception-code"), /\d+/.exec(answer.text)?.[0]);
      assert.ok(!answer.text.includes(SECRET));
      assert.ok(!existsSync(written), "a file was written on the host");
    });
  }

  it("cannot name a function or a table by a parameter", async () => {
    const byFunction = await ask(world, "SELECT arrayMap({f:Identifier}, [{path:String}])", { param_f: "file", param_path: host });
    assert.equal(byFunction.status, 403, byFunction.text);
    const byTable = await ask(world, "SELECT * FROM {t:Identifier}", { param_t: "system.processes" });
    assert.ok(byTable.status >= 400 && !byTable.text.includes("query_id"), byTable.text);
    const byDatabase = await ask(world, "SELECT * FROM {d:Identifier}.{t:Identifier}", { param_d: "system", param_t: "processes" });
    assert.equal(byDatabase.status, 403, byDatabase.text);
  });

  it("is told what drivers ask a server about itself, and not what its machine is called", async () => {
    const asked = ["displayName()", "hostName()", "hostname()", "FQDN()", "fullHostName()"];
    for (const call of asked) {
      const answer = await ask(world, `SELECT ${call} FORMAT TabSeparatedWithNames`);
      assert.equal(answer.text, `${call}\nterminal-relay\n`);
    }
    const nested = await ask(
      world,
      "SELECT upper(hostName()) AS h, 'hostName()', count() FROM t WHERE hostName() != '' GROUP BY hostName(), h ORDER BY hostName()",
    );
    assert.equal(nested.text, "TERMINAL-RELAY\thostName()\t1000\n");
    const others = await ask(
      world,
      "SELECT version() != '', revision() > 54000, timezone(), user(), currentUser() AS user, currentDatabase()",
    );
    assert.equal(others.text, `1\t1\tUTC\t${ANALYST.username}\t${ANALYST.username}\trelay\n`);
  });

  it("sees no path of the machine in the tables that describe the schema", async () => {
    const paths = {
      "SELECT data_paths, metadata_path FROM system.tables WHERE name = 't'": "['']\t\n",
      "SELECT t.data_paths, t.metadata_path FROM system.tables AS t JOIN system.databases AS d ON d.name = t.database WHERE t.name = 't'":
        "['']\t\n",
      "SELECT system.tables.metadata_path FROM `system`.\"tables\" WHERE system.tables.name = 't'": "\n",
      // JDBC's own.
      "SELECT t.name, d.metadata_path FROM system.tables t JOIN system.databases d ON system.tables.database = system.databases.name WHERE t.name = 't'":
        "t\t\n",
      "SELECT data_path, metadata_path FROM system.databases WHERE name = 'relay'": "\t\n",
      "WITH x AS (SELECT * FROM system.tables) SELECT any(metadata_path), count() FROM x WHERE name = 't'": "\t1\n",
      "SELECT count() FROM t WHERE ('relay', 't') IN (SELECT database, name FROM system.tables)": "1000\n",
      "FROM system.tables SELECT metadata_path WHERE name = 't'": "\n",
      "SELECT * FROM (SELECT metadata_path AS `it's system.tables` FROM view(SELECT * FROM system.tables WHERE name = 't'))": "\n",
      "SELECT 'a\\'; DROP TABLE relay.t; system.tables hostName()', metadata_path FROM system.tables WHERE name = 't'":
        "a\\'; DROP TABLE relay.t; system.tables hostName()\t\n",
      "SELECT 'system.tables' FROM system.one": "system.tables\n",
    };
    for (const [sql, expected] of Object.entries(paths)) assert.equal((await ask(world, sql)).text, expected, sql);
    for (const sql of ["SELECT * FROM system.tables", "SELECT * FROM system.databases"]) {
      const answer = await ask(world, sql);
      assert.equal(answer.status, 200, answer.text);
      assert.ok(!answer.text.includes(world.directory) && !answer.text.includes("/store/"), answer.text);
    }
    // A table that a parameter names would be read as it is.
    for (const parameters of [{ param_t: "system.tables" }, { param_t: "system.databases" }]) {
      const answer = await ask(world, "SELECT * FROM {t:Identifier}, system.one", parameters);
      assert.ok(answer.status >= 400 && !answer.text.includes(world.directory), answer.text);
    }
    const parts = await ask(world, "SELECT any(metadata_path) FROM {d:Identifier}.{t:Identifier}", {
      param_d: "system",
      param_t: "tables",
    });
    assert.equal(parts.status, 403, parts.text);
    assert.match(parts.text, /not by a parameter/);
  });

  it("finds in system.settings what it may change", async () => {
    const changeable = await ask(
      world,
      "SELECT name, value, max FROM system.settings WHERE readonly = 0 AND name LIKE '%max\\_%' ORDER BY name",
    );
    assert.equal(
      changeable.text,
      "max_block_size\t65409\t65409\nmax_execution_time\t10\t10\nmax_result_bytes\t67108864\t67108864\nmax_result_rows\t1000000\t1000000\nmax_threads\t1\t1\noutput_format_pretty_max_rows\t1000\t\\N\n",
    );
    assert.equal((await ask(world, "SELECT readonly FROM system.settings WHERE name = 'max_memory_usage'")).text, "1\n");
  });

  const settings: [what: string, sql: string, parameters: { [name: string]: string }, expected: string][] = [
    [
      "null where a join finds nothing",
      "SELECT b FROM (SELECT 1 AS a) AS l LEFT JOIN (SELECT 2 AS a, 3 AS b) AS r USING a",
      { join_use_nulls: "1" },
      "\\N\n",
    ],
    ["the delimiter of CSV", "SELECT 1, 2 FORMAT CSV", { format_csv_delimiter: ";" }, "1;2\n"],
    ["the latest rows alone", "SELECT b FROM twice WHERE a = 1", { final: "1" }, "new\n"],
    ["smaller blocks", "SELECT uniq(blockNumber()) FROM numbers(10)", { max_block_size: "5" }, "2\n"],
    [
      "blocks of the default size where it asks for larger ones",
      "SELECT getSetting('max_block_size')",
      { max_block_size: "1000000" },
      "65409\n",
    ],
    ["one thread where it asks for more", "SELECT getSetting('max_threads')", { max_threads: "8" }, "1\n"],
    ["columns before aliases", "SELECT sum(a) AS a, max(a) FROM t", { prefer_column_name_to_alias: "1" }, "499500\t999\n"],
    ["filters of tables", "SELECT count() FROM t", { additional_table_filters: "{'t': 'a < 10 -- ten', 'relay.twice': 'a = 7'}" }, "10\n"],
    ["a filter of an alias", "SELECT count() FROM t AS x", { additional_table_filters: "{'x':'b IN (\\'1\\', \\'2\\')'}" }, "2\n"],
  ];
  for (const [what, sql, parameters, expected] of settings) {
    it(`may set ${what}`, async () => {
      const answer = await ask(world, sql, parameters);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.text, expected);
    });
  }

  it("gets the types of a Native result as its settings make them", async () => {
    const sql = "SELECT b FROM (SELECT 1 AS a) AS l LEFT JOIN (SELECT 2 AS a, now() AS b) AS r USING a FORMAT Native";
    const answer = await ask(world, sql, { join_use_nulls: "1", client_protocol_version: "54465" });
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.text, /Nullable\(DateTime/);
  });

  const badFilters: [filters: string, code: number][] = [
    ["{'t': 'file(\\'HOST\\') != \\'\\''}", 497],
    ["{'t': 'a IN (SELECT query_id FROM system.processes)'}", 497],
    ["{'t': '1) UNION ALL SELECT (file(\\'HOST\\')'}", 497],
    ["{'t': '1) ORDER BY (1'}", 62],
    ["{'t': '1) FORMAT Null --'}", 62],
    ["{'t': '1; DROP TABLE relay.t'}", 62],
    ["{'system.tables': 'metadata_path LIKE \\'/%\\''}", 36],
    ["{'system.settings': '1'}", 36],
    [`{${Array.from({ length: 17 }, (_, index) => `'t${index}':'1'`).join(",")}}`, 36],
  ];
  for (const [filters, code] of badFilters) {
    it(`may not filter by ${filters.slice(0, 60)}`, async () => {
      const answer = await ask(world, "SELECT a FROM t", { additional_table_filters: filters.replaceAll("HOST", host) });
      assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} ${answer.text}`);
      assert.match(answer.text, new RegExp(`^Code: ${code}\\. `));
      assert.ok(!answer.text.includes(SECRET));
    });
  }

  it("learns no path of a system table by a filter, or by a column before its alias", async () => {
    const all = await ask(world, "SELECT count() FROM system.tables");
    for (const name of ["tables", "x"]) {
      const additional_table_filters = `{'${name}': 'notEmpty(metadata_path)'}`;
      const answer = await ask(world, `SELECT count() FROM system.tables AS ${name}`, { additional_table_filters });
      assert.ok(answer.text === all.text || answer.text === "0\n" || answer.status >= 400, answer.text);
    }
    const parameters = { prefer_column_name_to_alias: "1" };
    const tables = await ask(
      world,
      "SELECT countIf(notEmpty(metadata_path)), countIf(arrayExists(p -> notEmpty(p), data_paths)) FROM system.tables",
      parameters,
    );
    assert.equal(tables.text, "0\t0\n");
    const databases = await ask(
      world,
      "SELECT countIf(notEmpty(metadata_path)), countIf(notEmpty(data_path)) FROM system.databases",
      parameters,
    );
    assert.equal(databases.text, "0\t0\n");
    const settings = await ask(world, "SELECT value, readonly FROM system.settings WHERE name = 'max_memory_usage'", parameters);
    assert.match(settings.text, /\t1\n$/);
  });

  it("is not let through by settings that would cut or repeat what the engine says of its statement", async () => {
    for (const parameters of [
      { limit: "1" },
      { limit: "1", offset: "1" },
      { offset: "1000" },
      { extremes: "1" },
      { max_result_rows: "1", result_overflow_mode: "break" },
      { max_result_bytes: "1", result_overflow_mode: "break" },
      { output_format_pretty_max_rows: "1", default_format: "Pretty" },
      { date_time_output_format: "iso", session_timezone: "Asia/Tokyo" },
      { final: "1", join_use_nulls: "1", prefer_column_name_to_alias: "1", max_block_size: "1", format_csv_delimiter: "'" },
      { additional_table_filters: "{'t':'0'}" },
    ] as Record<string, string>[]) {
      for (const sql of [
        "SELECT 1 UNION ALL SELECT length(file('HOST'))",
        "SELECT * FROM system.processes",
        "DROP TABLE relay.t",
        "SELECT 1; DROP TABLE relay.t",
      ]) {
        const answer = await ask(world, sql.replaceAll("HOST", host), parameters);
        assert.match(answer.text, /^Code: (62|497)\. /, `${sql} ${JSON.stringify(parameters)}`);
      }
    }
  });

  it("cannot loosen its limits by parameters of the address", async () => {
    for (const [name, value] of [
      ["readonly", "0"],
      ["readonly", "2"],
      ["profile", "default"],
      ["max_memory_usage", "0"],
      ["max_memory_usage", "1000"],
      ["max_result_rows", "all"],
      ["max_result_bytes", "1e18"],
      ["max_execution_time", "-1"],
      ["result_overflow_mode", "nonsense"],
      ["allow_introspection_functions", "1"],
      ["allow_ddl", "1"],
      ["log_queries_x", "1"],
      ["http_response_headers", "{'X-Frame-Options': 'x'}"],
      ["output_format_schema", written],
      ["format_schema_path", "/"],
      ["role", "owner"],
      ["database", "system"],
      ["param_x'; SET readonly = 0; --", "1"],
    ] as const) {
      const answer = await ask(world, "SELECT 1", { [name]: value });
      assert.ok(answer.status >= 400 && answer.status < 500, `${name}: ${answer.status} ${answer.text}`);
    }
    const harmless = await ask(world, "SELECT toUInt64(1) AS a FORMAT JSONEachRow", { output_format_json_quote_64bit_integers: "1" });
    assert.equal(harmless.text, '{"a":"1"}\n');
  });

  it("leaves no role, parameter or setting behind for the next query", async () => {
    await ask(world, "SELECT {secret:String}", { param_secret: "of the first", session_id: "s" });
    const answer = await ask(world, "SELECT {secret:String}", { session_id: "s" });
    assert.equal(answer.status, 400);
    assert.match(answer.text, /^Code: 456/);
  });

  it("left the data as they were", async () => {
    assert.equal((await ask(world, "SELECT count(), sum(a) FROM relay.t")).text, "1000\t499500\n");
  });
});
