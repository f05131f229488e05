import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TestContext } from "node:test";
import { freePort } from "../../infra/local/free-port.ts";
import { runCommand } from "../../infra/local/run-command.ts";
import { atEnd } from "../storage/kv/world.ts";
import { ServerProcess } from "../support/node/server-process.ts";
import { eventually } from "../support/within.ts";

/** Nodes see proxies come from here, and clients from anywhere else in 127.0.0.0/8: only this address is to be trusted. */
export const PROXY_ADDRESS = "127.88.0.1";

/** The nodes' names in the shipped files. */
export const NODE_NAMES = ["node-1", "node-2", "node-3"];

const CHECK_DEADLINE_MS = 20_000;

/** A real proxy before three nodes. */
export interface RunningProxy {
  readonly url: string;
  readonly port: number;
}

export interface ProxyProgram {
  readonly program: string;
  /** The configuration that is shipped for it, in infra/compose. */
  readonly shipped: string;
  /** Makes it say what it thinks of the file, and end. */
  checkArguments(file: string): string[];
  runArguments(file: string): string[];
  /** What of the shipped file is the test's own: addresses, ports and folders. */
  replacements(place: ProxyPlace): readonly Replacement[];
}

export interface ProxyPlace {
  readonly port: number;
  readonly nodePorts: readonly number[];
  readonly directory: string;
}

export type Replacement = readonly [from: string, to: string];

/** Starts the program with the shipped file; resolves when it listens. It ends with the test. */
export async function startProxy(test: TestContext, program: ProxyProgram, nodePorts: readonly number[]): Promise<RunningProxy> {
  const directory = await mkdtemp(join(tmpdir(), "relay-proxy-"));
  atEnd(test, () => rm(directory, { recursive: true, force: true }));
  const port = await freePort();
  const file = join(directory, program.shipped);
  const shipped = await readFile(resolve(import.meta.dirname, "../../infra/compose", program.shipped), "utf8");
  await writeFile(file, replaced(shipped, program.replacements({ port, nodePorts, directory })));
  const { exitCode, output } = await runCommand(program.program, program.checkArguments(file), CHECK_DEADLINE_MS);
  assert.equal(exitCode, 0, output);
  assert.doesNotMatch(output, /warn/i, output);
  const log = join(directory, "log");
  const server = new ServerProcess(program.program, program.runArguments(file), log);
  await server.start();
  atEnd(test, () => server.kill());
  // One that does not start ends at once; there is nothing to wait for then.
  await eventually(() => (server.running ? reached(port) : undefined));
  assert.ok(server.running, await readFile(log, "utf8"));
  return { url: `http://127.0.0.1:${port}`, port };
}

/** Every place of each text; one that the shipped file does not have is an error, since the test would not be of what it says. */
function replaced(shipped: string, replacements: readonly Replacement[]): string {
  return replacements.reduce((text, [from, to]) => {
    assert.ok(text.includes(from), `the shipped file has no "${from}"`);
    return text.replaceAll(from, to);
  }, shipped);
}

/** Resolves when something listens there and speaks HTTP. */
function reached(port: number): Promise<void> {
  return new Promise((resolved, rejected) => {
    get({ host: "127.0.0.1", port, path: "/health/live", agent: false }, (response) => {
      response.resume();
      resolved();
    }).on("error", rejected);
  });
}
