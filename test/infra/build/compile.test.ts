import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { bundleApp } from "../../../http/web/bundle-web-app.ts";
import { loadScripts } from "../../../http/web/script-files.ts";
import { loadWebApps, type WebAppFiles } from "../../../http/web/web-app-files.ts";
import { compile } from "../../../infra/build/compile.ts";

const FOLDERS = ["engine", "http", "storage", "infra/node", "infra/cli", "infra/sandbox"];

/** Made into the files that browsers load. */
const SCRIPTS = "http/web/scripts/";

/** Made into the pages of the merchant portal and of operators, each file in three forms. */
const WEB_APPS = ["portal", "operators"] as const;
const webAppFolder = (name: (typeof WEB_APPS)[number]) => `http/web/${name}/`;

async function emptyFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "relay-build-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function filesOf(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true });
  return files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
}

test("a build holds each module once, as JavaScript, and what they read at run time, and its programs run", async (t) => {
  const folder = await emptyFolder(t);
  const built = join(folder, "build");
  await compile(built);
  const sources = FOLDERS.flatMap(filesOf).filter(
    (file) => !/\.(d\.ts|mjs|md)$/.test(file) && ![SCRIPTS, ...WEB_APPS.map(webAppFolder)].some((folder) => file.startsWith(folder)),
  );
  const modules = sources.map((file) => join(built, file.replace(/\.ts$/, ".js")));
  assert.equal(new Set(modules).size, sources.length, "two sources have one name in a build");
  const scripts = ["compat.js", "scan.js", "scan.mjs", "compat.d.ts", "scan.d.ts"].map((file) => join(built, SCRIPTS, file));
  const pages: string[] = [];
  for (const name of WEB_APPS) {
    const { files } = await bundleApp(name);
    for (const file of ["index.html", ...files.keys()])
      pages.push(...["", ".br", ".gz"].map((ending) => join(built, webAppFolder(name), file + ending)));
  }
  const expected = [...modules, ...scripts, ...pages];
  assert.deepEqual(FOLDERS.flatMap((name) => filesOf(join(built, name))).sort(), expected.sort());

  await symlink(resolve("node_modules"), join(folder, "node_modules"));
  const { stdout } = await promisify(execFile)(process.execPath, [join(built, "infra/cli/sql.js"), "--help"], { cwd: folder });
  assert.match(stdout, /^Usage: /);

  const fromBuild: { loadScripts: typeof loadScripts } = await import(pathToFileURL(join(built, "http/web/script-files.js")).href);
  assert.deepEqual(await fromBuild.loadScripts(), await loadScripts(), "a build serves the same bytes as the sources do");

  const webAppsFromBuild: { loadWebApps: typeof loadWebApps } = await import(
    pathToFileURL(join(built, "http/web/web-app-files.js")).href
  );
  const plain = ({ shell, assets }: WebAppFiles) =>
    [shell, ...[...assets].sort().map(([, asset]) => asset)].map(({ bytes, etag }) => [etag, bytes.identity]);
  const [fromSources, ofBuild] = [await loadWebApps(), await webAppsFromBuild.loadWebApps()];
  for (const name of WEB_APPS) assert.deepEqual(plain(ofBuild[name]), plain(fromSources[name]), `and of the pages of ${name} too`);
});

test("a build takes the place of an earlier one, and of nothing else", async (t) => {
  const folder = await emptyFolder(t);
  await compile(folder);
  await writeFile(join(folder, "engine", "of-an-earlier-version.js"), "");
  await compile(folder);
  assert.ok(!filesOf(folder).some((file) => file.includes("earlier")));

  const other = await emptyFolder(t);
  await writeFile(join(other, "letter.txt"), "kept");
  await assert.rejects(compile(other), /contains something other than a build/);
  assert.deepEqual(readdirSync(other), ["letter.txt"]);
});
