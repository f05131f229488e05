/**
 * Runs the tests: `npm test` for all, `npm test -- kv stomp` for the files whose path contains one of the words.
 * node --test takes globs only from Node 21, so the files are found here.
 */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";

const words = process.argv.slice(2);
const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => `test/${file}`)
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();
if (files.length === 0) {
  console.error(`no test file matches: ${words.join(" ")}`);
  process.exit(1);
}
const run = spawnSync(process.execPath, ["--import", "tsx", "--test", "--test-concurrency=2", ...files], { stdio: "inherit" });
process.exit(run.status ?? 1);
