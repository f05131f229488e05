import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { CREDENTIALS } from "../../../support/http/http-client.ts";
import { assertMatches, member } from "../../../support/http/matches.ts";
import { Relay } from "../../../support/node/relay.ts";
import { nodeEnvironment, pythonEnvironment } from "../../support/toolchains.ts";
import { askProgram } from "../ask-program.ts";
import { shared } from "../shared.ts";
import type { ClientTrial } from "../trial.ts";

const HERE = resolve(import.meta.dirname);
/** A generator on a busy machine. */
const GENERATE_MS = 180_000;
const run = promisify(execFile);

const world = shared(async () => {
  const relay = new Relay({ shards: 1, environment: {} });
  await relay.start();
  return {
    baseUrl: relay.node.url,
    task: () => ({
      baseUrl: relay.node.url,
      partner: CREDENTIALS.partnerByPassword.authorization,
      terminal: CREDENTIALS.fleet.authorization,
      terminalId: relay.terminalId(),
      uuid: relay.uuid(),
    }),
    stop: () => relay.stop(),
  };
});

type Task = ReturnType<Awaited<ReturnType<typeof world>>["task"]>;

async function inFolder(act: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "relay-openapi-"));
  try {
    await act(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What a program wrote to either of its outputs, in lines. Rejects where it fails. */
async function linesOf(command: string, args: readonly string[], cwd: string): Promise<string[]> {
  // Without colours the lines are as they are written here.
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" };
  const { stdout, stderr } = await run(command, [...args], { cwd, env, timeout: GENERATE_MS }).catch(
    (error: Error & { stdout?: string }) => {
      throw new Error(`${error.message}\n${error.stdout ?? ""}`);
    },
  );
  return `${stdout}\n${stderr}`
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** A payment that was made, reported by the terminal, looked up twice and refused the second time. */
function assertPaid(outcome: unknown, { terminalId, uuid }: Task): void {
  const transaction = { uuid, status: "OK", amountCents: 1_050, currency: "EUR" };
  assertMatches(outcome, {
    answeredTerminal: terminalId,
    taken: uuid,
    reported: "Result recorded",
    byUuid: transaction,
    latest: transaction,
    again: "Duplicate payment request - UUID already processed",
  });
}

let node: string | null = null;
let python: string | null = null;

/** A reason is all that is wanted of what cannot be installed. */
function prepared(install: () => Promise<void>): ClientTrial["prepare"] {
  return () =>
    install().then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
}

export const GENERATOR_TRIALS: readonly ClientTrial[] = [
  {
    group: "OpenAPI generators",
    client: "openapi-typescript (npm), with openapi-fetch 0.17.0",
    version: "7.13.0",
    tried:
      "Types of the whole document, without a warning; compiled strictly by TypeScript 5.9: a payment, the terminal's result, look-ups, a repeated uuid",
    result: "works",
    prepare: prepared(async () => {
      node = await nodeEnvironment({ name: "openapi-typescript", folder: "trials/openapi/node" });
    }),
    run: async () => {
      assert.ok(node, "it was not prepared");
      const modules = join(node, "node_modules");
      const { baseUrl, task } = await world();
      await inFolder(async (folder) => {
        await cp(join(HERE, "node"), folder, { recursive: true });
        await symlink(modules, join(folder, "node_modules"));
        const generator = join(modules, "openapi-typescript/bin/cli.js");
        const said = await linesOf(process.execPath, [generator, `${baseUrl}/openapi.json`, "--output", "relay.ts"], folder);
        assert.equal(said.length, 2, said.join("\n"));
        assert.match(said.join("\n"), /^✨ openapi-typescript 7\.13\.0\n🚀 .* → .*relay\.ts \[.*\]$/);
        assert.deepEqual(await linesOf(process.execPath, [join(modules, "typescript/bin/tsc"), "--project", "."], folder), []);
        const given = task();
        assertPaid(await askProgram({ command: process.execPath, args: [join(folder, "main.mjs")] }, given), given);
      });
    },
  },
  {
    group: "OpenAPI generators",
    client: "openapi-python-client (PyPI)",
    version: "0.29.1",
    tried:
      "A package of every operation, without a warning; imported whole, with it a payment, the terminal's result, look-ups, a repeated uuid",
    result:
      "works. Say with `content_type_overrides` that images and packages are `application/octet-stream`: it leaves other types of files out",
    prepare: prepared(async () => {
      python = await pythonEnvironment({ name: "openapi-python-client", folder: "trials/openapi/python" });
    }),
    run: async () => {
      assert.ok(python, "it was not prepared");
      const interpreter = python;
      const { baseUrl, task } = await world();
      await inFolder(async (folder) => {
        const generator = join(dirname(interpreter), "openapi-python-client");
        const options = ["--meta", "none", "--config", join(HERE, "python/generator.yml"), "--output-path", "relay_client"];
        const said = await linesOf(generator, ["generate", "--url", `${baseUrl}/openapi.json`, ...options], folder);
        assert.deepEqual(said, ["Generating relay_client"]);
        const given = task();
        const outcome = await askProgram({ command: interpreter, args: [join(HERE, "python/client.py"), folder] }, given);
        assertPaid(outcome, given);
        assert.equal(member(outcome, "operations"), await operationsAt(baseUrl));
      });
    },
  },
];

/** How many operations the document has: none may be skipped. */
async function operationsAt(baseUrl: string): Promise<number> {
  const document: unknown = await (await fetch(`${baseUrl}/openapi.json`)).json();
  return Object.values(member(document, "paths") as object).reduce((count, methods) => count + Object.keys(methods).length, 0);
}
