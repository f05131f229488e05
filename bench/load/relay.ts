import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../../infra/local/run-command.ts";
import { ROOT } from "../root.ts";
import { type Child, startAndWait, startProgram } from "./child.ts";
import { API_KEY, TERMINAL_SECRET } from "./terminals.ts";

export interface RunningRelay extends Child {
  readonly port: number;
}

const BUILD_MAX_MS = 300_000;

const READY = /API\s+http:\/\/[^:]+:(\d+)/;

/** Starts the whole relay as its users do, with one shard, on a free port. */
export async function startRelay(
  dataDirectory: string,
  environment: { readonly [name: string]: string } = {},
  root = ROOT,
): Promise<RunningRelay> {
  const options = { environment: relayEnvironment(dataDirectory, environment), root, ready: READY };
  const { child, match } = await startAndWait("infra/node/main.ts", options);
  return { ...child, port: Number(match[1]) };
}

/**
 * Builds the checkout in `root` within the folder `work`, with the packages of that checkout. Resolves with the folder of the build. From its sources a relay is
 * slower: tsx has every function keep its name, and names those within other functions again at each call.
 */
export async function buildRelay(work: string, root = ROOT): Promise<string> {
  const build = join(work, "build");
  await mkdir(work, { recursive: true });
  const args = ["--import", "tsx", "infra/build/main.ts", "--out", build];
  const { exitCode, output } = await runCommand(process.execPath, args, BUILD_MAX_MS, process.env, root);
  if (exitCode !== 0) throw new Error(`${root} could not be built: ${output}`);
  await symlink(join(root, "node_modules"), join(work, "node_modules"));
  return build;
}

/** Starts a relay from a build in `folder`, as it runs in production. */
export async function startBuiltRelay(
  folder: string,
  dataDirectory: string,
  environment: { readonly [name: string]: string } = {},
): Promise<RunningRelay> {
  const options = { environment: relayEnvironment(dataDirectory, environment), folder, ready: READY };
  const { child, match } = await startProgram(process.execPath, ["infra/node/main.js"], options);
  return { ...child, port: Number(match[1]) };
}

function relayEnvironment(dataDirectory: string, environment: { readonly [name: string]: string }): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("RELAY_"));
  return {
    ...Object.fromEntries(inherited),
    RELAY_MODE: "sandbox",
    RELAY_PORT: "0",
    RELAY_ZVT_PORT: "0",
    RELAY_SHARDS: "1",
    RELAY_LOG_LEVEL: "error",
    RELAY_NODE_ID: "bench",
    RELAY_DATA_DIR: dataDirectory,
    RELAY_TERMINAL_SECRET: TERMINAL_SECRET,
    RELAY_SANDBOX_API_KEY: API_KEY,
    // The generator stands for a proxy, so that requests come from many client addresses.
    RELAY_TRUSTED_PROXIES: "127.0.0.0/8",
    ...environment,
  };
}
