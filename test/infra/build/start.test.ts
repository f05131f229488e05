import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, beforeEach, describe, it, type TestContext } from "node:test";
import { freePort } from "../../../infra/local/free-port.ts";
import { atEnd } from "../../storage/kv/world.ts";
import { eventually } from "../../support/within.ts";

/** A bundle is made in two seconds, and in many more on a busy machine. */
const WITHIN_MS = 120_000;

const VERSION: string = JSON.parse(readFileSync("package.json", "utf8")).version;

/** In a checkout of its own, whose packages are those of this one. */
describe("npm start", () => {
  let folder = "";
  let checkout = "";
  let besidePackages = "";
  let ofUser = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "relay-npm-start-"));
    checkout = join(folder, "relay");
    await mkdir(join(checkout, "node_modules"), { recursive: true });
    const parts = ["engine", "http", "infra", "storage", "package.json", "tsconfig.json"];
    for (const part of parts) await cp(part, join(checkout, part), { recursive: true, filter: (path) => !path.endsWith(".md") });
    for (const name of readdirSync("node_modules").filter((name) => name !== ".cache"))
      await symlink(resolve("node_modules", name), join(checkout, "node_modules", name));
    besidePackages = join(checkout, "node_modules/.cache/terminal-relay");
    ofUser = join(folder, "cache/terminal-relay/start");
  });
  beforeEach(async () => {
    for (const place of [join(checkout, "node_modules/.cache"), join(folder, "cache")]) await removed(place);
  });
  after(() => removed(folder));

  const environment = (more: { [name: string]: string } = {}) => ({
    PATH: process.env["PATH"],
    HOME: process.env["HOME"],
    XDG_CACHE_HOME: join(folder, "cache"),
    ...more,
  });
  const started = (args: readonly string[]) =>
    new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      execFile(
        process.execPath,
        ["infra/build/start.mjs", ...args],
        { cwd: checkout, env: environment(), timeout: WITHIN_MS },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
      );
    });
  const printsVersion = async () => assert.deepEqual(await started(["--version"]), { code: 0, stdout: `${VERSION}\n`, stderr: "" });

  /** Whatever is no folder cannot hold one, for root either. */
  async function makeUnusable(place: string): Promise<void> {
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, "");
  }

  it("bundles the sources once, and again when one of them has changed", async () => {
    await printsVersion();
    const [first = "", ...others] = readdirSync(besidePackages);
    assert.deepEqual(others, []);
    // Whatever is made again is a new file.
    await writeFile(join(besidePackages, first, "of-the-first-start"), "");
    await printsVersion();
    assert.deepEqual(readdirSync(besidePackages), [first]);
    assert.ok(existsSync(join(besidePackages, first, "of-the-first-start")));

    const source = join(checkout, "infra/node/boot/arguments.ts");
    const before = await readFile(source, "utf8");
    await writeFile(source, before.replace("Starts a node", "Starts another node"));
    assert.match((await started(["--help"])).stdout, /^Usage: terminal-relay .*\n\nStarts another node/);
    await writeFile(source, before);
    assert.equal(readdirSync(besidePackages).length, 2);
    assert.match((await started(["--help"])).stdout, /^Usage: terminal-relay .*\n\nStarts a node/);
    assert.equal(readdirSync(besidePackages).length, 2, "the bundle of the former sources was kept");
  });

  it("has maps of its bundles that lead to the sources", async () => {
    await printsVersion();
    const [name = ""] = readdirSync(besidePackages);
    const bundles = join(besidePackages, name, "bundles");
    const map = JSON.parse(await readFile(join(bundles, "infra-node-main.js.map"), "utf8"));
    const sources: string[] = map.sources.map((source: string) => resolve(bundles, source));
    assert.ok(sources.includes(join(checkout, "infra/node/main.ts")), String(sources));
  });

  it("keeps the bundle in the user's cache where the folder of the packages cannot be written, and runs a whole sandbox from there", async (t) => {
    await makeUnusable(join(checkout, "node_modules/.cache"));
    const port = await freePort();
    const relay = spawn(process.execPath, ["infra/build/start.mjs"], {
      cwd: checkout,
      env: environment({ RELAY_PORT: String(port), RELAY_ZVT_PORT: "0", RELAY_DATA_DIR: join(folder, "data") }),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = outputOf(relay);
    endWithTest(t, relay);
    await eventually(async () => {
      assert.equal(relay.exitCode, null, output());
      assert.equal((await fetch(`http://127.0.0.1:${port}/health/ready`)).status, 200);
      assert.match(output(), /"event":"clickhouse started"/);
    }, WITHIN_MS);
    assert.doesNotMatch(output(), /"companion missing"/);
    assert.match(output(), new RegExp(`"event":"starting","version":"${VERSION.replaceAll(".", "\\.")}"`));
    assert.equal(readdirSync(ofUser).length, 1);
    assert.equal((await fetch(`http://127.0.0.1:${port}/portal`)).status, 200);
  });

  it("runs the sources, and says why, where no folder can be written", async () => {
    await makeUnusable(join(checkout, "node_modules/.cache"));
    await makeUnusable(join(folder, "cache"));
    const { code, stdout, stderr } = await started(["--version"]);
    assert.deepEqual([code, stdout], [0, `${VERSION}\n`]);
    assert.match(stderr, /^The sources could not be bundled, so this start takes longer: .*ENOTDIR.*\n$/);
  });

  it("removes the bundles that were not started for longest, but none that still runs", async () => {
    await mkdir(besidePackages, { recursive: true });
    const old = Array.from({ length: 8 }, (_, index) => `${String(index).repeat(24)}`);
    for (const [index, name] of old.entries()) {
      await mkdir(join(besidePackages, name, ".running"), { recursive: true });
      if (index === 0) await writeFile(join(besidePackages, name, ".running", String(process.pid)), "");
      await utimes(join(besidePackages, name), index, index);
    }
    await printsVersion();
    const kept = readdirSync(besidePackages);
    assert.deepEqual(
      old.filter((name) => kept.includes(name)),
      ["0", "3", "4", "5", "6", "7"].map((digit) => digit.repeat(24)),
    );
  });

  it("says what is wrong with the sources where they cannot be compiled", async () => {
    const source = join(checkout, "infra/node/boot/arguments.ts");
    const before = await readFile(source, "utf8");
    await appendFile(source, "const = 1;\n");
    const { code, stderr } = await started(["--version"]);
    await writeFile(source, before);
    assert.equal(code, 1);
    assert.match(stderr, /arguments\.ts:\d+:\d+: ERROR: Expected identifier/);
  });
});

const NPM = process.env["npm_execpath"];

for (const [signal, toNpm] of [
  ["SIGTERM", "hands on"],
  ["SIGKILL", "cannot hand on"],
] as const) {
  it(`a relay that npm start runs ends with npm, by ${signal}, which npm ${toNpm}`, {
    skip: NPM === undefined && "npm tells where it is only to what it runs",
  }, async (t) => {
    const [port, data] = [await freePort(), await mkdtemp(join(tmpdir(), "relay-npm-"))];
    t.after(() => removed(data));
    const npm = spawn(process.execPath, [NPM ?? "", "start"], {
      env: { ...process.env, RELAY_PORT: String(port), RELAY_ZVT_PORT: "0", RELAY_DATA_DIR: data, RELAY_LOG_LEVEL: "error" },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const output = outputOf(npm);
    t.after(() => {
      try {
        process.kill(-(npm.pid ?? 0), "SIGKILL");
      } catch {}
    });
    const url = `http://127.0.0.1:${port}/health/ready`;
    await eventually(async () => assert.equal((await fetch(url)).status, 200, output()), WITHIN_MS);
    npm.kill(signal);
    await eventually(async () => assert.equal(await fetch(url).catch(() => null), null), WITHIN_MS);
  });
}

/** A child of a node that has ended may still write what it compiled. */
function removed(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
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

function endWithTest(t: TestContext, child: ChildProcess): void {
  atEnd(t, async () => {
    const exited = once(child, "exit");
    if (child.exitCode === null && child.kill("SIGTERM")) await exited;
  });
}
