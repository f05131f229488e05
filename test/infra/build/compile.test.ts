import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { bundlePortal } from "../../../http/web/bundle-portal.ts";
import { loadPortal, type PortalFiles } from "../../../http/web/portal-files.ts";
import { loadScripts } from "../../../http/web/script-files.ts";
import { compile } from "../../../infra/build/compile.ts";

const FOLDERS = ["engine", "http", "storage", "infra/node", "infra/cli", "infra/sandbox"];

/** Made into the files that browsers load. */
const SCRIPTS = "http/web/scripts/";

/** Made into the pages of the merchant portal, each file in three forms. */
const PORTAL = "http/web/portal/";

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
    (file) => !/\.(d\.ts|mjs|md)$/.test(file) && !file.startsWith(SCRIPTS) && !file.startsWith(PORTAL),
  );
  const modules = sources.map((file) => join(built, file.replace(/\.ts$/, ".js")));
  assert.equal(new Set(modules).size, sources.length, "two sources have one name in a build");
  const scripts = ["compat.js", "scan.js", "scan.mjs", "compat.d.ts", "scan.d.ts"].map((file) => join(built, SCRIPTS, file));
  const portal = await bundlePortal();
  const pages = ["index.html", ...portal.files.keys()].flatMap((file) =>
    ["", ".br", ".gz"].map((ending) => join(built, PORTAL, file + ending)),
  );
  const expected = [...modules, ...scripts, ...pages];
  assert.deepEqual(FOLDERS.flatMap((name) => filesOf(join(built, name))).sort(), expected.sort());

  await symlink(resolve("node_modules"), join(folder, "node_modules"));
  const { stdout } = await promisify(execFile)(process.execPath, [join(built, "infra/cli/sql.js"), "--help"], { cwd: folder });
  assert.match(stdout, /^Usage: /);

  const fromBuild: { loadScripts: typeof loadScripts } = await import(pathToFileURL(join(built, "http/web/script-files.js")).href);
  assert.deepEqual(await fromBuild.loadScripts(), await loadScripts(), "a build serves the same bytes as the sources do");

  const portalFromBuild: { loadPortal: typeof loadPortal } = await import(pathToFileURL(join(built, "http/web/portal-files.js")).href);
  const plain = ({ shell, assets }: PortalFiles) =>
    [shell, ...[...assets].sort().map(([, asset]) => asset)].map(({ bytes, etag }) => [etag, bytes.identity]);
  assert.deepEqual(plain(await portalFromBuild.loadPortal()), plain(await loadPortal()), "and of the portal too");
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
