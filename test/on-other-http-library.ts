/**
 * `npm run test:http-library`: the tests of the HTTP server and a tour through a payment's whole life, on the packaging of uWebSockets.js that
 * `npm test` does not run on here. `-- every` runs all tests of HTTP, STOMP and whole nodes, and other words pick the files of these. On a machine
 * whose C library is too old for the newer one, that is done by a copy of Node that runs with Debian 13's.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { loadUws } from "../http/server/uws.ts";
import { commandLine } from "../infra/command-line.ts";
import { nodeWithNewerGlibc } from "./support/node/newer-glibc-node.ts";
import { skipReason } from "./support/node/server-process.ts";

const { args: given } = commandLine("test:http-library")
  .description(
    "Runs the tests of the HTTP server and one whole tour on the package of uWebSockets.js that npm test does not use on this machine.",
  )
  .argument("[words...]", "every: all tests of HTTP, STOMP and whole nodes; other words pick tests as npm test takes them")
  .parse();
/** Surfaces, pages and engine reach the library through `http/server` alone. The tour is a whole node on it. */
const USUAL = ["test/http/server/", "test/scenario/one-node"];
/** What touches the library, and whole nodes on it. */
const EVERY = ["test/http/server/", "test/http/endpoint/", "test/http/stomp/", "test/scenario/", "test/infra/node/process/"];

function chosen(given: readonly string[]): { words: readonly string[]; layouts: string } {
  if (given.length === 0) return { words: USUAL, layouts: "tour" };
  return given.join() === "every" ? { words: EVERY, layouts: "every" } : { words: given, layouts: "" };
}

const { words, layouts } = chosen(given);

async function run(program: string, library: string): Promise<void> {
  console.log(`# the ${library} library, on ${program}`);
  const tests = spawn(program, ["--import", "tsx", "test/run.ts", ...words], {
    stdio: "inherit",
    env: { TEST_LAYOUTS: layouts, ...process.env, TEST_HTTP_LIBRARY: library },
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => tests.kill(signal));
  const [status] = await once(tests, "exit");
  process.exitCode = status ?? 1;
}

if ((await loadUws("newest")).library === "newer") {
  await run(process.execPath, "older");
} else {
  const node = await nodeWithNewerGlibc();
  skipReason(node);
  if (node.type === "installed") await run(node.program, "newer");
}
