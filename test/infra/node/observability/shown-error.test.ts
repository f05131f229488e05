import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { shownError } from "../../../../infra/node/observability/shown-error.ts";

/** What libraries attach: Node the URL that it could not read, ioredis the command. */
const TALKATIVE = `Object.assign(new Error("no such script", { cause: new Error("behind it") }), {
  input: "redis://user:hidden@redis-1", command: { name: "evalsha", args: ["hidden"] }, code: "NOSCRIPT" })`;

test("the log shows of an error its kind, message, stack and code, and nothing else that it holds", async () => {
  const program = `import { createLog } from "./infra/node/observability/log.ts";
    const log = createLog("info", "main", () => performance.now());
    log.crashed("main", ${TALKATIVE});
    log.engineFailed("links", ${TALKATIVE});
    log.webSocketRefused("all");`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program]);
  assert.doesNotMatch(stdout, /hidden/);
  const lines: { event: string; err?: object }[] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ event, err }) => [event, Object.keys(err ?? {})]),
    [
      ["crashed", ["type", "message", "stack", "code"]],
      ["engine failed", ["type", "message", "stack", "code"]],
      ["websocket refused", []],
    ],
  );
  assert.match(JSON.stringify(lines[0]), /no such script.*caused by: Error: behind it/);
});

test("an error of any length is shown in so many characters, and what is none by its type", () => {
  const long = shownError(new Error("x".repeat(1_000_000)));
  assert.ok(long.message.length <= 1_000 && long.stack.length <= 8_000);
  assert.equal(shownError("hidden").type, "string");
});
