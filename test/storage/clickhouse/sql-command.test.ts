import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { writeAnalystAccess } from "../../../storage/clickhouse/analyst-access.ts";
import { ANALYST, sharedClickHouse } from "./clickhouse-world.ts";

const PROGRAM = fileURLToPath(new URL("../../../infra/cli/sql.ts", import.meta.url));

async function sql(
  words: string[],
  environment: NodeJS.ProcessEnv,
  input = "",
): Promise<{ code: number | null; output: string; errors: string }> {
  const child = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), PROGRAM, ...words], {
    env: { PATH: process.env["PATH"], ...environment },
  });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, output, errors };
}

describe("npm run sql", async () => {
  const world = await sharedClickHouse();

  it("asks the relay whose data directory it is told, in any format and with parameters", async (test) => {
    const directory = await mkdtemp(join(tmpdir(), "relay-sql-"));
    test.after(() => rm(directory, { recursive: true, force: true }));
    await writeAnalystAccess(directory, { url: world.clickhouse.url, ...ANALYST });
    assert.equal((await stat(join(directory, "clickhouse.json"))).mode & 0o777, 0o600);
    const environment = { RELAY_DATA_DIR: directory };
    const table = await sql(["select", "1 as one"], environment);
    assert.equal(table.code, 0, table.errors);
    assert.match(table.output, /┌─one─┐\n/);
    const csv = await sql(["-f", "CSV", "--param", "x=a,b", "select {x:String}"], environment);
    assert.equal(csv.output, '"a,b"\n');
    const piped = await sql(["--format", "TSV"], environment, "select currentDatabase()\n");
    assert.equal(piped.output, "relay\n");
    const wrong = await sql(["select from where"], environment);
    assert.equal(wrong.code, 1);
    assert.match(wrong.errors, /^Code: 62\. DB::Exception: Syntax error/);
  });

  it("says what to do when nothing runs", async (test) => {
    const directory = await mkdtemp(join(tmpdir(), "relay-sql-"));
    test.after(() => rm(directory, { recursive: true, force: true }));
    const never = await sql(["select 1"], { RELAY_DATA_DIR: directory });
    assert.equal(never.code, 1);
    assert.match(never.errors, /npm start/);
    await writeAnalystAccess(directory, { url: "http://127.0.0.1:2", ...ANALYST });
    const stopped = await sql(["select 1"], { RELAY_DATA_DIR: directory });
    assert.equal(stopped.code, 1);
    assert.match(stopped.errors, /^no ClickHouse responds at http:\/\/127\.0\.0\.1:2; is the relay running\? \(ECONNREFUSED\)\n$/);
  });
});
