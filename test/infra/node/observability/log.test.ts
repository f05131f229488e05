import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

/** What these calls of a log write, a line an object. */
async function written(calls: string): Promise<{ [member: string]: unknown }[]> {
  const code = `import { createLog } from "./infra/node/observability/log.ts"; const log = createLog("info", "main", () => performance.now()); ${calls}`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", "--input-type=module", "-e", code]);
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line));
}

test("what ClickHouse prints is reported by its code and its part, without its text, and only where it is an error", async () => {
  const lines = await written(`
    const output = (line) => log.embeddedClickHouse({ type: "output", line });
    output("2026.01.15 10:30:00.000000 [ 12 ] {} <Information> Application: ready");
    output("Processing configuration file");
    output("2026.01.15 10:30:00.000000 [ 12 ] {q1} <Error> MergeTask: Code: 243. DB::Exception: No space for anna@shop.example. (NOT_ENOUGH_SPACE)");
    output("Code: 62. DB::Exception: Syntax error near 'anna@shop.example'");
    output("2026.01.15 10:30:00.000000 [ 12 ] {} <Fatal> BaseDaemon: anna@shop.example");`);
  assert.deepEqual(
    lines.map(({ event, level, reason }) => [event, level, reason]),
    [
      ["clickhouse output", 50, "an error is reported in MergeTask, code 243"],
      ["clickhouse output", 50, "an error is reported, code 62"],
      ["clickhouse output", 50, "an error is reported in BaseDaemon"],
    ],
  );
  assert.doesNotMatch(JSON.stringify(lines), /anna/);
});

test("the end of ClickHouse's process, and a start that failed, say why", async () => {
  const lines = await written(`
    log.embeddedClickHouse({ type: "started", port: 8123, pid: 1 });
    log.embeddedClickHouse({ type: "died", exit: "SIGSEGV", pauseMs: 100 });
    log.embeddedClickHouse({ type: "start_failed", reason: "the directory is in use", pauseMs: 100 });`);
  assert.deepEqual(
    lines.map(({ event, port, exit, reason }) => [event, port ?? exit ?? reason]),
    [
      ["clickhouse started", 8_123],
      ["clickhouse died", "SIGSEGV"],
      ["clickhouse start failed", "the directory is in use"],
    ],
  );
});

test("the start names the relay's version, and the limitation of the HTTP library in one readable line", async () => {
  const [starting, library] = await written(`
    log.starting({ version: "1.2.3", mode: "sandbox", shards: 1, dataDirectory: "/data", node: "v22.0.0" });
    log.httpLibrary({ packageName: "uws-pack 20.0.8", lacks: ["something may be answered 505"], instead: "it needs glibc 2.38 or newer" });`);
  assert.deepEqual([starting?.["version"], starting?.["msg"]], ["1.2.3", "Terminal Relay 1.2.3 is starting"]);
  assert.equal(
    library?.["msg"],
    "the older HTTP library is used, because the newer one cannot be loaded (it needs glibc 2.38 or newer): something may be answered 505",
  );
});

test("a register that repeats refused frames writes one line and a count, whichever connection they come on", async () => {
  const lines = await written(`
    for (let count = 0; count < 500; count += 1) log.zvt("INFO", { type: "refused", address: "10.0.0.1", reason: "unsupported" });
    for (let count = 0; count < 5; count += 1)
      log.zvt("INFO", { type: "closed", connection: "c" + count, address: "10.0.0.1", routeId: null, reason: "too_many_refusals", refusals: 100 });
    log.zvt("INFO", { type: "refused", address: "10.0.0.2", reason: "unsupported" });
    for (let count = 0; count < 3; count += 1) log.zvt("INFO", { type: "payment ended", outcome: "paid", durationMs: 1 });
    for (let count = 0; count < 3; count += 1) log.loginsHeldBack({ by: "address", account: null, address: "10.0.0.1", forMs: 60_000 });`);
  assert.deepEqual(
    lines.map(({ event, address, refusals, outcome }) => [event, address ?? outcome, refusals]),
    [
      ["zvt refused", "10.0.0.1", undefined],
      ["zvt closed", "10.0.0.1", 100],
      ["zvt refused", "10.0.0.2", undefined],
      ["zvt payment ended", "paid", undefined],
      ["zvt payment ended", "paid", undefined],
      ["zvt payment ended", "paid", undefined],
      ["logins held back", "10.0.0.1", undefined],
    ],
  );
});
