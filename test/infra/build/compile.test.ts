import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, posix, relative } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { bundleApp, OPERATORS_ASSETS_PATH, OPERATORS_PATH, PORTAL_ASSETS_PATH, PORTAL_PATH } from "../../../http/web/bundle-web-app.ts";
import { loadDocs } from "../../../http/web/docs-files.ts";
import { loadScripts, versionedPath } from "../../../http/web/script-files.ts";
import { loadWebApps } from "../../../http/web/web-app-files.ts";
import { PROGRAMS } from "../../../infra/build/bundle-programs.ts";
import { compile } from "../../../infra/build/compile.ts";
import { readConfig } from "../../../infra/node/boot/config.ts";
import { documentTexts } from "../../../infra/node/wiring/shared/endpoints.ts";
import { placeOf, startNodeProcess } from "../../fault/node-process.ts";
import { PARTNER, RelayCaller, TERMINAL } from "../../fault/relay-caller.ts";
import { atEnd } from "../../storage/kv/world.ts";
import { build, removeBuild } from "../../support/node/build.ts";

const FOLDERS = ["engine", "http", "storage", "infra/node", "infra/cli", "infra/sandbox"];

/** Made into the files that browsers load. */
const SCRIPTS = "http/web/scripts/";

/** Made into the pages of the merchant portal and of operators, each file in three forms. */
const WEB_APPS = {
  portal: { start: PORTAL_PATH, assets: PORTAL_ASSETS_PATH },
  operators: { start: OPERATORS_PATH, assets: OPERATORS_ASSETS_PATH },
} as const;
const NAMES = ["portal", "operators"] as const;
const webAppFolder = (name: (typeof NAMES)[number]) => `http/web/${name}/`;

/** The documents of nodes with the usual settings. */
const { packageBytesMax } = readConfig({});
const OF_SANDBOX = documentTexts({ openTerminalLogs: true, packageBytesMax });
const OF_PRODUCTION = documentTexts({ openTerminalLogs: false, packageBytesMax });

const CLICKHOUSE_MS = 60_000;

async function emptyFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "relay-build-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function filesOf(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true });
  return files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
}

/** With the packages beside it, and no source above it. */
describe("a build", () => {
  let folder = "";
  let built = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "relay-build-"));
    built = await build(folder);
  });
  after(() => removeBuild(folder));

  it("holds each program at the place of its source, what modules read at run time, and nothing else beside the bundles", async () => {
    const sources = FOLDERS.flatMap(filesOf);
    const read = sources.filter(
      (file) => !/\.(ts|mjs|md)$/.test(file) && ![SCRIPTS, ...NAMES.map(webAppFolder)].some((folder) => file.startsWith(folder)),
    );
    const scripts = ["compat.js", "scan.js", "scan.mjs", "compat.d.ts", "scan.d.ts"].map((file) => SCRIPTS + file);
    const pages: string[] = [];
    for (const name of NAMES) {
      const { files } = await bundleApp(name);
      for (const file of ["index.html", ...files.keys()])
        pages.push(...["", ".br", ".gz"].map((ending) => webAppFolder(name) + file + ending));
    }
    const { documents, assets } = await loadDocs(OF_SANDBOX);
    const docs = [OF_SANDBOX, OF_PRODUCTION].flatMap(({ variant }) => [...documents.keys()].map((name) => `documents-${variant}/${name}`));
    for (const file of [...docs, ...[...assets.keys()].map((name) => `assets/${name}`)])
      pages.push(...["", ".br", ".gz"].map((ending) => `http/web/docs/${file}${ending}`));
    const programs = PROGRAMS.map((file) => file.replace(/\.ts$/, ".js"));
    const expected = ["package.json", ".relay-build", ...programs, ...read, ...scripts, ...pages];
    const found = filesOf(built).map((file) => relative(built, file));
    assert.deepEqual(found.filter((file) => !/^(?:bundles|\.compile-cache)\//.test(file)).sort(), expected.sort());
  });

  it("has every program that the relay starts in a thread or a process of its own", () => {
    const started = FOLDERS.flatMap(filesOf)
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) =>
        [...readFileSync(file, "utf8").matchAll(/childProgram\("([^"]+)"|"(\.[^"]+-worker)\.js"/g)].map((match) =>
          posix.join(dirname(file), `${match[1] ?? match[2]}.ts`),
        ),
      );
    assert.ok(started.length >= 3, `only ${started} were found`);
    for (const program of started) assert.ok(PROGRAMS.includes(program), program);
  });

  it("runs the commands", async () => {
    const commands = PROGRAMS.filter((program) => /^infra\/(?:cli|sandbox|node\/main)/.test(program));
    for (const command of commands) {
      const { stdout } = await promisify(execFile)(process.execPath, [join(built, command.replace(/\.ts$/, ".js")), "--help"], {
        cwd: folder,
      });
      assert.match(stdout, /^Usage: /, command);
    }
    const { stdout } = await promisify(execFile)(process.execPath, [join(built, "infra/cli/portal-code.js")], { cwd: folder });
    assert.match(stdout, /^\d{6}\n/);
  });

  it("takes a payment, beside its own ClickHouse and card gateway, and serves the same pages and scripts as the sources", async (t) => {
    const node = startNodeProcess(t, {
      ...(await placeOf(t)),
      build: built,
      cwd: folder,
      environment: { RELAY_LOG_LEVEL: "info", RELAY_GATEWAY_URL: "", RELAY_CLICKHOUSE_URL: "" },
    });
    await node.ready();
    const caller = new RelayCaller(node.url);
    atEnd(t, () => caller.close());
    const uuid = randomUUID();
    const payment = JSON.stringify({ uuid, amount: 1_050, service: "PAYCC" });
    const json = { ...PARTNER, "content-type": "application/json" };
    assert.equal((await caller.call("POST", "/api/v1/BUILT001/pay", json, payment))?.status, 200);
    const command = await caller.get("/api/v1/BUILT001/get", TERMINAL);
    assert.equal(command?.status, 200);
    assert.match(command?.text ?? "", new RegExp(uuid));
    assert.doesNotMatch(node.output(), /"companion missing"/);

    const served = async (path: string) => {
      const answer = await fetch(`${node.url}${path}`);
      assert.equal(answer.status, 200, path);
      return Buffer.from(await answer.arrayBuffer());
    };
    for (const asset of (await loadScripts()).values())
      assert.ok((await served(versionedPath(asset))).equals(asset.bytes.identity), asset.file);
    const apps = await loadWebApps();
    for (const name of NAMES) {
      const { shell, assets } = apps[name];
      assert.ok((await served(WEB_APPS[name].start)).equals(shell.bytes.identity), name);
      for (const [file, { bytes }] of assets) assert.ok((await served(`${WEB_APPS[name].assets}/${file}`)).equals(bytes.identity), file);
    }
    for (const path of ["/docs", "/demo/checkout"]) await served(path);
    const docs = await loadDocs(OF_SANDBOX);
    for (const [name, { bytes }] of docs.documents) {
      const path = name === "openapi" || name === "asyncapi" ? `/${name}.json` : `/openapi/${name}.json`;
      assert.ok((await served(path)).equals(bytes.identity), path);
    }
    for (const [name, { bytes }] of docs.assets) assert.ok((await served(`/docs/assets/${name}`)).equals(bytes.identity), name);

    const rows = async () => (await caller.get("/api/v1/BUILT001/transactions", PARTNER))?.status === 200;
    for (const endMs = performance.now() + CLICKHOUSE_MS; !(await rows()); await delay(50)) {
      assert.ok(performance.now() < endMs, `ClickHouse does not answer\n${node.output()}`);
    }
    const [listening, started] = ['"event":"listening"', '"event":"clickhouse started"'].map((event) => node.output().indexOf(event));
    assert.ok(
      listening !== undefined && started !== undefined && listening >= 0 && listening < started,
      "ClickHouse starts when the node listens",
    );
  });

  it("names the sources in the stack traces of its threads", async () => {
    const worker = new Worker(join(built, "infra/node/shard/shard-worker.js"));
    // A ShardBoot that lacks all.
    worker.postMessage({});
    const [error]: unknown[] = await once(worker, "error");
    assert.ok(error instanceof TypeError, String(error));
    assert.match(error.stack ?? "", /^TypeError: .*\n {4}at \S*runShard \(\S*\/infra\/node\/shard\/shard\.ts:\d+:\d+\)\n/);
  });
});

it("a build takes the place of an earlier one, and of nothing else", async (t) => {
  const folder = await emptyFolder(t);
  await compile(folder);
  await writeFile(join(folder, "bundles", "of-an-earlier-version.js"), "");
  await compile(folder);
  assert.ok(!filesOf(folder).some((file) => file.includes("earlier")));

  const other = await emptyFolder(t);
  await writeFile(join(other, "letter.txt"), "kept");
  await assert.rejects(compile(other), /contains something other than a build/);
  assert.deepEqual(readdirSync(other), ["letter.txt"]);
});
