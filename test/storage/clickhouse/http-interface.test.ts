import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { describe, it } from "node:test";
import { ClickHouseError, createClient } from "@clickhouse/client";
import { connectClickHouse } from "../../../storage/clickhouse/client.ts";
import { inBlocks } from "../../../storage/clickhouse/embedded/block-compression.ts";
import { PORTAL_WORKLOAD } from "../../../storage/clickhouse/workloads.ts";
import { eventually } from "../../support/within.ts";
import { ADMIN, ANALYST, ask, sharedClickHouse } from "./clickhouse-world.ts";

/** By its own limit a query ends no sooner after it was asked (storage/clickhouse/embedded): what ends before does so because its client has left. */
const OWN_LIMIT_MS = 10_000;

describe("the HTTP interface of the embedded ClickHouse", async () => {
  const world = await sharedClickHouse();
  const { url } = world.clickhouse;
  await ask(world, "CREATE TABLE relay.t (a UInt64, b String, c DateTime64(3, 'UTC')) ENGINE = MergeTree ORDER BY a", {}, ADMIN);

  it("serves the official client: insert, query, parameters, settings, compression, errors, ping", async () => {
    const client = createClient({ url, ...ADMIN, database: "relay", compression: { request: true, response: true } });
    const odd = "tab\t newline\n quote' backslash\\ \\N €😀 ;";
    const values = Array.from({ length: 500 }, (_, index) => ({
      a: index,
      b: index === 7 ? odd : `row ${index}`,
      c: "2026-01-02T03:04:05.678Z",
    }));
    await client.insert({ table: "t", values, format: "JSONEachRow", clickhouse_settings: { date_time_input_format: "best_effort" } });

    const found = await client.query({
      query: "SELECT a, b, toUnixTimestamp64Milli(c) AS ms FROM t WHERE b = {b:String} AND a IN {some:Array(UInt64)}",
      query_params: { b: odd, some: [6, 7, 8] },
      clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
      format: "JSONEachRow",
    });
    assert.deepEqual(await found.json(), [{ a: 7, b: odd, ms: Date.UTC(2026, 0, 2, 3, 4, 5, 678) }]);

    const all = await client.query({ query: "SELECT * FROM t ORDER BY a", format: "JSON" });
    assert.equal((await all.json()).rows, 500);
    await assert.rejects(client.query({ query: "SELECT nothing FROM t" }), (error: unknown) => {
      assert.ok(error instanceof ClickHouseError);
      assert.equal(error.code, "47");
      assert.equal(error.type, "UNKNOWN_IDENTIFIER");
      return true;
    });
    assert.equal((await client.ping()).success, true);
    assert.equal((await client.ping({ select: true })).success, true);
    await client.close();
  });

  it("takes rows in RowBinary and in text, with and without names of columns, whatever is in them", async () => {
    const insert = async (into: string, rows: Buffer | string): Promise<number> => {
      const target = `${url}/?query=${encodeURIComponent(`INSERT INTO relay.rows ${into}`)}`;
      const headers = { "X-ClickHouse-User": ADMIN.username, "X-ClickHouse-Key": ADMIN.password };
      const response = await fetch(target, { method: "POST", headers, body: rows });
      await response.text();
      return Number(response.headers.get("x-clickhouse-exception-code") ?? 0);
    };
    const rowOf = (text: string, number: number): Buffer => Buffer.from([text.length, ...Buffer.from(text), number, 0, 0, 0]);
    await ask(world, "CREATE TABLE relay.rows (a UInt32 DEFAULT 7, b String) ENGINE = MergeTree ORDER BY a", {}, ADMIN);
    // An empty line would end rows behind a statement, and a number may look like one.
    const binary = [rowOf("\n\n", 10), rowOf("; DROP TABLE relay.rows;\n\n", 1), rowOf("", 2), rowOf("\n\n'`--", 3)];
    assert.equal(await insert("(b, a) FORMAT RowBinary", Buffer.concat(binary)), 0);
    assert.equal(await insert("FORMAT RowBinary", Buffer.from([4, 0, 0, 0, 1, 10])), 0);
    assert.equal(await insert("( b )FORMAT JSONEachRow", '{"b":"json"}'), 0);
    assert.equal(await insert("(b,a) FORMAT TabSeparated", "tab\t5\n"), 0);
    // Cut, longer than a text may be, a column that is none, and one that is a statement.
    assert.equal(await insert("(b, a) FORMAT RowBinary", rowOf("cut", 6).subarray(0, -1)), 33);
    assert.equal(await insert("(b) FORMAT RowBinary", Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f])), 131);
    assert.equal(await insert("(b, c) FORMAT RowBinary", rowOf("x", 6)), 16);
    assert.equal(await insert("(b, a d) FORMAT RowBinary", rowOf("x", 6)), 36);
    const { text } = await ask(world, "SELECT a, b FROM relay.rows ORDER BY a FORMAT JSONCompactEachRow");
    assert.deepEqual(
      text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
      [
        [1, "; DROP TABLE relay.rows;\n\n"],
        [2, ""],
        [3, "\n\n'`--"],
        [4, "\n"],
        [5, "tab"],
        [7, "json"],
        [10, "\n\n"],
      ],
    );
    assert.deepEqual(
      (await readdir(world.directory)).filter((name) => name.startsWith("insert")),
      [],
    );
  });

  it("runs many queries with different parameters at once without mixing them", async () => {
    const client = connectClickHouse({ url, ...ADMIN });
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const result = await client.query({ query: "SELECT {n:UInt32} AS n", query_params: { n: index }, format: "JSONEachRow" });
        return (await result.json<{ n: number }>())[0]?.n;
      }),
    );
    assert.deepEqual(
      answers,
      answers.map((_, index) => index),
    );
    await client.close();
  });

  it("takes a query from the address, a header for the format, and every way to say who asks", async () => {
    const query = "SELECT 1 AS one";
    const basic = `Basic ${Buffer.from(`${ANALYST.username}:${ANALYST.password}`).toString("base64")}`;
    const address = new URL(url);
    address.searchParams.set("query", query);
    const named = new URL(address);
    named.searchParams.set("user", ANALYST.username);
    named.searchParams.set("password", ANALYST.password);
    const keys = { "X-ClickHouse-User": ANALYST.username, "X-ClickHouse-Key": ANALYST.password };

    assert.equal(await (await fetch(named)).text(), "1\n");
    assert.equal(await (await fetch(address, { headers: keys })).text(), "1\n");
    const csv = await fetch(address, { headers: { ...keys, "X-ClickHouse-Format": "CSVWithNames" } });
    assert.equal(await csv.text(), '"one"\n1\n');
    assert.equal(csv.headers.get("x-clickhouse-format"), "CSVWithNames");
    assert.match(csv.headers.get("content-type") ?? "", /^text\/csv/);
    const json = await fetch(url, { method: "POST", headers: { authorization: basic }, body: `${query} FORMAT JSONCompact` });
    assert.match(json.headers.get("content-type") ?? "", /^application\/json/);
    assert.match(json.headers.get("x-clickhouse-summary") ?? "", /"read_rows":"1"/);
    assert.equal(JSON.parse(await json.text()).rows, 1);
  });

  it("answers ping without a credential, and nothing else", async () => {
    assert.equal(await (await fetch(new URL("/ping", url))).text(), "Ok.\n");
    const nobody = await fetch(url, { method: "POST", body: "SELECT 1" });
    assert.equal(nobody.status, 401);
    assert.equal(nobody.headers.get("x-clickhouse-exception-code"), "516");
    assert.match(nobody.headers.get("www-authenticate") ?? "", /^Basic/);
    assert.equal((await ask(world, "SELECT 1", {}, { ...ANALYST, password: "wrong" })).status, 403);
    assert.equal((await ask(world, "SELECT 1", {}, { username: "default", password: "" })).status, 403);
  });

  it("writes nothing on a GET", async () => {
    const address = new URL(url);
    address.searchParams.set("query", "DROP TABLE relay.t");
    const answer = await fetch(address, { headers: { "X-ClickHouse-User": ADMIN.username, "X-ClickHouse-Key": ADMIN.password } });
    assert.equal(answer.status, 403);
    assert.match(await answer.text(), /^Code: 164/);
  });

  it("answers bad requests in ClickHouse's own form", async () => {
    const cases: [string, RegExp, number][] = [
      ["SELEC 1", /^Code: 62\. DB::Exception: Syntax error: .*\(SYNTAX_ERROR\)\n$/s, 400],
      ["SELECT * FROM nowhere", /^Code: 60\. .*\(UNKNOWN_TABLE\)\n$/s, 404],
      ["SELECT {x:UInt8}", /^Code: 456\. /, 400],
      ["  ", /^Code: 62\. DB::Exception: Empty query/, 400],
      ["SELECT 1 FORMAT Nonsense", /^Code: 73\. /, 400],
      [`SELECT '${"x".repeat(140_000)}'`, /^Code: 223\. /, 413],
    ];
    for (const [sql, text, status] of cases) {
      const answer = await ask(world, sql);
      assert.match(answer.text, text);
      assert.equal(answer.status, status, answer.text);
      assert.ok(!answer.text.includes(world.directory));
    }
  });

  it("takes what drivers send besides settings, and settings that change nothing", async () => {
    const taken: Record<string, string>[] = [
      { client_protocol_version: "54460", default_format: "TabSeparated" },
      { stacktrace: "1", quota_key: "k", wait_end_of_query: "1", buffer_size: "3000000", log_comment: "a report" },
      { session_id: "s", session_timeout: "60", session_check: "0", close_session: "1", query_id: "q" },
      {
        send_progress_in_http_headers: "1",
        http_headers_progress_interval_ms: "120000",
        cancel_http_readonly_queries_on_client_close: "1",
      },
      { compress: "0", decompress: "0", enable_http_compression: "0", http_write_exception_in_output_format: "0" },
      { max_threads: "1", readonly: "1", max_memory_usage: "536870912", allow_ddl: "false", timeout_overflow_mode: "throw" },
      { async_insert: "0", wait_for_async_insert: "0", select_sequential_consistency: "1", extremes: "0", session_timezone: "Europe/Rome" },
      { max_execution_time: "5", max_result_rows: "10", max_result_bytes: "1000", result_overflow_mode: "break" },
    ];
    for (const parameters of taken) {
      const answer = await ask(world, "SELECT 1", parameters);
      assert.equal(answer.text, "1\n", JSON.stringify(parameters));
    }
  });

  it("refuses by name what it cannot do", async () => {
    const refused: [Record<string, string>, RegExp, number][] = [
      [{ max_memory_usage: "2" }, /^Code: 164\. .*'max_memory_usage'/, 403],
      [{ no_such_setting: "1" }, /^Code: 115\. .*'no_such_setting'/, 400],
      [{ http_write_exception_in_output_format: "1" }, /^Code: 164\. .*'http_write_exception_in_output_format'/, 403],
      [{ add_http_cors_header: "1" }, /^Code: 164\. .*'add_http_cors_header'/, 403],
      [{ session_id: "s", session_check: "1" }, /^Code: 372\. .*Session/, 404],
      [{ role: "owner" }, /^Code: 497\. .*Roles/, 403],
      [{ compress: "0", network_compression_method: "ZSTD" }, /^Code: 48\. .*'network_compression_method'/, 501],
      [{ decompress: "1" }, /^Code: 48\. .*'decompress'/, 501],
      [{ compress: "yes" }, /^Code: 36\. .*'compress'/, 400],
      [{ client_protocol_version: "new" }, /^Code: 36\. .*'client_protocol_version'/, 400],
      [{ max_result_rows: "many" }, /^Code: 36\. .*max_result_rows.* 1000000/, 400],
      [{ result_overflow_mode: "any" }, /^Code: 36\. .*result_overflow_mode/, 400],
      [{ t_format: "CSV", t_structure: "a Int8" }, /^Code: 115\. .*'t_format'/, 400],
    ];
    for (const [parameters, text, status] of refused) {
      const answer = await ask(world, "SELECT 1", parameters);
      assert.match(answer.text, text);
      assert.equal(answer.status, status, answer.text);
      assert.equal(answer.headers.get("x-clickhouse-server-display-name"), "terminal-relay");
    }
    const form = new FormData();
    form.append("query", "SELECT 1");
    const headers = { "X-ClickHouse-User": ANALYST.username, "X-ClickHouse-Key": ANALYST.password };
    const multipart = await fetch(url, { method: "POST", headers, body: form });
    assert.equal(multipart.status, 501);
    assert.match(await multipart.text(), /^Code: 48\. .*Multipart/);
  });

  it("keeps a time and a size that a client asks for, and its own where more is asked for: nothing is cut without an exception", async () => {
    const time = "SELECT getSetting('max_execution_time')";
    assert.equal((await ask(world, time, { max_execution_time: "5" })).text, "5\n");
    for (const asked of ["0", "65", "10.5"]) assert.equal((await ask(world, time, { max_execution_time: asked })).text, "10\n");
    const rows = "SELECT number FROM numbers(1100000)";
    const own = await ask(world, rows, { max_result_rows: "1000", result_overflow_mode: "throw" });
    assert.match(own.text, /^Code: 396\. .*TOO_MANY_ROWS_OR_BYTES/s);
    const cut = await ask(world, rows, { max_result_rows: "1000", result_overflow_mode: "break" });
    assert.equal(cut.status, 200);
    assert.ok(cut.text.split("\n").length < 200_000);
    // Metabase asks for this many rows.
    for (const more of [{ max_result_rows: "1048575" }, { max_result_rows: "0" }, { max_result_bytes: "1000000000" }, {}] as Record<
      string,
      string
    >[]) {
      const answer = await ask(world, rows, { ...more, result_overflow_mode: "break" });
      assert.match(answer.text, /^Code: 396\. .*TOO_MANY_ROWS_OR_BYTES/s, JSON.stringify(more));
    }
    const bytes = await ask(world, "SELECT repeat('x', 1000000) FROM numbers(100)", {
      max_result_rows: "1000",
      result_overflow_mode: "break",
    });
    assert.match(bytes.text, /^Code: 396\. .*TOO_MANY_ROWS_OR_BYTES/s);
  });

  it("tells of a query what ClickHouse's headers tell", async () => {
    const answer = await ask(world, "SELECT toUInt64(number) FROM numbers(10) FORMAT CSV", {
      query_id: "a-query",
      session_timezone: "Asia/Tokyo",
    });
    assert.equal(answer.headers.get("x-clickhouse-query-id"), "a-query");
    assert.equal(answer.headers.get("x-clickhouse-server-display-name"), "terminal-relay");
    assert.equal(answer.headers.get("x-clickhouse-timezone"), "Asia/Tokyo");
    assert.equal(answer.headers.get("x-clickhouse-format"), "CSV");
    const { elapsed_ns: elapsed, ...summary } = JSON.parse(answer.headers.get("x-clickhouse-summary") ?? "");
    assert.match(elapsed, /^\d+$/);
    assert.deepEqual(summary, {
      ...{ read_rows: "10", read_bytes: "80", written_rows: "0", written_bytes: "0", total_rows_to_read: "0" },
      ...{ result_rows: "10", result_bytes: "80" },
    });
    const insert = await ask(
      world,
      '{"a":100000,"b":"x","c":"2026-01-02 03:04:05.678"}',
      { query: "INSERT INTO relay.t FORMAT JSONEachRow" },
      ADMIN,
    );
    assert.match(insert.headers.get("x-clickhouse-summary") ?? "", /"written_rows":"1","written_bytes":"[1-9]/);
    assert.equal((await ask(world, "DELETE FROM relay.t WHERE a = 100000", {}, ADMIN)).status, 200);
    const error = await ask(world, "SELECT nothing", { query_id: "a-mistake" });
    assert.equal(error.headers.get("x-clickhouse-query-id"), "a-mistake");
    assert.equal(error.headers.get("x-clickhouse-exception-code"), "47");
  });

  it("compresses as Accept-Encoding allows, and not at all where it names nothing that is known", async () => {
    const sql = "SELECT number FROM numbers(2000) FORMAT CSV";
    const plain = (await ask(world, sql)).text;
    const authorization = `Basic ${Buffer.from(`${ANALYST.username}:${ANALYST.password}`).toString("base64")}`;
    const cases: [string, string | null][] = [
      ["gzip, deflate, br", "gzip"],
      ["zstd, lz4, br;q=0.5", "br"],
      ["deflate", "deflate"],
      ["gzip;q=0, br", "br"],
      ["zstd", null],
      ["identity", null],
    ];
    for (const [accepted, encoding] of cases) {
      const headers = { authorization, "Accept-Encoding": accepted };
      const response = await fetch(`${url}/?enable_http_compression=1`, { method: "POST", headers, body: sql });
      assert.equal(response.headers.get("content-encoding"), encoding, accepted);
      assert.equal(await response.text(), plain);
      const unasked = await fetch(url, { method: "POST", headers, body: sql });
      assert.equal(unasked.headers.get("content-encoding"), null);
      assert.equal(await unasked.text(), plain);
    }
  });

  it("answers Accept-Encoding: lz4 in LZ4's frame, a short text and an error too", async () => {
    const headers = { "X-ClickHouse-User": ANALYST.username, "X-ClickHouse-Key": ANALYST.password, "Accept-Encoding": "lz4, zstd" };
    const frame = (text: string): Buffer => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(text.length + 0x8000_0000);
      return Buffer.concat([Buffer.from("04224d18607073", "hex"), ...(text === "" ? [] : [length, Buffer.from(text)]), Buffer.alloc(4)]);
    };
    const answers: [sql: string, framed: boolean, text: string][] = [
      ["SELECT 1", true, "1\n"],
      ["SELECT 1 WHERE 0", true, ""],
      ["SELECT * FROM nowhere", true, (await ask(world, "SELECT * FROM nowhere")).text],
      // Java's client does not decompress the text of every status.
      ["DROP TABLE relay.t", false, (await ask(world, "DROP TABLE relay.t")).text],
    ];
    for (const [sql, framed, text] of answers) {
      const call = request(`${url}/?enable_http_compression=1`, { method: "POST", headers });
      call.end(sql);
      const [response]: IncomingMessage[] = await once(call, "response");
      assert.ok(response !== undefined);
      assert.equal(response.headers["content-encoding"], framed ? "lz4" : undefined, sql);
      assert.deepEqual(await buffer(response), framed ? frame(text) : Buffer.from(text), sql);
    }
  });

  it("answers compress=1 in ClickHouse's own compression, errors too, and refuses other methods", async () => {
    const headers = { "X-ClickHouse-User": ANALYST.username, "X-ClickHouse-Key": ANALYST.password };
    const blocks = async (parameters: Record<string, string>, body: string): Promise<{ response: Response; bytes: Buffer }> => {
      const response = await fetch(`${url}/?${new URLSearchParams(parameters)}`, { method: "POST", headers, body });
      return { response, bytes: Buffer.from(await response.arrayBuffer()) };
    };
    const sql = "SELECT number FROM numbers(200000) FORMAT CSV";
    const plain = (await ask(world, sql)).text;
    for (const parameters of [{}, { network_compression_method: "LZ4" }, { network_compression_method: "lz4hc" }]) {
      const { bytes } = await blocks({ compress: "1", ...parameters }, sql);
      assert.deepEqual(Buffer.from(await inBlocks(Buffer.from(plain), "LZ4")), bytes);
    }
    const none = await blocks({ compress: "1", network_compression_method: "NONE" }, "SELECT 1");
    assert.deepEqual(none.bytes, Buffer.from(await inBlocks(Buffer.from("1\n"), "NONE")));
    const both = await blocks({ compress: "1", enable_http_compression: "1" }, sql);
    assert.equal(both.response.headers.get("content-encoding"), "gzip");
    assert.deepEqual(both.bytes, Buffer.from(await inBlocks(Buffer.from(plain), "LZ4")));
    assert.equal((await blocks({ compress: "1" }, "SELECT 1 WHERE 0")).bytes.length, 0);

    for (const [parameters, body, code] of [
      [{}, "SELECT nothing", "47"],
      [{ network_compression_method: "ZSTD" }, "SELECT 1", "48"],
      [{ user: "x", max_memory_usage: "9" }, "SELECT 1", "164"],
    ] as const) {
      const { response, bytes } = await blocks({ compress: "1", ...parameters }, body);
      assert.equal(response.headers.get("x-clickhouse-exception-code"), code);
      assert.match(bytes.subarray(25).toString(), new RegExp(`Code: ${code}\\. `));
    }
  });

  it("caps an analyst's result, memory and time", async () => {
    const rows = await ask(world, "SELECT number FROM numbers(2000000)");
    assert.match(rows.text, /^Code: 396\. .*TOO_MANY_ROWS_OR_BYTES/s);
    const bytes = await ask(world, "SELECT repeat('x', 1000000) FROM numbers(100)");
    assert.match(bytes.text, /^Code: 396\. .*TOO_MANY_ROWS_OR_BYTES/s);
    const memory = await ask(world, "SELECT length(groupArray(number)) FROM numbers(1000000000)");
    assert.match(memory.text, /^Code: 241\. .*MEMORY_LIMIT_EXCEEDED/s);
    const settings = await ask(world, "SELECT value FROM system.settings WHERE name IN ('max_execution_time', 'readonly') ORDER BY name");
    assert.equal(settings.text, "10\n1\n");
  });

  it("ends a query whose text takes more memory than ClickHouse counts, and answers the next", async () => {
    const wide = await ask(world, `SELECT number AS ${"a".repeat(600)} FROM numbers(1000000) FORMAT JSONEachRow`);
    assert.match(wide.text, /^Code: 241\. .*MEMORY_LIMIT_EXCEEDED/s);
    assert.equal(wide.status, 500);
    assert.equal((await ask(world, "SELECT 1")).text, "1\n");
  });

  it("runs analysts one at a time, refuses when too many wait, ends the query of a client that left, and lets the relay through", async () => {
    const endless = "SELECT count() FROM numbers(100000000000)";
    const leaving = new AbortController();
    const askedAt = performance.now();
    const headers = { "X-ClickHouse-User": ANALYST.username, "X-ClickHouse-Key": ANALYST.password };
    const heavy = fetch(url, { method: "POST", headers, body: endless, signal: leaving.signal });
    heavy.catch(() => undefined);
    const admin = connectClickHouse({ url, ...ADMIN });
    const running = async (): Promise<number> => {
      const result = await admin.query({
        query: "SELECT count() AS n FROM system.processes WHERE query LIKE '%100000000000)'",
        format: "JSONEachRow",
      });
      return Number((await result.json<{ n: string }>())[0]?.n);
    };
    while ((await running()) === 0);
    const waiting = Array.from({ length: 17 }, () => ask(world, "SELECT 1"));
    assert.equal((await Promise.race(waiting)).status, 429);

    assert.equal((await ask(world, "SELECT count() FROM relay.t", {}, ADMIN)).text, "500\n");
    assert.equal(await running(), 1, "the relay's query waited for the analyst's");

    leaving.abort();
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    assert.deepEqual(
      statuses.filter((status) => status !== 429),
      Array.from({ length: 16 }, () => 200),
    );
    await eventually(async () => assert.equal(await running(), 0), askedAt + OWN_LIMIT_MS - performance.now());
    await admin.close();
  });

  it("runs two merchants' queries at once and lets inserts and lists through; they write nothing, and end with their clients", async () => {
    const admin = connectClickHouse({ url, ...ADMIN });
    const portal = connectClickHouse({ url, ...ADMIN }, { workload: PORTAL_WORKLOAD });
    const leaving = new AbortController();
    const endless = Array.from({ length: 5 }, () =>
      portal.query({
        query: "SELECT count() FROM numbers(200000000000)",
        abort_signal: leaving.signal,
        clickhouse_settings: { max_threads: 1 },
      }),
    );
    const ended = Promise.allSettled(endless);
    const running = async (): Promise<string[]> => {
      const result = await admin.query({
        query:
          "SELECT query_id FROM system.processes WHERE query LIKE '%(200000000000)%' AND query NOT LIKE '%processes%' ORDER BY query_id",
        format: "JSONEachRow",
      });
      return (await result.json<{ query_id: string }>()).map(({ query_id }) => query_id);
    };
    const before = await eventually(async () => {
      const two = await running();
      assert.equal(two.length, 2, "no two queries run");
      return two;
    });
    await admin.insert({ table: "relay.t", values: [{ a: 1_000, b: "beside", c: "2026-01-02 03:04:05.678" }], format: "JSONEachRow" });
    assert.equal((await ask(world, "SELECT count() FROM relay.t WHERE a = 1000", {}, ADMIN)).text, "1\n");
    assert.deepEqual(await running(), before, "the relay waited for merchants");

    leaving.abort();
    assert.ok((await ended).every(({ status }) => status === "rejected"));
    const found = await portal.query({
      query: "SELECT b FROM relay.t WHERE a = {a:UInt64}",
      query_params: { a: 1_000 },
      format: "JSONEachRow",
    });
    assert.deepEqual(await found.json(), [{ b: "beside" }]);
    await eventually(async () => assert.deepEqual(await running(), []));
    await assert.rejects(portal.command({ query: "DROP TABLE relay.t" }), { code: "164" });
    await Promise.all([admin.close(), portal.close()]);
  });
});
