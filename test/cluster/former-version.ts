import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { cacheFolder } from "../../infra/local/cache-folder.ts";
import { skipReason } from "../support/node/server-process.ts";

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "../..");

/** The last commit of the version before this one; the next release puts its own here. */
const COMMIT = (await readFile(new URL("former-version.txt", import.meta.url), "utf8")).trim();

/** `npm ci` on a cold cache. */
const INSTALL_DEADLINE_MS = 480_000;

async function git(...parameters: string[]): Promise<string> {
  const { stdout } = await run("git", ["-C", ROOT, ...parameters]);
  return stdout.trim();
}

/** Why the former version cannot be had here, or false: a download, or a shallow clone, has no history. In CI that is a failure. */
export async function formerVersionMissing(): Promise<string | false> {
  try {
    await git("cat-file", "-e", `${COMMIT}^{commit}`);
    return false;
  } catch {
    return skipReason({
      type: "missing",
      reason: `the commit ${COMMIT} of test/cluster/former-version.txt is not in this repository's history`,
    });
  }
}

/** The former version, to be run from its sources. */
export interface FormerVersion {
  readonly directory: string;
  readonly version: string;
  remove(): Promise<void>;
}

/** Checks the former version out, with its packages. */
export async function checkOutFormerVersion(): Promise<FormerVersion> {
  const directory = join(await mkdtemp(join(tmpdir(), "relay-former-")), "checkout");
  const remove = async (): Promise<void> => {
    await git("worktree", "remove", "--force", directory).catch(() => undefined);
    await rm(resolve(directory, ".."), { recursive: true, force: true });
  };
  try {
    await git("worktree", "add", "--detach", directory, COMMIT);
    const [here, there] = await Promise.all([packageIn(ROOT), packageIn(directory)]);
    if (!(await linkPackages(here, there, directory))) await installPackages(directory);
    return { directory, version: there.version, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

interface Package {
  version: string;
  dependencies: { readonly [name: string]: string };
  optionalDependencies?: { readonly [name: string]: string };
}

async function packageIn(directory: string): Promise<Package> {
  return JSON.parse(await readFile(join(directory, "package.json"), "utf8"));
}

/** Gives it the packages of this version, where it wants the same, under another name perhaps; false where it wants one that is not here. */
async function linkPackages(here: Package, there: Package, directory: string): Promise<boolean> {
  const own = { ...here.dependencies, ...here.optionalDependencies };
  const links = new Map<string, string>();
  for (const [name, wanted] of Object.entries({ ...there.dependencies, ...there.optionalDependencies })) {
    if (own[name] === wanted) continue;
    const [other] = Object.entries(own).find(([, specifier]) => specifier === wanted && wanted.startsWith("npm:")) ?? [];
    if (other === undefined) return false;
    links.set(name, other);
  }
  const [from, to] = [join(ROOT, "node_modules"), join(directory, "node_modules")];
  await mkdir(to);
  for (const name of await readdir(from)) await symlink(join(from, links.get(name) ?? name), join(to, name));
  return true;
}

/** They are kept for the next time: by the commit, whose lock file never changes. */
async function installPackages(directory: string): Promise<void> {
  const kept = join(await cacheFolder(), "former-version", COMMIT);
  const modules = join(kept, "node_modules");
  const isKept = await readdir(modules).then(
    () => true,
    () => false,
  );
  if (!isKept) {
    const making = `${kept}.${process.pid}`;
    await mkdir(making, { recursive: true });
    // Whatever a run that was ended has left.
    await rm(kept, { recursive: true, force: true });
    for (const file of ["package.json", "package-lock.json", ".npmrc"]) await cp(join(directory, file), join(making, file));
    await run("npm", ["ci", "--omit=dev", "--no-audit", "--no-fund"], { cwd: making, timeout: INSTALL_DEADLINE_MS });
    await rename(making, kept);
  }
  await symlink(modules, join(directory, "node_modules"));
}
