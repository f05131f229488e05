/** Runs test files in the order in which they are given, each in a process of its own; `node --test` sorts them by name. Its own `--import tsx` is theirs too. */
import { resolve } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { failuresLast } from "./failures-last.ts";

/** The machine of CI has two cores. */
const AT_ONCE = 2;

/** Of a file: one that hangs fails by itself, and the others are still told of. */
const FILE_TIMEOUT_MS = 1_800_000;

const tests = run({ files: process.argv.slice(2).map((file) => resolve(file)), concurrency: AT_ONCE, timeout: FILE_TIMEOUT_MS });
tests.on("test:fail", ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1;
});
const told = process.stdout.isTTY ? tests.compose(new spec()) : tests.compose(failuresLast);
told.pipe(process.stdout);
