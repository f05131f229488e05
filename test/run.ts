/**
 * Runs the tests: `npm test` for all, `npm test -- kv stomp` for the files whose path contains one of the words, `npm test -- http '!http/web'` for those
 * that do not contain the second.
 * node --test takes globs only from Node 21, so the files are found here.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, removeBuild } from "./support/build.ts";

/** These take half a minute and more, the longest first, so that none of them is left for one core at the end. */
const LONG = [
  "test/cluster/faults.test.ts",
  "test/cluster/scenarios.test.ts",
  "test/cluster/portal-faults.test.ts",
  "test/cluster/portal.test.ts",
  "test/cluster/intents.test.ts",
  "test/fault/subscriptions-node.test.ts",
  "test/fault/kill.test.ts",
  "test/fault/cut-files.test.ts",
  "test/doors/production.test.ts",
  "test/doors/sandbox.test.ts",
  "test/fault/links.test.ts",
  "test/fault/zvt.test.ts",
  "test/storage/feed/kafka-feed.test.ts",
  "test/cluster/former-version.test.ts",
  "test/cluster/rate-limits.test.ts",
  "test/proxies/haproxy.test.ts",
  "test/proxies/nginx.test.ts",
  "test/fault/packages.test.ts",
  "test/scenario/zvt-never-twice.test.ts",
];

const given = process.argv.slice(2);
const words = given.filter((word) => !word.startsWith("!"));
const without = given.filter((word) => word.startsWith("!")).map((word) => word.slice(1));
console.log(`# Node ${process.version}`);
const found = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => `test/${file}`)
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .filter((file) => !without.some((word) => file.includes(word)))
  .sort();
if (found.length === 0) {
  console.error(`no test file matches: ${given.join(" ")}`);
  process.exit(1);
}
const files = [...LONG.filter((file) => found.includes(file)), ...found.filter((file) => !LONG.includes(file))];
const folder = await mkdtemp(join(tmpdir(), "relay-test-"));
try {
  const environment = files.some(startsNodes) ? { ...process.env, TEST_BUILD: await build(folder) } : process.env;
  const run = spawn(process.execPath, ["--import", "tsx", "test/in-order.ts", ...files], { stdio: "inherit", env: environment });
  // The tests end by it themselves; what was built for them goes with them.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => run.kill(signal));
  const [status] = await once(run, "exit");
  process.exitCode = status ?? 1;
} finally {
  await removeBuild(folder);
}

/** Suites that start hundreds of nodes and threads: from a build each takes a quarter of the time. */
function startsNodes(file: string): boolean {
  return /^test\/(cluster|doors|fault|proxies|scenario|secrets|tenancy)\//.test(file);
}
