import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";

const ANSWER_WITHIN_MS = 120_000;

const PACKAGE: { version: string; scripts: { [name: string]: string } } = JSON.parse(readFileSync("package.json", "utf8"));

/** Each with the options of Node with which npm runs it. Those of other packages have command lines of their own. */
const SCRIPTS = Object.entries(PACKAGE.scripts).filter(([, command]) => !/^(?:tsc|biome) /.test(command));

function run(args: readonly string[]) {
  return new Promise<{ code: unknown; text: string }>((resolve) => {
    execFile(process.execPath, args, { timeout: ANSWER_WITHIN_MS }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, text: stdout + stderr }),
    );
  });
}

describe("every program that npm runs", { concurrency: 2 }, () => {
  for (const [name, command] of SCRIPTS) {
    const [exec, node, ...args] = command.split(" ");
    test(`${name} takes the place of the shell, says how it is used and of which version it is, and refuses an unknown option`, async () => {
      assert.deepEqual([exec, node], ["exec", "node"], "a signal to npm reaches the program, and no shell that leaves it behind");
      const [help, version, unknown] = [
        await run([...args, "--help"]),
        await run([...args, "--version"]),
        await run([...args, "--no-such-option"]),
      ];
      assert.equal(help.code, 0, help.text);
      assert.match(help.text, /^Usage: /);
      assert.deepEqual(version, { code: 0, text: `${PACKAGE.version}\n` });
      assert.equal(unknown.code, 1, unknown.text);
      assert.match(unknown.text, /^error: (?:unknown option '--no-such-option'|required option )/);
    });
  }
});
