/**
 * Runs the tests: `npm test` for all, `npm test -- kv stomp` for the files whose path contains one of the words.
 * node --test takes globs only from Node 21, so the files are found here.
 */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";

/** These take half a minute and more, the longest first, so that none of them is left for one core at the end. */
const LONG = [
  "test/cluster/faults.test.ts",
  "test/cluster/scenarios.test.ts",
  "test/fault/kill.test.ts",
  "test/fault/cut-files.test.ts",
  "test/fault/links.test.ts",
  "test/storage/feed/kafka-feed.test.ts",
  "test/cluster/rate-limits.test.ts",
  "test/fault/packages.test.ts",
];

const words = process.argv.slice(2);
const found = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => `test/${file}`)
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();
if (found.length === 0) {
  console.error(`no test file matches: ${words.join(" ")}`);
  process.exit(1);
}
const files = [...LONG.filter((file) => found.includes(file)), ...found.filter((file) => !LONG.includes(file))];
const run = spawnSync(process.execPath, ["--import", "tsx", "test/in-order.ts", ...files], { stdio: "inherit" });
process.exit(run.status ?? 1);
