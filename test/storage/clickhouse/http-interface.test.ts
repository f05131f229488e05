import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ClickHouseError, createClient } from "@clickhouse/client";
import { connectClickHouse } from "../../../storage/clickhouse/client.ts";
import { PORTAL_WORKLOAD } from "../../../storage/clickhouse/workloads.ts";
import { eventually } from "../../support/within.ts";
import { ADMIN, ANALYST, ask, sharedClickHouse } from "./clickhouse-world.ts";

/** That its client has left comes to ClickHouse when the machine gets to it; by its own limit an analyst's query would end five times later. */
const ENDED_WITHIN_MS = 2_000;

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

    const startedAt = performance.now();
    assert.equal((await ask(world, "SELECT count() FROM relay.t", {}, ADMIN)).text, "500\n");
    assert.ok(performance.now() - startedAt < 1_000, "the relay's query waited for the analyst's");

    leaving.abort();
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    assert.deepEqual(
      statuses.filter((status) => status !== 429),
      Array.from({ length: 16 }, () => 200),
    );
    await eventually(async () => assert.equal(await running(), 0), ENDED_WITHIN_MS);
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
    const running = async (): Promise<number> => {
      const result = await admin.query({
        query: "SELECT count() AS n FROM system.processes WHERE query LIKE '%(200000000000)%' AND query NOT LIKE '%processes%'",
        format: "JSONEachRow",
      });
      return Number((await result.json<{ n: string }>())[0]?.n);
    };
    const beginsUntilMs = performance.now() + 20_000;
    while ((await running()) < 2) assert.ok(performance.now() < beginsUntilMs, "no two queries run");
    const startedAt = performance.now();
    await admin.insert({ table: "relay.t", values: [{ a: 1_000, b: "beside", c: "2026-01-02 03:04:05.678" }], format: "JSONEachRow" });
    assert.equal((await ask(world, "SELECT count() FROM relay.t WHERE a = 1000", {}, ADMIN)).text, "1\n");
    assert.ok(performance.now() - startedAt < 3_000, "the relay waited for merchants");
    assert.equal(await running(), 2);

    leaving.abort();
    assert.ok((await ended).every(({ status }) => status === "rejected"));
    const found = await portal.query({
      query: "SELECT b FROM relay.t WHERE a = {a:UInt64}",
      query_params: { a: 1_000 },
      format: "JSONEachRow",
    });
    assert.deepEqual(await found.json(), [{ b: "beside" }]);
    await eventually(async () => assert.equal(await running(), 0), ENDED_WITHIN_MS);
    await assert.rejects(portal.command({ query: "DROP TABLE relay.t" }), { code: "164" });
    await Promise.all([admin.close(), portal.close()]);
  });
});
