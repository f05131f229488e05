import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { hasProgram } from "../../../../infra/local/run-command.ts";
import { readableLine } from "../../../../infra/node/observability/readable-line.ts";
import { skipReason } from "../../../support/node/server-process.ts";

const TIME = "2026-01-15T10:30:05.123Z";
const clock = new Date(TIME).toTimeString().slice(0, 8);
const readable = (entry: object, coloured = false) =>
  readableLine(JSON.stringify({ level: 30, time: TIME, thread: "main", ...entry }), { coloured });

test("a line has its time, level and message, and then its facts", () => {
  const line = readable({
    event: "listening",
    url: "http://127.0.0.1:8080",
    ports: [40007],
    reason: "two words",
    none: null,
    msg: "listening",
  });
  assert.equal(line, `${clock} info  listening url=http://127.0.0.1:8080 ports=[40007] reason="two words"\n`);
});

test("a line of a shard names it", () => {
  assert.equal(readable({ thread: "shard-0", event: "x", msg: "ready" }), `${clock} info  [shard-0] ready\n`);
});

test("warnings and errors are coloured where colours are wanted", () => {
  assert.equal(readable({ level: 40, event: "x", msg: "slow" }, true), `${clock} \u001b[33mwarn \u001b[0m slow\n`);
  assert.equal(readable({ level: 50, event: "x", msg: "bad" }, true), `${clock} \u001b[31merror\u001b[0m bad\n`);
  assert.equal(readable({ level: 50, event: "x", msg: "bad" }), `${clock} error bad\n`);
});

test("a stack follows on lines of its own", () => {
  const line = readable({ level: 50, event: "x", msg: "failed", err: { type: "Error", message: "no", stack: "Error: no\n    at here" } });
  assert.equal(line, `${clock} error failed\n  Error: no\n      at here\n`);
});

test("nothing in a line controls the terminal", () => {
  const hostile = "\u001b]0;title\u0007\u009b2J\r";
  const line = readable({ event: "x", msg: hostile, reason: hostile, err: { stack: `Error: ${hostile}` } });
  assert.deepEqual(line.match(/[^\P{Cc}\n]/gu), null);
});

const script = await hasProgram("script", ["--version"]);
const CODE = `import { createLog } from "./infra/node/observability/log.ts"; createLog("info", "main", () => 0).listening({ url: "here" });`;

test("the log is made for people on a terminal, and JSON everywhere else", {
  skip: skipReason(script ? { type: "installed" } : { type: "missing", reason: "script (util-linux) opens a terminal" }),
}, async () => {
  const command = [process.execPath, "--import", "tsx", "--input-type=module", "-e", CODE];
  const env = { ...process.env, NO_COLOR: "1" };
  const quoted = command.map((word) => `'${word}'`).join(" ");
  const onTerminal = await promisify(execFile)("script", ["-qec", quoted, "/dev/null"], { env });
  assert.match(onTerminal.stdout, /^\d\d:\d\d:\d\d info {2}listening url=here\r\n/);
  const [program = "", ...args] = command;
  const piped = await promisify(execFile)(program, args, { env });
  assert.equal(JSON.parse(piped.stdout).event, "listening");
});
