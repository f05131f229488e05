/**
 * `npm run test:http-library`: the tests of HTTP, STOMP and the scenarios on the packaging of uWebSockets.js that `npm test` does not run on here. On a
 * machine whose C library is too old for the newer one, that is done by a copy of Node that runs with Debian 13's. Words pick other tests.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { loadUws } from "../http/server/uws.ts";
import { nodeWithNewerGlibc } from "./support/newer-glibc-node.ts";
import { skipReason } from "./support/server-process.ts";

const given = process.argv.slice(2);
/** What touches the library, and whole nodes on it. Surfaces, pages and engine reach it through `http/server` alone, whose tests are among these. */
const USUAL = ["test/http/server/", "test/http/endpoint/", "test/http/stomp/", "test/scenario/", "test/infra/node/process/"];
const words = given.length === 0 ? USUAL : given;

async function run(program: string, library: string): Promise<void> {
  console.log(`# the ${library} library, on ${program}`);
  const tests = spawn(program, ["--import", "tsx", "test/run.ts", ...words], {
    stdio: "inherit",
    env: { ...process.env, TEST_HTTP_LIBRARY: library },
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
