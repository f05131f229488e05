import assert from "node:assert/strict";
import { ClickHouseError, createClient } from "@clickhouse/client";
import { listOf, member } from "../../../support/http/matches.ts";
import { expectedSteps, PARAMETERS, type Printed, printed, STATEMENTS } from "./statements.ts";
import { trialAnalyst } from "./world.ts";

const WHERE = "SELECT amount_cents, message FROM transactions_final WHERE";

/** The relay's own client, as analysts have it: other formats than the one that the other clients are compared with, compressed, streamed. */
export async function runNodeClient(): Promise<void> {
  const { url, username, password } = await trialAnalyst();
  const expected = await expectedSteps({ url, username, password });
  const client = createClient({ url, username, password, database: "relay", compression: { response: true, request: false } });
  try {
    assert.equal((await client.ping()).success, true);
    assert.equal((await client.ping({ select: true })).success, true);
    const settings = {
      date_time_output_format: "iso",
      output_format_json_quote_decimals: 1,
      output_format_json_quote_64bit_integers: 1,
    } as const;
    const objects = await client.query({ query: STATEMENTS.types, format: "JSONEachRow", clickhouse_settings: settings });
    assert.deepEqual([Object.values((await objects.json<object>())[0] ?? {}).map(printed)], expected["types"]);
    const compact = await client.query({ query: STATEMENTS.transactions, format: "JSONCompactEachRow", clickhouse_settings: settings });
    assert.deepEqual((await compact.json<unknown[]>()).map(printed), expected["transactions"]);

    const { amount, text } = PARAMETERS;
    const bound = await client.query({
      query: `${WHERE} amount_cents >= {amount:Int64} AND message = {text:String}`,
      query_params: { amount, text },
      format: "JSONCompactEachRow",
    });
    assert.deepEqual((await bound.json<unknown[]>()).map(printed), expected["parameters"]);
    const csv = await client.query({ query: `${WHERE} amount_cents = 1051`, format: "CSVWithNames" });
    assert.equal(await csv.text(), '"amount_cents","message"\n1051,"Zürich — 5 € 😀"\n');

    let [count, sum] = [0, 0];
    const streamed = await client.query({ query: STATEMENTS.many, format: "JSONEachRow" });
    for await (const rows of streamed.stream()) {
      for (const row of rows) {
        count += 1;
        sum += Number(member(row.json(), "n"));
      }
    }
    assert.deepEqual([String(count), String(sum)], listOf(expected["many"]).slice(0, 2));
    const all = await client.query({ query: STATEMENTS.many, format: "JSON", clickhouse_settings: { max_execution_time: 8 } });
    assert.equal(member(await all.json(), "rows"), 100_000);

    for (const step of ["unknownColumn", "throws", "tooMany", "hidden", "insert", "create"] as const) {
      const query = STATEMENTS[step];
      const asked =
        step === "insert" || step === "create" ? client.command({ query }) : client.query({ query }).then((answer) => answer.text());
      await assert.rejects(asked, (error: unknown) => {
        assert.ok(error instanceof ClickHouseError, String(error));
        assert.match(`${error.code} ${error.message} (${error.type})`, patternOf(expected[step]));
        return true;
      });
    }
    const row = { terminal_id: "T1", uuid: "written" };
    await assert.rejects(client.insert({ table: "transactions", values: [row], format: "JSONEachRow" }), /Analysts may SELECT/);
  } finally {
    await client.close();
  }
}

function patternOf(expected: Printed | RegExp | undefined): RegExp {
  assert.ok(expected instanceof RegExp);
  return expected;
}
