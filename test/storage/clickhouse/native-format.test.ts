import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ANALYST, ask, sharedClickHouse } from "./clickhouse-world.ts";

/** clickhouse-go's revision, and clickhouse-connect's, which is from before the byte of each column. */
const REVISION = 54_460;
const OLD_REVISION = 54_405;

const BLOCK_INFO = Buffer.from("0100 02ffffffff 00".replaceAll(" ", ""), "hex");

/** Every type that the engine writes in this format, with values that are empty, null and long in it; `number` is 0, 1 and 2. */
const VALUES = [
  ...["toUInt8(number)", "toInt16(number)", "toUInt32(number)", "toInt64(number)", "toUInt128(number)", "toInt256(number)", "number = 1"],
  ...["toFloat32(number)", "number / 3", "toBFloat16(number)", "toDecimal32(number, 2)", "toDecimal64(number, 2)", "toDecimal128(1, 2)"],
  ...[
    "toDecimal256(number, 20)",
    "toDate(number)",
    "toDate32('1950-01-01')",
    "toDateTime(number)",
    "toDateTime64(number, 6, 'Asia/Tokyo')",
  ],
  ...["toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')", "toIPv4('1.2.3.4')", "toIPv6('::1')", "toFixedString(toString(number), 5)"],
  ...["toString(number)", "repeat('a€', number * 100)", "repeat('x', 20000)", "NULL", "[]", "toIntervalDay(number)", "toIntervalMonth(1)"],
  ...[
    "CAST(number, 'Enum8(\\'a(\\' = 0, \\'b,\\\\\\'\\' = 1, \\'c\\' = 2)')",
    "CAST(number * 1000, 'Enum16(\\'a\\' = 0, \\'b\\' = 1000, \\'c\\' = 2000)')",
  ],
  ...["if(number = 1, NULL, number)", "if(number = 1, NULL, toString(number))", "if(number = 1, NULL, toDateTime(0, 'Europe/Rome'))"],
  ...["range(number)", "arrayMap(x -> toString(x), range(number))", "[range(number), []]", "[if(number = 1, NULL, 'a'), NULL]"],
  ...["map('a', number)", "CAST(map(), 'Map(String, Array(UInt8))')", "map(number, map('x', ['y', NULL]))"],
  ...["(number, 'a')", "CAST((1, 'a'), 'Tuple(`a b, (c` UInt8, b String)')", "[(number, ['a'], NULL)]", "tuple(toString(number))"],
  ...[
    "toLowCardinality(toString(number))",
    "toLowCardinality(if(number = 1, NULL, 'a'))",
    "CAST(range(number), 'Array(LowCardinality(String))')",
  ],
  ...["CAST([], 'Array(LowCardinality(Nullable(String)))')", "CAST(map('a', 'b'), 'Map(LowCardinality(String), LowCardinality(String))')"],
  ...["(toLowCardinality('a'), [toLowCardinality('b')])", "toLowCardinality(toFixedString('ab', 2))"],
  ...[
    "CAST([(1, 'a')], 'Nested(a UInt8, b String)')",
    "CAST((1, 2), 'Point')",
    "CAST([(1, 2), (3, 4)], 'Ring')",
    "CAST([[(1, 2)]], 'Polygon')",
  ],
  ...["CAST([[[(1, 2)]]], 'MultiPolygon')", "CAST([(1, 2)], 'LineString')", "CAST(number, 'SimpleAggregateFunction(sum, UInt64)')"],
];

describe("the Native format for a revision of the protocol", async () => {
  const world = await sharedClickHouse();

  const native = async (sql: string, revision: number): Promise<Buffer> => {
    const headers = { "X-ClickHouse-User": ANALYST.username, "X-ClickHouse-Key": ANALYST.password };
    const parameters = new URLSearchParams({ default_format: "Native", client_protocol_version: String(revision) });
    const response = await fetch(`${world.clickhouse.url}/?${parameters}`, { method: "POST", headers, body: sql });
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.equal(response.status, 200, bytes.toString());
    return bytes;
  };

  it("has what the revision wants before each block and each column, and the engine's own data", async () => {
    for (const value of VALUES) {
      const alone = await native(`SELECT ${value} AS x FROM numbers(3)`, 0);
      // Alone, a column's data are what follows on its name and its type, up to the end.
      assert.deepEqual([...alone.subarray(0, 4)], [1, 3, 1, "x".charCodeAt(0)]);
      const typeEnd = 5 + (alone[4] ?? 0);
      const head = alone.subarray(2, typeEnd);
      const data = alone.subarray(typeEnd);
      const dimensions = Buffer.from([2, 3]);
      const none = Buffer.from([0]);
      const seven = { head: Buffer.from([1, 0x79, 5, ...Buffer.from("UInt8")]), data: Buffer.from([7, 7, 7]) };
      const sql = `SELECT ${value} AS x, materialize(7) AS y FROM numbers(3)`;
      const expected = Buffer.concat([BLOCK_INFO, dimensions, head, none, data, seven.head, none, seven.data]);
      assert.equal((await native(sql, REVISION)).toString("hex"), expected.toString("hex"), value);
      const old = Buffer.concat([BLOCK_INFO, dimensions, head, data, seven.head, seven.data]);
      assert.equal((await native(sql, OLD_REVISION)).toString("hex"), old.toString("hex"), value);
    }
  });

  it("has them in every block, and is empty where there is no row", async () => {
    const sql = "SELECT number, toString(number) FROM numbers(200000)";
    const plain = await native(sql, 0);
    const found = await native(sql, REVISION);
    const blocks = (found.length - plain.length) / (BLOCK_INFO.length + 2);
    assert.ok(Number.isInteger(blocks) && blocks > 1, `${blocks} blocks`);
    assert.equal((await native("SELECT number FROM numbers(3) WHERE number > 5", REVISION)).length, 0);
    const extremes = await ask(world, "SELECT 1 AS x", {
      default_format: "Native",
      client_protocol_version: String(REVISION),
      extremes: "1",
    });
    assert.equal(extremes.text, (await native("SELECT 1 AS x", REVISION)).toString());
  });

  it("says the zone of a time, which revision 0 leaves out", async () => {
    const sql =
      "SELECT toDateTime(number, 'Europe/Rome') AS a, toDateTime(number) AS b, toDateTime(number, 'UTC') AS c, 1 AS d FROM numbers(3)";
    for (const statement of [sql, `${sql} FORMAT Native`, `${sql} LIMIT {n:UInt8}`]) {
      const parameters = { default_format: "Native", client_protocol_version: String(REVISION), param_n: "3", limit: "2" };
      const text = (await ask(world, statement, parameters)).text;
      assert.deepEqual(text.match(/DateTime(\('[^']+'\))?/g), ["DateTime('Europe/Rome')", "DateTime", "DateTime('UTC')"], statement);
    }
    const plain = (await ask(world, sql, { default_format: "Native" })).text;
    assert.deepEqual(plain.match(/DateTime(\('[^']+'\))?/g), ["DateTime", "DateTime", "DateTime"]);
  });

  it("goes by the statement that is run, and not by how it is written", async () => {
    const expected = (await native("SELECT 1 AS x", REVISION)).toString("hex");
    assert.ok(expected.startsWith(BLOCK_INFO.toString("hex")));
    for (const sql of ["SELECT 1 AS x FORMAT/* */Native", "SELECT 1 AS x FORMAT Native -- FORMAT CSV", "select 1 x format Native;"]) {
      assert.equal((await native(sql, REVISION)).toString("hex"), expected, sql);
    }
    assert.equal((await native("SELECT 1 AS x FORMAT CSV -- FORMAT Native", REVISION)).toString(), "1\n");
    assert.match((await native("SHOW TABLES FROM system LIKE 'one'", REVISION)).toString("hex"), /^(0100|$)/);
  });

  it("refuses by name the types that it cannot read, with a revision alone", async () => {
    const values = [
      "sumState(number)",
      "any(number::Variant(UInt64, String))",
      "any(number::Dynamic)",
      "any('{}'::JSON)",
      "[sumState(number)]",
      "tuple(sumState(number))",
    ];
    for (const value of values) {
      const sql = `SELECT ${value} AS x FROM numbers(3)`;
      const answer = await ask(world, sql, { default_format: "Native", client_protocol_version: String(REVISION) });
      assert.equal(answer.status, 501, answer.text);
      assert.match(answer.text, /^Code: 48\. .* type (AggregateFunction|Variant|Dynamic|JSON) .*'client_protocol_version'/, value);
      assert.equal((await ask(world, sql, { default_format: "Native" })).status, 200);
    }
  });
});
