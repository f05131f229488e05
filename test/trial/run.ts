/**
 * `npm run test:trial`: the cluster trial (cluster-trial.ts), with nodes from a build of the sources. It takes a quarter of an hour, so it is no part of `npm test`;
 * `npm run test:trial -- --rounds 1 --seconds 8 --settle-seconds 5` shows in two minutes that it runs.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, removeBuild } from "../support/node/build.ts";
import { readTrialOptions } from "./options.ts";

const given = process.argv.slice(2);
// Here, so that a wrong option is told before anything is built.
readTrialOptions(given);
const folder = await mkdtemp(join(tmpdir(), "relay-trial-"));
try {
  const trial = spawn(process.execPath, ["--import", "tsx", "test/trial/cluster-trial.ts", ...given], {
    stdio: "inherit",
    env: { ...process.env, TEST_BUILD: await build(folder) },
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => trial.kill(signal));
  const [status] = await once(trial, "exit");
  process.exitCode = status ?? 1;
} finally {
  await removeBuild(folder);
}
